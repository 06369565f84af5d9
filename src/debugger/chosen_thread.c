#include "debugger/chosen_thread.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "debugger/session_text.h"

#define ORDER_NS 5000000000u
#define ARRIVAL_NS 1000000000u /* at a stop, since a thread was told where; what takes longer is not waited for */

bool rv_helm_find(struct rv_helm *helm)
{
    struct rv_subject_thread thread;
    bool is_found = false;
    for (uint32_t i = 0; helm->report->chosen.tid && i < rv_subject_n_rings(helm->subject); i++) {
        if (rv_subject_thread(helm->subject, i, &thread) != 0 || thread.pid != helm->report->chosen.pid ||
            thread.tid != helm->report->chosen.tid)
            continue;
        if (is_found && thread.steering.state == RV_RUN_UNSTEERED)
            continue; /* a ring of the program's own */
        helm->about = thread;
        is_found = true;
    }
    return is_found;
}

static int ask(struct rv_helm *helm, const char *code, const char *argument, struct rv_answer *answer)
{
    return rv_subject_ask(helm->subject, helm->about.ring, code, argument, ORDER_NS, answer);
}

static void refuse(struct rv_helm *helm, int error, const struct rv_answer *answer)
{
    const char *why = error ? rv_subject_error(error) : answer->text ? answer->text : "it said no";
    rv_pilot_say(helm->report->why, sizeof helm->report->why, why);
    helm->report->why[strcspn(helm->report->why, "\n")] = '\0';
}

/* True when it was done. */
static bool command(struct rv_helm *helm, const char *code, const char *argument)
{
    struct rv_answer answer;
    int error = ask(helm, code, argument, &answer);
    bool is_fine = !error && answer.is_fine;
    if (!is_fine)
        refuse(helm, error, &answer);
    rv_answer_fini(&answer);
    return is_fine;
}

static void evaluate(struct rv_helm *helm, const char *expression)
{
    struct rv_pilot_report *report = helm->report;
    struct rv_answer answer;
    const struct rv_subject_expression asked = {expression, report->frame, RV_SUBJECT_LEVELS};
    int error = rv_subject_eval(helm->subject, helm->about.ring, &asked, ORDER_NS, &answer);
    const char *text = error ? rv_subject_error(error) : answer.text ? answer.text : "";
    memset(report->value, 0, sizeof report->value);
    rv_pilot_say(report->expression, sizeof report->expression, expression);
    rv_pilot_say(report->value, sizeof report->value, text);
    report->is_value_error = error || !answer.is_fine;
    rv_answer_fini(&answer);
}

/* What is ordered of a thread that is on its way to a stop is to be done there: false when it does not come soon. */
static bool has_arrived(struct rv_helm *helm)
{
    if (!helm->is_moving)
        return true;
    uint64_t gone_ns = rv_clock_mono_ns() - helm->moved_ns;
    uint64_t left_ns = gone_ns < ARRIVAL_NS ? ARRIVAL_NS - gone_ns : 0;
    if (rv_subject_wait_stop(helm->subject, &helm->about, helm->report->n_stops, left_ns) != -ETIMEDOUT)
        return true; /* that it has ended it says to the order itself */
    rv_pilot_say(helm->report->why, sizeof helm->report->why, "it is on its way to its next stop: stop it first");
    return false;
}

static void move(struct rv_helm *helm, const char *code)
{
    if (!has_arrived(helm))
        return;
    helm->is_moving = command(helm, code, "");
    helm->moved_ns = rv_clock_mono_ns();
}

/* It answers first, and stops then. */
static void stop(struct rv_helm *helm)
{
    if (command(helm, "stop", ""))
        helm->moved_ns = rv_clock_mono_ns();
}

static void let_run(struct rv_helm *helm)
{
    if (has_arrived(helm) && command(helm, "run", ""))
        helm->is_moving = false;
}

static void watch(struct rv_helm *helm, const struct rv_pilot_order *order)
{
    bool is_new = order->kind == RV_PILOT_WATCH;
    int error = is_new ? rv_subject_watch(helm->subject, helm->about.ring, order->text)
                       : rv_subject_unwatch(helm->subject, helm->about.ring, order->idx);
    if (error < 0)
        refuse(helm, error, NULL);
}

/* A line alone is one of the file that is looked at. */
static void set_break(struct rv_helm *helm, const char *where)
{
    const struct rv_pilot_report *report = helm->report;
    const char *file = report->frame < report->n_frames ? report->frames[report->frame].file : "";
    char whole[sizeof report->frames[0].file + RV_PILOT_TEXT_BYTES];
    size_t n_digits = strspn(where, "0123456789");
    bool is_line = n_digits && (!where[n_digits] || where[n_digits] == ' ');
    if (is_line && !*file) {
        rv_pilot_say(helm->report->why, sizeof helm->report->why, "of which file? none is known here");
        return;
    }
    (void)snprintf(whole, sizeof whole, "%s%s%s", is_line ? file : "", is_line ? ":" : "", where);
    (void)command(helm, "brk", whole);
}

static void unbreak(struct rv_helm *helm, uint32_t number)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", number);
    (void)command(helm, "brkd", text);
}

static void do_order(struct rv_helm *helm, const struct rv_pilot_order *order)
{
    bool is_stopped = helm->about.steering.state == RV_RUN_STOPPED;
    switch (order->kind) {
    case RV_PILOT_STOP:
        if (!is_stopped)
            stop(helm);
        return;
    case RV_PILOT_STEP:
        move(helm, "step");
        return;
    case RV_PILOT_NEXT:
        move(helm, "next");
        return;
    case RV_PILOT_FINISH:
        move(helm, "fin");
        return;
    case RV_PILOT_RUN:
        if (is_stopped || helm->is_moving)
            let_run(helm);
        return;
    case RV_PILOT_EVAL:
        evaluate(helm, order->text);
        return;
    case RV_PILOT_WATCH:
    case RV_PILOT_UNWATCH:
        watch(helm, order);
        return;
    case RV_PILOT_BREAK:
        set_break(helm, order->text);
        return;
    case RV_PILOT_UNBREAK:
        unbreak(helm, order->idx);
        return;
    }
    rv_unreachable();
}

void rv_helm_obey(struct rv_helm *helm, const struct rv_pilot_order *order)
{
    helm->report->why[0] = '\0';
    int error = rv_subject_attach(helm->subject);
    if (!error && !rv_helm_find(helm))
        error = -ENOENT;
    if (!error && helm->about.steering.state == RV_RUN_UNSTEERED)
        error = -EOPNOTSUPP;
    if (error)
        refuse(helm, error, NULL);
    else
        do_order(helm, order);
}
