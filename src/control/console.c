#include "control/console.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/choice.h"
#include "control/prompt.h"
#include "control/reply.h"

#define VALUE_NS 1000000000u
#define DEFAULT_WAIT_S 10.0
#define MOST_WAIT_S 1e6

typedef void each_fn(struct rv_console *console, uint32_t ring);

static void for_all_steered(struct rv_console *console, each_fn *each)
{
    uint32_t n_rings = rv_subject_n_rings(console->subject), n_found = 0;
    for (uint32_t i = 0; i < n_rings; i++) {
        if (!rv_choice_is_steered(console, i))
            continue;
        each(console, i);
        n_found++;
    }
    if (n_found == 0)
        rv_reply_fail(console, "no thread here can be steered");
}

/* ---- commands ---- */

static const char *state_text(const struct rv_subject_thread *thread)
{
    switch (thread->steering.state) {
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
    for (uint32_t i = 0; i < rv_subject_n_rings(console->subject); i++) {
        struct rv_subject_thread thread;
        if (rv_subject_thread(console->subject, i, &thread) == 0)
            printf("%c %4u %8u %8u  %-9s  %s%s\n", i == console->ring ? '*' : ' ', i, thread.pid, thread.tid,
                   state_text(&thread), thread.name, thread.is_muted ? " (trace off)" : "");
    }
}

static void run_ring(struct rv_console *console, const char *argument)
{
    uint32_t ring;
    struct rv_subject_thread thread;
    if (!rv_choice_parse(console, argument, &ring))
        return;
    int error = rv_subject_thread(console->subject, ring, &thread);
    if (error) {
        rv_reply_fail_at(console, ring, error);
        return;
    }
    console->ring = ring;
    printf("ring %u: %s, process %u, %s\n", ring, thread.name, thread.pid, state_text(&thread));
}

static void run_stack(struct rv_console *console, const char *argument)
{
    uint32_t ring;
    struct rv_answer answer;
    if (!rv_choice_parse_any(console, argument, &ring))
        return;
    int error = rv_subject_stack(console->subject, ring, RV_REPLY_NS, &answer);
    if (error)
        rv_reply_fail_at(console, ring, error);
    else if (answer.is_fine && answer.n_bytes == 0)
        printf("ring %u: no call is open\n", ring);
    else
        rv_reply_show(console, &answer);
    rv_answer_fini(&answer);
}

/* Send what makes it go on, or stop, and say where it stops; that it has ended is an answer, too. */
static void move(struct rv_console *console, uint32_t ring, const char *code)
{
    struct rv_subject_thread thread;
    int error = rv_subject_thread(console->subject, ring, &thread);
    if (error) {
        rv_reply_fail_at(console, ring, error);
        return;
    }
    if (!rv_reply_tell(console, ring, code))
        return;
    error = rv_subject_wait_stop(console->subject, &thread, thread.steering.n_stops, RV_REPLY_NS);
    if (error == -ENOENT)
        printf("ring %u has ended\n", ring);
    else if (error)
        printf("ring %u runs on\n", ring);
    else
        rv_reply_place(console, ring);
}

static void stop(struct rv_console *console, uint32_t ring)
{
    struct rv_subject_thread thread;
    int error = rv_subject_thread(console->subject, ring, &thread);
    if (error)
        rv_reply_fail_at(console, ring, error);
    else if (thread.steering.state == RV_RUN_STOPPED)
        rv_reply_place(console, ring);
    else
        move(console, ring, "stop");
}

static void go_on(struct rv_console *console, uint32_t ring)
{
    struct rv_subject_thread thread;
    int error = rv_subject_thread(console->subject, ring, &thread);
    if ((!error && thread.steering.state == RV_RUN_RUNNING) || rv_reply_tell(console, ring, "run"))
        printf("ring %u runs\n", ring);
}

/* One thread, all, or those that are not there yet. */
static void stop_or_go_on(struct rv_console *console, const char *argument, bool is_to_stop)
{
    uint32_t ring;
    if (strcmp(argument, "all") == 0) {
        for_all_steered(console, is_to_stop ? stop : go_on);
    } else if (strcmp(argument, "new") == 0) {
        rv_subject_stop_new(console->subject, is_to_stop);
        printf("threads and processes that begin from now on %s\n", is_to_stop ? "stop" : "run");
    } else if (rv_choice_parse(console, argument, &ring)) {
        (is_to_stop ? stop : go_on)(console, ring);
    }
}

static void run_stop(struct rv_console *console, const char *argument)
{
    stop_or_go_on(console, argument, true);
}

static void run_run(struct rv_console *console, const char *argument)
{
    stop_or_go_on(console, argument, false);
}

static void move_chosen(struct rv_console *console, const char *argument, const char *code)
{
    uint32_t ring;
    if (rv_choice_parse(console, argument, &ring))
        move(console, ring, code);
}

static void run_step(struct rv_console *console, const char *argument)
{
    move_chosen(console, argument, "step");
}

static void run_next(struct rv_console *console, const char *argument)
{
    move_chosen(console, argument, "next");
}

static void run_finish(struct rv_console *console, const char *argument)
{
    move_chosen(console, argument, "fin");
}

static void run_wait(struct rv_console *console, const char *argument)
{
    uint32_t ring;
    char *end;
    double seconds = *argument ? strtod(argument, &end) : DEFAULT_WAIT_S;
    struct rv_subject_thread thread;
    if (*argument && (*end || !(seconds >= 0 && seconds <= MOST_WAIT_S))) {
        rv_reply_fail(console, "'%s' is no number of seconds", argument);
        return;
    }
    if (!rv_choice_find(console, &ring))
        return;
    int error = rv_subject_thread(console->subject, ring, &thread);
    if (!error && thread.steering.state != RV_RUN_STOPPED)
        error = rv_subject_wait_stop(console->subject, &thread, thread.steering.n_stops, (uint64_t)(seconds * 1e9));
    if (error == -ETIMEDOUT)
        rv_reply_fail(console, "ring %u has not stopped", ring);
    else if (error)
        rv_reply_fail_at(console, ring, error);
    else
        rv_reply_place(console, ring);
}

/* The first word of text, its rest in *rest. */
static size_t split(const char *text, const char **rest)
{
    size_t n = strcspn(text, " \t");
    *rest = text + n + strspn(text + n, " \t");
    return n;
}

static bool is_word(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

static void run_break(struct rv_console *console, const char *argument)
{
    const char *rest;
    size_t n = split(argument, &rest);
    uint32_t ring;
    if (!rv_choice_find(console, &ring))
        return;
    if (!*argument)
        rv_reply_ask(console, ring, "brkl", "");
    else if (is_word(argument, n, "delete") && *rest)
        rv_reply_ask(console, ring, "brkd", strcmp(rest, "all") == 0 ? "" : rest);
    else
        rv_reply_ask(console, ring, "brk", argument);
}

static void show_value(const struct rv_subject_value *value, unsigned watch, int error)
{
    if (error)
        printf("%u %s: no value yet\n", watch, value->expression);
    else
        printf("%u %s%s %s\n", watch, value->expression, value->is_error ? ": error:" : " =", value->text);
}

/* A thread that is stopped comes to its watches; one that runs may not for long. */
static uint64_t value_ns(const struct rv_console *console, uint32_t ring)
{
    struct rv_subject_thread thread;
    bool is_stopped =
        rv_subject_thread(console->subject, ring, &thread) == 0 && thread.steering.state == RV_RUN_STOPPED;
    return is_stopped ? RV_REPLY_NS : VALUE_NS;
}

static void list_watches(struct rv_console *console, uint32_t ring)
{
    struct rv_subject_value value;
    unsigned n_found = 0;
    for (unsigned i = 0; i < RV_WIRE_WATCHES; i++) {
        int error = rv_subject_value(console->subject, ring, i, value_ns(console, ring), &value);
        if (error == -ENOENT)
            continue;
        show_value(&value, i, error);
        n_found++;
    }
    if (n_found == 0)
        puts("nothing is watched");
}

static void delete_watch(struct rv_console *console, uint32_t ring, const char *argument)
{
    uint32_t watch;
    if (!rv_choice_number(argument, &watch) || rv_subject_unwatch(console->subject, ring, watch) != 0)
        rv_reply_fail(console, "no watch %s", argument);
    else
        puts("ok");
}

static void add_watch(struct rv_console *console, uint32_t ring, const char *expression)
{
    struct rv_subject_value value;
    int watch = rv_subject_watch(console->subject, ring, expression);
    if (watch < 0) {
        rv_reply_fail_at(console, ring, watch);
        return;
    }
    int error = rv_subject_value(console->subject, ring, (unsigned)watch, value_ns(console, ring), &value);
    show_value(&value, (unsigned)watch, error);
}

static void run_watch(struct rv_console *console, const char *argument)
{
    const char *rest;
    size_t n = split(argument, &rest);
    uint32_t ring;
    if (!rv_choice_find(console, &ring))
        return;
    if (!*argument)
        list_watches(console, ring);
    else if (is_word(argument, n, "delete") && *rest)
        delete_watch(console, ring, rest);
    else
        add_watch(console, ring, argument);
}

static void run_eval(struct rv_console *console, const char *argument)
{
    uint32_t ring;
    if (!*argument)
        rv_reply_fail(console, "eval what?");
    else if (rv_choice_find(console, &ring))
        rv_reply_ask(console, ring, "eval", argument);
}

static void run_trace(struct rv_console *console, const char *argument)
{
    bool is_on = strcmp(argument, "on") == 0;
    uint32_t ring;
    struct rv_subject_thread thread;
    if (!is_on && strcmp(argument, "off") != 0) {
        rv_reply_fail(console, "trace on or trace off");
        return;
    }
    if (!rv_choice_find_any(console, &ring))
        return;
    int error = rv_subject_thread(console->subject, ring, &thread);
    if (error) {
        rv_reply_fail_at(console, ring, error);
        return;
    }
    rv_subject_mute(console->subject, ring, !is_on);
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
    rv_reply_fail(console, "'%s' is neither on, off nor a number", argument);
    return false;
}

static void run_signal(struct rv_console *console, const char *argument)
{
    uint32_t ring;
    int32_t value = 0;
    struct rv_subject_thread thread;
    if ((*argument && !parse_word(console, argument, &value)) || !rv_choice_find_any(console, &ring))
        return;
    int error = rv_subject_thread(console->subject, ring, &thread);
    if (error) {
        rv_reply_fail_at(console, ring, error);
        return;
    }
    if (*argument)
        rv_subject_set_signal(console->subject, ring, value);
    printf("ring %u: signal %d\n", ring, rv_subject_signal(console->subject, ring));
}

static void run_single(struct rv_console *console, const char *argument)
{
    int32_t value;
    if (*argument && !parse_word(console, argument, &value))
        return;
    if (*argument)
        rv_subject_set_single(console->subject, value);
    printf("single %d\n", rv_subject_single(console->subject));
}

static void run_message(struct rv_console *console, const char *argument)
{
    struct rv_answer answer = {.is_fine = true};
    int error = *argument ? rv_subject_send_message(console->subject, argument, RV_REPLY_NS)
                          : rv_subject_take_message(console->subject, RV_REPLY_NS, &answer);
    if (error == -ENOENT)
        puts("no message");
    else if (error == -ETIMEDOUT || error == -EBUSY)
        rv_reply_fail(console, *argument ? "the message before has not been taken"
                                         : "another one takes it, or its sender does not go on");
    else if (error)
        rv_reply_fail(console, "%s", rv_subject_error(error));
    else
        rv_reply_show(console, &answer);
    rv_answer_fini(&answer);
}

static void run_send(struct rv_console *console, const char *argument)
{
    const char *rest;
    char code[5] = "";
    uint32_t ring;
    struct rv_answer answer;
    size_t n = split(argument, &rest);
    if (n == 0 || n >= sizeof code) {
        rv_reply_fail(console, "a command has 1 to 4 characters");
        return;
    }
    memcpy(code, argument, n);
    if (!rv_choice_find(console, &ring))
        return;
    int error = rv_subject_ask(console->subject, ring, code, rest, RV_REPLY_NS, &answer);
    if (error) {
        rv_reply_fail_at(console, ring, error);
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
    {"ring", "[N]", "speak to this one from now on", run_ring},
    {"stack", "[RING]", "its frames, innermost first, of any producer", run_stack},
    {"stop", "[RING|all|new]", "stop it; new: whatever begins from now on", run_stop},
    {"step", "[RING]", "on to the next statement", run_step},
    {"next", "[RING]", "on to the next statement of this frame or a caller's", run_next},
    {"finish", "[RING]", "on until this frame has returned", run_finish},
    {"run", "[RING|all|new]", "on", run_run},
    {"wait", "[SECONDS]", "until it stops (10 s)", run_wait},
    {"break", "[SUB|FILE:LINE|delete N|delete all]", "stop there; list; forget", run_break},
    {"watch", "[EXPR|delete N]", "an expression that is evaluated at each stop and look; list; forget", run_watch},
    {"eval", "EXPR", "evaluate it where the thread is", run_eval},
    {"trace", "on|off", "write its events, or do not", run_trace},
    {"signal", "[on|off|N]", "the ring's signal word, for programs that read it; show", run_signal},
    {"single", "[on|off|N]", "the file's single word; show", run_single},
    {"message", "[TEXT]", "leave it for whichever program takes it; take the one that is there", run_message},
    {"send", "CMD [ARGS]", "any command of its producer, and the answer as it comes", run_send},
    {"help", "", "this", run_help},
    {"quit", "", "stopped threads go on", run_quit},
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
    char *text = strndup(line, strcspn(line, "\r\n"));
    if (!text)
        abort();
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]);)
        text[--n] = '\0';
    size_t n_name = split(text, &rest), i = 0, n_commands = sizeof commands / sizeof *commands;
    while (i < n_commands && !is_word(text, n_name, commands[i].name))
        i++;
    if (i < n_commands)
        commands[i].run(console, rest);
    else if (*text && *text != '#')
        rv_reply_fail(console, "no command '%.*s'; try help", (int)n_name, text);
    fflush(stdout);
    free(text);
}

/* ---- the conversation ---- */

/* Breakpoints are met while nobody looks: say so before the next prompt. */
static void show_new_stop(struct rv_console *console, struct rv_steering *seen)
{
    struct rv_subject_thread thread;
    if (console->ring == RV_CONSOLE_NO_RING || rv_subject_thread(console->subject, console->ring, &thread) != 0)
        return;
    if (thread.steering.state == RV_RUN_STOPPED && seen->state != RV_RUN_STOPPED)
        rv_reply_place(console, console->ring);
    *seen = thread.steering;
}

int rv_console_talk(const char *path)
{
    struct rv_console console = {.subject = rv_subject_open(path), .ring = RV_CONSOLE_NO_RING};
    if (!console.subject)
        return EXIT_FAILURE;
    bool is_terminal = isatty(STDIN_FILENO);
    struct rv_prompt *prompt = rv_prompt_create(is_terminal);
    struct rv_steering seen = {RV_RUN_STOPPED, 0};
    char *line;
    while (!console.has_quit && (line = rv_prompt_read(prompt))) {
        if (is_terminal)
            show_new_stop(&console, &seen);
        rv_console_run(&console, line);
        free(line);
        struct rv_subject_thread thread;
        if (console.ring != RV_CONSOLE_NO_RING && rv_subject_thread(console.subject, console.ring, &thread) == 0)
            seen = thread.steering;
    }
    rv_prompt_destroy(prompt);
    rv_subject_close(console.subject);
    return console.has_failed && !is_terminal ? EXIT_FAILURE : EXIT_SUCCESS;
}
