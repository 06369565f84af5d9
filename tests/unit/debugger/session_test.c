#include "../ring/fixture.h"

#include "base/clock.h"
#include "base/os.h"
#include "debugger/session.h"
#include "debugger/target.h"
#include "tracee.h"

#define DEADLINE_NS UINT64_C(60000000000)
#define TURN_NS 2000000u
#define ANSWER_NS 5000000000u /* how long the session waits for an answer */
#define N_TRIES 4u

struct flight {
    struct fixture f;
    struct tracee *tracee;
    struct rv_debug_session *debug_session;
    struct rv_debug_session_report now;
};

static void begin(struct flight *flight, struct tracee_params params)
{
    struct rv_map_params sizes = small_params();
    memset(flight, 0, sizeof *flight);
    sizes.message_bytes = 200;
    open_fixture(&flight->f, &sizes);
    flight->tracee = tracee_start(flight->f.path, &params);
    flight->debug_session = rv_debug_session_start(&flight->f.map);
    rv_debug_session_choose(flight->debug_session,
                            (struct rv_debug_session_who){(uint32_t)getpid(), tracee_tid(flight->tracee)});
}

static void end(struct flight *flight)
{
    rv_debug_session_stop(flight->debug_session);
    tracee_end(flight->tracee);
    close_fixture(&flight->f);
}

typedef bool condition_fn(const struct rv_debug_session_report *now);

static void wait_for(struct flight *flight, condition_fn *is_so, const char *what)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    while (!(rv_debug_session_report(flight->debug_session, &flight->now), is_so(&flight->now))) {
        cr_assert_lt(rv_clock_mono_ns() - begin_ns, DEADLINE_NS, "%s: state %d, why '%s'", what, flight->now.state,
                     flight->now.why);
        rv_os_sleep_ns(TURN_NS);
    }
}

/* Give an order, and wait until it is done and its result is in the report. */
static void order(struct flight *flight, enum rv_debug_session_order_kind kind, const char *text, uint32_t idx)
{
    struct rv_debug_session_order order = {.kind = kind, .idx = idx};
    uint64_t begin_ns = rv_clock_mono_ns();
    uint32_t n_before = flight->now.n_orders;
    snprintf(order.text, sizeof order.text, "%s", text);
    cr_assert(rv_debug_session_order(flight->debug_session, &order));
    while (rv_debug_session_report(flight->debug_session, &flight->now), flight->now.n_orders == n_before) {
        cr_assert_lt(rv_clock_mono_ns() - begin_ns, DEADLINE_NS);
        rv_os_sleep_ns(TURN_NS);
    }
}

static bool is_running(const struct rv_debug_session_report *now)
{
    return now->state == RV_DEBUG_SESSION_RUNNING && !now->is_stale && now->n_frames;
}

static bool is_at_1(const struct rv_debug_session_report *now)
{
    return now->state == RV_DEBUG_SESSION_STOPPED && !now->is_stale && !now->is_silent && now->n_frames &&
           now->frames[0].line == 1;
}

static bool is_at_4(const struct rv_debug_session_report *now)
{
    return now->state == RV_DEBUG_SESSION_STOPPED && !now->is_stale && now->n_frames && now->frames[0].line == 4;
}

static bool is_at_14(const struct rv_debug_session_report *now)
{
    return now->state == RV_DEBUG_SESSION_STOPPED && !now->is_stale && now->n_frames && now->frames[0].line == 14;
}

static bool is_stepping(const struct rv_debug_session_report *now)
{
    return now->state == RV_DEBUG_SESSION_STEPPING;
}

static bool is_obeyed(const struct rv_debug_session_report *now)
{
    return !now->is_asked && (now->state == RV_DEBUG_SESSION_RUNNING || now->state == RV_DEBUG_SESSION_STOPPED);
}

static bool is_gone(const struct rv_debug_session_report *now)
{
    return now->state == RV_DEBUG_SESSION_GONE;
}

static bool is_unsteered(const struct rv_debug_session_report *now)
{
    return now->state == RV_DEBUG_SESSION_UNSTEERED;
}

static bool is_silent(const struct rv_debug_session_report *now)
{
    return now->is_silent;
}

static bool watches_1(const struct rv_debug_session_report *now)
{
    return now->watches[0].has_value && strcmp(now->watches[0].value, "1") == 0;
}

static bool watches_4(const struct rv_debug_session_report *now)
{
    return now->watches[0].has_value && strcmp(now->watches[0].value, "4") == 0;
}

static bool watches_nothing(const struct rv_debug_session_report *now)
{
    return !now->watches[0].is_used;
}

static bool has_break(const struct rv_debug_session_report *now)
{
    return now->n_breaks == 1;
}

static bool has_condition(const struct rv_debug_session_report *now)
{
    return now->n_breaks == 1 && strcmp(now->breaks[0].where, "a file.pl:13 if $y") == 0;
}

static bool looks_at_caller(const struct rv_debug_session_report *now)
{
    return now->frame == 1;
}

static bool has_no_break(const struct rv_debug_session_report *now)
{
    return now->n_breaks == 0;
}

Test(session, a_thread_is_stopped_stepped_and_resumed, .timeout = 100)
{
    struct flight flight;
    begin(&flight, (struct tracee_params){0});
    wait_for(&flight, is_running, "its stack is known while it runs");
    cr_assert_eq(flight.now.n_stopped, 0);
    order(&flight, RV_DEBUG_SESSION_STOP, "", 0);
    wait_for(&flight, is_at_1, "stopped");
    cr_assert_str_eq(flight.now.frames[0].call, "main::f(\"x at y line 3\")");
    cr_assert_str_eq(flight.now.frames[0].file, "a file.pl");
    cr_assert_eq(flight.now.n_frames, 2);
    cr_assert_str_eq(flight.now.frames[1].call, "main program");
    cr_assert_eq(flight.now.frames[1].line, 7);
    cr_assert_eq(flight.now.n_stopped, 1);
    cr_assert_eq(flight.now.n_named, 1);
    cr_assert_eq(flight.now.stopped[0].tid, tracee_tid(flight.tracee));
    order(&flight, RV_DEBUG_SESSION_STOP, "", 0);
    cr_assert_str_eq(flight.now.why, "", "again is fine");
    for (int i = 0; i < 3; i++) /* faster than the session reports */
        cr_assert(rv_debug_session_order(
            flight.debug_session,
            &(struct rv_debug_session_order){.kind = i == 1 ? RV_DEBUG_SESSION_NEXT : RV_DEBUG_SESSION_STEP}));
    wait_for(&flight, is_at_4, "each step is one");
    order(&flight, RV_DEBUG_SESSION_FINISH, "", 0);
    wait_for(&flight, is_stepping, "on its way");
    tracee_arrive(flight.tracee);
    wait_for(&flight, is_at_14, "it has come there");
    do { /* the second order is refused if the thread has not arrived yet: then all is tried again */
        order(&flight, RV_DEBUG_SESSION_FINISH, "", 0);
        wait_for(&flight, is_stepping, "on its way again");
        cr_assert(rv_debug_session_order(flight.debug_session,
                                         &(struct rv_debug_session_order){.kind = RV_DEBUG_SESSION_RUN}));
        tracee_arrive(flight.tracee);
        wait_for(&flight, is_obeyed, "it has come there");
    } while (flight.now.state == RV_DEBUG_SESSION_STOPPED);
    wait_for(&flight, is_running, "it runs on from there");
    order(&flight, RV_DEBUG_SESSION_STOP, "", 0);
    order(&flight, RV_DEBUG_SESSION_RUN, "", 0);
    wait_for(&flight, is_running, "it runs");
    order(&flight, RV_DEBUG_SESSION_STEP, "", 0);
    cr_assert_str_eq(flight.now.why, "not stopped");
    order(&flight, RV_DEBUG_SESSION_RUN, "", 0);
    cr_assert_str_eq(flight.now.why, "", "it runs already");
    end(&flight);
}

Test(session, watches_breakpoints_and_expressions_have_their_values, .timeout = 100)
{
    struct flight flight;
    begin(&flight, (struct tracee_params){0});
    order(&flight, RV_DEBUG_SESSION_STOP, "", 0);
    order(&flight, RV_DEBUG_SESSION_WATCH, "$x", 0);
    wait_for(&flight, watches_1, "watched");
    cr_assert_str_eq(flight.now.watches[0].expression, "$x");
    cr_assert_not(flight.now.watches[0].is_error);
    for (int i = 0; i < 3; i++)
        order(&flight, RV_DEBUG_SESSION_STEP, "", 0);
    wait_for(&flight, watches_4, "its value is that of the statement");
    order(&flight, RV_DEBUG_SESSION_UNWATCH, "", 0);
    wait_for(&flight, watches_nothing, "not watched any more");
    order(&flight, RV_DEBUG_SESSION_UNWATCH, "", 3);
    cr_assert_neq(flight.now.why[0], '\0');
    order(&flight, RV_DEBUG_SESSION_BREAK, "main::f", 0);
    wait_for(&flight, has_break, "a breakpoint");
    cr_assert_eq(flight.now.breaks[0].number, 1);
    cr_assert_str_eq(flight.now.breaks[0].where, "main::f");
    cr_assert_str_eq(flight.now.why, "");
    order(&flight, RV_DEBUG_SESSION_UNBREAK, "", 1);
    wait_for(&flight, has_no_break, "no breakpoint");
    order(&flight, RV_DEBUG_SESSION_BREAK, "12", 0);
    wait_for(&flight, has_break, "a breakpoint in the shown file");
    cr_assert_str_eq(flight.now.breaks[0].where, "a file.pl:12");
    order(&flight, RV_DEBUG_SESSION_EVAL, "$y", 0);
    cr_assert_str_eq(flight.now.value, "4 of $y");
    cr_assert_not(flight.now.is_value_error);
    cr_assert_str_eq(flight.now.reason, "for statement 4");
    order(&flight, RV_DEBUG_SESSION_BREAK, "13 if $y", 0);
    wait_for(&flight, has_condition, "one with a condition");
    rv_debug_session_look_at(flight.debug_session, 1);
    wait_for(&flight, looks_at_caller, "the caller's frame");
    order(&flight, RV_DEBUG_SESSION_EVAL, "$y", 0);
    cr_assert_str_eq(flight.now.value, "4 of $y of a caller");
    order(&flight, RV_DEBUG_SESSION_EVAL, "!", 0);
    cr_assert(flight.now.is_value_error);
    end(&flight);
}

Test(session, threads_that_it_stopped_resume_at_its_end, .timeout = 100)
{
    struct flight flight;
    begin(&flight, (struct tracee_params){0});
    order(&flight, RV_DEBUG_SESSION_STOP, "", 0);
    wait_for(&flight, is_at_1, "stopped");
    rv_debug_session_stop(flight.debug_session);
    const struct rv_wire_control *control = rv_map_control(&flight.f.map, 0);
    uint64_t begin_ns = rv_clock_mono_ns();
    while (rv_run_state_read(control).state != RV_RUN_RUNNING) {
        cr_assert_lt(rv_clock_mono_ns() - begin_ns, DEADLINE_NS);
        rv_os_sleep_ns(TURN_NS);
    }
    flight.debug_session = NULL;
    end(&flight);
}

Test(session, observing_makes_no_monitor, .timeout = 100)
{
    struct flight flight;
    begin(&flight, (struct tracee_params){0});
    wait_for(&flight, is_running, "seen");
    cr_assert_not(rv_run_state_has_monitor(&flight.f.other));
    order(&flight, RV_DEBUG_SESSION_STOP, "", 0);
    cr_assert(rv_run_state_has_monitor(&flight.f.other));
    end(&flight);
}

Test(session, threads_that_cannot_be_debugged_are_recognized, .timeout = 100)
{
    struct flight flight;
    begin(&flight, (struct tracee_params){.is_plain = true});
    wait_for(&flight, is_unsteered, "no debugger");
    order(&flight, RV_DEBUG_SESSION_STOP, "", 0);
    cr_assert_str_eq(flight.now.why, rv_target_error(-EOPNOTSUPP));
    tracee_end(flight.tracee);
    wait_for(&flight, is_gone, "ended");
    order(&flight, RV_DEBUG_SESSION_STOP, "", 0);
    cr_assert_str_eq(flight.now.why, rv_target_error(-ENOENT));
    rv_debug_session_choose(flight.debug_session, (struct rv_debug_session_who){0});
    cr_assert_not(
        rv_debug_session_order(flight.debug_session, &(struct rv_debug_session_order){.kind = RV_DEBUG_SESSION_RUN}),
        "nobody to do it");
    rv_debug_session_stop(flight.debug_session);
    close_fixture(&flight.f);
}

static uint64_t stop_while_it_asks_in_vain(void)
{
    struct flight flight;
    begin(&flight, (struct tracee_params){.is_deaf = true});
    wait_for(&flight, is_silent, "it says nothing");
    for (int i = 0; i < 8; i++)
        rv_debug_session_order(flight.debug_session, &(struct rv_debug_session_order){.kind = RV_DEBUG_SESSION_EVAL});
    uint64_t begin_ns = rv_clock_mono_ns();
    rv_debug_session_stop(flight.debug_session);
    uint64_t took_ns = rv_clock_mono_ns() - begin_ns;
    flight.debug_session = NULL;
    end(&flight);
    return took_ns;
}

/* One try that is fast enough proves it: in others the kernel may delay the test. */
Test(session, it_never_waits_for_a_silent_thread, .timeout = 100)
{
    uint64_t took_ns = ANSWER_NS;
    for (unsigned i = 0; i < N_TRIES && took_ns >= ANSWER_NS; i++)
        took_ns = stop_while_it_asks_in_vain();
    cr_assert_lt(took_ns, ANSWER_NS, "an answer was waited for");
}

Test(session, a_thread_that_does_not_answer_is_asked_again, .timeout = 100)
{
    struct flight flight;
    begin(&flight, (struct tracee_params){.is_shy = true});
    order(&flight, RV_DEBUG_SESSION_STOP, "", 0);
    wait_for(&flight, is_at_1, "stopped, and says where");
    end(&flight);
}

Test(session, one_monitor_asks_at_a_time, .timeout = 100)
{
    struct flight flight;
    begin(&flight, (struct tracee_params){0});
    struct rv_target *other = rv_target_open(flight.f.path);
    cr_assert_not_null(other);
    for (int i = 0; i < 40; i++) { /* two monitors ask at once, and each gets the answers to its own questions */
        char text[16], expected[32];
        struct rv_answer answer;
        snprintf(text, sizeof text, "other %d", i);
        snprintf(expected, sizeof expected, "1 of other %d\n", i);
        rv_debug_session_order(flight.debug_session,
                               &(struct rv_debug_session_order){.kind = RV_DEBUG_SESSION_EVAL, .text = "mine"});
        int error;
        const struct rv_target_expression expression = {.text = text};
        while ((error = rv_target_eval(other, 0, &expression, DEADLINE_NS, &answer)) == -EBUSY)
            ; /* the session asks again right away: try until it is the other's turn */
        cr_assert_eq(error, 0);
        cr_assert_str_eq(answer.text, expected);
        rv_answer_fini(&answer);
        rv_debug_session_report(flight.debug_session, &flight.now);
        cr_assert(!flight.now.value[0] || strcmp(flight.now.value, "1 of mine") == 0);
    }
    rv_target_close(other);
    end(&flight);
}
