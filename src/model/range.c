/*
 * Each lane is read backwards in time, so that callers come before their callees: only a stack of the calls that
 * enclose the next one is needed. A call is finished when the iteration leaves it; the sum of its children is then
 * known.
 */
#include "model/range.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/radix_sort.h"
#include "base/vec.h"
#include "model/range_times.h"
#include "model/span_iter.h"

#define PIECE 4096u

struct frame { /* a call that encloses the next ones: one cache line */
    uint64_t start_ns, duration_ns, inside_ns, children_ns;
    uint32_t id, depth, node;
    uint32_t own_id; /* id is that of the results */
    uint32_t caller; /* id of the innermost row that encloses it, or RV_CALL_NO_CALLER */
    uint16_t flags;
    bool is_row, is_outermost, has_node;
};

struct frame_times { /* in which the thread did not run, inside: a frame's own, and of its finished callees */
    struct rv_state_times own, callees;
};

struct rv_range {
    uint64_t from_ns, to_ns, newest_ns, missing_before_ns;
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    const struct rv_filter *filter;
    enum rv_time_kind time;
    uint32_t *as_id; /* NULL: not started */
    uint32_t n_as_ids;
    uint32_t *lane_idxs;
    size_t n_lane_idxs, next_lane;
    bool is_in_lane, passes_thread, is_done, is_damaged;
    bool lists_calls;
    uint32_t calls_of;          /* as an id of the results, once started */
    const struct rv_lane *lane; /* being worked on */
    struct rv_call_list calls;
    struct rv_range_times times; /* of the lane, not yet given to calls */
    struct rv_span_iter_back walk;
    struct rv_stats *stats;
    uint64_t self_ns;
    struct frame *frames;
    struct frame_times *frame_times; /* of the frames; unused where the lane has no times */
    size_t n_frames, frames_capacity, frame_times_capacity;
    bool has_times;
    uint32_t *n_open; /* by id: frames of that subroutine */
    size_t n_ids;
    struct rv_range_node *nodes;
    size_t n_nodes, nodes_capacity;
    struct rv_hash_index by_path; /* (parent, id) to node */
    struct rv_box *boxes;         /* scratch */
    size_t boxes_capacity;
    atomic_uint_least64_t n_seen;
    uint64_t n_expected;
};

/* ---- begin ---- */

static int by_thread(const void *a, const void *b, void *lanes)
{
    return rv_lane_compare(rv_lanes_get(lanes, *(const uint32_t *)a), rv_lanes_get(lanes, *(const uint32_t *)b));
}

/* Sort lanes by thread, since only the first paths get nodes and lanes come in any order. */
static void choose_lanes(struct rv_range *range, const struct rv_range_params *params)
{
    size_t n_lanes = rv_lanes_n(params->lanes), n = params->lane_idxs ? params->n_lane_idxs : n_lanes;
    range->lane_idxs = rv_alloc(n, sizeof *range->lane_idxs);
    for (size_t i = 0; i < n; i++) {
        uint32_t idx = params->lane_idxs ? params->lane_idxs[i] : (uint32_t)i;
        if (idx < n_lanes)
            range->lane_idxs[range->n_lane_idxs++] = idx;
    }
    qsort_r(range->lane_idxs, range->n_lane_idxs, sizeof *range->lane_idxs, by_thread, range->lanes);
}

/* Estimate the lane's calls in the range; for summarized blocks as if evenly distributed. */
static uint64_t expected_in(const struct rv_range *range, const struct rv_lane *lane)
{
    uint64_t first_ns = rv_timeline_first_ns(lane->timeline), last_ns = lane->last_ns;
    if (!rv_timeline_first_log(lane->timeline))
        return rv_timeline_count(lane->timeline, range->from_ns, range->to_ns, 0);
    uint64_t from_ns = range->from_ns > first_ns ? range->from_ns : first_ns;
    uint64_t to_ns = range->to_ns < last_ns ? range->to_ns : last_ns;
    if (from_ns >= to_ns)
        return 0;
    return (uint64_t)((double)(to_ns - from_ns) / (double)(last_ns - first_ns) * (double)lane->n_events / 2.0);
}

static void expect(struct rv_range *range)
{
    for (size_t i = 0; i < rv_lanes_n(range->lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(range->lanes, i);
        pthread_mutex_lock(&lane->lock);
        if (lane->last_ns > range->newest_ns)
            range->newest_ns = lane->last_ns;
        pthread_mutex_unlock(&lane->lock);
    }
    for (size_t i = 0; i < range->n_lane_idxs; i++) {
        struct rv_lane *lane = rv_lanes_get(range->lanes, range->lane_idxs[i]);
        pthread_mutex_lock(&lane->lock);
        range->n_expected += expected_in(range, lane);
        pthread_mutex_unlock(&lane->lock);
    }
}

struct rv_range *rv_range_create(const struct rv_range_params *params)
{
    struct rv_range *range = rv_alloc(1, sizeof *range);
    range->from_ns = params->from_ns;
    range->to_ns = params->to_ns;
    range->lanes = params->lanes;
    range->stats = rv_stats_create();
    range->filter = rv_filter_hold(params->filter);
    range->subroutines = params->subroutines;
    range->time = params->time;
    range->lists_calls = params->lists_calls;
    range->calls_of = params->calls_of;
    choose_lanes(range, params);
    expect(range);
    range->nodes = rv_vec_reserve(NULL, &range->nodes_capacity, 1, sizeof *range->nodes);
    range->nodes[0] = (struct rv_range_node){0};
    range->n_nodes = 1;
    return range;
}

void rv_range_destroy(struct rv_range *range)
{
    if (!range)
        return;
    rv_filter_release(range->filter);
    rv_stats_destroy(range->stats);
    rv_span_iter_back_fini(&range->walk);
    free(range->lane_idxs);
    free(range->frames);
    free(range->frame_times);
    free(range->n_open);
    free(range->as_id);
    free(range->nodes);
    rv_hash_index_fini(&range->by_path);
    rv_call_list_fini(&range->calls);
    rv_range_times_fini(&range->times);
    free(range->boxes);
    free(range);
}

/* ---- the tree ---- */

/* The node of a call, the caller's own when there are too many. */
static uint32_t node_of(struct rv_range *range, uint32_t parent, uint32_t id)
{
    const uint64_t key = (uint64_t)parent << 32 | id;
    uint32_t found = rv_hash_index_get(&range->by_path, key);
    if (found)
        return found;
    if (range->n_nodes == RV_RANGE_MOST_NODES)
        return parent;
    range->nodes = rv_vec_reserve(range->nodes, &range->nodes_capacity, range->n_nodes + 1, sizeof *range->nodes);
    uint32_t node = (uint32_t)range->n_nodes++;
    range->nodes[node] = (struct rv_range_node){.id = id, .parent = parent};
    rv_hash_index_add(&range->by_path, key, node);
    return node;
}

/* Insert each before its siblings, in rising order, so the largest comes first; of equal ones the first. */
void rv_range_link_nodes(struct rv_range_node *nodes, size_t n)
{
    struct rv_keyed_place *ranked = rv_alloc_scratch(n, sizeof *ranked);
    for (size_t i = 1; i < n; i++)
        ranked[n - 1 - i] = (struct rv_keyed_place){nodes[i].total_ns, (uint32_t)i};
    uint32_t *rising = rv_radix_sort_take(ranked, n - 1);
    for (size_t i = 0; i + 1 < n; i++) {
        struct rv_range_node *node = &nodes[rising[i]];
        node->next = nodes[node->parent].first_child;
        nodes[node->parent].first_child = rising[i];
    }
    free(rising);
}

/* ---- calls ---- */

struct measured { /* of the kind of time that is asked for */
    struct rv_stats_call call;
    uint64_t inside_ns, off_ns;
};

static struct measured measure(const struct rv_range *range, const struct frame *frame,
                               const struct rv_state_times *own, const struct rv_state_times *times)
{
    const uint64_t self_ns = frame->inside_ns > frame->children_ns ? frame->inside_ns - frame->children_ns : 0;
    struct measured measured = {.inside_ns = rv_state_times_of(times, range->time, frame->inside_ns)};
    measured.off_ns = range->time == RV_TIME_ON_CPU ? 0 : rv_state_times_of(times, RV_TIME_OFF_CPU, frame->inside_ns);
    measured.call.total_ns = frame->is_outermost ? measured.inside_ns : 0;
    measured.call.self_ns = rv_state_times_of(own, range->time, self_ns);
    measured.call.duration_ns = range->time == RV_TIME_WALL ? frame->duration_ns : measured.inside_ns;
    return measured;
}

static void list_call(struct rv_range *range, const struct frame *frame, const struct rv_stats_call *measured)
{
    const struct rv_span call = {.start = frame->start_ns, .id = frame->own_id};
    rv_call_list_add(&range->calls,
                     &(struct rv_call){.start_ns = frame->start_ns,
                                       .duration_ns = frame->duration_ns,
                                       .self_ns = measured->self_ns,
                                       .total_ns = measured->total_ns,
                                       .id = frame->own_id,
                                       .lane_idx = rv_range_lane(range),
                                       .depth = frame->depth,
                                       .caller = frame->caller,
                                       .arguments = rv_call_texts_find(&range->lane->texts, &call, false),
                                       .flags = frame->flags});
}

/* Adds what a finished call's callees have to its own times, and all of that to its caller's callees. */
static void finish_times(struct rv_range *range, struct frame_times *times)
{
    rv_state_times_add(&times->callees, &times->own);
    if (range->n_frames > 0)
        rv_state_times_add(&times[-1].callees, &times->callees);
}

/* Its callees have been added: those without a node of their own count as the caller's self. */
static void add_to_nodes(struct rv_range *range, const struct frame *frame, const struct measured *measured)
{
    struct rv_range_node *node = &range->nodes[frame->node];
    node->self_ns += measured->call.self_ns;
    if (!frame->has_node)
        return;
    node->total_ns += measured->inside_ns;
    node->off_ns += measured->off_ns;
    if (node->parent)
        return;
    range->nodes[0].total_ns += measured->inside_ns;
    range->nodes[0].off_ns += measured->off_ns;
}

static void finish_frame(struct rv_range *range)
{
    static const struct frame_times NO_TIMES;
    const struct frame *frame = &range->frames[--range->n_frames];
    const struct frame_times *times = range->has_times ? &range->frame_times[range->n_frames] : &NO_TIMES;
    if (range->has_times)
        finish_times(range, &range->frame_times[range->n_frames]);
    if (!frame->is_row)
        return;
    range->n_open[frame->id]--;
    if (range->lists_calls && frame->id != range->calls_of)
        return;
    const struct measured measured = measure(range, frame, &times->own, &times->callees);
    if (range->lists_calls) {
        list_call(range, frame, &measured.call);
        return;
    }
    if (range->has_times && rv_state_times_any(&times->callees))
        rv_stats_add_times(range->stats, frame->id, &times->own,
                           frame->is_outermost ? &times->callees : &NO_TIMES.callees);
    range->self_ns += measured.call.self_ns;
    add_to_nodes(range, frame, &measured);
    rv_stats_add_call(range->stats, frame->id, &measured.call);
}

static void grow_ids(struct rv_range *range, uint32_t id)
{
    if (id < range->n_ids)
        return;
    range->n_open = rv_vec_extend(range->n_open, &range->n_ids, (size_t)id + 1, sizeof *range->n_open);
}

static uint64_t inside(const struct rv_range *range, const struct rv_box *box)
{
    uint64_t from_ns = box->start_ns > range->from_ns ? box->start_ns : range->from_ns;
    uint64_t end_ns = rv_box_end_ns(box), to_ns = end_ns < range->to_ns ? end_ns : range->to_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void add_row(struct rv_range *range, struct frame *frame, uint32_t caller)
{
    grow_ids(range, frame->id);
    frame->is_outermost = range->n_open[frame->id]++ == 0;
    if (range->lists_calls)
        return;
    frame->node = node_of(range, caller, frame->id);
    frame->has_node = frame->node != caller;
    if (!frame->has_node)
        return;
    range->nodes[frame->node].n_calls++;
    if (caller == 0)
        range->nodes[0].n_calls++;
}

uint32_t rv_range_id(const struct rv_range *range, uint32_t id)
{
    return id < range->n_as_ids ? range->as_id[id] : id;
}

/* Give times that ended after this to the innermost calls then: all calls that end as late have come. */
static void give_times(struct rv_range *range, uint64_t after_ns)
{
    for (const struct rv_state_stretch *time; (time = rv_range_times_take(&range->times, after_ns));) {
        size_t n = range->n_frames;
        while (n > 0 && range->frames[n - 1].start_ns >= time->at_ns)
            n--;
        if (n > 0)
            rv_state_times_add(&range->frame_times[n - 1].own, &time->times);
    }
}

static struct frame *push_frame(struct rv_range *range)
{
    range->frames = rv_vec_reserve(range->frames, &range->frames_capacity, range->n_frames + 1, sizeof *range->frames);
    if (range->has_times) {
        range->frame_times = rv_vec_reserve(range->frame_times, &range->frame_times_capacity, range->n_frames + 1,
                                            sizeof *range->frame_times);
        range->frame_times[range->n_frames] = (struct frame_times){0};
    }
    return &range->frames[range->n_frames++];
}

static bool is_row(const struct rv_range *range, const struct rv_box *box)
{
    return range->passes_thread && (!range->filter || rv_filter_passes_box(range->filter, range->lane, box));
}

/* A call comes after all calls that enclose it. */
static void add_call(struct rv_range *range, const struct rv_box *box)
{
    if (box->flags & RV_SPAN_ORPHAN)
        return;
    if (range->has_times)
        give_times(range, rv_box_end_ns(box));
    while (range->n_frames > 0) {
        const struct frame *top = &range->frames[range->n_frames - 1];
        if (top->depth < box->depth && top->start_ns <= box->start_ns)
            break;
        finish_frame(range);
    }
    struct frame *frame = push_frame(range), *caller = range->n_frames > 1 ? frame - 1 : NULL;
    *frame = (struct frame){.start_ns = box->start_ns,
                            .duration_ns = box->duration_ns,
                            .inside_ns = inside(range, box),
                            .id = rv_range_id(range, box->id),
                            .own_id = box->id,
                            .depth = box->depth,
                            .flags = box->flags,
                            .node = caller ? caller->node : 0,
                            .caller = !caller          ? RV_CALL_NO_CALLER
                                      : caller->is_row ? caller->id
                                                       : caller->caller,
                            .is_row = is_row(range, box)};
    if (caller)
        caller->children_ns += frame->inside_ns;
    if (frame->is_row)
        add_row(range, frame, frame->node);
}

/* ---- lane by lane ---- */

/* Open calls end last. Read them and start the iteration under one lock, so that no call is counted twice. */
static void begin_lane(struct rv_range *range, const struct rv_lane *lane)
{
    bool is_over = lane->has_ended || lane->last_ns > range->newest_ns;
    uint64_t end_ns = is_over ? lane->last_ns : range->newest_ns;
    range->passes_thread = rv_filter_passes_thread(range->filter, lane->name);
    range->is_in_lane = true;
    rv_range_times_begin(&range->times, lane, range->from_ns, range->to_ns);
    range->has_times = range->times.n > 0;
    for (size_t i = 0; i < lane->n_open && end_ns > range->from_ns; i++) {
        const struct rv_lane_frame *open = &lane->open[i];
        if (open->start_ns >= range->to_ns)
            break;
        add_call(range, &(struct rv_box){.start_ns = open->start_ns,
                                         .duration_ns = end_ns > open->start_ns ? end_ns - open->start_ns : 0,
                                         .id = open->id,
                                         .count = 1,
                                         .depth = open->depth,
                                         .coverage = RV_BOX_EXACT,
                                         .flags = RV_SPAN_OPEN});
    }
    rv_span_iter_back_begin(&range->walk, lane->timeline, range->from_ns, range->to_ns);
}

/* Calls before this time were evicted: for good, or before the iteration got to them. */
static uint64_t missing_in(const struct rv_range *range, const struct rv_timeline *timeline)
{
    if (!rv_timeline_is_backed(timeline))
        return rv_timeline_exact_from_ns(timeline);
    const uint64_t exact_ns = rv_timeline_exact_from_ns(timeline);
    const uint64_t read_ns = rv_timeline_backed_until_ns(timeline), paged_ns = range->walk.paged_before_ns;
    if (rv_span_iter_back_is_overtaken(&range->walk, exact_ns))
        return exact_ns;
    return read_ns < paged_ns && !rv_span_iter_back_wants_page(&range->walk) ? exact_ns
                                                                             : rv_timeline_released_ns(timeline, 0);
}

/* Returns the number of calls visited. */
static size_t work_on_lane(struct rv_range *range, struct rv_lane *lane, size_t most)
{
    size_t max = most < PIECE ? most : PIECE;
    range->boxes = rv_vec_reserve(range->boxes, &range->boxes_capacity, PIECE, sizeof *range->boxes);
    pthread_mutex_lock(&lane->lock);
    range->lane = lane;
    if (!range->is_in_lane)
        begin_lane(range, lane);
    size_t n = rv_span_iter_back_next(&range->walk, lane->timeline, range->boxes, max);
    const uint64_t missing_ns = missing_in(range, lane->timeline);
    if (missing_ns > range->from_ns && missing_ns > range->missing_before_ns)
        range->missing_before_ns = missing_ns;
    pthread_mutex_unlock(&lane->lock);
    for (size_t i = 0; i < n; i++)
        add_call(range, &range->boxes[i]);
    if (n < max && !rv_span_iter_back_wants_page(&range->walk)) {
        give_times(range, 0);
        while (range->n_frames > 0)
            finish_frame(range);
        range->is_in_lane = false;
        range->next_lane++;
    }
    atomic_fetch_add_explicit(&range->n_seen, n, memory_order_relaxed);
    return n;
}

bool rv_range_step(struct rv_range *range, size_t most)
{
    if (!range->as_id) {
        (void)rv_filter_update(range->filter, range->subroutines, SIZE_MAX);
        range->as_id = rv_subroutines_take_namesakes(range->subroutines, &range->n_as_ids);
        range->calls_of = rv_range_id(range, range->calls_of);
    }
    while (range->next_lane < range->n_lane_idxs) {
        if (most == 0)
            return false;
        most -= work_on_lane(range, rv_lanes_get(range->lanes, range->lane_idxs[range->next_lane]), most);
        if (rv_range_wants_page(range))
            return false;
    }
    if (!range->is_done) {
        rv_range_link_nodes(range->nodes, range->n_nodes);
        rv_call_list_finish(&range->calls);
    }
    range->is_done = true;
    return true;
}

bool rv_range_wants_page(const struct rv_range *range)
{
    return range->is_in_lane && rv_span_iter_back_wants_page(&range->walk);
}

uint32_t rv_range_lane(const struct rv_range *range)
{
    return range->lane_idxs[range->next_lane];
}

uint64_t rv_range_paged_before_ns(const struct rv_range *range)
{
    return range->walk.paged_before_ns;
}

void rv_range_give(struct rv_range *range, struct rv_timeline *page, uint64_t edge_ns)
{
    rv_span_iter_back_give(&range->walk, page, edge_ns);
}

void rv_range_miss(struct rv_range *range)
{
    range->is_damaged = true;
}

double rv_range_progress(const struct rv_range *range)
{
    uint64_t n_seen = atomic_load_explicit(&range->n_seen, memory_order_relaxed);
    return range->n_expected > n_seen ? (double)n_seen / (double)range->n_expected : 1.0;
}

const struct rv_stats *rv_range_stats(const struct rv_range *range)
{
    return range->stats;
}

uint64_t rv_range_self_ns(const struct rv_range *range)
{
    return range->self_ns;
}

const struct rv_call_list *rv_range_calls(const struct rv_range *range)
{
    return &range->calls;
}

uint64_t rv_range_missing_before_ns(const struct rv_range *range)
{
    return range->missing_before_ns;
}

bool rv_range_is_damaged(const struct rv_range *range)
{
    return range->is_damaged;
}

const struct rv_range_node *rv_range_nodes(const struct rv_range *range, size_t *n)
{
    *n = range->n_nodes;
    return range->nodes;
}
