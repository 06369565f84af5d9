#include "source/process_title.h"

#include <string.h>

#include "base/os.h"
#include "base/text.h"
#include "ring/program_name.h"

static const uint64_t FIRST_WAIT_NS = 50000000, LONGEST_WAIT_NS = 1000000000;

/* Arguments that are one text with nothing behind it. */
static bool is_one_text(const char *arguments, size_t n_bytes)
{
    for (size_t i = strnlen(arguments, n_bytes); i < n_bytes; i++)
        if (arguments[i])
            return false;
    return n_bytes > 0;
}

static size_t length_without_blanks(const char *text)
{
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ')
        n--;
    return n;
}

/* Another process may have its number by now. */
static bool is_running(const struct rv_wire_process *process)
{
    return rv_os_process_start((pid_t)process->pid) == process->start;
}

static bool read_title(const struct rv_wire_process *process, char out[RV_PROCESS_TITLE_BYTES])
{
    char arguments[512], name[sizeof process->name], title[sizeof process->name];
    const size_t n = rv_os_read_proc((pid_t)process->pid, "cmdline", arguments, sizeof arguments);
    if (!is_one_text(arguments, n) || !is_running(process))
        return false;
    memcpy(name, process->name, sizeof name);
    name[sizeof name - 1] = '\0';
    rv_program_name_from(name, arguments, strlen(arguments) + 1, title, sizeof title);
    (void)rv_text_escape(out, RV_PROCESS_TITLE_BYTES, title, length_without_blanks(title));
    return strcmp(title, name) != 0 && *out;
}

bool rv_process_title_follow(struct rv_process_title *title, const struct rv_wire_process *process, uint64_t now_ns)
{
    char text[RV_PROCESS_TITLE_BYTES];
    if (now_ns < title->next_ns)
        return false;
    const bool begins = !title->wait_ns; /* the name that it had then is known */
    title->wait_ns = begins                                 ? FIRST_WAIT_NS
                     : 2 * title->wait_ns < LONGEST_WAIT_NS ? 2 * title->wait_ns
                                                            : LONGEST_WAIT_NS;
    title->next_ns = now_ns + title->wait_ns;
    if (begins || !read_title(process, text) || strcmp(text, title->text) == 0)
        return false;
    memcpy(title->text, text, sizeof text);
    return true;
}
