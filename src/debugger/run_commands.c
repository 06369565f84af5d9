#include "debugger/run_commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/os.h"
#include "debugger/console_arguments.h"
#include "debugger/stop_messages.h"
#include "debugger/console_reply.h"

#define DEFAULT_WAIT_S 10.0
#define MOST_WAIT_S 1e6
#define LOOK_NS 2000000u /* between two checks while any thread may stop */

/* Send a command to resume or stop it, and report where it stops, or that it has ended. */
static void move(struct rv_console *console, uint32_t ring, const char *code)
{
    struct rv_target_thread thread;
    int error = rv_target_thread(console->target, ring, &thread);
    if (error) {
        rv_console_reply_fail_at(console, ring, error);
        return;
    }
    if (!rv_console_reply_tell(console, ring, code))
        return;
    error = rv_target_wait_stop(console->target, &thread, thread.run.n_stops, RV_CONSOLE_REPLY_NS);
    if (error == -ENOENT)
        printf("ring %u has ended\n", ring);
    else if (error || !rv_stop_messages_show(console, ring))
        printf("ring %u is still running\n", ring);
}

static void stop(struct rv_console *console, uint32_t ring, const void *unused)
{
    struct rv_target_thread thread;
    int error = rv_target_thread(console->target, ring, &thread);
    (void)unused;
    if (error)
        rv_console_reply_fail_at(console, ring, error);
    else if (thread.run.state != RV_RUN_STOPPED || !rv_stop_messages_show(console, ring))
        move(console, ring, "stop");
}

static void go_on(struct rv_console *console, uint32_t ring, const void *unused)
{
    struct rv_target_thread thread;
    int error = rv_target_thread(console->target, ring, &thread);
    (void)unused;
    if ((!error && thread.run.state == RV_RUN_RUNNING) || rv_console_reply_tell(console, ring, "run"))
        printf("ring %u runs\n", ring);
}

/* Parse one thread, all threads, or later ones. */
static void stop_or_go_on(struct rv_console *console, const char *argument, bool is_to_stop)
{
    uint32_t ring;
    if (strcmp(argument, "all") == 0) {
        rv_console_arguments_each(console, is_to_stop ? stop : go_on, NULL);
    } else if (strcmp(argument, "new") == 0) {
        rv_target_stop_new(console->target, is_to_stop);
        printf("threads and processes that begin later %s\n", is_to_stop ? "stop" : "run");
    } else if (rv_console_arguments_parse(console, argument, &ring)) {
        (is_to_stop ? stop : go_on)(console, ring, NULL);
    }
}

void rv_run_commands_stop(struct rv_console *console, const char *argument)
{
    stop_or_go_on(console, argument, true);
}

void rv_run_commands_run(struct rv_console *console, const char *argument)
{
    stop_or_go_on(console, argument, false);
}

static void move_chosen(struct rv_console *console, const char *argument, const char *code)
{
    uint32_t ring;
    if (rv_console_arguments_parse(console, argument, &ring))
        move(console, ring, code);
}

void rv_run_commands_step(struct rv_console *console, const char *argument)
{
    move_chosen(console, argument, "step");
}

void rv_run_commands_next(struct rv_console *console, const char *argument)
{
    move_chosen(console, argument, "next");
}

void rv_run_commands_finish(struct rv_console *console, const char *argument)
{
    move_chosen(console, argument, "fin");
}

void rv_run_commands_start(struct rv_console *console, const char *argument)
{
    move_chosen(console, argument, "strt");
}

/* ---- waiting ---- */

static void wait_for_one(struct rv_console *console, uint64_t timeout_ns)
{
    uint32_t ring;
    struct rv_target_thread thread;
    if (!rv_console_arguments_find(console, &ring))
        return;
    int error;
    do {
        error = rv_target_thread(console->target, ring, &thread);
        if (!error && thread.run.state != RV_RUN_STOPPED)
            error = rv_target_wait_stop(console->target, &thread, thread.run.n_stops, timeout_ns);
    } while (!error && !rv_stop_messages_show(console, ring));
    if (error == -ETIMEDOUT)
        rv_console_reply_fail(console, "ring %u has not stopped", ring);
    else if (error)
        rv_console_reply_fail_at(console, ring, error);
}

/* Choose the next thread that stops. */
static void wait_for_any(struct rv_console *console, uint64_t timeout_ns)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    uint32_t ring;
    while (!rv_stop_messages_find_new(console, &ring) || !rv_stop_messages_show(console, ring)) {
        bool are_gone = rv_target_n_rings(console->target) > 0 && !rv_console_arguments_has_live(console);
        if (are_gone || rv_target_is_given_up(console->target) || rv_clock_mono_ns() - begin_ns >= timeout_ns) {
            rv_console_reply_fail(console, are_gone ? "all threads have ended" : "no thread has stopped");
            return;
        }
        rv_os_sleep_ns(LOOK_NS);
    }
    console->ring = ring;
}

void rv_run_commands_wait(struct rv_console *console, const char *argument)
{
    const char *rest;
    size_t n = rv_console_arguments_split(argument, &rest);
    bool is_for_any = rv_console_arguments_is_word(argument, n, "all");
    const char *number = is_for_any ? rest : argument;
    char *end;
    double seconds = *number ? strtod(number, &end) : DEFAULT_WAIT_S;
    if (*number && (*end || !(seconds >= 0 && seconds <= MOST_WAIT_S)))
        rv_console_reply_fail(console, "'%s' is not a number of seconds", number);
    else
        (is_for_any ? wait_for_any : wait_for_one)(console, (uint64_t)(seconds * 1e9));
}
