#include "debugger/console_arguments.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "debugger/console_reply.h"

#define NO_RING RV_CONSOLE_NO_RING
#define BEGIN_TRIES 1000u /* waiting for a first thread, */
#define LIVE_TRIES 100u   /* and for a live thread to become debuggable */
#define BEGIN_NS 10000000u

/* The first debuggable thread's ring, else, with `any`, the first ring, else NO_RING. */
static uint32_t find_first(struct rv_console *console, bool is_any, bool *has_live)
{
    uint32_t n_rings = rv_target_n_rings(console->target), first = NO_RING;
    struct rv_target_thread thread;
    for (uint32_t i = 0; i < n_rings; i++) {
        if (rv_target_thread(console->target, i, &thread) != 0)
            continue;
        *has_live = true;
        if (thread.run.state != RV_RUN_UNSTEERED)
            return i;
        if (is_any && first == NO_RING)
            first = i;
    }
    return first;
}

static bool find(struct rv_console *console, bool is_any, uint32_t *ring)
{
    bool has_live = false;
    for (unsigned i = 0; console->ring == NO_RING && i < (has_live ? LIVE_TRIES : BEGIN_TRIES); i++) {
        console->ring = find_first(console, is_any, &has_live);
        if (console->ring == NO_RING)
            rv_os_sleep_ns(BEGIN_NS);
    }
    *ring = console->ring;
    if (*ring == NO_RING)
        rv_console_reply_fail(console, has_live ? "no thread here can be debugged" : "no thread has started yet");
    return *ring != NO_RING;
}

bool rv_console_arguments_find(struct rv_console *console, uint32_t *ring)
{
    return find(console, false, ring);
}

bool rv_console_arguments_find_any(struct rv_console *console, uint32_t *ring)
{
    return find(console, true, ring);
}

bool rv_console_arguments_number(const char *text, uint32_t *number)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || value >= NO_RING)
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool is_ring(struct rv_console *console, const char *text, uint32_t *ring)
{
    bool is_one = rv_console_arguments_number(text, ring);
    if (!is_one)
        rv_console_reply_fail(console, "'%s' is no ring", text);
    return is_one;
}

bool rv_console_arguments_parse(struct rv_console *console, const char *argument, uint32_t *ring)
{
    return *argument ? is_ring(console, argument, ring) : rv_console_arguments_find(console, ring);
}

bool rv_console_arguments_parse_any(struct rv_console *console, const char *argument, uint32_t *ring)
{
    return *argument ? is_ring(console, argument, ring) : rv_console_arguments_find_any(console, ring);
}

size_t rv_console_arguments_split(const char *text, const char **rest)
{
    size_t n = strcspn(text, " \t");
    *rest = text + n + strspn(text + n, " \t");
    return n;
}

bool rv_console_arguments_is_word(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

void rv_console_arguments_each(struct rv_console *console, rv_console_arguments_each_fn *each, const void *context)
{
    struct rv_target_thread thread;
    uint32_t n_rings = rv_target_n_rings(console->target), n_found = 0;
    for (uint32_t i = 0; i < n_rings; i++) {
        if (rv_target_thread(console->target, i, &thread) != 0 || thread.run.state == RV_RUN_UNSTEERED)
            continue;
        each(console, i, context);
        n_found++;
    }
    if (n_found == 0)
        rv_console_reply_fail(console, "no thread here can be debugged");
}

bool rv_console_arguments_has_live(struct rv_console *console)
{
    struct rv_target_thread thread;
    for (uint32_t i = 0; i < rv_target_n_rings(console->target); i++)
        if (rv_target_thread(console->target, i, &thread) == 0)
            return true;
    return false;
}
