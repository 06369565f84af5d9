/* A thread is woken and runs later: it is blocked until its waker acts, and runnable from then on. */
#include "pipeline/stream_notes.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { WAKER = 77, OBJECT = 5 };

static struct rv_event event_at(uint64_t at_ns, unsigned kind, uint32_t id, uint16_t frame, uint16_t aux)
{
    return (struct rv_event){
        .when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | at_ns, .id = id, .frame = frame, .aux = aux};
}

static struct rv_event state_at(uint64_t at_ns, enum rv_thread_state state)
{
    return event_at(at_ns, RV_EVENT_THREAD, 0, 1, (uint16_t)state);
}

static void add_blocked(struct rv_track *track)
{
    const struct rv_event events[] = {event_at(900, RV_EVENT_WAIT, OBJECT, RV_WAIT_MUTEX, 0),
                                      state_at(1000, RV_THREAD_BLOCKED), state_at(1900, RV_THREAD_RUNNING)};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        rv_stream_notes_add(track, &events[i], 0);
}

static void add_woken(struct rv_track *track, enum rv_wake wake, uint32_t since_ns)
{
    const struct rv_event woken = event_at(2000, RV_EVENT_WOKEN, WAKER | (uint32_t)wake << RV_EVENT_WAKE_SHIFT,
                                           (uint16_t)(since_ns >> 16), (uint16_t)since_ns);
    rv_stream_notes_add(track, &woken, 0);
}

/* Blocked from 1,000 to 1,900 in a wait that ended at 2,000, since_ns after its waker acted. */
static void add_wait(struct rv_track *track, enum rv_wake wake, uint32_t since_ns)
{
    add_blocked(track);
    add_woken(track, wake, since_ns);
}

static void check_times(enum rv_wake wake, uint32_t since_ns, uint64_t blocked_ns, uint64_t runnable_ns)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_track track = {.lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 2})};
    struct rv_state_times sum = {0};
    const uint64_t range_ns[2] = {0, 3000};
    uint64_t n;
    add_wait(&track, wake, since_ns);
    for (size_t i = 0; i < track.n_moments; i++)
        rv_state_times_add(&sum, &track.moments[i].times);
    cr_expect_eq(track.lane->times.blocked_ns, blocked_ns, "%u ns: blocked %lu", since_ns,
                 (unsigned long)track.lane->times.blocked_ns);
    cr_expect_eq(track.lane->times.runnable_ns, runnable_ns);
    cr_expect_eq(sum.blocked_ns, blocked_ns);
    cr_expect_eq(sum.runnable_ns, runnable_ns);
    const struct rv_lane *lane = track.lane;
    cr_expect_eq(rv_notes_covered_ns(lane->notes, lane->n_notes, RV_NOTE_BLOCKED, range_ns, &n), blocked_ns);
    cr_expect_eq(rv_notes_covered_ns(lane->notes, lane->n_notes, RV_NOTE_PREEMPTED, range_ns, &n), runnable_ns);
    free(track.moments);
    free(track.waits);
    rv_lanes_destroy(lanes);
}

Test(stream_notes, a_thread_is_runnable_from_when_its_waker_acted_until_it_ran, .timeout = 60)
{
    check_times(RV_WAKE_EXACT, 400, 600, 300);
    check_times(RV_WAKE_EXACT, 1000, 0, 900);       /* woken as it went to sleep */
    check_times(RV_WAKE_EXACT, 1500, 0, 900);       /* before that */
    check_times(RV_WAKE_EXACT, 50, 900, 0);         /* it ran already */
    check_times(RV_WAKE_EXACT, UINT32_MAX, 900, 0); /* longer ago than the field can hold */
    check_times(RV_WAKE_LIKELY, 400, 900, 0);       /* another thread may have woken it */
}

/* Unknown time counts neither as on the CPU nor as off it, in the call, its lane, and a range. */
Test(stream_notes, a_state_that_is_not_known_counts_as_none, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_track track = {.lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 2})};
    const struct rv_lane *lane = track.lane;
    const struct rv_event events[] = {state_at(1000, RV_THREAD_BLOCKED),
                                      event_at(1300, RV_EVENT_THREAD, 44, 1, RV_THREAD_UNKNOWN),
                                      state_at(1900, RV_THREAD_PREEMPTED), state_at(2000, RV_THREAD_RUNNING)};
    const uint64_t range_ns[2] = {0, 3000};
    uint64_t n;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        rv_stream_notes_add(&track, &events[i], 0);
    cr_expect_eq(lane->times.blocked_ns, 300);
    cr_expect_eq(lane->times.unknown_ns, 600);
    cr_expect_eq(lane->times.runnable_ns, 100);
    cr_expect_eq(lane->n_switches_lost, 44);
    cr_expect_eq(rv_state_times_cpu_ns(&lane->times, 3000), 2000);
    cr_expect_eq(rv_state_times_of(&lane->times, RV_TIME_OFF_CPU, 3000), 400);
    cr_expect_eq(rv_notes_covered_ns(lane->notes, lane->n_notes, RV_NOTE_UNKNOWN, range_ns, &n), 600);
    free(track.moments);
    rv_lanes_destroy(lanes);
}

static struct rv_event switch_at(uint64_t at_ns, uint32_t stack)
{
    return event_at(at_ns, RV_EVENT_SWITCH, stack, 0, 0);
}

/* Time in which another stack is current is neither on the CPU nor off it, in the call, its lane, and a range. */
Test(stream_notes, a_stack_is_suspended_until_it_is_current_again, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_track track = {.stack = 3, .lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 2})};
    const struct rv_lane *lane = track.lane;
    const struct rv_event events[] = {switch_at(900, 3), switch_at(1000, 0), switch_at(1200, 5), switch_at(1700, 3)};
    const uint64_t range_ns[2] = {0, 3000};
    uint64_t n;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        rv_stream_notes_add(&track, &events[i], 0);
    cr_expect_eq(lane->times.away_ns, 700);
    cr_expect_eq(rv_state_times_suspended_ns(&lane->times), 700);
    cr_expect_eq(rv_state_times_cpu_ns(&lane->times, 3000), 2300);
    cr_expect_eq(rv_state_times_of(&lane->times, RV_TIME_OFF_CPU, 3000), 0);
    cr_expect(!rv_state_times_has_switches(&lane->times));
    cr_assert_eq(track.n_moments, 1);
    cr_expect_eq(track.moments[0].times.away_ns, 700);
    cr_expect_eq(rv_notes_covered_ns(lane->notes, lane->n_notes, RV_NOTE_AWAY, range_ns, &n), 700);
    free(track.moments);
    rv_lanes_destroy(lanes);
}

/* In an index, which has no waits among its notes, a switch tells when the waker acted. */
Test(stream_notes, a_switch_before_the_last_one_splits_what_was_blocked, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_track track = {.lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 2})};
    const struct rv_event woken = state_at(1600, RV_THREAD_PREEMPTED), preempted = state_at(2100, RV_THREAD_PREEMPTED),
                          running = state_at(2150, RV_THREAD_RUNNING);
    add_blocked(&track);
    rv_stream_notes_add(&track, &woken, 0);
    cr_expect_eq(track.lane->times.blocked_ns, 600);
    cr_expect_eq(track.lane->times.runnable_ns, 300);
    rv_stream_notes_add(&track, &preempted, 0);
    rv_stream_notes_add(&track, &running, 0);
    cr_expect_eq(track.lane->times.blocked_ns, 600);
    cr_expect_eq(track.lane->times.runnable_ns, 350);
    free(track.moments);
    rv_lanes_destroy(lanes);
}

/* The system call has returned by the split: the time stays with that call, even in an earlier job. */
Test(stream_notes, what_was_blocked_is_split_where_it_was, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_track track = {.lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 2})};
    add_wait(&track, RV_WAKE_EXACT, 400);
    cr_assert_eq(track.n_moments, 2);
    cr_expect_eq(track.moments[0].at_ns, 1900);
    cr_expect_eq(track.moments[0].times.blocked_ns, 600);
    cr_expect_eq(track.moments[0].times.runnable_ns, 300);

    rv_track_clear(&track);
    add_blocked(&track);
    rv_track_clear(&track);
    add_woken(&track, RV_WAKE_EXACT, 400);
    cr_assert_eq(track.n_moments, 2);
    cr_expect_eq(track.moments[0].kind, RV_MOMENT_SPLIT);
    cr_expect_eq(track.moments[0].at_ns, 1900);
    cr_expect_eq(track.moments[0].times.blocked_ns + 300, 0);
    cr_expect_eq(track.moments[0].times.runnable_ns, 300);
    cr_expect_eq(track.moments[1].kind, RV_MOMENT_WOKEN);
    free(track.moments);
    free(track.waits);
    rv_lanes_destroy(lanes);
}
