#include "debugger/displays.h"

#include <errno.h>
#include <stdio.h>

#include "debugger/console_arguments.h"
#include "debugger/console_reply.h"

#define VALUE_NS 1000000000u

static void show_value(const struct rv_target_value *value, unsigned number, int error)
{
    if (error)
        printf("%u %s: no value yet\n", number, value->expression);
    else
        printf("%u %s%s %s\n", number, value->expression, value->is_error ? ": error:" : " =", value->text);
}

/* A stopped thread evaluates them at once; a running one may take long. */
static uint64_t value_ns(const struct rv_console *console, uint32_t ring)
{
    struct rv_target_thread thread;
    bool is_stopped = rv_target_thread(console->target, ring, &thread) == 0 && thread.run.state == RV_RUN_STOPPED;
    return is_stopped ? RV_CONSOLE_REPLY_NS : VALUE_NS;
}

unsigned rv_displays_show(struct rv_console *console, uint32_t ring)
{
    struct rv_target_value value;
    unsigned n_found = 0;
    for (unsigned i = 0; i < RV_WIRE_WATCHES; i++) {
        int error = rv_target_value(console->target, ring, i, value_ns(console, ring), &value);
        if (error == -ENOENT)
            continue;
        show_value(&value, i, error);
        n_found++;
    }
    return n_found;
}

static void delete_one(struct rv_console *console, uint32_t ring, const char *argument)
{
    uint32_t number;
    if (!rv_console_arguments_number(argument, &number) || rv_target_unwatch(console->target, ring, number) != 0)
        rv_console_reply_fail(console, "no display %s", argument);
    else
        puts("ok");
}

static void add(struct rv_console *console, uint32_t ring, const char *expression)
{
    struct rv_target_value value;
    int number = rv_target_watch(console->target, ring, expression);
    if (number < 0) {
        rv_console_reply_fail_at(console, ring, number);
        return;
    }
    int error = rv_target_value(console->target, ring, (unsigned)number, value_ns(console, ring), &value);
    show_value(&value, (unsigned)number, error);
}

void rv_displays_run(struct rv_console *console, const char *argument)
{
    const char *rest;
    size_t n = rv_console_arguments_split(argument, &rest);
    uint32_t ring;
    if (!rv_console_arguments_find(console, &ring))
        return;
    if (*argument && rv_console_arguments_is_word(argument, n, "delete") && *rest)
        delete_one(console, ring, rest);
    else if (*argument)
        add(console, ring, argument);
    else if (rv_displays_show(console, ring) == 0)
        puts("no displays");
}
