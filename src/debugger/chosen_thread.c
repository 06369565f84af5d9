#include "debugger/chosen_thread.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "debugger/answer_parser.h"

#define ORDER_NS 5000000000u
#define ARRIVAL_NS 1000000000u /* longest wait for a moving thread's next stop */

bool rv_chosen_thread_find(struct rv_chosen_thread *chosen_thread)
{
    struct rv_target_thread thread;
    bool is_found = false;
    for (uint32_t i = 0; chosen_thread->report->chosen.tid && i < rv_target_n_rings(chosen_thread->target); i++) {
        if (rv_target_thread(chosen_thread->target, i, &thread) != 0 ||
            thread.pid != chosen_thread->report->chosen.pid || thread.tid != chosen_thread->report->chosen.tid)
            continue;
        if (is_found && thread.run.state == RV_RUN_UNSTEERED)
            continue; /* a ring that the program uses itself */
        chosen_thread->about = thread;
        is_found = true;
    }
    return is_found;
}

static int ask(struct rv_chosen_thread *chosen_thread, const char *code, const char *argument, struct rv_answer *answer)
{
    return rv_target_ask(chosen_thread->target, chosen_thread->about.ring, code, argument, ORDER_NS, answer);
}

static void refuse(struct rv_chosen_thread *chosen_thread, int error, const struct rv_answer *answer)
{
    const char *why = error ? rv_target_error(error) : answer->text ? answer->text : "it refused";
    rv_answer_parser_copy(chosen_thread->report->why, sizeof chosen_thread->report->why, why);
    chosen_thread->report->why[strcspn(chosen_thread->report->why, "\n")] = '\0';
}

/* True on success. */
static bool command(struct rv_chosen_thread *chosen_thread, const char *code, const char *argument)
{
    struct rv_answer answer;
    int error = ask(chosen_thread, code, argument, &answer);
    bool is_fine = !error && answer.is_fine;
    if (!is_fine)
        refuse(chosen_thread, error, &answer);
    rv_answer_fini(&answer);
    return is_fine;
}

/* By which the thread knows the selected frame. */
static uint32_t selected_number(const struct rv_debug_session_report *report)
{
    return report->frame < report->n_frames ? report->frames[report->frame].number : report->frame;
}

static void evaluate(struct rv_chosen_thread *chosen_thread, const char *expression)
{
    struct rv_debug_session_report *report = chosen_thread->report;
    struct rv_answer answer;
    const struct rv_target_expression asked = {expression, selected_number(report), RV_TARGET_LEVELS};
    if (asked.frame == RV_DEBUG_SESSION_UNNUMBERED) {
        rv_answer_parser_copy(report->why, sizeof report->why, "a call in C has no variables here: choose another one");
        return;
    }
    int error = rv_target_eval(chosen_thread->target, chosen_thread->about.ring, &asked, ORDER_NS, &answer);
    const char *text = error ? rv_target_error(error) : answer.text ? answer.text : "";
    memset(report->value, 0, sizeof report->value);
    rv_answer_parser_copy(report->expression, sizeof report->expression, expression);
    rv_answer_parser_copy(report->value, sizeof report->value, text);
    report->is_value_error = error || !answer.is_fine;
    rv_answer_fini(&answer);
}

/* Orders for a moving thread wait for its next stop; false when that takes too long. */
static bool has_arrived(struct rv_chosen_thread *chosen_thread)
{
    if (!chosen_thread->is_moving)
        return true;
    uint64_t gone_ns = rv_clock_mono_ns() - chosen_thread->moved_ns;
    uint64_t left_ns = gone_ns < ARRIVAL_NS ? ARRIVAL_NS - gone_ns : 0;
    if (rv_target_wait_stop(chosen_thread->target, &chosen_thread->about, chosen_thread->report->n_stops, left_ns) !=
        -ETIMEDOUT)
        return true; /* the order itself reports that it has ended */
    rv_answer_parser_copy(chosen_thread->report->why, sizeof chosen_thread->report->why,
                          "it is running to its next stop: stop it first");
    return false;
}

static void move(struct rv_chosen_thread *chosen_thread, const char *code)
{
    if (!has_arrived(chosen_thread))
        return;
    chosen_thread->is_moving = command(chosen_thread, code, "");
    chosen_thread->moved_ns = rv_clock_mono_ns();
}

/* It answers first, then stops. */
static void stop(struct rv_chosen_thread *chosen_thread)
{
    if (command(chosen_thread, "stop", ""))
        chosen_thread->moved_ns = rv_clock_mono_ns();
}

static void let_run(struct rv_chosen_thread *chosen_thread)
{
    if (has_arrived(chosen_thread) && command(chosen_thread, "run", ""))
        chosen_thread->is_moving = false;
}

static void watch(struct rv_chosen_thread *chosen_thread, const struct rv_debug_session_order *order)
{
    bool is_new = order->kind == RV_DEBUG_SESSION_WATCH;
    int error = is_new ? rv_target_watch(chosen_thread->target, chosen_thread->about.ring, order->text)
                       : rv_target_unwatch(chosen_thread->target, chosen_thread->about.ring, order->idx);
    if (error < 0)
        refuse(chosen_thread, error, NULL);
}

/* A line number alone refers to the current frame's file. */
static void set_break(struct rv_chosen_thread *chosen_thread, const char *where)
{
    const struct rv_debug_session_report *report = chosen_thread->report;
    const char *file = report->frame < report->n_frames ? report->frames[report->frame].file : "";
    char whole[sizeof report->frames[0].file + RV_DEBUG_SESSION_TEXT_BYTES];
    size_t n_digits = strspn(where, "0123456789");
    bool is_line = n_digits && (!where[n_digits] || where[n_digits] == ' ');
    if (is_line && !*file) {
        rv_answer_parser_copy(chosen_thread->report->why, sizeof chosen_thread->report->why, "no file: give FILE:LINE");
        return;
    }
    (void)snprintf(whole, sizeof whole, "%s%s%s", is_line ? file : "", is_line ? ":" : "", where);
    (void)command(chosen_thread, "brk", whole);
}

static void unbreak(struct rv_chosen_thread *chosen_thread, uint32_t number)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", number);
    (void)command(chosen_thread, "brkd", text);
}

static void do_order(struct rv_chosen_thread *chosen_thread, const struct rv_debug_session_order *order)
{
    bool is_stopped = chosen_thread->about.run.state == RV_RUN_STOPPED;
    switch (order->kind) {
    case RV_DEBUG_SESSION_STOP:
        if (!is_stopped)
            stop(chosen_thread);
        return;
    case RV_DEBUG_SESSION_STEP:
        move(chosen_thread, "step");
        return;
    case RV_DEBUG_SESSION_NEXT:
        move(chosen_thread, "next");
        return;
    case RV_DEBUG_SESSION_FINISH:
        move(chosen_thread, "fin");
        return;
    case RV_DEBUG_SESSION_RUN:
        if (is_stopped || chosen_thread->is_moving)
            let_run(chosen_thread);
        return;
    case RV_DEBUG_SESSION_EVAL:
        evaluate(chosen_thread, order->text);
        return;
    case RV_DEBUG_SESSION_WATCH:
    case RV_DEBUG_SESSION_UNWATCH:
        watch(chosen_thread, order);
        return;
    case RV_DEBUG_SESSION_BREAK:
        set_break(chosen_thread, order->text);
        return;
    case RV_DEBUG_SESSION_UNBREAK:
        unbreak(chosen_thread, order->idx);
        return;
    }
    rv_unreachable();
}

void rv_chosen_thread_obey(struct rv_chosen_thread *chosen_thread, const struct rv_debug_session_order *order)
{
    chosen_thread->report->why[0] = '\0';
    int error = rv_target_attach(chosen_thread->target);
    if (!error && !rv_chosen_thread_find(chosen_thread))
        error = -ENOENT;
    if (!error && chosen_thread->about.run.state == RV_RUN_UNSTEERED)
        error = -EOPNOTSUPP;
    if (error)
        refuse(chosen_thread, error, NULL);
    else
        do_order(chosen_thread, order);
}
