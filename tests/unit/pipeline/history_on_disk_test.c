/*
 * A session whose memory holds a part of its calls shows, from its history, what one with all calls in memory shows.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "pipeline/history_on_disk.h"
#include "sink/recording_writer.h"
#include "source/replay.h"

#include "recorded.h"
#include "sessions.h"

enum { N_WINDOWS = RECORDED_TURNS(40) };

static char path[] = "/tmp/ringviz-history-XXXXXX";

static void record(void)
{
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);

    recorded_make(path,
                  &(struct recorded_params){.n_events = {1600000, 600000, 5000, 1}, .step_ns = {40, 90, 60000, 10}});
}

static void leave(void)
{
    unlink(path);
}

TestSuite(history, .fini = leave, .timeout = 120);

/* Compare the lane's boxes of both sessions in this window. Returns whether memory alone lacks some of them. */
static bool compare_lane(struct rv_session *whole, struct rv_session *limited, struct rv_lane *lane,
                         const uint64_t window[2], uint32_t level)
{
    struct sessions_boxes boxes[2] = {{0}, {0}};
    struct rv_lane *same = sessions_find(limited, lane);
    sessions_query(&boxes[0], lane, window, level);
    sessions_query(&boxes[1], same, window, level);
    sessions_compare_boxes(&boxes[0], &boxes[1], lane->idx, level);
    free(boxes[0].list);
    free(boxes[1].list);
    return rv_timeline_whole_from_ns(same->timeline, level) > window[0];
}

static void compare_windows(struct rv_session *whole, struct rv_session *limited, const uint64_t range_ns[2],
                            uint64_t width_ns, uint32_t n_levels)
{
    struct rv_lanes *lanes = rv_session_lanes(whole);
    unsigned n_evicted = 0;
    for (unsigned k = 0; k < N_WINDOWS; k++) {
        uint64_t from_ns = range_ns[0] + recorded_draw(range_ns[1] - range_ns[0]);
        const uint64_t window[2] = {from_ns, from_ns + width_ns};
        uint32_t level = (uint32_t)recorded_draw(n_levels);
        sessions_fetch(limited, window[0], window[1], level);
        for (size_t i = 0; i < rv_lanes_n(lanes); i++)
            n_evicted += compare_lane(whole, limited, rv_lanes_get(lanes, i), window, level);
    }
    cr_assert_gt(n_evicted, N_WINDOWS / 4, "memory held nearly all calls: %u", n_evicted);
}

struct both {
    struct rv_session *whole, *limited;
    struct rv_history *history;
    uint64_t range_ns[2]; /* of the calls */
};

static void start(struct both *both, uint64_t history_bytes)
{
    record();
    both->whole = sessions_start(rv_replay_open(path), 0, NULL);
    both->history = rv_history_create(history_bytes);
    cr_assert_not_null(both->history);
    both->limited = sessions_start(rv_replay_open(path), 16 << 20, both->history);
    cr_assert(rv_lanes_bounds(rv_session_lanes(both->whole), &both->range_ns[0], &both->range_ns[1]));
}

static void end(const struct both *both)
{
    rv_session_destroy(both->whole);
    rv_session_destroy(both->limited);
    rv_history_destroy(both->history);
}

/* From this time on the lanes can show all calls. */
static uint64_t released_ns(struct rv_session *session)
{
    struct rv_lanes *lanes = rv_session_lanes(session);
    uint64_t until_ns = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        uint64_t lane_ns = rv_timeline_released_ns(rv_lanes_get(lanes, i)->timeline, 0);
        until_ns = lane_ns > until_ns ? lane_ns : until_ns;
    }
    return until_ns;
}

Test(history, evicted_calls_come_back)
{
    struct both both;
    start(&both, UINT64_C(1) << 30);
    compare_windows(both.whole, both.limited, both.range_ns, 1000, 1);
    compare_windows(both.whole, both.limited, both.range_ns, 1 << 20, 3);
    compare_windows(both.whole, both.limited, both.range_ns, 1 << 24, 5);
    cr_assert_eq(released_ns(both.limited), 0);
    end(&both);
}

/* A history that is too small keeps its newest part, and the lanes say where that begins. */
Test(history, discarded_calls_are_reported)
{
    struct both both;
    start(&both, UINT64_C(1) << 20);
    sessions_fetch(both.limited, both.range_ns[0], both.range_ns[0] + 1000, 0);
    both.range_ns[0] = released_ns(both.limited);
    cr_assert_gt(both.range_ns[0], 0);
    cr_assert_lt(both.range_ns[0], both.range_ns[1]);
    compare_windows(both.whole, both.limited, both.range_ns, 1000, 1);
    end(&both);
}

/* The file of the history, which has no name. */
static int open_history_file(void)
{
    char link[64], target[256];
    for (int fd = 3; fd < 1000; fd++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        if (strstr(target, "(deleted)") && strncmp(target, "/memfd:", 7) != 0)
            return open(link, O_RDWR);
    }
    return -1;
}

/* What cannot be read is not shown as time without calls. */
Test(history, unreadable_calls_are_reported)
{
    struct both both;
    start(&both, UINT64_C(1) << 30);
    int fd = open_history_file();
    cr_assert_geq(fd, 0);
    cr_assert_eq(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20), 0);
    close(fd);
    const uint64_t window[2] = {both.range_ns[0] + 1000000, both.range_ns[0] + 1001000};
    sessions_fetch(both.limited, window[0], window[1], 0);
    cr_assert_gt(released_ns(both.limited), window[1]);
    struct sessions_boxes boxes = {0};
    sessions_query(&boxes, rv_lanes_get(rv_session_lanes(both.limited), 0), window, 0);
    cr_assert_gt(boxes.n, 0, "the calls are still shown by their density");
    free(boxes.list);
    end(&both);
}

/* The history is given up, nothing waits for it, and evicted calls are reported. */
Test(history, a_full_disk_ends_the_history)
{
    signal(SIGXFSZ, SIG_IGN);
    record();
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, 100000}), 0);
    struct rv_history *history = rv_history_create(UINT64_C(1) << 30);
    struct rv_session *limited = sessions_start(rv_replay_open(path), 16 << 20, history);
    cr_assert(rv_history_has_failed(history));
    cr_assert_gt(released_ns(limited), 0);
    sessions_fetch(limited, 0, UINT64_MAX, 0);
    struct rv_session_counts counts;
    rv_session_counts(limited, &counts);
    cr_assert_eq(counts.history_bytes, 0);
    rv_session_destroy(limited);
    rv_history_destroy(history);
}

Test(history, without_a_history_evicted_calls_are_reported)
{
    record();
    struct rv_session *limited = sessions_start(rv_replay_open(path), 16 << 20, NULL);
    cr_assert_gt(released_ns(limited), 0);
    rv_session_destroy(limited);
}

/* ---- a program that goes on ---- */

struct maker { /* of threads that come and go, one after the other; one stays */
    struct rv_source source;
    void *stays;
    unsigned n_threads, most_threads, n_batches; /* so far; in all; sent by each */
    unsigned n_held;                             /* after so many threads it waits; 0: never */
    atomic_bool *may_go_on;                      /* until this is set */
    uint32_t n_calls;
    uint64_t now_ns;
};

static void fill(struct maker *maker, struct rv_batch *batch)
{
    batch->base_ns = maker->now_ns;
    batch->n = batch->n_specials = 0;
    while (batch->n + 2 <= RV_BATCH_EVENTS) {
        maker->n_calls++; /* ids appear in their order, as a replay numbers them */
        const uint32_t id =
            maker->n_calls < RECORDED_IDS ? maker->n_calls : 1 + (uint32_t)recorded_draw(RECORDED_IDS - 1);
        for (unsigned k = 0; k < 2; k++) {
            batch->events[batch->n++] = (struct rv_event){
                .when = (uint64_t)(k ? RV_EVENT_RETURN : RV_EVENT_CALL) << RV_EVENT_KIND_SHIFT | maker->now_ns,
                .id = id,
                .frame = 1};
            maker->now_ns += 1 + recorded_draw(1000);
        }
    }
}

static void send(struct maker *maker, const struct rv_intake *intake, void *stream)
{
    struct rv_batch *batch;
    while (!(batch = intake->acquire_batch(intake->context)))
        ;
    batch->stream = stream;
    fill(maker, batch);
    intake->submit_batch(intake->context, batch);
}

static void *open_thread(struct maker *maker, const struct rv_intake *intake, uint32_t number)
{
    return intake->open_stream(intake->context, &(struct rv_stream_info){.pid = 1,
                                                                         .tid = number + 1,
                                                                         .process_key = 1,
                                                                         .process_name = "p",
                                                                         .thread_name = "t",
                                                                         .born_ns = maker->now_ns,
                                                                         .number = number});
}

static enum rv_source_status make(struct rv_source *source, const struct rv_intake *intake)
{
    struct maker *maker = (struct maker *)source;
    if (!maker->stays)
        maker->stays = open_thread(maker, intake, 0);
    if (maker->n_threads == maker->most_threads || intake->is_stopping(intake->context)) {
        intake->close_stream(intake->context, maker->stays, maker->now_ns);
        return RV_SOURCE_ENDED;
    }
    if (maker->n_held && maker->n_threads == maker->n_held && !atomic_load(maker->may_go_on))
        return RV_SOURCE_IDLE;
    void *thread = open_thread(maker, intake, ++maker->n_threads);
    for (unsigned i = 0; i < maker->n_batches; i++)
        send(maker, intake, thread);
    intake->close_stream(intake->context, thread, maker->now_ns);
    send(maker, intake, maker->stays);
    return RV_SOURCE_MOVED;
}

static void nap(struct rv_source *source)
{
    (void)source;
}

static void resolve(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source;
    (void)intake;
    (void)is_final;
}

static void close_maker(struct rv_source *source)
{
    free(source);
}

static struct rv_source *create_maker(unsigned n_threads, unsigned n_batches)
{
    struct maker *maker = rv_alloc(1, sizeof *maker);
    maker->source = (struct rv_source){.poll = make, .nap = nap, .resolve = resolve, .close = close_maker};
    maker->most_threads = n_threads;
    maker->n_batches = n_batches;
    return &maker->source;
}

/* Discarded blocks, and threads without blocks, take no memory. */
Test(history, memory_is_as_large_after_many_rounds)
{
    enum { N_THREADS = 300 };
    struct rv_history *history = rv_history_create(RV_HISTORY_LEAST_BYTES);
    struct rv_session *session = sessions_start(create_maker(N_THREADS, 8), 16 << 20, history);
    struct rv_session_counts counts;
    rv_session_counts(session, &counts);
    cr_assert_gt(counts.n_spans, 20u * RV_HISTORY_LEAST_BYTES, "two events take more than a byte");
    cr_assert_lt(counts.n_history_streams, N_THREADS / 10, "%zu threads", counts.n_history_streams);
    cr_assert_lt(counts.history_bytes, 64u << 10, "%llu bytes", (unsigned long long)counts.history_bytes);
    cr_assert_gt(counts.n_history_streams, 0);
    rv_session_destroy(session);
    rv_history_destroy(history);
}

/* ---- a thread that is silent for long ---- */

struct silent { /* its first blocks are discarded meanwhile; then it makes some calls more, and ends */
    struct maker maker;
    void *other;
    unsigned step, n_sent;
    uint64_t until_ns;
};

static bool has_passed(struct silent *silent, uint64_t ns)
{
    const uint64_t now_ns = rv_clock_mono_ns();
    if (silent->until_ns == 0)
        silent->until_ns = now_ns + ns;
    const bool has_passed = now_ns >= silent->until_ns;
    silent->until_ns = has_passed ? 0 : silent->until_ns;
    return has_passed;
}

static void send_many(struct maker *maker, const struct rv_intake *intake, void *stream, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        send(maker, intake, stream);
}

static enum rv_source_status make_silent(struct rv_source *source, const struct rv_intake *intake)
{
    struct silent *silent = (struct silent *)source;
    struct maker *maker = &silent->maker;
    switch (silent->step) {
    case 0:
        maker->stays = open_thread(maker, intake, 0);
        maker->now_ns = 1;
        send_many(maker, intake, maker->stays, 100);
        break;
    case 1: /* slowly, so that the history reads each INDEX */
        if (!silent->other)
            silent->other = open_thread(maker, intake, 1);
        send_many(maker, intake, silent->other, 5);
        usleep(10000);
        if (++silent->n_sent < 200)
            return RV_SOURCE_MOVED;
        intake->close_stream(intake->context, silent->other, maker->now_ns);
        break;
    case 3:
        send_many(maker, intake, maker->stays, 1);
        intake->close_stream(intake->context, maker->stays, maker->now_ns);
        break;
    case 2: /* wait until the blocks of both threads are listed */
    case 4: /* wait until the silent thread's own blocks are forgotten */
        if (!has_passed(silent, UINT64_C(300000000)) && !intake->is_stopping(intake->context))
            return RV_SOURCE_MOVED;
        break;
    default:
        return RV_SOURCE_ENDED;
    }
    silent->step++;
    return RV_SOURCE_MOVED;
}

/* The blocks of the last calls must not hide that earlier ones were discarded. */
Test(history, discarded_calls_of_a_silent_thread_are_reported)
{
    struct rv_history *history = rv_history_create(RV_HISTORY_LEAST_BYTES);
    struct silent *silent = rv_alloc(1, sizeof *silent);
    silent->maker.source =
        (struct rv_source){.poll = make_silent, .nap = nap, .resolve = resolve, .close = close_maker};
    struct rv_session *session = sessions_start(&silent->maker.source, 8 << 20, history);
    const struct rv_timeline *timeline = rv_lanes_get(rv_session_lanes(session), 0)->timeline;
    cr_assert_gt(rv_timeline_exact_from_ns(timeline), 0);
    cr_assert_gt(rv_timeline_released_ns(timeline, 0), 0);
    rv_session_destroy(session);
    rv_history_destroy(history);
}

/* ---- a frozen picture ---- */

enum { MEMORY = 8 << 20, TIMES_MEMORY = 20, N_MOMENTS = 11, MOST_LANES = 64 };

struct look { /* what the lanes show of one microsecond */
    uint64_t window[2];
    struct sessions_boxes boxes[MOST_LANES];
    size_t n_lanes;
};

static void look_at(struct look *look, struct rv_session *session, uint64_t at_ns)
{
    const uint64_t begun_ns = rv_clock_mono_ns();
    look->window[0] = at_ns;
    look->window[1] = at_ns + 1000;
    sessions_fetch(session, look->window[0], look->window[1], 0);
    look->n_lanes = rv_lanes_n(rv_session_lanes(session));
    for (size_t i = 0; i < look->n_lanes; i++)
        sessions_query(&look->boxes[i], rv_lanes_get(rv_session_lanes(session), i), look->window, 0);
    cr_log_info("%.1f ms to see 1 us of %.3f s ago", (double)(rv_clock_mono_ns() - begun_ns) / 1e6,
                (double)at_ns / 1e9);
}

/* Returns the number of calls. */
static size_t compare_look(struct look *look, struct rv_session *whole, struct rv_session *live)
{
    size_t n_boxes = 0;
    for (size_t i = 0; i < look->n_lanes; i++) {
        struct sessions_boxes boxes = {0};
        sessions_query(&boxes, sessions_find(whole, rv_lanes_get(rv_session_lanes(live), i)), look->window, 0);
        sessions_compare_boxes(&boxes, &look->boxes[i], (uint32_t)i, 0);
        n_boxes += boxes.n;
        free(boxes.list);
        free(look->boxes[i].list);
    }
    return n_boxes;
}

static uint64_t n_spans(struct rv_session *session)
{
    struct rv_session_counts counts;
    rv_session_counts(session, &counts);
    return counts.n_spans;
}

static void await_spans(struct rv_session *session, uint64_t n)
{
    const uint64_t until_ns = rv_clock_mono_ns() + UINT64_C(60000000000);
    while (n_spans(session) < n) {
        cr_assert_lt(rv_clock_mono_ns(), until_ns);
        usleep(1000);
    }
}

/*
 * After the picture is frozen, twenty times what memory has room for goes through. While the program runs on, every
 * call is still shown, at the frozen time and before, as in a recording of the same run.
 */
Test(history, a_frozen_picture_keeps_its_calls)
{
    static struct look looks[N_MOMENTS];
    struct rv_history *history = rv_history_create(UINT64_C(1) << 30);
    struct rv_recording_writer *record = rv_recording_writer_create(2);
    struct rv_recording_writer_totals totals;
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    cr_assert_eq(rv_recording_writer_start(
                     record, &(struct rv_recording_writer_params){.path = path, .program = "p", .is_forced = true}),
                 0);
    const struct rv_sink sinks[] = {rv_history_sink(history), rv_recording_writer_sink(record)};
    struct rv_session *live = rv_session_start(
        &(struct rv_session_params){
            .n_workers = 2, .memory_bytes = MEMORY, .sinks = sinks, .n_sinks = 2, .history = history},
        create_maker(MOST_LANES - 2, 16));
    const uint64_t events_bytes = 2 * sizeof(struct rv_event), n_frozen = 400000;
    await_spans(live, n_frozen);
    uint64_t first_ns, frozen_ns;
    cr_assert(rv_lanes_bounds(rv_session_lanes(live), &first_ns, &frozen_ns));
    await_spans(live, n_frozen + (uint64_t)TIMES_MEMORY * MEMORY / events_bytes);
    for (unsigned i = 0; i < N_MOMENTS; i++)
        look_at(&looks[i], live, i ? first_ns + recorded_draw(frozen_ns - first_ns) : frozen_ns - 1000);
    cr_assert(rv_session_wait(live, UINT64_C(60000000000)));
    cr_assert_eq(rv_recording_writer_stop(record, &totals), 0);
    struct rv_session *whole = sessions_start(rv_replay_open(path), 0, NULL);
    size_t n_calls = 0;
    for (unsigned i = 0; i < N_MOMENTS; i++)
        n_calls += compare_look(&looks[i], whole, live);
    cr_assert_gt(n_calls, N_MOMENTS);
    rv_session_destroy(live);
    rv_session_destroy(whole);
    rv_history_destroy(history);
    rv_recording_writer_destroy(record);
}

static bool has_evicted(struct rv_lane *lane, uint64_t until_ns)
{
    pthread_rwlock_wrlock(&lane->lock);
    const bool has = rv_timeline_whole_from_ns(lane->timeline, 0) > until_ns;
    pthread_rwlock_unlock(&lane->lock);
    return has;
}

static void free_look(struct look *look)
{
    for (size_t i = 0; i < look->n_lanes; i++)
        free(look->boxes[i].list);
}

/* Calls in view stay, though the history no longer has them. */
Test(history, calls_in_view_are_kept)
{
    static struct look first, last;
    static atomic_bool may_go_on;
    const uint64_t at_ns = 1000000;
    struct rv_history *history = rv_history_create(RV_HISTORY_LEAST_BYTES);
    const struct rv_sink sink = rv_history_sink(history);
    struct rv_source *maker = create_maker(MOST_LANES - 2, 16);
    ((struct maker *)maker)->n_held = 2;
    ((struct maker *)maker)->may_go_on = &may_go_on;
    struct rv_session *session = rv_session_start(
        &(struct rv_session_params){
            .n_workers = 2, .memory_bytes = MEMORY, .sinks = &sink, .n_sinks = 1, .history = history},
        maker);
    await_spans(session, 2 * 16 * RV_BATCH_EVENTS / 2);
    while (!has_evicted(rv_lanes_get(rv_session_lanes(session), 1), at_ns + 1000))
        usleep(1000);
    look_at(&first, session, at_ns);
    atomic_store(&may_go_on, true);
    while (!rv_session_wait(session, 1000000))
        (void)rv_session_want(session, at_ns, at_ns + 1000, 0);
    look_at(&last, session, at_ns);
    const struct rv_timeline *timeline = rv_lanes_get(rv_session_lanes(session), 1)->timeline;
    cr_assert_gt(rv_timeline_released_ns(timeline, 0), at_ns + 1000);
    cr_assert_eq(rv_timeline_released_in(timeline, at_ns, at_ns + 1000, 0), 0);
    cr_assert_gt(first.boxes[1].n, 0);
    sessions_compare_boxes(&first.boxes[1], &last.boxes[1], 1, 0);
    free_look(&first);
    free_look(&last);
    rv_session_destroy(session);
    rv_history_destroy(history);
}

static double free_bytes(const char *folder)
{
    struct statvfs status;
    cr_assert_eq(statvfs(folder, &status), 0);
    return (double)status.f_bavail * (double)status.f_frsize;
}

/* Others write there meanwhile. */
Test(history, by_default_it_may_take_a_tenth_of_what_is_free)
{
    cr_assert_eq(setenv("TMPDIR", ".", 1), 0);
    const double before = free_bytes("."), share = (double)rv_history_default_bytes(), after = free_bytes(".");
    cr_assert(share > 0.099 * (before < after ? before : after) && share < 0.101 * (before < after ? after : before),
              "%g of %g", share, after);
}
