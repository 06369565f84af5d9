/*
 * Each piece is read backwards in time, so that callers come before their callees: only a stack of the calls that
 * enclose the next one is needed. A call is finished when the iteration leaves it; the sum of its children is then
 * known.
 */
#include "model/range_walk.h"

#include <stdlib.h>

#include "base/vec.h"

#define MOST_BOXES 4096u /* that are taken under a lane's lock at a time */

struct rv_range_frame { /* a call that encloses the next ones: one cache line */
    uint64_t start_ns, duration_ns, inside_ns, children_ns;
    uint32_t id, depth;
    uint32_t node;      /* or of a listed call: the number of frames up to the listed one around it */
    uint32_t own_id;    /* id is that of the results */
    uint32_t caller;    /* id of the innermost row that encloses it, or RV_CALL_NO_CALLER */
    uint32_t arguments; /* of a listed call: id of their text, or 0 */
    uint16_t flags;
    bool is_row, is_outermost, has_node;
    bool is_lost; /* a path on the way to it has no node */
    bool is_outermost_of_arguments;
    bool is_counted; /* with this piece */
};

struct rv_range_frame_times { /* time off the CPU inside the range: the frame's own, and that of its finished callees */
    struct rv_state_times own, callees;
};

#define MOST_FINISHED 32u

struct rv_range_finished {
    struct rv_stats_call calls[MOST_FINISHED];
    uint32_t places[MOST_FINISHED]; /* of their statistics */
    size_t n;
};

struct rv_range_statistics_id {
    uint32_t n_open; /* frames of that subroutine */
    uint32_t place;  /* of its statistics in the part, + 1; 0: none yet */
};

void rv_range_part_fini(struct rv_range_part *part)
{
    rv_stats_destroy(part->stats);
    free(part->paths.bytes);
    free(part->ids);
    rv_call_list_fini(&part->calls);
    free(part->cut);
}

void rv_range_walk_fini(struct rv_range_walk *walk)
{
    rv_span_iter_back_fini(&walk->iter);
    rv_range_times_fini(&walk->times);
    free(walk->frames);
    free(walk->frame_times);
    free(walk->by_id);
    rv_range_tree_fini(&walk->tree);
    free(walk->finished);
    free(walk->boxes);
}

void rv_range_walk_begin(struct rv_range_walk *walk, struct rv_range_part *part)
{
    walk->part = part;
    walk->at_piece = 0;
    part->stats = rv_stats_create();
    part->calls.order = walk->scope->list_order;
    part->calls.least_rank = atomic_load_explicit(&walk->scope->least_listed, memory_order_relaxed);
    if (!walk->tree.nodes)
        rv_range_tree_init(&walk->tree);
    if (!walk->finished)
        walk->finished = rv_alloc(1, sizeof *walk->finished);
    if (!walk->boxes)
        walk->boxes = rv_alloc_scratch(MOST_BOXES, sizeof *walk->boxes);
}

static const struct rv_range_piece *piece_of(const struct rv_range_walk *walk)
{
    return &walk->part->pieces[walk->at_piece];
}

/* ---- calls ---- */

struct measured { /* of the kind of time that is asked for */
    struct rv_stats_call call;
    uint64_t inside_ns, off_ns;
};

static struct measured measure(const struct rv_range_frame *frame)
{
    const uint64_t self_ns = frame->inside_ns > frame->children_ns ? frame->inside_ns - frame->children_ns : 0;
    return (struct measured){.call = {.self_ns = self_ns,
                                      .duration_ns = frame->duration_ns,
                                      .is_doubtful = (frame->flags & RV_SPAN_DOUBTFUL) != 0},
                             .inside_ns = frame->inside_ns};
}

/* From all time to the kind of time that is asked for. */
static void choose_time(struct measured *measured, enum rv_time_kind kind, const struct rv_range_frame_times *times)
{
    const uint64_t off_ns = rv_state_times_of(&times->callees, RV_TIME_OFF_CPU, measured->inside_ns);
    measured->inside_ns = rv_state_times_of(&times->callees, kind, measured->inside_ns);
    measured->call.self_ns = rv_state_times_of(&times->own, kind, measured->call.self_ns);
    measured->off_ns = kind == RV_TIME_WALL ? off_ns : kind == RV_TIME_ON_CPU ? 0 : measured->inside_ns;
    if (kind != RV_TIME_WALL)
        measured->call.duration_ns = measured->inside_ns;
}

static void list_call(struct rv_range_walk *walk, const struct rv_range_frame *frame,
                      const struct rv_stats_call *measured, uint64_t inside_ns)
{
    struct rv_range_part *part = walk->part;
    const struct rv_range_piece *piece = piece_of(walk);
    const struct rv_call call = {.start_ns = frame->start_ns,
                                 .duration_ns = frame->duration_ns,
                                 .self_ns = measured->self_ns,
                                 .total_ns = measured->total_ns,
                                 .arguments_total_ns = frame->is_outermost_of_arguments ? inside_ns : 0,
                                 .id = frame->own_id,
                                 .lane_idx = piece->lane_idx,
                                 .depth = frame->depth,
                                 .caller = frame->caller,
                                 .arguments = frame->arguments,
                                 .flags = frame->flags};
    const bool begins_earlier = piece->has_earlier && frame->start_ns < piece->from_ns;
    if (frame->is_counted && !begins_earlier) {
        rv_call_list_add(&part->calls, &call);
    } else {
        part->cut = rv_vec_reserve(part->cut, &part->cut_capacity, part->n_cut + 1, sizeof *part->cut);
        part->cut[part->n_cut++] = (struct rv_range_call){call, frame->is_counted};
    }
}

/* Adds what a finished call's callees have to its own times, and all of that to its caller's callees. */
static void finish_times(struct rv_range_walk *walk, struct rv_range_frame_times *times)
{
    rv_state_times_add(&times->callees, &times->own);
    if (walk->n_frames > 0)
        rv_state_times_add(&times[-1].callees, &times->callees);
}

/* Its callees have been added: those without a node of their own count as the caller's self. */
static void add_to_nodes(struct rv_range_walk *walk, const struct rv_range_frame *frame,
                         const struct measured *measured)
{
    struct rv_range_node *nodes = walk->tree.nodes, *node = &nodes[frame->node];
    node->self_ns += measured->call.self_ns;
    if (!frame->has_node)
        return;
    node->total_ns += measured->inside_ns;
    node->off_ns += measured->off_ns;
}

/* In the part's statistics. */
static void add_finished(struct rv_range_walk *walk)
{
    struct rv_range_finished *finished = walk->finished;
    rv_stats_add_calls(walk->part->stats, finished->places, finished->calls, finished->n);
    finished->n = 0;
}

static void count_call(struct rv_range_walk *walk, uint32_t place, const struct rv_stats_call *call)
{
    struct rv_range_finished *finished = walk->finished;
    finished->places[finished->n] = place;
    finished->calls[finished->n++] = *call;
    if (finished->n == MOST_FINISHED)
        add_finished(walk);
}

/* Of a call that a later piece counts: its times in this one. */
static void add_parts_inside(struct rv_stats *stats, uint32_t place, const struct rv_stats_call *call)
{
    static const struct rv_histogram NO_DURATIONS;
    rv_stats_put(
        stats,
        &(struct rv_stats_row){.id = place, .total_ns = call->total_ns, .self_ns = call->self_ns, .min_ns = UINT64_MAX},
        &NO_DURATIONS);
}

static void finish_frame(struct rv_range_walk *walk)
{
    static const struct rv_range_frame_times NO_TIMES;
    const struct rv_range_scope *scope = walk->scope;
    const struct rv_range_frame *frame = &walk->frames[--walk->n_frames];
    const struct rv_range_frame_times *times = walk->has_times ? &walk->frame_times[walk->n_frames] : &NO_TIMES;
    if (walk->has_times)
        finish_times(walk, &walk->frame_times[walk->n_frames]);
    if (!frame->is_row || (scope->lists_calls && frame->id != scope->calls_of))
        return;
    struct rv_range_statistics_id *id = &walk->by_id[frame->id];
    id->n_open--;
    struct measured measured = measure(frame);
    if (walk->has_times || scope->time != RV_TIME_WALL)
        choose_time(&measured, scope->time, times);
    measured.call.total_ns = frame->is_outermost ? measured.inside_ns : 0;
    if (scope->lists_calls) {
        if (frame->arguments)
            walk->by_id[frame->arguments].n_open--;
        walk->n_listed = frame->node;
        list_call(walk, frame, &measured.call, measured.inside_ns);
        return;
    }
    if (walk->has_times && rv_state_times_any(&times->callees))
        rv_stats_add_times(walk->part->stats, id->place - 1, &times->own,
                           frame->is_outermost ? &times->callees : &NO_TIMES.callees);
    walk->part->self_ns += measured.call.self_ns;
    add_to_nodes(walk, frame, &measured);
    if (frame->is_counted)
        count_call(walk, id->place - 1, &measured.call);
    else
        add_parts_inside(walk->part->stats, id->place - 1, &measured.call);
}

static uint64_t inside(const struct rv_range_piece *piece, const struct rv_box *box)
{
    uint64_t from_ns = box->start_ns > piece->from_ns ? box->start_ns : piece->from_ns;
    uint64_t end_ns = rv_box_end_ns(box), to_ns = end_ns < piece->to_ns ? end_ns : piece->to_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

static struct rv_range_statistics_id *id_at(struct rv_range_walk *walk, uint32_t id)
{
    if (id >= walk->n_by_id)
        walk->by_id = rv_vec_extend(walk->by_id, &walk->n_by_id, (size_t)id + 1, sizeof *walk->by_id);
    return &walk->by_id[id];
}

static void begin_row(struct rv_range_part *part, struct rv_range_statistics_id *id, uint32_t number)
{
    part->ids = rv_vec_reserve(part->ids, &part->ids_capacity, part->n_ids + 1, sizeof *part->ids);
    part->ids[part->n_ids++] = number;
    id->place = (uint32_t)part->n_ids;
}

/* Texts of arguments have ids of their own among those of subroutines. */
static void begin_listed(struct rv_range_walk *walk, struct rv_range_frame *frame)
{
    frame->is_outermost = id_at(walk, frame->id)->n_open++ == 0;
    frame->node = (uint32_t)walk->n_listed;
    walk->n_listed = walk->n_frames;
    const struct rv_span call = {.start = frame->start_ns, .id = frame->own_id};
    frame->arguments = walk->has_texts ? rv_argument_texts_find(&walk->lane->texts, &call, false) : 0;
    frame->is_outermost_of_arguments =
        frame->arguments ? id_at(walk, frame->arguments)->n_open++ == 0 : frame->is_outermost;
}

static void add_row(struct rv_range_walk *walk, struct rv_range_frame *frame, uint32_t caller)
{
    struct rv_range_tree *tree = &walk->tree;
    struct rv_range_statistics_id *id = id_at(walk, frame->id);
    frame->is_outermost = id->n_open++ == 0;
    if (!id->place)
        begin_row(walk->part, id, frame->id);
    if (frame->own_id >= walk->part->ids_end)
        walk->part->ids_end = frame->own_id + 1;
    frame->node = frame->is_lost ? caller : rv_range_tree_at(tree, caller, frame->id);
    frame->has_node = frame->node != caller;
    frame->is_lost = !frame->has_node;
    if (frame->has_node && frame->is_counted)
        tree->nodes[frame->node].n_calls++;
}

/*
 * Give times off the CPU that ended after this to the calls that were innermost then: all calls that end as late have
 * been visited.
 */
static void give_times(struct rv_range_walk *walk, uint64_t after_ns)
{
    for (const struct rv_state_stretch *time; (time = rv_range_times_take(&walk->times, walk->lane, after_ns));) {
        size_t n = walk->n_frames;
        while (n > 0 && walk->frames[n - 1].start_ns >= time->at_ns)
            n--;
        if (n > 0)
            rv_state_times_add(&walk->frame_times[n - 1].own, &time->times);
    }
}

static struct rv_range_frame *push_frame(struct rv_range_walk *walk)
{
    if (walk->n_frames == walk->frames_capacity)
        walk->frames = rv_vec_reserve(walk->frames, &walk->frames_capacity, walk->n_frames + 1, sizeof *walk->frames);
    if (walk->has_times) {
        walk->frame_times = rv_vec_reserve(walk->frame_times, &walk->frame_times_capacity, walk->n_frames + 1,
                                           sizeof *walk->frame_times);
        walk->frame_times[walk->n_frames] = (struct rv_range_frame_times){0};
    }
    return &walk->frames[walk->n_frames++];
}

static bool is_row(const struct rv_range_walk *walk, const struct rv_box *box)
{
    const struct rv_filter *filter = walk->scope->filter;
    return walk->passes_thread && (!filter || rv_filter_passes_box(filter, walk->lane, box));
}

/*
 * Drop the frames that are as deep as the next call and have nothing to finish, as nearly all have where calls are listed. Each
 * is deeper than the one before it, so how many are shallower at most is known.
 */
static void drop_unlisted(struct rv_range_walk *walk, uint32_t depth)
{
    const uint32_t outermost = walk->n_frames ? walk->frames[0].depth : depth;
    size_t n_kept = depth > outermost ? depth - outermost : 0;
    n_kept = n_kept > walk->n_listed ? n_kept : walk->n_listed;
    walk->n_frames = n_kept < walk->n_frames ? n_kept : walk->n_frames;
}

/* Visit a call, after all calls that enclose it. */
static void add_call(struct rv_range_walk *walk, const struct rv_range_piece *piece, const struct rv_box *box)
{
    const uint64_t end_ns = rv_box_end_ns(box);
    if (box->flags & RV_SPAN_ORPHAN || (piece->has_earlier && end_ns < piece->from_ns))
        return;
    if (walk->has_times)
        give_times(walk, end_ns);
    else if (walk->scope->lists_calls)
        drop_unlisted(walk, box->depth);
    while (walk->n_frames > 0) {
        const struct rv_range_frame *top = &walk->frames[walk->n_frames - 1];
        if (top->depth < box->depth && top->start_ns <= box->start_ns)
            break;
        finish_frame(walk);
    }
    struct rv_range_frame *frame = push_frame(walk), *caller = walk->n_frames > 1 ? frame - 1 : NULL;
    *frame = (struct rv_range_frame){.start_ns = box->start_ns,
                                     .duration_ns = box->duration_ns,
                                     .inside_ns = inside(piece, box),
                                     .id = rv_range_scope_id(walk->scope, box->id),
                                     .own_id = box->id,
                                     .depth = box->depth,
                                     .flags = box->flags,
                                     .node = caller ? caller->node : 0,
                                     .caller = !caller          ? RV_CALL_NO_CALLER
                                               : caller->is_row ? caller->id
                                                                : caller->caller,
                                     .is_lost = caller && caller->is_lost,
                                     .is_row = is_row(walk, box),
                                     .is_counted = !piece->has_later || end_ns < piece->to_ns};
    if (caller)
        caller->children_ns += frame->inside_ns;
    if (!frame->is_row)
        return;
    if (!walk->scope->lists_calls)
        add_row(walk, frame, frame->node);
    else if (frame->id == walk->scope->calls_of)
        begin_listed(walk, frame);
}

/* Add a call as it was known when the range was begun: one that ended later was still open then. */
static void add_known(struct rv_range_walk *walk, const struct rv_range_piece *piece, struct rv_box *box)
{
    if (box->start_ns > piece->known_ns)
        return;
    if (rv_box_end_ns(box) > piece->known_ns) {
        box->duration_ns = piece->open_end_ns > box->start_ns ? piece->open_end_ns - box->start_ns : 0;
        box->flags |= RV_SPAN_OPEN;
    }
    add_call(walk, piece, box);
}

/* ---- piece by piece ---- */

static void add_open(struct rv_range_walk *walk, const struct rv_range_piece *piece)
{
    const struct rv_lane *lane = walk->lane;
    const uint64_t end_ns = piece->open_end_ns;
    for (size_t i = 0; i < lane->n_open && end_ns + piece->has_earlier > piece->from_ns; i++) {
        struct rv_box box = rv_lane_frame_box(&lane->open[i], end_ns);
        if (box.start_ns >= piece->to_ns)
            break;
        add_known(walk, piece, &box);
    }
}

/* Open calls end last. Read them and start the iteration under one lock, so that no call is counted twice. */
static void begin_piece(struct rv_range_walk *walk, const struct rv_range_piece *piece, struct rv_lane *lane)
{
    walk->lane = lane;
    walk->passes_thread = rv_filter_passes_thread(walk->scope->filter, lane->name);
    walk->is_in_piece = true;
    walk->has_texts = rv_argument_texts_any(&lane->texts);
    const bool uses_times = !walk->scope->lists_calls || walk->scope->time != RV_TIME_WALL;
    uint64_t ends_ns[2];
    rv_range_piece_ends(piece, ends_ns);
    walk->has_times =
        uses_times &&
        rv_range_times_begin(&walk->times, lane, (uint64_t[2]){walk->scope->from_ns, walk->scope->to_ns}, ends_ns);
    add_open(walk, piece);
    /* an earlier piece has the calls that end before this one begins; those that end just then are in this one */
    rv_span_iter_back_begin(&walk->iter, lane->timeline, piece->from_ns - piece->has_earlier, piece->to_ns);
}

/* Leave the part what is needed until it is added, or for as long as it is kept. */
static void end_part(struct rv_range_walk *walk)
{
    struct rv_range_part *part = walk->part;
    add_finished(walk);
    for (size_t i = 0; i < part->n_ids; i++)
        walk->by_id[part->ids[i]].place = 0;
    part->paths = rv_range_tree_pack(&walk->tree);
    rv_range_tree_clear(&walk->tree);
}

static void end_piece(struct rv_range_walk *walk)
{
    give_times(walk, 0);
    walk->part->lacks_objects |= walk->times.lacks_objects;
    while (walk->n_frames > 0)
        finish_frame(walk);
    walk->is_in_piece = false;
    walk->at_piece++;
    if (rv_range_walk_is_over(walk))
        end_part(walk);
}

/* Calls before this time were evicted: for good, or before the iteration got to them. */
static uint64_t missing_in(const struct rv_span_iter_back *iter, const struct rv_timeline *timeline)
{
    if (!rv_timeline_is_backed(timeline))
        return rv_timeline_exact_from_ns(timeline);
    const uint64_t exact_ns = rv_timeline_exact_from_ns(timeline);
    const uint64_t read_ns = rv_timeline_backed_until_ns(timeline), paged_ns = iter->paged_before_ns;
    if (rv_span_iter_back_is_overtaken(iter, exact_ns))
        return exact_ns;
    return read_ns < paged_ns && !rv_span_iter_back_lacks_pages(iter) ? exact_ns : rv_timeline_released_ns(timeline, 0);
}

/* Returns the number of calls visited. */
static size_t work_on_piece(struct rv_range_walk *walk, size_t most)
{
    const struct rv_range_piece *piece = piece_of(walk);
    struct rv_lane *lane = rv_lanes_get(walk->scope->lanes, piece->lane_idx);
    size_t max = most < MOST_BOXES ? most : MOST_BOXES;
    pthread_mutex_lock(&lane->lock);
    if (!walk->is_in_piece)
        begin_piece(walk, piece, lane);
    size_t n = rv_span_iter_back_next(&walk->iter, lane->timeline, walk->boxes, max);
    const uint64_t missing_ns = missing_in(&walk->iter, lane->timeline);
    pthread_mutex_unlock(&lane->lock);
    if (missing_ns > piece->from_ns && missing_ns > walk->part->missing_before_ns)
        walk->part->missing_before_ns = missing_ns;
    walk->has_texts = rv_argument_texts_any(&lane->texts); /* a call's come before it */
    for (size_t i = 0; i < n; i++)
        add_known(walk, piece, &walk->boxes[i]);
    if (n < max && !rv_span_iter_back_wants_page(&walk->iter))
        end_piece(walk);
    return n;
}

size_t rv_range_walk_step(struct rv_range_walk *walk, size_t most)
{
    size_t n = 0;
    do
        n += work_on_piece(walk, most - n);
    while (n < most && !rv_range_walk_is_over(walk) && !rv_span_iter_back_wants_page(&walk->iter));
    return n;
}
