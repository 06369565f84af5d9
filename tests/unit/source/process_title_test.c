#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "source/process_title.h"

static const uint64_t SECOND_NS = 1000000000;

static struct rv_wire_process this_process(void)
{
    struct rv_wire_process process = {.pid = (uint32_t)rv_os_proc_pid(), .start = rv_os_process_start(rv_os_proc_pid())};
    snprintf(process.name, sizeof process.name, "%s", program_invocation_short_name);
    return process;
}

/* As setproctitle() does: the text, and NULs over the rest of the arguments. */
static void set_title(const char *text)
{
    static size_t n_bytes;
    char arguments[4096];
    if (!n_bytes)
        n_bytes = rv_os_read_proc(rv_os_proc_pid(), "cmdline", arguments, sizeof arguments);
    cr_assert_gt(n_bytes, strlen(text));
    memset(program_invocation_name, 0, n_bytes);
    strcpy(program_invocation_name, text);
}

TestSuite(process_title, .timeout = 60);

Test(process_title, is_told_once_each_time_it_changes)
{
    const struct rv_wire_process process = this_process();
    struct rv_process_title title = {.wait_ns = 0};
    uint64_t now_ns = SECOND_NS;
    cr_assert_not(rv_process_title_follow(&title, &process, now_ns));
    cr_assert_not(rv_process_title_follow(&title, &process, now_ns += SECOND_NS), "of a plain name: %s", title.text);
    set_title("db: writer  ");
    cr_assert(rv_process_title_follow(&title, &process, now_ns += SECOND_NS));
    cr_assert_str_eq(title.text, "db: writer");
    cr_assert_not(rv_process_title_follow(&title, &process, now_ns += SECOND_NS));
    set_title("db: idle");
    cr_assert(rv_process_title_follow(&title, &process, now_ns += SECOND_NS));
    cr_assert_str_eq(title.text, "db: idle");
}

Test(process_title, is_asked_for_once_a_second_at_most)
{
    const struct rv_wire_process process = this_process();
    struct rv_process_title title = {.wait_ns = 0};
    uint64_t now_ns = SECOND_NS;
    for (int i = 0; i < 10; i++)
        (void)rv_process_title_follow(&title, &process, now_ns += SECOND_NS);
    set_title("db: writer");
    cr_assert_not(rv_process_title_follow(&title, &process, now_ns + SECOND_NS - 1));
    cr_assert(rv_process_title_follow(&title, &process, now_ns + SECOND_NS));
}

Test(process_title, of_another_process_with_its_number_is_not_taken)
{
    struct rv_wire_process process = this_process();
    struct rv_process_title title = {.wait_ns = 0};
    process.start++;
    set_title("db: writer");
    (void)rv_process_title_follow(&title, &process, SECOND_NS);
    cr_assert_not(rv_process_title_follow(&title, &process, 2 * SECOND_NS));
}
