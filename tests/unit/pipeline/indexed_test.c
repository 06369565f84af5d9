/*
 * A recording shown by its index, whose blocks are loaded on demand, shows what the whole recording shows: the same
 * exact spans, the same counts of cells.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/history_on_disk.h"
#include "base/clock.h"
#include "base/vec.h"
#include "model/density.h"
#include "pipeline/range_reader.h"
#include "pipeline/session.h"
#include "recording/chunk_reader.h"
#include "sink/check_recording.h"
#include "source/recording_on_demand.h"
#include "source/replay.h"
#include "waits/critical_path_graph.h"

#include "attached.h"
#include "recorded.h"
#include "sessions.h"

enum { N_WINDOWS = RECORDED_TURNS(60), WAIT_S = 60 };

static char path[] = "/tmp/ringviz-indexed-XXXXXX";

static void make_file(void)
{
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
}

/* One thread is busy, one has a call now and then. */
static void record(const struct recorded_params *params)
{
    make_file();
    recorded_make(path, params);
}

/* The recording lacks the first events of threads: such a thread begins with its first cell in the index. */
static bool has_discarded;

static void compare_lane(struct rv_lane *whole, struct rv_lane *indexed)
{
    cr_assert_eq(rv_timeline_n_spans(whole->timeline), rv_timeline_n_spans(indexed->timeline));
    cr_assert_eq(rv_timeline_max_depth(whole->timeline), rv_timeline_max_depth(indexed->timeline));
    uint64_t first_ns[2] = {0}, last_ns[2] = {0}; /* of a lane without anything in it */
    cr_assert_eq(whole->last_ns, indexed->last_ns);
    cr_assert_eq(rv_lane_bounds(whole, &first_ns[0], &last_ns[0]), rv_lane_bounds(indexed, &first_ns[1], &last_ns[1]));
    cr_assert(has_discarded ? first_ns[1] <= first_ns[0] : first_ns[1] == first_ns[0]);
    cr_assert_eq(last_ns[0], last_ns[1]);
    cr_assert_eq(whole->n_notes, indexed->n_notes);
    for (size_t i = 0; i < whole->n_notes; i++)
        cr_assert_eq(whole->notes[i].start_ns, indexed->notes[i].start_ns);
    cr_assert(indexed->has_ended);
}

static void compare_stats(struct rv_session *whole, struct rv_session *indexed)
{
    struct rv_stats *stats[2] = {rv_session_stats(whole), rv_session_stats(indexed)};
    cr_assert_eq(sessions_compare_stats(stats[0], stats[1]), RECORDED_IDS);
    rv_stats_destroy(stats[0]);
    rv_stats_destroy(stats[1]);
}

static void compare_sessions(struct rv_session *whole, struct rv_session *indexed)
{
    struct rv_lanes *lanes = rv_session_lanes(whole);
    struct sessions_boxes boxes[2] = {{0}, {0}};
    uint64_t first_ns, last_ns;
    uint32_t n_exact = 0;
    cr_assert_eq(rv_lanes_n(lanes), rv_lanes_n(rv_session_lanes(indexed)));
    cr_assert(rv_lanes_bounds(lanes, &first_ns, &last_ns));
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        compare_lane(lane, sessions_find(indexed, lane));
    }
    for (unsigned k = 0; k < N_WINDOWS; k++) {
        uint64_t from_ns = first_ns + recorded_draw(last_ns - first_ns), width_ns = UINT64_C(1)
                                                                                    << recorded_draw(k < 3 ? 40 : 24);
        uint64_t window[2] = {k == 0 ? 0 : from_ns, k == 0 ? UINT64_MAX : from_ns + width_ns};
        uint32_t level = k < N_WINDOWS / 2 ? (uint32_t)recorded_draw(RV_TIMELINE_LEVELS) : (uint32_t)recorded_draw(4);
        sessions_fetch(indexed, window[0], window[1], level);
        for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
            struct rv_lane *lane = rv_lanes_get(lanes, i), *same = sessions_find(indexed, lane);
            sessions_query(&boxes[0], lane, window, level);
            sessions_query(&boxes[1], same, window, level);
            sessions_compare_boxes(&boxes[0], &boxes[1], (uint32_t)i, level);
            n_exact += level < rv_timeline_sums_level(same->timeline);
        }
    }
    cr_assert_gt(n_exact, 0);
    free(boxes[0].list);
    free(boxes[1].list);
}

static void leave(void)
{
    unlink(path);
}

TestSuite(indexed, .fini = leave, .timeout = 120);

static struct rv_source *open_indexed(void)
{
    struct rv_source *source;
    cr_assert_eq(rv_recording_on_demand_open(&source, path, 0), 0);
    return source;
}

/* Statistics and views. */
static void compare(struct rv_session *whole, struct rv_session *indexed)
{
    compare_stats(whole, indexed);
    compare_sessions(whole, indexed);
    struct rv_session_counts counts[2];
    rv_session_counts(whole, &counts[0]);
    rv_session_counts(indexed, &counts[1]);
    cr_assert_eq(counts[0].n_produced, counts[1].n_produced);
    cr_assert_eq(counts[0].n_consumed, counts[1].n_consumed);
    cr_assert_eq(counts[0].n_dropped, counts[1].n_dropped);
    cr_assert_eq(counts[0].n_spans, counts[1].n_spans);
    cr_assert_gt(counts[1].n_pages, 0);
    rv_session_destroy(whole);
    rv_session_destroy(indexed);
}

static void expect_silent(const struct rv_session *session)
{
    struct rv_silent_threads silent;
    rv_session_silent(session, &silent);
    cr_assert(silent.n_threads == 2 && silent.n == 2);
    cr_assert_eq(silent.times.blocked_ns, 3000 + (UINT64_C(1) << 40));
    cr_assert(silent.threads[0].pid == 7 && silent.threads[0].tid == 20 && silent.threads[0].times.n_switches == 3);
    cr_assert_str_eq(silent.threads[0].name, "worker");
    cr_assert_str_eq(silent.threads[1].name, "");
    rv_silent_threads_fini(&silent);
}

static void compare_both(void)
{
    struct rv_session *whole = sessions_start(rv_replay_open(path), 0, NULL);
    struct rv_session *indexed = sessions_start(open_indexed(), 0, NULL);
    expect_silent(whole);
    expect_silent(indexed);
    compare(whole, indexed);
}

Test(indexed, an_index_shows_what_the_whole_recording_shows)
{
    record(&(struct recorded_params){.n_events = {600000, 300000, 5000, 1}, .step_ns = {40, 90, 60000, 10}});
    compare_both();
}

Test(indexed, an_index_shows_what_the_whole_recording_of_the_newest_events_shows)
{
    has_discarded = true;
    record(&(struct recorded_params){
        .n_events = {900000, 400000, 5000, 1}, .step_ns = {40, 90, 60000, 10}, .limit = {.n_bytes = 1 << 20}});
    compare_both();
}

/* The session knows all names, the recorder of the first file does not. */
Test(indexed, inner_calls_of_a_name_are_told_by_an_index)
{
    static const struct recorded_params params = {
        .n_events = {600000, 300000, 5000, 1}, .step_ns = {40, 90, 60000, 10}, .n_names = 4};
    char again[sizeof path + 8];
    struct rv_recording_writer_totals written;
    struct rv_check_result found;
    record(&params);
    (void)snprintf(again, sizeof again, "%s.again", path);
    struct rv_recording_writer *recorder = rv_recording_writer_create(1);
    struct rv_sink sink = rv_recording_writer_sink(recorder);
    const struct rv_recording_writer_params recording = {.path = again, .program = "p", .is_all = true};
    cr_assert_eq(rv_recording_writer_start(recorder, &recording), 0);
    struct rv_session *whole = rv_session_start(
        &(struct rv_session_params){.n_workers = 2, .sinks = &sink, .n_sinks = 1}, rv_replay_open(path));
    cr_assert(rv_session_wait(whole, UINT64_C(1000000000) * WAIT_S));
    cr_assert_eq(rv_recording_writer_stop(recorder, &written), 0);
    rv_recording_writer_destroy(recorder);

    struct rv_source *sources[2];
    cr_assert_eq(rv_recording_on_demand_open(&sources[0], path, 0), 0);
    cr_assert_eq(rv_recording_on_demand_open(&sources[1], again, 0), 0);
    for (unsigned i = 0; i < 2; i++) {
        struct rv_session *indexed = sessions_start(sources[i], 0, NULL);
        struct rv_stats *stats = rv_session_stats(indexed);
        cr_assert_eq(rv_stats_lacks_inner(stats), i == 0);
        if (i == 1)
            compare_stats(whole, indexed);
        rv_stats_destroy(stats);
        rv_session_destroy(indexed);
    }
    struct rv_stats *stats = rv_session_stats(whole);
    struct rv_stats_row row;
    cr_assert_not(rv_stats_lacks_inner(stats));
    cr_assert_gt(rv_stats_rows(stats, &row, 1), 1);
    cr_assert_gt(row.inner_ns, row.total_ns / 10);
    rv_stats_destroy(stats);
    rv_session_destroy(whole);
    cr_assert_eq(rv_check_read(again, &(struct rv_rec_reader_params){0}, NULL, false, &found), 0);
    cr_assert(rv_check_is_whole(&found));
    (void)unlink(again);
}

/* One thread's first events are kept. */
Test(indexed, reports_the_time_of_discarded_events)
{
    struct rv_rec_reader *reader;
    record(&(struct recorded_params){
        .n_events = {900000, 400000, 5000, 1}, .step_ns = {40, 90, 60000, 10}, .limit = {.n_bytes = 1 << 20}});
    cr_assert_eq(rv_rec_reader_open(&reader, path, NULL), 0);
    cr_assert_not_null(rv_rec_reader_past(reader));
    cr_assert_lt(rv_rec_reader_first_ns(reader), rv_rec_reader_past(reader)->last_ns);
    cr_assert_gt(rv_rec_reader_past_ns(reader), 10000000);
    rv_rec_reader_close(reader);
}

Test(indexed, an_index_shows_what_the_whole_recording_of_an_older_version_shows)
{
    struct rv_check_result found;
    record(&(struct recorded_params){.n_events = {600000, 300000, 5000, 1}, .step_ns = {40, 90, 60000, 10}});
    recorded_age(path);
    compare_both();
    cr_assert_eq(rv_check_read(path, &(struct rv_rec_reader_params){0}, NULL, false, &found), 0);
    cr_assert(rv_check_is_whole(&found));
    cr_assert_gt(found.n_indexes, 0);
}

/* Calls are open where it ends. */
Test(indexed, a_killed_recorders_file_is_read_in_full_until_repaired)
{
    char mended[sizeof path + 8];
    struct rv_check_result found;
    struct rv_source *source;
    record(&(struct recorded_params){.n_events = {600000, 300000, 5000, 1}, .step_ns = {40, 90, 60000, 10}});
    cr_assert_eq(rv_check_read(path, &(struct rv_rec_reader_params){0}, NULL, false, &found), 0);
    cr_assert_eq(truncate(path, (off_t)(found.n_bytes / 10 * 7)), 0);
    cr_assert_eq(rv_recording_on_demand_open(&source, path, 0), 0);
    cr_assert_null(source);
    struct rv_session *whole = sessions_start(rv_replay_open(path), 0, NULL);
    snprintf(mended, sizeof mended, "%s.mended", path);
    cr_assert_eq(rv_check_read(path, &(struct rv_rec_reader_params){0}, mended, false, &found), 0);
    cr_assert_eq(rename(mended, path), 0);
    cr_assert_eq(rv_check_read(path, &(struct rv_rec_reader_params){0}, NULL, false, &found), 0);
    cr_assert(rv_check_is_whole(&found));
    compare(whole, sessions_start(open_indexed(), 0, NULL));
}

/* The sessions of one recording, read wholly and by its index. */
static void start_both(struct rv_session *sessions[2])
{
    sessions[0] = sessions_start(rv_replay_open(path), 0, NULL);
    sessions[1] = sessions_start(open_indexed(), 0, NULL);
}

static void compare_window(struct rv_session *const sessions[2], uint32_t lane_idx, const uint64_t window[2],
                           uint32_t level)
{
    struct sessions_boxes boxes[2] = {{0}, {0}};
    struct rv_lane *lane = rv_lanes_get(rv_session_lanes(sessions[0]), lane_idx);
    sessions_fetch(sessions[1], window[0], window[1], level);
    sessions_query(&boxes[0], lane, window, level);
    sessions_query(&boxes[1], sessions_find(sessions[1], lane), window, level);
    sessions_compare_boxes(&boxes[0], &boxes[1], lane_idx, level);
    free(boxes[0].list);
    free(boxes[1].list);
}

/* Compare windows from the last to the first: the page in which a window's first cell begins is not loaded yet. */
static void compare_backward(void)
{
    struct rv_session *sessions[2];
    uint64_t first_ns, last_ns;
    record(&(struct recorded_params){.n_events = {1000000, 1, 1, 1}, .step_ns = {40, 10, 10, 10}});
    start_both(sessions);
    cr_assert(rv_lanes_bounds(rv_session_lanes(sessions[0]), &first_ns, &last_ns));
    struct rv_lane *lane = rv_lanes_get(rv_session_lanes(sessions[0]), 0);
    uint32_t level = rv_timeline_sums_level(sessions_find(sessions[1], lane)->timeline) - 1;
    uint64_t cell_ns = UINT64_C(1) << rv_density_shift(level);
    for (uint64_t cell = last_ns / cell_ns - 1; cell > first_ns / cell_ns; cell--) {
        uint64_t from_ns = cell * cell_ns + cell_ns - cell_ns / 8;
        compare_window(sessions, 0, (const uint64_t[2]){from_ns, from_ns + cell_ns}, level);
    }
    rv_session_destroy(sessions[0]);
    rv_session_destroy(sessions[1]);
}

Test(indexed, a_cell_that_begins_before_the_window_is_whole)
{
    compare_backward();
}

/* With this seed the lane's stack has no events for the length of several pages. */
Test(indexed, parts_of_a_cell_in_several_pages_are_merged)
{
    recorded_seed = 158393;
    compare_backward();
}

/* Each call of the recording. */
static void compare_calls(void)
{
    struct rv_session *sessions[2];
    start_both(sessions);
    for (uint32_t i = 0; i < rv_lanes_n(rv_session_lanes(sessions[0])); i++)
        compare_window(sessions, i, (const uint64_t[2]){0, UINT64_MAX}, 0);
    rv_session_destroy(sessions[0]);
    rv_session_destroy(sessions[1]);
}

static struct rv_event event_at(uint64_t now_ns, enum rv_event_kind kind, uint32_t id, uint16_t frame)
{
    return (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | now_ns, .id = id, .frame = frame};
}

/*
 * Calls on stack 1, below which two returned that had begun before. Then calls on stack 2, and in the last block one
 * returns below them, and one on stack 3, which is unknown: that one is not as deep.
 */
static size_t make_returns_below(struct rv_event *events, size_t n)
{
    uint64_t now_ns = 1000;
    size_t i = 0;
    events[i++] = event_at(now_ns, RV_EVENT_SWITCH, 1, 0);
    for (uint16_t frame = 20; frame > 18; frame--)
        events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 5, frame);
    events[i++] = event_at(now_ns += 50, RV_EVENT_SWITCH, 2, 0);
    while (i + 6 < n) {
        events[i++] = event_at(now_ns += 50, RV_EVENT_CALL, 7, 10);
        events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 7, 10);
        if (i > 2 * RV_REC_MAX_EVENTS && i < 2 * RV_REC_MAX_EVENTS + 3)
            events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 5, 9);
        if (i == 2 * RV_REC_MAX_EVENTS + 1001) {
            events[i++] = event_at(now_ns += 50, RV_EVENT_SWITCH, 3, 0);
            events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 0, 12);
            events[i++] = event_at(now_ns += 50, RV_EVENT_SWITCH, 2, 0);
        }
    }
    return i;
}

Test(indexed, returns_below_what_was_seen_leave_depths_as_they_are)
{
    enum { N = 3 * RV_REC_MAX_EVENTS };
    struct rv_event *events = calloc(N, sizeof *events);
    size_t n = make_returns_below(events, N);
    make_file();
    recorded_write(path, events, n);
    compare_calls();
    free(events);
}

/* Each call, with its depth: doubtful ones, and those that were open before. */
Test(indexed, shows_each_call_of_a_program_that_runs_already_as_the_whole_does)
{
    enum { N = 10 * RV_REC_MAX_EVENTS };
    struct rv_event *events = calloc(N, sizeof *events);
    make_file();
    for (uint64_t seed = 1; seed <= RECORDED_TURNS(4); seed++) {
        struct rv_session *sessions[2];
        recorded_seed = seed;
        size_t n = attached_make(events, N);
        recorded_write(path, events, n);
        start_both(sessions);
        cr_assert_eq(rv_lanes_n(rv_session_lanes(sessions[0])), ATTACHED_STACKS);
        for (uint32_t i = 0; i < ATTACHED_STACKS; i++)
            compare_window(sessions, i, (const uint64_t[2]){0, UINT64_MAX}, 0);
        rv_session_destroy(sessions[0]);
        rv_session_destroy(sessions[1]);
    }
    free(events);
}

/*
 * Two calls are open where the second block begins; there they are found left, before any call or return tells the
 * time. Of another stack nothing has been told since long before.
 */
static size_t make_left_at_border(struct rv_event *events)
{
    enum { AT_BORDER = RV_REC_MAX_EVENTS - 4, STACK = 2 };
    uint64_t now_ns = 1000;
    size_t i = 0;
    events[i++] = event_at(now_ns += 50, RV_EVENT_SWITCH, STACK, 0);
    events[i++] = event_at(now_ns += 50, RV_EVENT_CALL, 3, 0);
    events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 3, 0);
    events[i++] = event_at(now_ns += 50, RV_EVENT_SWITCH, 1, 0);
    while (i < AT_BORDER) {
        events[i++] = event_at(now_ns += 50, RV_EVENT_CALL, 7, 0);
        events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 7, 0);
    }
    events[i++] = event_at(now_ns += 50, RV_EVENT_CALL, 7, 0);
    events[i++] = event_at(now_ns += 50, RV_EVENT_CALL, 8, 1);
    events[i++] = event_at(now_ns += 50, RV_EVENT_CALL, 6, 2);
    events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 6, 2);
    events[i++] = event_at(now_ns, RV_EVENT_SYNC, 9, 0);
    events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 9, 0);
    return i;
}

Test(indexed, calls_left_at_the_begin_of_a_block_end_at_the_event_before)
{
    static struct rv_event events[RV_REC_MAX_EVENTS + 2];
    make_file();
    recorded_write(path, events, make_left_at_border(events));
    compare_calls();
}

/*
 * A mark on stack 0, and long after that calls on stack 1, below which some return that had begun before. Stack 0 has
 * its first call a block later: that lies as deep as all others.
 */
static size_t make_late_stack(struct rv_event *events)
{
    uint64_t now_ns = 1000;
    size_t i = 0;
    events[i++] = event_at(now_ns, RV_EVENT_MARK, 1, 0);
    events[i++] = event_at(now_ns += 10000000000u, RV_EVENT_SWITCH, 1, 0);
    for (uint16_t frame = 20; frame > 15; frame--)
        events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 5, frame);
    while (i <= RV_REC_MAX_EVENTS) {
        events[i++] = event_at(now_ns += 50, RV_EVENT_CALL, 7, 16);
        events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 7, 16);
    }
    events[i++] = event_at(now_ns += 50, RV_EVENT_SWITCH, 0, 0);
    events[i++] = event_at(now_ns += 50, RV_EVENT_CALL, 8, 0);
    events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 8, 0);
    return i;
}

Test(indexed, a_stack_without_calls_begins_where_all_stacks_do)
{
    static struct rv_event events[RV_REC_MAX_EVENTS + 8];
    make_file();
    recorded_write(path, events, make_late_stack(events));
    compare_calls();
}

/*
 * Calls in each of which the thread is blocked, now and then on another stack: each block has far more changes of states
 * than an older recorder noted. The last call is short, and long before the last event.
 */
static size_t make_blocked(struct rv_event *events, size_t n)
{
    uint64_t now_ns = 1000;
    size_t i = 0;
    while (i + 8 < n) {
        if (recorded_draw(30) == 0)
            events[i++] = event_at(now_ns += 50, RV_EVENT_SWITCH, (uint32_t)recorded_draw(3), 0);
        events[i++] = event_at(now_ns += 50, RV_EVENT_CALL, 7, 0);
        events[i] = event_at(now_ns += 50, RV_EVENT_THREAD, 0, 0);
        events[i++].aux = recorded_draw(2) ? RV_THREAD_BLOCKED : RV_THREAD_PREEMPTED;
        events[i] = event_at(now_ns += 50 + recorded_draw(500), RV_EVENT_THREAD, 0, 0);
        events[i++].aux = RV_THREAD_RUNNING;
        events[i++] = event_at(now_ns += 50, RV_EVENT_RETURN, 7, 0);
    }
    events[i++] = event_at(now_ns + 1000000, RV_EVENT_MARK, 1, 0);
    return i;
}

Test(indexed, times_off_the_cpu_are_those_of_the_whole_recording)
{
    enum { N = 3 * RV_REC_MAX_EVENTS / 2 };
    struct rv_event *events = calloc(N, sizeof *events);
    struct rv_session *sessions[2];
    make_file();
    recorded_write(path, events, make_blocked(events, N));
    start_both(sessions);
    for (size_t i = 0; i < rv_lanes_n(rv_session_lanes(sessions[0])); i++) {
        struct rv_lane *lane = rv_lanes_get(rv_session_lanes(sessions[0]), i), *same = sessions_find(sessions[1], lane);
        cr_assert_gt(lane->times.blocked_ns, 0);
        cr_assert_eq(memcmp(&lane->times, &same->times, sizeof lane->times), 0);
        compare_lane(lane, same);
    }
    rv_session_destroy(sessions[0]);
    rv_session_destroy(sessions[1]);
    free(events);
}

/* Where no page is loaded there are cells, beside pages, too. */
Test(indexed, gaps_between_pages_show_cells)
{
    struct sessions_boxes boxes = {0};
    uint64_t first_ns, last_ns, n_sums = 0, n_mixed = 0;
    record(&(struct recorded_params){.n_events = {2000000, 1, 1, 1}, .step_ns = {40, 10, 10, 10}});
    struct rv_session *session = sessions_start(open_indexed(), 0, NULL);
    cr_assert(rv_lanes_bounds(rv_session_lanes(session), &first_ns, &last_ns));
    struct rv_lane *lane = rv_lanes_get(rv_session_lanes(session), 0);
    uint32_t level = rv_timeline_sums_level(lane->timeline) - 1;
    uint64_t all[2] = {0, UINT64_MAX}, middle_ns = first_ns + (last_ns - first_ns) / 2;
    sessions_query(&boxes, lane, all, level);
    for (size_t i = 0; i < boxes.n; i++)
        n_sums += boxes.list[i].count;
    sessions_fetch(session, middle_ns, middle_ns + 1000, 0);
    sessions_query(&boxes, lane, all, level);
    uint64_t first_box_ns = boxes.list[0].start_ns, last_box_ns = boxes.list[boxes.n - 1].start_ns;
    for (size_t i = 0; i < boxes.n; i++)
        n_mixed += boxes.list[i].count;
    cr_assert_leq(first_box_ns, first_ns);
    cr_assert_gt(last_box_ns, middle_ns + (last_ns - middle_ns) / 2);
    cr_assert_leq(n_sums, n_mixed); /* cells at the border are counted whole */
    cr_assert_lt(n_mixed, n_sums + n_sums / 5, "%llu, %llu", (unsigned long long)n_mixed, (unsigned long long)n_sums);
    rv_session_destroy(session);
    free(boxes.list);
}

Test(indexed, small_recordings_are_read_whole)
{
    record(&(struct recorded_params){.n_events = {1000, 1000, 1000, 1000}, .step_ns = {50, 50, 50, 50}});
    struct rv_source *source;
    cr_assert_eq(rv_recording_on_demand_open(&source, path, 4001), 0);
    cr_assert_null(source);
    cr_assert_eq(rv_recording_on_demand_open(&source, path, 4000), 0);
    cr_assert_not_null(source);
    source->close(source);
}

/* Pages that are being loaded are still delivered. */
Test(indexed, a_session_ends_while_pages_load)
{
    record(&(struct recorded_params){.n_events = {400000, 400000, 5000, 1}, .step_ns = {40, 40, 60000, 10}});
    for (unsigned i = 0; i < 20; i++) {
        struct rv_session *session = sessions_start(open_indexed(), 0, NULL);
        cr_assert_gt(rv_session_want(session, 0, UINT64_MAX, 0), 0);
        usleep(500 * i);
        rv_session_destroy(session);
    }
}

static uint64_t n_pages_of(struct rv_session *session)
{
    struct rv_session_counts counts;
    rv_session_counts(session, &counts);
    return counts.n_pages;
}

/* A page has the detail of the level that it was read for. It stays until one with more detail is loaded. */
Test(indexed, zooming_in_loads_pages_again)
{
    struct sessions_boxes boxes[2] = {{0}, {0}};
    uint64_t first_ns, last_ns;
    record(&(struct recorded_params){.n_events = {2000000, 1, 1, 1}, .step_ns = {40, 10, 10, 10}});
    struct rv_session *session = sessions_start(open_indexed(), 0, NULL);
    cr_assert(rv_lanes_bounds(rv_session_lanes(session), &first_ns, &last_ns));
    struct rv_lane *lane = rv_lanes_get(rv_session_lanes(session), 0);
    uint32_t level = rv_timeline_sums_level(lane->timeline) - 1;
    cr_assert_gt(level, 0);
    uint64_t middle_ns = first_ns + (last_ns - first_ns) / 2, window[2] = {middle_ns, middle_ns + 2000000};
    size_t n_cells = 0;
    sessions_fetch(session, window[0], window[1], level);
    uint64_t n_pages = n_pages_of(session);
    cr_assert_gt(n_pages, 0);
    sessions_query(&boxes[0], lane, window, level);
    sessions_query(&boxes[1], lane, window, 0);
    sessions_compare_boxes(&boxes[0], &boxes[1], 0, 0);
    for (size_t i = 0; i < boxes[0].n; i++)
        n_cells += boxes[0].list[i].coverage != RV_BOX_EXACT;
    cr_assert_gt(n_cells, 0);
    sessions_fetch(session, window[0], window[1], 0);
    cr_assert_gt(n_pages_of(session), n_pages);
    n_pages = n_pages_of(session);
    sessions_query(&boxes[1], lane, window, 0);
    cr_assert_gt(boxes[1].n, 0);
    for (size_t i = 0; i < boxes[1].n; i++)
        cr_assert_eq(boxes[1].list[i].coverage, RV_BOX_EXACT);
    sessions_fetch(session, window[0], window[1], level);
    cr_assert_eq(n_pages_of(session), n_pages);
    sessions_query(&boxes[1], lane, window, level);
    sessions_compare_boxes(&boxes[0], &boxes[1], 0, level);
    rv_session_destroy(session);
    free(boxes[0].list);
    free(boxes[1].list);
}

/* Of an ended thread no page is read, and loaded ones may be evicted. */
Test(indexed, an_ended_stream_takes_no_pages)
{
    const uint64_t early_ns = 5000000, late_ns = 200000000;
    struct rv_session_counts early, late;
    record(&(struct recorded_params){.n_events = {400000, 400000, 5000, 1}, .step_ns = {40, 40, 60000, 10}});
    struct rv_session *session = sessions_start(open_indexed(), 0, NULL);
    sessions_fetch(session, early_ns, early_ns + 1000, 0);
    rv_session_counts(session, &early);
    sessions_fetch(session, late_ns, late_ns + 1000, 0);
    rv_session_counts(session, &late);
    cr_assert_eq(early.n_pages, late.n_pages);
    rv_lanes_limit_memory(rv_session_lanes(session), 1);
    cr_assert_eq(rv_session_want(session, late_ns, late_ns + 1000, 0), 0);
    cr_assert_gt(rv_session_want(session, early_ns, early_ns + 1000, 0), 0);
    rv_session_destroy(session);
}

/* ---- ranges ---- */

static size_t n_waits; /* times that a reader waited for blocks */

static struct rv_range_statistics *measure(struct rv_session *session, uint64_t from_ns, uint64_t to_ns)
{
    struct rv_range_statistics *range = rv_range_statistics_create(
        &(struct rv_range_statistics_params){.from_ns = from_ns,
                                             .to_ns = to_ns,
                                             .lanes = rv_session_lanes(session),
                                             .subroutines = rv_session_subroutines(session)});
    struct rv_range_reader reader;
    rv_range_reader_init(&reader, range, session);
    const uint64_t until_ns = rv_clock_mono_ns() + UINT64_C(1000000000) * WAIT_S;
    while (!rv_range_reader_step(&reader, 1 + recorded_draw(5000), 1000000)) {
        n_waits += reader.blocks != NULL;
        cr_assert_lt(rv_clock_mono_ns(), until_ns, "blocks do not come");
    }
    rv_range_reader_fini(&reader);
    return range;
}

Test(indexed, statistics_of_a_range_are_those_of_the_whole_recording)
{
    struct rv_session *sessions[2];
    uint64_t first_ns, last_ns;
    size_t n_rows = 0;
    record(&(struct recorded_params){.n_events = {600000, 300000, 5000, 1}, .step_ns = {40, 90, 60000, 10}});
    start_both(sessions);
    cr_assert(rv_lanes_bounds(rv_session_lanes(sessions[0]), &first_ns, &last_ns));
    for (unsigned i = 0; i < 20; i++) {
        uint64_t from_ns = first_ns + recorded_draw(last_ns - first_ns),
                 to_ns = i == 0 ? UINT64_MAX : from_ns + 1 + recorded_draw(1 << 21);
        struct rv_range_statistics *ranges[2] = {measure(sessions[0], from_ns, to_ns),
                                                 measure(sessions[1], from_ns, to_ns)};
        n_rows += sessions_compare_stats(rv_range_statistics_stats(ranges[0]), rv_range_statistics_stats(ranges[1]));
        rv_range_statistics_destroy(ranges[0]);
        rv_range_statistics_destroy(ranges[1]);
    }
    cr_assert_gt(n_rows, 20);
    cr_assert_gt(n_waits, 20, "no block was read");
    rv_session_destroy(sessions[0]);
    rv_session_destroy(sessions[1]);
}

/* ---- arguments ---- */

Test(indexed, pages_bring_the_arguments_of_their_calls)
{
    enum { N_CALLS = 60000 };
    struct rv_event *events = calloc(3 * N_CALLS, sizeof *events);
    struct rv_session *sessions[2];
    uint64_t first_ns, last_ns;
    for (uint32_t i = 0; i < N_CALLS; i++) {
        const uint64_t at_ns = 1000 + 100 * (uint64_t)i;
        events[3 * i] = (struct rv_event){.when = (uint64_t)RV_EVENT_CALL << RV_EVENT_KIND_SHIFT | at_ns, .id = 3};
        events[3 * i + 1] =
            (struct rv_event){.when = (uint64_t)RV_EVENT_ARGUMENTS << RV_EVENT_KIND_SHIFT | at_ns, .id = 4 + i % 5};
        events[3 * i + 2] =
            (struct rv_event){.when = (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT | (at_ns + 50), .id = 3};
    }
    make_file();
    recorded_write(path, events, 3 * (size_t)N_CALLS);
    free(events);
    start_both(sessions);
    cr_assert(rv_lanes_bounds(rv_session_lanes(sessions[0]), &first_ns, &last_ns));
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t i = (uint32_t)recorded_draw(N_CALLS);
        const struct rv_span call = {.start = 1000 + 100 * (uint64_t)i, .id = 3};
        const struct rv_lane *lane = rv_lanes_get(rv_session_lanes(sessions[1]), 0);
        sessions_fetch(sessions[1], call.start, call.start + 1000, 0);
        cr_assert_eq(rv_argument_texts_find(&lane->texts, &call, false), 4 + i % 5);
        cr_assert_leq(lane->texts.n, (size_t)N_CALLS);
    }
    cr_assert_eq(rv_lanes_get(rv_session_lanes(sessions[0]), 0)->texts.n, N_CALLS);
    rv_session_destroy(sessions[0]);
    rv_session_destroy(sessions[1]);
}

/* ---- waits ---- */

struct told { /* what a session tells about waits */
    struct rv_wait_reader *reader;
    struct rv_critical_path_graph graph;
    struct rv_waits_row *rows;
    struct rv_critical_path_step *steps;
    size_t n_rows, n_steps;
};

static void tell(struct told *told, struct rv_session *session, uint64_t from_ns, uint64_t to_ns)
{
    struct rv_critical_path_graph_path path = {.from_ns = from_ns, .to_ns = to_ns};
    told->reader = rv_wait_reader_open(rv_session_waits(session), NULL, NULL);
    told->rows = rv_wait_reader_take_rows(told->reader, &told->n_rows);
    rv_critical_path_graph_init(&told->graph, rv_session_lanes(session), told->reader);
    path.thread = rv_critical_path_graph_last_thread(&told->graph, &path.to_ns);
    told->steps = rv_critical_path_graph_take_path(&told->graph, &path, &told->n_steps);
    cr_assert_not(rv_wait_reader_has_missed(told->reader));
}

static void told_fini(struct told *told)
{
    free(told->rows);
    free(told->steps);
    rv_critical_path_graph_fini(&told->graph);
    rv_wait_reader_close(told->reader);
}

/* A wait evicted before the release of its object has no holder. */
static void compare_told_rows(const struct told *a, const struct told *b, bool has_holders)
{
    cr_assert_eq(a->n_rows, b->n_rows);
    for (size_t i = 0; i < a->n_rows; i++) {
        cr_assert_eq(a->rows[i].n_waits, b->rows[i].n_waits);
        cr_assert_eq(a->rows[i].total_ns, b->rows[i].total_ns);
        cr_assert_eq(a->rows[i].longest_ns, b->rows[i].longest_ns);
        cr_assert_eq(a->rows[i].p99_ns, b->rows[i].p99_ns);
        cr_assert(!has_holders || a->rows[i].held_ns == b->rows[i].held_ns);
    }
}

static void compare_told_paths(const struct told *a, const struct told *b)
{
    cr_assert_eq(a->n_steps, b->n_steps);
    for (size_t i = 0; i < a->n_steps; i++) {
        const struct rv_critical_path_step *x = &a->steps[i], *y = &b->steps[i];
        cr_assert(x->from_ns == y->from_ns && x->to_ns == y->to_ns && x->thread == y->thread && x->kind == y->kind,
                  "step %zu", i);
        if (x->wait == RV_CRITICAL_PATH_NONE || y->wait == RV_CRITICAL_PATH_NONE)
            continue;
        const struct rv_wait_edge *of_x = &a->graph.edges[x->wait], *of_y = &b->graph.edges[y->wait];
        cr_assert_eq(of_x->wait.start_ns, of_y->wait.start_ns);
        cr_assert_eq(of_x->released_ns, of_y->released_ns);
    }
}

static const struct recorded_params WITH_WAITS = {
    .n_events = {600000, 500000, 5000, 1}, .step_ns = {40, 48, 4800, 10}, .waits_every = 20};

static void compare_waits(struct rv_session *const sessions[2], bool has_holders)
{
    struct told told[2];
    uint64_t first_ns, last_ns;
    cr_assert(rv_lanes_bounds(rv_session_lanes(sessions[0]), &first_ns, &last_ns));
    cr_assert_gt(rv_waits_n(rv_session_waits(sessions[0])), 20000);
    cr_assert_eq(rv_waits_n(rv_session_waits(sessions[0])), rv_waits_n(rv_session_waits(sessions[1])));
    for (unsigned i = 0; i < RECORDED_TURNS(20); i++) {
        const uint64_t from_ns = i ? first_ns + recorded_draw(last_ns - first_ns) : 0;
        const uint64_t to_ns = i ? from_ns + recorded_draw((last_ns - first_ns) / 4) : last_ns;
        for (int k = 0; k < 2; k++)
            tell(&told[k], sessions[k], from_ns, to_ns);
        cr_assert(i || told[0].n_steps > 100);
        compare_told_rows(&told[0], &told[1], has_holders);
        compare_told_paths(&told[0], &told[1]);
        for (int k = 0; k < 2; k++)
            told_fini(&told[k]);
    }
}

Test(indexed, waits_and_paths_are_those_of_the_whole_recording)
{
    struct rv_session *sessions[2];
    record(&WITH_WAITS);
    start_both(sessions);
    compare_waits(sessions, true);
    cr_assert_not(rv_session_lacks_waits(sessions[1]));
    rv_session_destroy(sessions[0]);
    rv_session_destroy(sessions[1]);
}

/* With a limit that cuts the recording into segments but discards none. */
static void compare_cut(uint64_t limit_bytes)
{
    struct rv_session *sessions[2];
    struct recorded_params cut = WITH_WAITS;
    cut.limit.n_bytes = limit_bytes;
    record(&cut);
    start_both(sessions);
    compare_waits(sessions, true);
    rv_session_destroy(sessions[0]);
    rv_session_destroy(sessions[1]);
}

Test(indexed, waits_and_paths_are_the_same_where_few_segments_cut_the_recording)
{
    compare_cut(UINT64_C(3) << 20);
}

Test(indexed, waits_and_paths_are_the_same_where_more_segments_cut_it)
{
    compare_cut(UINT64_C(5) << 19);
}

struct wait_list { /* of all lanes, or of one */
    struct rv_wait *all;
    size_t n, capacity;
    uint32_t tid; /* 0: of all */
    struct rv_lanes *lanes;
};

static bool list_wait(void *context, const struct rv_wait *wait, rv_wait_place place)
{
    struct wait_list *list = context;
    (void)place;
    if (rv_lanes_get(list->lanes, wait->lane)->tid != list->tid)
        return true;
    list->all = rv_vec_reserve(list->all, &list->capacity, list->n + 1, sizeof *list->all);
    list->all[list->n++] = *wait;
    return true;
}

static struct wait_list list_waits(struct rv_session *session, uint32_t tid)
{
    struct wait_list list = {.tid = tid, .lanes = rv_session_lanes(session)};
    struct rv_wait_reader *reader = rv_wait_reader_open(rv_session_waits(session), NULL, NULL);
    rv_wait_reader_each(reader, 0, UINT64_MAX, list_wait, &list);
    rv_wait_reader_close(reader);
    return list;
}

static int by_end(const void *a, const void *b)
{
    const struct rv_wait *x = a, *y = b;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* The waits left in a cut recording are the last of those in the whole one. Returns how many began before the cut. */
static size_t compare_newest(struct rv_session *whole, struct rv_session *newest, uint32_t tid, uint64_t from_ns)
{
    struct wait_list of_whole = list_waits(whole, tid), of_newest = list_waits(newest, tid);
    size_t n_before = 0, n_gone = of_whole.n - of_newest.n;
    cr_assert_leq(of_newest.n, of_whole.n);
    if (of_whole.n)
        qsort(of_whole.all, of_whole.n, sizeof *of_whole.all, by_end);
    if (of_newest.n)
        qsort(of_newest.all, of_newest.n, sizeof *of_newest.all, by_end);
    for (size_t i = 0; i < of_newest.n; i++) {
        const struct rv_wait *x = &of_whole.all[n_gone + i], *y = &of_newest.all[i];
        cr_assert(x->start_ns == y->start_ns && x->end_ns == y->end_ns && x->kind == y->kind && x->waker == y->waker,
                  "wait %zu of thread %u", i, tid);
        n_before += y->start_ns < from_ns;
    }
    free(of_whole.all);
    free(of_newest.all);
    return n_before;
}

/* The time of each thread's first event; 0: it has none. */
static void read_first_events(uint64_t first_ns[RECORDED_STREAMS])
{
    struct rv_rec_reader *reader;
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    memset(first_ns, 0, RECORDED_STREAMS * sizeof *first_ns);
    cr_assert_eq(rv_rec_reader_open(&reader, path, NULL), 0);
    while (rv_rec_reader_next(reader, &chunk, &payload) > 0)
        if (chunk.type == RV_REC_EVENTS && !(chunk.flags & RV_REC_OPEN) && !first_ns[chunk.stream])
            first_ns[chunk.stream] = chunk.first_ns;
    rv_rec_reader_close(reader);
}

/* Returns how many waits began in segments that were discarded. */
static size_t compare_limited(const struct recorded_params *params, uint64_t limit_bytes)
{
    struct recorded_params cut = *params;
    struct rv_check_result found;
    struct rv_session *newest[2];
    size_t n_before[2] = {0};
    uint64_t first_ns[RECORDED_STREAMS];
    const uint64_t seed = recorded_seed;
    recorded_make(path, params);
    struct rv_session *whole = sessions_start(rv_replay_open(path), 0, NULL);
    cut.limit.n_bytes = limit_bytes;
    recorded_seed = seed;
    recorded_make(path, &cut);
    cr_assert_eq(rv_check_read(path, &(struct rv_rec_reader_params){0}, NULL, false, &found), 0);
    cr_expect(found.n_gone && !found.n_damages, "%llu of %llu", (unsigned long long)found.n_damages,
              (unsigned long long)found.n_gone);
    start_both(newest);
    read_first_events(first_ns);
    for (uint32_t i = 0; i < RECORDED_STREAMS; i++)
        for (int k = 0; k < 2; k++)
            n_before[k] += compare_newest(whole, newest[k], 10 + i, first_ns[i]);
    cr_assert_eq(n_before[0], n_before[1]);
    cr_assert_eq(rv_waits_n(rv_session_waits(newest[0])), rv_waits_n(rv_session_waits(newest[1])));
    rv_session_destroy(whole);
    rv_session_destroy(newest[0]);
    rv_session_destroy(newest[1]);
    return n_before[0];
}

/* Threads wait four fifths of the time: wherever blocks end on a busy machine, some wait is open there. */
Test(indexed, waits_that_began_before_the_newest_events_are_whole)
{
    enum { N_LIMITS = RECORDED_TURNS(4) };
    struct recorded_params params = WITH_WAITS;
    size_t n_before = 0;
    params.waits_every = 1;
    make_file();
    for (uint64_t i = 0; i < N_LIMITS; i++)
        n_before += compare_limited(&params, (UINT64_C(8) + i) << 16);
    cr_assert_gt(n_before, 0);
}

/* Borders lie where a stack without open calls waits, too. */
Test(indexed, waits_are_whole_wherever_blocks_end)
{
    struct recorded_params params = {
        .n_events = {60000, 50000, 5000, 1}, .step_ns = {40, 48, 4800, 10}, .waits_every = 1};
    size_t n_before = 0;
    make_file();
    for (uint64_t seed = 1; seed <= RECORDED_TURNS(24); seed++) {
        recorded_seed = seed;
        params.block_events = 300 + recorded_draw(5000);
        n_before += compare_limited(&params, (UINT64_C(8) + seed % 8) << 13);
    }
    cr_assert_gt(n_before, 0);
}

/* Memory has room for a part of them only: the others are loaded from the history. */
Test(indexed, waits_and_paths_are_those_of_a_session_with_a_history)
{
    struct rv_history *history = rv_history_create(1 << 30);
    record(&WITH_WAITS);
    struct rv_session *sessions[2] = {sessions_start(rv_replay_open(path), 0, NULL),
                                      sessions_start(rv_replay_open(path), 8 << 20, history)};
    compare_waits(sessions, false);
    cr_assert_eq(rv_waits_state(rv_session_waits(sessions[1])).n_gone, 0);
    rv_session_destroy(sessions[0]);
    rv_session_destroy(sessions[1]);
    rv_history_destroy(history);
}
