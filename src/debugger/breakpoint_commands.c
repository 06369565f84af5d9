#include "debugger/breakpoint_commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "debugger/console_arguments.h"
#include "debugger/frame_commands.h"
#include "debugger/console_reply.h"

struct question {
    const char *code, *argument;
};

/* Ask one of several rings; the printed answer names the ring. */
static void ask_named(struct rv_console *console, uint32_t ring, const void *context)
{
    const struct question *question = context;
    struct rv_answer answer;
    int error = rv_target_ask(console->target, ring, question->code, question->argument, RV_CONSOLE_REPLY_NS, &answer);
    if (error)
        rv_console_reply_fail_at(console, ring, error);
    else if (!answer.is_fine)
        rv_console_reply_fail(console, "ring %u: %s", ring, answer.text);
    else
        printf("ring %u: ", ring);
    if (!error && answer.is_fine)
        rv_console_reply_show(console, &answer);
    rv_answer_fini(&answer);
}

static void ask(struct rv_console *console, uint32_t ring, bool is_for_all, struct question question)
{
    if (is_for_all)
        rv_console_arguments_each(console, ask_named, &question);
    else
        rv_console_reply_ask(console, ring, question.code, question.argument);
}

/* Prefix a line number, with or without a condition, with the current frame's file. For free(). */
static char *full_place(struct rv_console *console, uint32_t ring, const char *place)
{
    struct rv_debug_session_frame frame;
    size_t n_digits = strspn(place, "0123456789");
    bool is_line = n_digits && (!place[n_digits] || place[n_digits] == ' ');
    if (!is_line)
        return rv_strdup(place);
    if (!rv_frame_commands_place(console, ring, &frame))
        return NULL;
    size_t n_bytes = strlen(frame.file) + 1 + strlen(place) + 1;
    char *whole = rv_alloc(n_bytes, 1);
    (void)snprintf(whole, n_bytes, "%s:%s", frame.file, place);
    return whole;
}

static void add(struct rv_console *console, uint32_t ring, bool is_for_all, const char *place)
{
    char *whole = full_place(console, ring, place);
    if (whole)
        ask(console, ring, is_for_all, (struct question){"brk", whole});
    free(whole);
}

/* List or delete breakpoints; false when the argument means neither. */
static bool list_or_delete(struct rv_console *console, uint32_t ring, bool is_for_all, const char *argument)
{
    const char *rest;
    size_t n = rv_console_arguments_split(argument, &rest);
    if (!*argument)
        ask(console, ring, is_for_all, (struct question){"brkl", ""});
    else if (rv_console_arguments_is_word(argument, n, "delete") && *rest)
        ask(console, ring, is_for_all, (struct question){"brkd", strcmp(rest, "all") == 0 ? "" : rest});
    else
        return false;
    return true;
}

void rv_breakpoint_commands_break(struct rv_console *console, const char *argument)
{
    const char *rest;
    size_t n = rv_console_arguments_split(argument, &rest);
    bool is_for_all = rv_console_arguments_is_word(argument, n, "all") && *rest;
    uint32_t ring;
    if (!rv_console_arguments_find(console, &ring))
        return;
    argument = is_for_all ? rest : argument;
    if (!list_or_delete(console, ring, is_for_all, argument))
        add(console, ring, is_for_all, argument);
}

void rv_breakpoint_commands_watch(struct rv_console *console, const char *argument)
{
    uint32_t ring;
    if (!rv_console_arguments_find(console, &ring) || list_or_delete(console, ring, false, argument))
        return;
    size_t n_bytes = strlen(argument) + sizeof "4294967295 ";
    char *text = rv_alloc(n_bytes, 1);
    (void)snprintf(text, n_bytes, "%u %s", rv_frame_commands_selected(console, ring), argument);
    rv_console_reply_ask(console, ring, "wtch", text);
    free(text);
}
