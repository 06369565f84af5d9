#include "debugger/console.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "debugger/breakpoint_commands.h"
#include "debugger/console_arguments.h"
#include "debugger/displays.h"
#include "debugger/frame_commands.h"
#include "debugger/stop_messages.h"
#include "debugger/console_input.h"
#include "debugger/console_reply.h"
#include "debugger/run_commands.h"

/* ---- commands ---- */

static const char *state_text(const struct rv_target_thread *thread)
{
    switch (thread->run.state) {
    case RV_RUN_UNSTEERED:
        return "unsteered";
    case RV_RUN_RUNNING:
        return "running";
    case RV_RUN_STOPPED:
        return "stopped";
    case RV_RUN_STATE_COUNT:
        break;
    }
    return "?";
}

static void run_ps(struct rv_console *console, const char *argument)
{
    (void)argument;
    puts("  RING      PID      TID  STATE      NAME");
    for (uint32_t i = 0; i < rv_target_n_rings(console->target); i++) {
        struct rv_target_thread thread;
        if (rv_target_thread(console->target, i, &thread) == 0)
            printf("%c %4u %8u %8u  %-9s  %s%s\n", i == console->ring ? '*' : ' ', i, thread.pid, thread.tid,
                   state_text(&thread), thread.name, thread.is_muted ? " (trace off)" : "");
    }
}

static void run_ring(struct rv_console *console, const char *argument)
{
    uint32_t ring;
    struct rv_target_thread thread;
    if (!rv_console_arguments_parse(console, argument, &ring))
        return;
    int error = rv_target_thread(console->target, ring, &thread);
    if (error) {
        rv_console_reply_fail_at(console, ring, error);
        return;
    }
    console->ring = ring;
    printf("ring %u: %s, process %u, %s\n", ring, thread.name, thread.pid, state_text(&thread));
}

static void capture(struct rv_console *console, enum rv_capture_rule rule, const char *text)
{
    struct rv_answer answer;
    if (!*text) {
        rv_console_reply_fail(console, "which subroutine?");
        return;
    }
    int error = rv_target_capture(console->target, rule, text, RV_CONSOLE_REPLY_NS, &answer);
    if (error)
        rv_console_reply_fail(console, "%s", rv_target_error(error));
    else
        (void)rv_console_reply_show(console, &answer);
    rv_answer_fini(&answer);
}

static void run_exclude(struct rv_console *console, const char *argument)
{
    capture(console, RV_CAPTURE_EXCLUDE, argument);
}

static void run_include(struct rv_console *console, const char *argument)
{
    capture(console, RV_CAPTURE_INCLUDE, argument);
}

static void run_untrace(struct rv_console *console, const char *argument)
{
    capture(console, RV_CAPTURE_UNTRACE, argument);
}

static void run_trace(struct rv_console *console, const char *argument)
{
    bool is_on = strcmp(argument, "on") == 0;
    uint32_t ring;
    struct rv_target_thread thread;
    if (!is_on && strcmp(argument, "off") != 0) {
        capture(console, RV_CAPTURE_TRACE, argument);
        return;
    }
    if (!rv_console_arguments_find_any(console, &ring))
        return;
    int error = rv_target_thread(console->target, ring, &thread);
    if (error) {
        rv_console_reply_fail_at(console, ring, error);
        return;
    }
    rv_target_mute(console->target, ring, !is_on);
    printf("ring %u: trace %s\n", ring, argument);
}

/* "on", "off" or a number, from -2^31 on. */
static bool parse_word(struct rv_console *console, const char *argument, int32_t *value)
{
    char *end;
    long number = strtol(argument, &end, 10);
    bool is_number = end != argument && !*end && number >= INT32_MIN && number <= INT32_MAX;
    *value = is_number ? (int32_t)number : strcmp(argument, "on") == 0;
    if (is_number || *value || strcmp(argument, "off") == 0)
        return true;
    rv_console_reply_fail(console, "'%s' is not on, off or a number", argument);
    return false;
}

static void run_signal(struct rv_console *console, const char *argument)
{
    uint32_t ring;
    int32_t value = 0;
    struct rv_target_thread thread;
    if ((*argument && !parse_word(console, argument, &value)) || !rv_console_arguments_find_any(console, &ring))
        return;
    int error = rv_target_thread(console->target, ring, &thread);
    if (error) {
        rv_console_reply_fail_at(console, ring, error);
        return;
    }
    if (*argument)
        rv_target_set_signal(console->target, ring, value);
    printf("ring %u: signal %d\n", ring, rv_target_signal(console->target, ring));
}

static void run_single(struct rv_console *console, const char *argument)
{
    int32_t value;
    if (*argument && !parse_word(console, argument, &value))
        return;
    if (*argument)
        rv_target_set_single(console->target, value);
    printf("single %d\n", rv_target_single(console->target));
}

static void run_message(struct rv_console *console, const char *argument)
{
    struct rv_answer answer = {.is_fine = true};
    int error = *argument ? rv_target_send_message(console->target, argument, RV_CONSOLE_REPLY_NS)
                          : rv_target_take_message(console->target, RV_CONSOLE_REPLY_NS, &answer);
    if (error == -ENOENT)
        puts("no message");
    else if (error == -ETIMEDOUT || error == -EBUSY)
        rv_console_reply_fail(console, *argument ? "the previous message was not received"
                                                 : "another receiver is taking it, or its sender has stopped");
    else if (error)
        rv_console_reply_fail(console, "%s", rv_target_error(error));
    else
        rv_console_reply_show(console, &answer);
    rv_answer_fini(&answer);
}

static void run_send(struct rv_console *console, const char *argument)
{
    const char *rest;
    char code[5] = "";
    uint32_t ring;
    struct rv_answer answer;
    size_t n = rv_console_arguments_split(argument, &rest);
    if (n == 0 || n >= sizeof code) {
        rv_console_reply_fail(console, "a command has 1 to 4 characters");
        return;
    }
    memcpy(code, argument, n);
    if (!rv_console_arguments_find(console, &ring))
        return;
    int error = rv_target_ask(console->target, ring, code, rest, RV_CONSOLE_REPLY_NS, &answer);
    if (error) {
        rv_console_reply_fail_at(console, ring, error);
        return;
    }
    printf("%s %s\n", answer.code, answer.text ? answer.text : "");
    rv_answer_fini(&answer);
}

static void run_quit(struct rv_console *console, const char *argument)
{
    (void)argument;
    console->has_quit = true;
}

static void run_help(struct rv_console *console, const char *argument);

static const struct command {
    const char *name, *arguments, *what;
    void (*run)(struct rv_console *console, const char *argument);
} commands[] = {
    {"ps", "", "threads: ring, process, state", run_ps},
    {"ring", "[N]", "choose the ring for later commands", run_ring},
    {"stack", "[RING]", "frames, innermost first, of any producer's thread", rv_frame_commands_stack},
    {"up", "[N]", "select the caller's frame for eval, watch, list and break LINE", rv_frame_commands_up},
    {"down", "[N]", "select the called frame", rv_frame_commands_down},
    {"frame", "[N]", "select frame N; show the selected one", rv_frame_commands_choose},
    {"list", "[LINE|FILE:LINE]", "source lines around the frame's, then the following ones; or around LINE",
     rv_frame_commands_list},
    {"stop", "[RING|all|new]", "stop a thread; new: threads and processes that begin later", rv_run_commands_stop},
    {"step", "[RING]", "run to the next statement, into calls", rv_run_commands_step},
    {"next", "[RING]", "run to the next statement of this frame or a caller", rv_run_commands_next},
    {"finish", "[RING]", "run until this frame returns", rv_run_commands_finish},
    {"start", "[RING]", "run to the first statement of the main program", rv_run_commands_start},
    {"run", "[RING|all|new]", "resume a thread; new: let later ones run", rv_run_commands_run},
    {"wait", "[all] [SECONDS]", "wait until it stops; all: until any thread stops (10 s)", rv_run_commands_wait},
    {"break", "[[all] WHERE [if EXPR]|delete N|all]", "stop at SUB, LINE or FILE:LINE; list; delete",
     rv_breakpoint_commands_break},
    {"watch", "[EXPR|delete N|all]", "stop when the value changes; list; delete", rv_breakpoint_commands_watch},
    {"display", "[EXPR|delete N]", "show an expression at each stop; list; delete", rv_displays_run},
    {"eval", "EXPR", "evaluate in the selected frame", rv_frame_commands_eval},
    {"depth", "[N]", "levels of references that eval expands (3)", rv_frame_commands_set_depth},
    {"trace", "on|off|NAME", "write the thread's events or not; capture this subroutine in all programs", run_trace},
    {"untrace", "NAME", "leave this subroutine out", run_untrace},
    {"include", "REGEX", "capture subroutines whose full name matches, from now on", run_include},
    {"exclude", "REGEX", "leave them out", run_exclude},
    {"signal", "[on|off|N]", "set or show the ring's signal word, for programs that read it", run_signal},
    {"single", "[on|off|N]", "set or show the file's single word", run_single},
    {"message", "[TEXT]", "leave a message for a program to receive; receive the waiting one", run_message},
    {"send", "CMD [ARGS]", "send any command to the producer; print the raw answer", run_send},
    {"help", "", "this", run_help},
    {"quit", "", "end; stopped threads resume", run_quit},
};

static void run_help(struct rv_console *console, const char *argument)
{
    (void)console;
    (void)argument;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("%-7s %-36s %s\n", commands[i].name, commands[i].arguments, commands[i].what);
}

void rv_console_run(struct rv_console *console, const char *line)
{
    const char *rest;
    line += strspn(line, " \t\r");
    char *text = rv_strndup(line, strcspn(line, "\r\n"));
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]);)
        text[--n] = '\0';
    size_t n_name = rv_console_arguments_split(text, &rest), i = 0, n_commands = sizeof commands / sizeof *commands;
    while (i < n_commands && !rv_console_arguments_is_word(text, n_name, commands[i].name))
        i++;
    if (i < n_commands)
        commands[i].run(console, rest);
    else if (*text && *text != '#')
        rv_console_reply_fail(console, "no command '%.*s'; try help", (int)n_name, text);
    fflush(stdout);
    free(text);
}

/* ---- the conversation ---- */

/* Threads may stop at breakpoints at any time: report it before the next prompt. */
static void show_new_stops(struct rv_console *console)
{
    uint32_t ring;
    while (rv_stop_messages_find_new(console, &ring))
        rv_stop_messages_show(console, ring);
}

int rv_console_talk(const char *path)
{
    struct rv_console console = {.target = rv_target_open(path), .ring = RV_CONSOLE_NO_RING};
    if (!console.target)
        return EXIT_FAILURE;
    bool is_terminal = isatty(STDIN_FILENO);
    struct rv_console_input *line_reader = rv_console_input_create(is_terminal);
    char *line;
    while (!console.has_quit && (line = rv_console_input_read(line_reader))) {
        if (is_terminal)
            show_new_stops(&console);
        rv_console_run(&console, line);
        free(line);
    }
    rv_console_input_destroy(line_reader);
    rv_target_close(console.target);
    free(console.shown);
    return console.has_failed && !is_terminal ? EXIT_FAILURE : EXIT_SUCCESS;
}
