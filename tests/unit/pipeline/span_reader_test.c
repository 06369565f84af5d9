/* Queries of an indexed recording, or of a session with a history, give the answers of the whole recording. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "query/range_job.h"
#include "viewer/search.h"
#include "query/call_rows_job.h"
#include "query/step.h"
#include "pipeline/history_on_disk.h"
#include "base/clock.h"
#include "query/calls_view.h"
#include "base/vec.h"
#include "pipeline/lane_reader.h"
#include "pipeline/piece_reader.h"
#include "source/recording_on_demand.h"
#include "source/replay.h"

#include "recorded.h"
#include "sessions.h"

enum { N_RANGES = RECORDED_TURNS(12), WAIT_S = 60 };

static char path[] = "/tmp/ringviz-survey-XXXXXX";

struct sessions { /* of one recording */
    struct rv_session *whole, *indexed;
    struct rv_history *history; /* of the indexed session; NULL: it reads the recording's index */
    uint64_t first_ns, last_ns;
};

static bool has_history; /* the test runs with a history */

/* With a history, memory has room for a few calls only. */
static struct rv_session *start(struct rv_source *source, struct rv_history *history)
{
    return sessions_start(source, history ? 16 << 20 : 0, history);
}

static void make_file(void)
{
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
}

static void open_both_of_file(struct sessions *sessions)
{
    struct rv_source *source = NULL;
    sessions->history = has_history ? rv_history_create(UINT64_C(1) << 30) : NULL;
    if (!has_history)
        cr_assert_eq(rv_recording_on_demand_open(&source, path, 0), 0);
    sessions->indexed = start(source ? source : rv_replay_open(path), sessions->history);
    sessions->whole = start(rv_replay_open(path), NULL);
    cr_assert(rv_lanes_bounds(rv_session_lanes(sessions->whole), &sessions->first_ns, &sessions->last_ns));
}

static void open_both(struct sessions *sessions, const struct recorded_params *params)
{
    make_file();
    recorded_make(path, params);
    open_both_of_file(sessions);
}

static void close_both(struct sessions *sessions)
{
    rv_session_destroy(sessions->whole);
    rv_session_destroy(sessions->indexed);
    rv_history_destroy(sessions->history);
}

static void leave(void)
{
    unlink(path);
}

TestSuite(span_reader, .fini = leave, .timeout = 120);

static const struct recorded_params BUSY = {.n_events = {600000, 300000, 5000, 1}, .step_ns = {40, 90, 60000, 10}};
/* Too much for the memory of a session with a history. */
static const struct recorded_params LARGE = {.n_events = {1600000, 600000, 5000, 1}, .step_ns = {40, 90, 60000, 10}};
/* Many events have one time, blocks begin in the midst of them, and calls take no time at all. */
static const struct recorded_params COARSE = {
    .n_events = {500000, 200000, 5000, 1}, .step_ns = {40, 90, 60000, 10}, .tick_ns = 20000};

/* ---- views of calls ---- */

static struct rv_view view_calls(struct rv_session *session, const uint64_t window[2])
{
    struct rv_range_job list = {.range = NULL};
    struct rv_call_rows_job job = {.rows = NULL};
    struct rv_view view = {0};
    rv_range_job_start(&list,
                       &(struct rv_range_statistics_params){.from_ns = window[0],
                                                            .to_ns = window[1],
                                                            .lanes = rv_session_lanes(session),
                                                            .subroutines = rv_session_subroutines(session),
                                                            .lists_calls = true,
                                                            .calls_of = 2},
                       session);
    rv_range_job_wait(&list);
    rv_call_rows_job_start(&job, &(struct rv_call_rows_job_params){.list = rv_range_statistics_calls(list.range),
                                                                   .id = 2,
                                                                   .lanes = rv_session_lanes(session),
                                                                   .session = session});
    rv_call_rows_job_wait(&job);
    struct rv_call_rows *rows = rv_call_rows_job_take(&job);
    cr_assert_gt(rows->n, 3);
    cr_assert_eq(rows->n_coarse, 0);
    rv_calls_view_update(&view, rows, rv_session_lanes(session),
                         &(struct rv_view_params){0, rows->longest_ns + 1, 1u << 31, 1u << 31});
    rv_call_rows_release(rows);
    rv_call_rows_job_stop(&job);
    rv_range_job_stop(&list);
    return view;
}

static void compare_calls(const struct recorded_params *params)
{
    struct sessions sessions;
    open_both(&sessions, params);
    const uint64_t length_ns = sessions.last_ns - sessions.first_ns;
    const uint64_t window[2] = {sessions.first_ns + length_ns / 3, sessions.first_ns + length_ns / 3 + length_ns / 50};
    struct rv_view whole = view_calls(sessions.whole, window), indexed = view_calls(sessions.indexed, window);
    cr_assert_eq(whole.n_lanes, indexed.n_lanes);
    cr_assert_eq(whole.n_boxes, indexed.n_boxes, "%zu boxes, %zu by index", whole.n_boxes, indexed.n_boxes);
    cr_assert_gt(whole.n_boxes, 2 * whole.n_lanes, "hardly a call has callees");
    for (size_t i = 0; i < whole.n_lanes; i++)
        cr_assert_eq(whole.parts[whole.lanes[i].first_part].shift_ns,
                     indexed.parts[indexed.lanes[i].first_part].shift_ns);
    for (size_t i = 0; i < whole.n_boxes; i++) {
        cr_assert_eq(whole.boxes[i].start_ns, indexed.boxes[i].start_ns);
        cr_assert_eq(whole.boxes[i].depth, indexed.boxes[i].depth);
        cr_assert_eq(whole.boxes[i].id, indexed.boxes[i].id);
    }
    rv_view_fini(&whole);
    rv_view_fini(&indexed);
    close_both(&sessions);
}

Test(span_reader, calls_are_viewed_with_all_their_callees)
{
    compare_calls(&BUSY);
}

Test(span_reader, calls_of_a_history_are_viewed_with_all_their_callees)
{
    has_history = true;
    compare_calls(&LARGE);
}

/* ---- the calls of a lane ---- */

enum { PIECE = 100 };

static struct sessions_boxes read_lane(struct rv_session *session, struct rv_lane *lane, const uint64_t window[2])
{
    struct sessions_boxes boxes = {.list = NULL};
    struct rv_lane_reader reader;
    bool has_more = true;
    rv_lane_reader_open(&reader, &(struct rv_lane_reader_params){
                                     .session = session, .lane = lane, .from_ns = window[0], .to_ns = window[1]});
    while (has_more) {
        size_t n;
        boxes.list = rv_vec_reserve(boxes.list, &boxes.capacity, boxes.n + PIECE, sizeof *boxes.list);
        has_more = rv_lane_reader_next(&reader, UINT64_C(1000000000) * WAIT_S, boxes.list + boxes.n, PIECE, &n);
        boxes.n += n;
    }
    cr_assert(!reader.is_damaged);
    rv_lane_reader_close(&reader);
    return boxes;
}

static size_t compare_lane(const struct sessions *sessions, uint32_t lane_idx, const uint64_t window[2])
{
    struct rv_lane *lane = rv_lanes_get(rv_session_lanes(sessions->whole), lane_idx);
    struct sessions_boxes whole = read_lane(NULL, lane, window);
    struct sessions_boxes indexed = read_lane(sessions->indexed, sessions_find(sessions->indexed, lane), window);
    cr_assert_eq(whole.n, indexed.n, "lane %u: %zu calls, %zu by index", lane_idx, whole.n, indexed.n);
    for (size_t i = 0; i < whole.n; i++) {
        const struct rv_box *a = &whole.list[i], *b = &indexed.list[i];
        cr_assert(a->start_ns == b->start_ns && a->duration_ns == b->duration_ns && a->id == b->id &&
                      a->depth == b->depth,
                  "lane %u: call %zu of %zu", lane_idx, i, whole.n);
        cr_assert(i == 0 || rv_box_end_ns(a) <= rv_box_end_ns(a - 1), "lane %u: call %zu ends later", lane_idx, i);
    }
    free(whole.list);
    free(indexed.list);
    return whole.n;
}

Test(span_reader, calls_of_a_lane_come_latest_end_first)
{
    struct sessions sessions;
    size_t n = 0;
    open_both(&sessions, &BUSY);
    const size_t n_lanes = rv_lanes_n(rv_session_lanes(sessions.whole));
    for (unsigned i = 0; i < N_RANGES; i++) {
        const uint64_t from_ns = sessions.first_ns + recorded_draw(sessions.last_ns - sessions.first_ns);
        const uint64_t window[2] = {i ? from_ns : 0, i ? from_ns + 1 + (UINT64_C(1) << recorded_draw(26)) : UINT64_MAX};
        for (uint32_t k = 0; k < n_lanes; k++)
            n += compare_lane(&sessions, k, window);
    }
    cr_assert_gt(n, 100000);
    close_both(&sessions);
}

/* ---- the same in pieces ---- */

struct taken { /* by workers */
    pthread_mutex_t lock;
    struct rv_span_piece *pieces; /* without their spans */
    struct rv_span *ended;
    size_t n_pieces, pieces_capacity, n_ended, ended_capacity;
    uint64_t calls_ns; /* sum over all calls of their time in each piece */
    atomic_size_t n_blocks, n_as_events;
};

static void take_piece(void *taker, const struct rv_span_piece *piece)
{
    struct taken *taken = taker;
    pthread_mutex_lock(&taken->lock);
    taken->pieces = rv_vec_reserve(taken->pieces, &taken->pieces_capacity, taken->n_pieces + 1, sizeof *taken->pieces);
    taken->pieces[taken->n_pieces++] = (struct rv_span_piece){.from_ns = piece->from_ns, .to_ns = piece->to_ns};
    taken->ended =
        rv_vec_reserve(taken->ended, &taken->ended_capacity, taken->n_ended + piece->n, sizeof *taken->ended);
    for (size_t i = 0; i < piece->n; i++) {
        const struct rv_span *span = &piece->spans[i];
        cr_assert(span->start <= piece->to_ns && span->end >= piece->from_ns && span->end <= piece->to_ns);
        cr_assert(!(span->flags & RV_SPAN_OPEN) || span->end == piece->to_ns);
        taken->calls_ns += span->end - (span->start > piece->from_ns ? span->start : piece->from_ns);
        if (!(span->flags & RV_SPAN_OPEN))
            taken->ended[taken->n_ended++] = *span;
    }
    pthread_mutex_unlock(&taken->lock);
}

/* Every other block: its calls, made by one stack. False: they are not within one another. */
static bool take_events(void *taker, const struct rv_event_piece *piece)
{
    enum { MOST_OPEN = 256 };
    struct taken *taken = taker;
    struct rv_span *spans = calloc(piece->n + MOST_OPEN, sizeof *spans), open[MOST_OPEN];
    struct rv_span_piece as_spans = {.from_ns = piece->from_ns, .to_ns = piece->to_ns, .spans = spans};
    uint32_t n_open = piece->open.n_frames;
    bool is_plain = atomic_fetch_add_explicit(&taken->n_blocks, 1, memory_order_relaxed) % 2 == 0 && n_open < MOST_OPEN;
    for (uint32_t i = 0; i < n_open && is_plain; i++)
        open[i] = (struct rv_span){.start = piece->open.start[i], .id = piece->open.id[i]};
    for (size_t i = 0; i < piece->n && is_plain; i++) {
        const struct rv_event *event = &piece->events[i];
        if (rv_event_kind(event) == RV_EVENT_CALL && n_open < MOST_OPEN) {
            open[n_open++] = (struct rv_span){.start = rv_event_ticks(event), .id = event->id};
        } else if (rv_event_kind(event) == RV_EVENT_RETURN && n_open) {
            open[--n_open].end = rv_event_ticks(event);
            open[n_open].depth = (uint32_t)piece->open.base_depth + n_open;
            spans[as_spans.n++] = open[n_open];
        } else {
            is_plain = rv_event_kind(event) == RV_EVENT_MARK;
        }
    }
    for (; n_open && is_plain; n_open--) {
        open[n_open - 1].end = piece->to_ns;
        open[n_open - 1].flags = RV_SPAN_OPEN;
        spans[as_spans.n++] = open[n_open - 1];
    }
    if (is_plain) {
        take_piece(taker, &as_spans);
        atomic_fetch_add_explicit(&taken->n_as_events, 1, memory_order_relaxed);
    }
    free(spans);
    return is_plain;
}

static int by_begin(const void *a, const void *b)
{
    const struct rv_span_piece *x = a, *y = b;
    if (x->from_ns != y->from_ns)
        return x->from_ns < y->from_ns ? -1 : 1;
    return (x->to_ns > y->to_ns) - (x->to_ns < y->to_ns);
}

/* Summed over calls, it tells whether they are the same. */
static uint64_t sum_of(uint64_t start_ns, uint64_t end_ns, uint32_t id, uint32_t depth)
{
    return (start_ns * 31 + end_ns) * 1000003 + id * 101 + depth;
}

static size_t compare_pieces(const struct sessions *sessions, uint32_t lane_idx, size_t *n_as_events)
{
    struct rv_lane *lane = rv_lanes_get(rv_session_lanes(sessions->whole), lane_idx);
    struct sessions_boxes whole = read_lane(NULL, lane, (const uint64_t[2]){0, UINT64_MAX});
    struct taken taken = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const bool is_read = rv_session_read_pieces(
        sessions->indexed, &(struct rv_piece_reader_params){.lane = sessions_find(sessions->indexed, lane),
                                                            .to_ns = UINT64_MAX,
                                                            .take = take_piece,
                                                            .take_events = n_as_events ? take_events : NULL,
                                                            .taker = &taken});
    uint64_t sums[2] = {0}, calls_ns = 0;
    size_t n_ended = 0;
    for (size_t i = 0; i < whole.n; i++) {
        const struct rv_box *box = &whole.list[i];
        calls_ns += box->duration_ns;
        if (box->flags & RV_SPAN_OPEN)
            continue;
        sums[0] += sum_of(box->start_ns, rv_box_end_ns(box), box->id, box->depth);
        n_ended++;
    }
    for (size_t i = 0; i < taken.n_ended; i++)
        sums[1] += sum_of(taken.ended[i].start, taken.ended[i].end, taken.ended[i].id, taken.ended[i].depth);
    if (taken.n_pieces)
        qsort(taken.pieces, taken.n_pieces, sizeof *taken.pieces, by_begin);
    for (size_t i = 1; i < taken.n_pieces; i++)
        cr_assert_geq(taken.pieces[i].from_ns, taken.pieces[i - 1].to_ns, "lane %u: the same time twice", lane_idx);
    if (is_read) {
        cr_assert_eq(taken.n_ended, n_ended, "lane %u: %zu calls, not %zu", lane_idx, taken.n_ended, n_ended);
        cr_assert(sums[0] == sums[1] && taken.calls_ns == calls_ns, "lane %u: other calls", lane_idx);
    }
    if (n_as_events)
        *n_as_events += taken.n_as_events;
    free(taken.pieces);
    free(taken.ended);
    free(whole.list);
    return is_read ? taken.n_pieces : 0;
}

Test(span_reader, pieces_of_a_lane_have_all_its_time_once)
{
    struct sessions sessions;
    size_t n = 0;
    open_both(&sessions, &BUSY);
    for (uint32_t i = 0; i < rv_lanes_n(rv_session_lanes(sessions.whole)); i++)
        n += compare_pieces(&sessions, i, NULL);
    cr_assert_gt(n, 20);
    close_both(&sessions);
}

enum { PLAIN_EVENTS = 400000, PLAIN_DEPTH = 40 };

/* Calls of one stack and a few marks; all calls end. */
static size_t make_plain(struct rv_event *events)
{
    uint32_t ids[PLAIN_DEPTH], depth = 0;
    uint64_t now_ns = 1000;
    size_t n = 0;
    while (n < PLAIN_EVENTS || depth) {
        now_ns += recorded_draw(60);
        const bool is_mark = recorded_draw(10000) == 0;
        const bool is_call = n < PLAIN_EVENTS && depth < PLAIN_DEPTH && (depth == 0 || recorded_draw(2));
        const enum rv_event_kind kind = is_mark ? RV_EVENT_MARK : is_call ? RV_EVENT_CALL : RV_EVENT_RETURN;
        if (kind == RV_EVENT_CALL)
            ids[depth] = 1 + (uint32_t)recorded_draw(9);
        const uint32_t of = kind == RV_EVENT_CALL ? depth++ : kind == RV_EVENT_RETURN ? --depth : 0;
        events[n++] = (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | now_ns,
                                        .id = is_mark ? 1 : ids[of],
                                        .frame = is_mark ? 0 : (uint16_t)of};
    }
    return n;
}

Test(span_reader, blocks_of_one_stack_come_as_events)
{
    struct sessions sessions;
    struct rv_event *events = calloc(2 * PLAIN_EVENTS, sizeof *events);
    size_t n_as_events = 0;
    make_file();
    recorded_write(path, events, make_plain(events));
    free(events);
    open_both_of_file(&sessions);
    cr_assert_gt(compare_pieces(&sessions, 0, &n_as_events), 2 * n_as_events, "others have two batches a block");
    cr_assert_gt(n_as_events, 1);
    close_both(&sessions);
}

/* ---- ranges ---- */

enum { CALLS_PER_PART = 4000 };

/* In parts, those of ranges measured before from their memory; without a memory as one part. */
static struct rv_range_job measure(struct rv_session *session, const uint64_t window[2], const struct rv_filter *filter,
                                   struct rv_range_memory *memory)
{
    struct rv_range_job measure = {.range = NULL};
    rv_range_job_start(&measure,
                       &(struct rv_range_statistics_params){.from_ns = window[0],
                                                            .to_ns = window[1],
                                                            .lanes = rv_session_lanes(session),
                                                            .subroutines = rv_session_subroutines(session),
                                                            .filter = filter,
                                                            .memory = memory,
                                                            .calls_per_part = memory ? CALLS_PER_PART : UINT64_MAX},
                       session);
    rv_range_job_wait(&measure);
    cr_assert(rv_range_job_is_done(&measure));
    return measure;
}

static void compare_stats(const struct rv_range_statistics *whole, const struct rv_range_statistics *indexed)
{
    (void)sessions_compare_stats(rv_range_statistics_stats(whole), rv_range_statistics_stats(indexed));
    cr_assert_eq(rv_range_statistics_self_ns(whole), rv_range_statistics_self_ns(indexed));
    cr_assert_eq(rv_range_statistics_missing_before_ns(indexed), 0);
}

/* The order of paths depends on parts, and where there are too many, which of them have nodes: these have their whole time. */
static void compare_nodes(const struct rv_range_statistics *whole, const struct rv_range_statistics *indexed)
{
    size_t n, n_indexed, n_found = 0;
    const struct rv_range_node *nodes = rv_range_statistics_nodes(whole, &n),
                               *of_index = rv_range_statistics_nodes(indexed, &n_indexed);
    const bool has_all = n < RV_RANGE_MOST_NODES;
    uint32_t *places = calloc(n_indexed, sizeof *places); /* in the whole; 0: none, or the root */
    for (size_t i = 1; i < n_indexed; i++) {
        const struct rv_range_node *b = &of_index[i];
        uint32_t place = b->parent == 0 || places[b->parent] ? nodes[places[b->parent]].first_child : 0;
        while (place && nodes[place].id != b->id)
            place = nodes[place].next;
        places[i] = place;
        n_found += place > 0;
        if (!place)
            continue;
        cr_assert_eq(nodes[place].n_calls, b->n_calls, "path %zu", i);
        cr_assert_eq(nodes[place].total_ns, b->total_ns, "path %zu", i);
        cr_assert(!has_all || nodes[place].self_ns == b->self_ns, "path %zu", i);
    }
    cr_assert(has_all ? n_found == n - 1 && n == n_indexed : n_found > 1000, "%zu paths, %zu by index, %zu of them", n,
              n_indexed, n_found);
    free(places);
}

static void compare_range(const struct sessions *sessions, const uint64_t window[2], const struct rv_filter *filter,
                          struct rv_range_memory *memory)
{
    struct rv_range_job whole = measure(sessions->whole, window, filter, NULL);
    struct rv_range_job indexed = measure(sessions->indexed, window, filter, memory);
    compare_stats(whole.range, indexed.range);
    compare_nodes(whole.range, indexed.range);
    rv_range_job_stop(&whole);
    rv_range_job_stop(&indexed);
}

static void compare_ranges(const struct recorded_params *params)
{
    struct sessions sessions;
    struct rv_range_memory *memory = rv_range_memory_create(1 << 24);
    const struct rv_filter *filter = NULL;
    char why[160];
    open_both(&sessions, params);
    cr_assert_eq(rv_filter_add(&filter, "name:f[1-9]$", why, sizeof why), 0);
    for (unsigned i = 0; i < N_RANGES; i++) {
        uint64_t from_ns = sessions.first_ns + recorded_draw(sessions.last_ns - sessions.first_ns);
        uint64_t window[2] = {i ? from_ns : 0, i ? from_ns + (UINT64_C(1) << recorded_draw(32)) : UINT64_MAX};
        compare_range(&sessions, window, i % 3 == 2 ? filter : NULL, memory);
    }
    rv_filter_release(filter);
    rv_range_memory_destroy(memory);
    close_both(&sessions);
}

Test(span_reader, a_range_is_measured_exactly)
{
    compare_ranges(&BUSY);
}

Test(span_reader, a_range_is_measured_exactly_where_many_events_have_one_time)
{
    compare_ranges(&COARSE);
}

Test(span_reader, a_range_of_the_newest_events_is_measured_exactly)
{
    struct recorded_params newest = BUSY;
    newest.limit.n_bytes = 1 << 19;
    compare_ranges(&newest);
}

Test(span_reader, a_range_is_measured_exactly_with_a_history)
{
    has_history = true;
    compare_ranges(&LARGE);
}

/* ---- steps ---- */

/* The lane of the same thread and stack in the other session. */
static uint32_t find(struct rv_session *session, const struct rv_lane *like)
{
    struct rv_lanes *lanes = rv_session_lanes(session);
    for (uint32_t i = 0; i < rv_lanes_n(lanes); i++)
        if (rv_lanes_get(lanes, i)->tid == like->tid && rv_lanes_get(lanes, i)->stack == like->stack)
            return i;
    cr_assert_fail("thread %u has no stack %u", like->tid, like->stack);
    return 0;
}

static bool step(const struct rv_step_params *about, bool is_forward, uint64_t *ns)
{
    struct rv_step made = {.n_steps = 0};
    uint64_t until_ns = rv_clock_mono_ns() + UINT64_C(1000000000) * WAIT_S;
    rv_step_request(&made, is_forward);
    while (!rv_step_go_on(&made, about, ns)) {
        if (made.n_steps == 0)
            return false;
        cr_assert_lt(rv_clock_mono_ns(), until_ns, "no step is made");
        usleep(200);
    }
    return true;
}

/* Compare some steps forward or back from a time, in all lanes or in one. */
static void compare_steps(struct rv_step_params *whole, struct rv_step_params *indexed, bool is_forward)
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t ns[2] = {0, 0};
        bool is_found[2] = {step(whole, is_forward, &ns[0]), step(indexed, is_forward, &ns[1])};
        cr_assert_eq(is_found[0], is_found[1]);
        cr_assert(!is_found[0] || ns[0] == ns[1], "%s from %llu: to %llu, by index to %llu", is_forward ? "on" : "back",
                  (unsigned long long)whole->at_ns, (unsigned long long)ns[0], (unsigned long long)ns[1]);
        whole->at_ns = indexed->at_ns = is_found[0] ? ns[0] : whole->at_ns;
    }
}

static void compare_all_steps(const struct recorded_params *params)
{
    struct sessions sessions;
    open_both(&sessions, params);
    struct rv_lanes *lanes = rv_session_lanes(sessions.whole);
    struct rv_lane_choices lane_order[2] = {{0}, {0}};
    struct rv_step_params about[2] = {
        {.lanes = lanes, .lane_order = &lane_order[0]},
        {.session = sessions.indexed, .lanes = rv_session_lanes(sessions.indexed), .lane_order = &lane_order[1]}};
    rv_lane_choices_update(&lane_order[0], about[0].lanes);
    rv_lane_choices_update(&lane_order[1], about[1].lanes);
    for (unsigned i = 0; i < RECORDED_TURNS(30); i++) {
        uint32_t lane_idx[2] = {(uint32_t)recorded_draw(rv_lanes_n(lanes)), 0};
        lane_idx[1] = find(sessions.indexed, rv_lanes_get(lanes, lane_idx[0]));
        uint64_t at_ns = sessions.first_ns + recorded_draw(sessions.last_ns - sessions.first_ns);
        at_ns = i < 2 ? sessions.first_ns : i < 4 ? sessions.last_ns + 1 : at_ns;
        for (unsigned k = 0; k < 2; k++) {
            about[k].at_ns = at_ns;
            about[k].lane_idx = i % 3 ? &lane_idx[k] : NULL;
        }
        compare_steps(&about[0], &about[1], i % 2);
    }
    rv_lane_choices_fini(&lane_order[0]);
    rv_lane_choices_fini(&lane_order[1]);
    close_both(&sessions);
}

Test(span_reader, steps_lead_to_every_event)
{
    compare_all_steps(&BUSY);
}

Test(span_reader, steps_lead_to_every_time_of_a_coarse_clock)
{
    compare_all_steps(&COARSE);
}

Test(span_reader, steps_lead_to_every_event_of_a_history)
{
    has_history = true;
    compare_all_steps(&LARGE);
}

/* ---- searches ---- */

static void update(struct rv_viewer_search *state, struct rv_session *session)
{
    (void)rv_viewer_search_update(state, rv_session_lanes(session), rv_session_subroutines(session), false);
}

static void search(struct rv_viewer_search *state, struct rv_session *session)
{
    uint64_t until_ns = rv_clock_mono_ns() + UINT64_C(1000000000) * WAIT_S;
    while (!state->is_search_whole) {
        update(state, session);
        cr_assert_lt(rv_clock_mono_ns(), until_ns, "the search does not end");
    }
}

static bool go(struct rv_viewer_search *state, struct rv_session *session, uint64_t from_ns, bool is_forward)
{
    uint64_t until_ns = rv_clock_mono_ns() + UINT64_C(1000000000) * WAIT_S;
    rv_viewer_search_request(state, is_forward);
    for (bool has_hit = false; state->request.n_hits != 0;) {
        update(state, session);
        has_hit = rv_viewer_search_fulfil(state, rv_session_lanes(session), from_ns);
        if (has_hit)
            return true;
        cr_assert_lt(rv_clock_mono_ns(), until_ns, "no hit is come to");
    }
    return false;
}

/* Expect the same call; calls of different lanes that begin at one time may come in either order. */
static void compare_hits(struct rv_search_hit *whole, struct rv_search_hit *indexed)
{
    cr_assert_eq(whole->place.start_ns, indexed->place.start_ns, "to %llu, by index to %llu",
                 (unsigned long long)whole->place.start_ns, (unsigned long long)indexed->place.start_ns);
}

struct search_case {
    const char *find;
    bool goes_early; /* before all is searched */
};

static void compare_search(const struct sessions *sessions, const struct search_case *is)
{
    static struct rv_viewer_search whole, indexed; /* large */
    uint64_t begin_ns = sessions->first_ns, length_ns = sessions->last_ns - sessions->first_ns;
    whole = (struct rv_viewer_search){.session = sessions->whole};
    indexed = (struct rv_viewer_search){.session = sessions->indexed};
    rv_viewer_search_find(&whole, is->find);
    rv_viewer_search_find(&indexed, is->find);
    search(&whole, sessions->whole);
    if (!is->goes_early)
        search(&indexed, sessions->indexed);
    for (unsigned i = 0; i < 12; i++) {
        bool is_forward = recorded_draw(2);
        uint64_t from_ns = begin_ns + recorded_draw(length_ns);
        whole.has_hit &= i % 3 > 0;
        indexed.has_hit &= i % 3 > 0;
        bool has_hit = go(&whole, sessions->whole, from_ns, is_forward);
        cr_assert_eq(has_hit, go(&indexed, sessions->indexed, from_ns, is_forward), "%s", is->find);
        if (has_hit)
            compare_hits(&whole.hit, &indexed.hit);
    }
    search(&indexed, sessions->indexed);
    cr_assert_eq(whole.search.n_hits, indexed.search.n_hits, "%s: %llu hits, %llu by index", is->find,
                 (unsigned long long)whole.search.n_hits, (unsigned long long)indexed.search.n_hits);
    cr_assert_eq(whole.search.shift, indexed.search.shift);
    cr_assert_eq(whole.search.n_columns, indexed.search.n_columns);
    for (uint64_t i = 0; i < whole.search.n_columns; i++)
        cr_assert_eq(whole.search.counts[i], indexed.search.counts[i]);
    rv_viewer_search_fini(&whole);
    rv_viewer_search_fini(&indexed);
}

/* Search at once and wait for the blocks to be read, as a screenshot does. */
static void compare_first_hits(const struct sessions *sessions, const char *find)
{
    static struct rv_viewer_search states[2]; /* large */
    struct rv_session *const of[2] = {sessions->whole, sessions->indexed};
    for (unsigned k = 0; k < 2; k++) {
        states[k] = (struct rv_viewer_search){.session = of[k]};
        rv_viewer_search_find(&states[k], find);
        (void)rv_viewer_search_update(&states[k], rv_session_lanes(of[k]), rv_session_subroutines(of[k]), true);
        cr_assert(rv_viewer_search_go(&states[k], rv_session_lanes(of[k]), 0, true));
    }
    compare_hits(&states[0].hit, &states[1].hit);
    rv_viewer_search_fini(&states[0]);
    rv_viewer_search_fini(&states[1]);
}

static void compare_searches(const struct recorded_params *params)
{
    static const struct search_case cases[] = {{"f7$", true},  {"f7$", false}, {"f30", true},
                                               {"f30", false}, {"f", false},   {"nothing", false}};
    struct sessions sessions;
    open_both(&sessions, params);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        compare_search(&sessions, &cases[i]);
    compare_first_hits(&sessions, "f7$");
    close_both(&sessions);
}

Test(span_reader, a_search_finds_every_call)
{
    compare_searches(&BUSY);
}

Test(span_reader, a_search_finds_every_call_of_a_history)
{
    has_history = true;
    compare_searches(&LARGE);
}

/* A block that cannot be read is reported as missing; the calls before and after it are complete. */
Test(span_reader, calls_of_damaged_blocks_are_reported_as_missing)
{
    struct sessions sessions;
    static struct rv_viewer_search state; /* large */
    open_both(&sessions, &BUSY);
    recorded_damage(path, 3);
    const uint64_t windows[2][2] = {{0, UINT64_MAX}, {sessions.last_ns - 1000, UINT64_MAX}};
    for (unsigned i = 0; i < 2; i++) {
        struct rv_range_job whole = measure(sessions.whole, windows[i], NULL, NULL);
        struct rv_range_job indexed = measure(sessions.indexed, windows[i], NULL, NULL);
        cr_assert_not(rv_range_statistics_is_damaged(whole.range));
        cr_assert_eq(rv_range_statistics_is_damaged(indexed.range), i == 0);
        cr_assert(i == 0 || rv_range_statistics_self_ns(whole.range) == rv_range_statistics_self_ns(indexed.range));
        rv_range_job_stop(&whole);
        rv_range_job_stop(&indexed);
    }
    state = (struct rv_viewer_search){.session = sessions.indexed};
    rv_viewer_search_find(&state, "f7$");
    search(&state, sessions.indexed);
    cr_assert(state.is_damaged);
    cr_assert_gt(state.n_calls, 0);
    rv_viewer_search_fini(&state);
    close_both(&sessions);
}

/* Also those of a damaged block: it would be read anew for ever. */
Test(span_reader, parts_with_damaged_blocks_are_kept)
{
    struct sessions sessions;
    struct rv_range_memory *memory = rv_range_memory_create(1 << 24);
    const uint64_t window[2] = {0, UINT64_MAX};
    open_both(&sessions, &BUSY);
    recorded_damage(path, 3);
    for (unsigned i = 0; i < 2; i++) {
        struct rv_range_job indexed = measure(sessions.indexed, window, NULL, memory);
        cr_assert(rv_range_statistics_is_damaged(indexed.range));
        rv_range_job_stop(&indexed);
    }
    const struct rv_range_statistics_params ahead = {.to_ns = UINT64_MAX,
                                                     .lanes = rv_session_lanes(sessions.indexed),
                                                     .subroutines = rv_session_subroutines(sessions.indexed),
                                                     .memory = memory,
                                                     .calls_per_part = CALLS_PER_PART,
                                                     .n_beforehand = 1000};
    struct rv_range_job left = {.range = NULL};
    rv_range_job_start(&left, &ahead, sessions.indexed);
    rv_range_job_wait(&left);
    cr_assert(rv_range_statistics_has_all_beforehand(left.range));
    rv_range_job_stop(&left);
    rv_range_memory_destroy(memory);
    close_both(&sessions);
}

struct late { /* a taker that is slower than the reading of a damaged block */
    atomic_bool is_over;
    atomic_size_t n_late;
};

static void take_slowly(void *taker, const struct rv_span_piece *piece)
{
    struct late *late = taker;
    (void)piece;
    usleep(5000);
    atomic_fetch_add(&late->n_late, atomic_load(&late->is_over));
}

Test(span_reader, no_piece_comes_after_a_damaged_block_was_told)
{
    static struct late late[16]; /* by lane; static, so that a late piece still finds it */
    struct sessions sessions;
    size_t n_refused = 0;
    open_both(&sessions, &BUSY);
    recorded_damage(path, 3);
    const size_t n = rv_lanes_n(rv_session_lanes(sessions.indexed));
    for (size_t i = 0; i < n && i < 16; i++) {
        n_refused += !rv_session_read_pieces(
            sessions.indexed,
            &(struct rv_piece_reader_params){.lane = rv_lanes_get(rv_session_lanes(sessions.indexed), i),
                                             .to_ns = UINT64_MAX,
                                             .take = take_slowly,
                                             .taker = &late[i]});
        atomic_store(&late[i].is_over, true);
    }
    cr_expect_gt(n_refused, 0);
    close_both(&sessions);
    for (size_t i = 0; i < 16; i++)
        cr_expect_eq(atomic_load(&late[i].n_late), 0, "lane %zu", i);
}

/* An indexed recording whose session becomes idle only when allowed, after its index was read. */
struct held {
    struct rv_source source; /* first */
    struct rv_source *inner;
    bool is_told;
    atomic_bool goes_on;
};

static enum rv_source_status poll_held(struct rv_source *source, const struct rv_intake *intake)
{
    struct held *held = (struct held *)source;
    bool waits = held->is_told && !atomic_load(&held->goes_on) && !intake->is_stopping(intake->context);
    held->is_told = true;
    return waits ? RV_SOURCE_MOVED : held->inner->poll(held->inner, intake);
}

static void nap_held(struct rv_source *source)
{
    (void)source;
    usleep(1000);
}

static void resolve_held(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    struct held *held = (struct held *)source;
    held->inner->resolve(held->inner, intake, is_final);
}

static void close_held(struct rv_source *source)
{
    struct held *held = (struct held *)source;
    held->inner->close(held->inner);
}

static void hold(struct held *held, struct rv_source *inner)
{
    *held = (struct held){.source = *inner, .inner = inner};
    held->source.poll = poll_held;
    held->source.nap = nap_held;
    held->source.resolve = resolve_held;
    held->source.close = close_held;
}

Test(span_reader, a_search_does_not_end_while_the_recording_is_read)
{
    static struct rv_viewer_search state; /* large */
    struct rv_source *source;
    struct held held;
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    recorded_make(path, &BUSY);
    cr_assert_eq(rv_recording_on_demand_open(&source, path, 0), 0);
    hold(&held, source);
    struct rv_session *session = rv_session_start(&(struct rv_session_params){.n_workers = 2}, &held.source);
    uint64_t until_ns = rv_clock_mono_ns() + UINT64_C(1000000000) * WAIT_S;
    while (!rv_lanes_have_sums(rv_session_lanes(session)) && rv_clock_mono_ns() < until_ns)
        usleep(200);
    state = (struct rv_viewer_search){.session = session};
    rv_viewer_search_find(&state, "f7$");
    for (bool is_done = false; !is_done && rv_clock_mono_ns() < until_ns; is_done = state.are_lanes_searched)
        update(&state, session);
    cr_assert(state.are_lanes_searched);
    cr_assert_not(state.is_search_whole);
    atomic_store(&held.goes_on, true);
    search(&state, session);
    cr_assert_gt(state.search.n_hits, 0);
    rv_viewer_search_fini(&state);
    rv_session_destroy(session);
}
