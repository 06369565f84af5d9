/*
 * Each piece is read backwards in time, so that callers come before their callees: only a stack of the calls that
 * enclose the next one is needed. A call's times are added to its row and its path when it is visited, and what is its own becomes
 * less with each callee. Calls whose time off the CPU counts, and those that are listed, are finished when the iteration leaves
 * them; what their callees took is then known.
 */
#include "model/range_walk.h"

#include <stdlib.h>

#include "base/vec.h"

#define MOST_BOXES 4096u /* that are taken under a lane's lock at a time */

struct rv_range_frame { /* a call that encloses the next ones: one cache line */
    uint64_t start_ns;
    uint64_t self_ns; /* of a row: what its callees so far have left of the time inside */
    uint32_t id;      /* of the results, or RV_CALL_NO_CALLER: it has no row */
    uint32_t depth;
    uint32_t node; /* or of a listed call: the number of frames up to the listed one around it */
    bool is_lost;  /* it or a path on the way to it has no node */
    bool is_outermost;
    bool is_counted; /* with this piece */
    bool is_outermost_of_arguments;
    uint16_t flags;
    /* only of calls that are finished: */
    uint32_t own_id;
    uint64_t duration_ns, inside_ns;
    uint32_t caller;    /* id of the innermost row that encloses it, or RV_CALL_NO_CALLER */
    uint32_t arguments; /* of a listed call: id of their text, or 0 */
};

struct rv_range_frame_times { /* time off the CPU inside the range: the frame's own, and that of its finished callees */
    struct rv_state_times own, callees;
};

struct rv_range_statistics_id {
    uint32_t n_open;    /* listed frames of that subroutine, or with arguments of that id */
    uint32_t place;     /* of its statistics in the part, + 1; 0: none yet */
    uint32_t outermost; /* frame of its outermost row; has been left where it is no frame now, or another's */
    bool has_doubtful;  /* as struct rv_stats_row */
    uint64_t total_ns, self_ns;
};

void rv_range_rows_fini(struct rv_range_rows *rows)
{
    rv_stats_destroy(rows->stats);
    free(rows->ids);
    *rows = (struct rv_range_rows){0};
}

void rv_range_part_fini(struct rv_range_part *part)
{
    rv_range_rows_fini(&part->rows);
    free(part->paths.bytes);
    rv_call_list_fini(&part->calls);
    free(part->cut);
}

static void fini_sums(struct rv_range_sums *sums)
{
    rv_range_rows_fini(&sums->rows);
    free(sums->by_id);
    rv_range_tree_fini(&sums->tree);
}

void rv_range_walk_fini(struct rv_range_walk *walk)
{
    rv_span_iter_back_fini(&walk->iter);
    rv_range_times_fini(&walk->times);
    free(walk->frames);
    free(walk->frame_times);
    fini_sums(&walk->sums);
    fini_sums(&walk->aside);
    free(walk->boxes);
}

/* Room for a frame more; the first one stands for what calls all outermost calls. */
static void make_room(struct rv_range_walk *walk)
{
    walk->frames = rv_vec_reserve(walk->frames, &walk->frames_capacity, walk->n_frames + 1, sizeof *walk->frames);
    walk->frames[0] = (struct rv_range_frame){.id = RV_CALL_NO_CALLER, .caller = RV_CALL_NO_CALLER};
    if (!walk->has_times)
        return;
    walk->frame_times =
        rv_vec_reserve(walk->frame_times, &walk->frame_times_capacity, walk->n_frames + 1, sizeof *walk->frame_times);
    walk->frame_times[walk->n_frames] = (struct rv_range_frame_times){0};
}

static void choose_sums(struct rv_range_walk *walk, bool is_limited)
{
    const struct rv_range_sums sums = walk->sums;
    if (is_limited == walk->is_limited)
        return;
    walk->sums = walk->aside;
    walk->aside = sums;
    walk->is_limited = is_limited;
}

static void begin_sums(struct rv_range_walk *walk)
{
    struct rv_range_sums *sums = &walk->sums;
    if (!sums->rows.stats)
        sums->rows.stats = rv_stats_create();
    if (!sums->tree.nodes && walk->is_limited)
        rv_range_tree_init_as(&sums->tree, walk->scope->full);
    else if (!sums->tree.nodes)
        rv_range_tree_init(&sums->tree);
}

void rv_range_walk_begin(struct rv_range_walk *walk, struct rv_range_part *part)
{
    walk->part = part;
    walk->at_piece = 0;
    part->calls.order = walk->scope->list_order;
    part->calls.least_rank = atomic_load_explicit(&walk->scope->least_listed, memory_order_relaxed);
    part->is_limited = walk->scope->full && !(part->is_kept_later && part->is_read);
    choose_sums(walk, part->is_limited);
    begin_sums(walk);
    if (walk->n_frames == 0)
        make_room(walk);
    walk->n_frames = 1;
    if (!walk->boxes)
        walk->boxes = rv_alloc_scratch(MOST_BOXES, sizeof *walk->boxes);
}

static const struct rv_range_piece *piece_of(const struct rv_range_walk *walk)
{
    return &walk->part->pieces[walk->at_piece];
}

struct measured { /* of the kind of time that is asked for */
    uint64_t inside_ns, self_ns, duration_ns, off_ns;
};

/* Is a call's time off the CPU asked for, or known? Then all calls are finished, not only those that are listed. */
static bool finishes_all(const struct rv_range_walk *walk)
{
    return walk->has_times || walk->scope->time != RV_TIME_WALL;
}

/* Its callees have been finished. */
static struct measured measure(const struct rv_range_walk *walk, const struct rv_range_frame *frame)
{
    static const struct rv_range_frame_times NO_TIMES;
    const struct rv_range_frame_times *times = walk->has_times ? &walk->frame_times[frame - walk->frames] : &NO_TIMES;
    const enum rv_time_kind kind = walk->scope->time;
    struct measured measured = {
        .inside_ns = frame->inside_ns, .self_ns = frame->self_ns, .duration_ns = frame->duration_ns};
    if (!finishes_all(walk))
        return measured;
    measured.off_ns = rv_state_times_of(&times->callees, RV_TIME_OFF_CPU, frame->inside_ns);
    measured.inside_ns = rv_state_times_of(&times->callees, kind, measured.inside_ns);
    measured.self_ns = rv_state_times_of(&times->own, kind, measured.self_ns);
    if (kind == RV_TIME_WALL)
        return measured;
    measured.off_ns = kind == RV_TIME_ON_CPU ? 0 : measured.inside_ns;
    measured.duration_ns = measured.inside_ns;
    return measured;
}

/* ---- listed calls ---- */

static bool is_row(const struct rv_range_frame *frame)
{
    return frame->id != RV_CALL_NO_CALLER;
}

static bool is_listed(const struct rv_range_walk *walk, const struct rv_range_frame *frame)
{
    return is_row(frame) && frame->id == walk->scope->calls_of;
}

static void list_call(struct rv_range_walk *walk, const struct rv_range_frame *frame)
{
    struct rv_range_part *part = walk->part;
    const struct rv_range_piece *piece = piece_of(walk);
    const struct measured measured = measure(walk, frame);
    const struct rv_call call = {.start_ns = frame->start_ns,
                                 .duration_ns = frame->duration_ns,
                                 .self_ns = measured.self_ns,
                                 .total_ns = frame->is_outermost ? measured.inside_ns : 0,
                                 .arguments_total_ns = frame->is_outermost_of_arguments ? measured.inside_ns : 0,
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

static void finish_listed(struct rv_range_walk *walk, const struct rv_range_frame *frame)
{
    walk->sums.by_id[frame->id].n_open--;
    if (frame->arguments)
        walk->sums.by_id[frame->arguments].n_open--;
    walk->n_listed = frame->node;
    list_call(walk, frame);
}

/* ---- rows ---- */

/*
 * Add what a call takes inside the range to its row and to its path, and count it with the piece that counts it.
 *   taken_ns  what its caller's own time has lost by it already; for own times without callees 0
 */
static inline void add_row(struct rv_range_walk *walk, const struct rv_range_frame *frame, struct measured measured,
                           uint64_t taken_ns)
{
    struct rv_range_statistics_id *id = &walk->sums.by_id[frame->id];
    struct rv_range_node *node = &walk->sums.tree.nodes[frame->node];
    id->self_ns += measured.self_ns;
    if (frame->is_outermost)
        id->total_ns += measured.inside_ns;
    if (!frame->is_lost) {
        node->total_ns += measured.inside_ns;
        node->n_calls += frame->is_counted;
    }
    if (measured.self_ns != measured.inside_ns)
        node->self_ns += measured.self_ns - measured.inside_ns;
    if (measured.inside_ns != taken_ns)
        walk->sums.tree.nodes[frame[-1].node].self_ns += measured.inside_ns - taken_ns;
    if (!frame->is_counted)
        return;
    rv_stats_calls_add(&walk->sums.calls[id->place - 1], measured.duration_ns);
    if (__builtin_expect(frame->flags & RV_SPAN_DOUBTFUL, 0))
        id->has_doubtful = true;
}

/* Of a call in which its thread did not run, or of a kind of time that is known once a call's callees are. */
static void finish_row(struct rv_range_walk *walk, const struct rv_range_frame *frame)
{
    static const struct rv_state_times NO_TIMES;
    const struct measured measured = measure(walk, frame);
    if (walk->scope->time != RV_TIME_WALL)
        add_row(walk, frame, measured, 0);
    walk->sums.tree.nodes[frame->node].off_ns += frame->is_lost ? 0 : measured.off_ns;
    if (!walk->has_times)
        return;
    const struct rv_range_frame_times *times = &walk->frame_times[frame - walk->frames];
    if (rv_state_times_any(&times->callees))
        rv_stats_add_times(walk->sums.rows.stats, walk->sums.by_id[frame->id].place - 1, &times->own,
                           frame->is_outermost ? &times->callees : &NO_TIMES);
}

/* ---- frames ---- */

static void finish_frame(struct rv_range_walk *walk)
{
    const struct rv_range_frame *frame = &walk->frames[--walk->n_frames];
    struct rv_range_frame_times *times = walk->has_times ? &walk->frame_times[walk->n_frames] : NULL;
    if (times) {
        rv_state_times_add(&times->callees, &times->own);
        rv_state_times_add(&times[-1].callees, &times->callees);
    }
    if (!walk->scope->lists_calls && is_row(frame))
        finish_row(walk, frame);
    else if (walk->scope->lists_calls && is_listed(walk, frame))
        finish_listed(walk, frame);
}

/* Leave all frames but the first n, innermost first. */
static inline void leave_frames(struct rv_range_walk *walk, size_t n, bool lists, bool finishes)
{
    while (finishes && walk->n_frames > n)
        finish_frame(walk);
    while (lists && walk->n_listed > n)
        finish_listed(walk, &walk->frames[walk->n_listed - 1]);
    walk->n_frames = n;
}

/* Each frame is deeper than the one before it, so how many are less deep than a call at most is known. */
static inline size_t n_enclosing(const struct rv_range_frame *frames, size_t n_frames, const struct rv_box *box)
{
    const uint32_t outermost = n_frames > 1 ? frames[1].depth : box->depth;
    size_t n = box->depth > outermost ? box->depth - outermost + 1 : 1;
    n = n < n_frames ? n : n_frames;
    while (n > 1 && (frames[n - 1].depth >= box->depth || frames[n - 1].start_ns > box->start_ns))
        n--;
    return n;
}

static void reach_id(struct rv_range_walk *walk, uint32_t id)
{
    if (id >= walk->sums.n_by_id)
        walk->sums.by_id =
            rv_vec_extend(walk->sums.by_id, &walk->sums.n_by_id, (size_t)id + 1, sizeof *walk->sums.by_id);
}

static struct rv_range_statistics_id *id_at(struct rv_range_walk *walk, uint32_t id)
{
    reach_id(walk, id);
    return &walk->sums.by_id[id];
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

/* The first row of its subroutine in the sums. */
static __attribute__((noinline)) void begin_id(struct rv_range_walk *walk, uint32_t id)
{
    static const struct rv_histogram NO_DURATIONS;
    struct rv_range_rows *rows = &walk->sums.rows;
    const struct rv_stats_row none = {.id = (uint32_t)rows->n_ids, .min_ns = UINT64_MAX};
    rows->ids = rv_vec_reserve(rows->ids, &rows->ids_capacity, rows->n_ids + 1, sizeof *rows->ids);
    rows->ids[rows->n_ids++] = id;
    rv_stats_put(rows->stats, &none, &NO_DURATIONS);
    walk->sums.calls = rv_stats_calls(rows->stats);
    walk->sums.by_id[id].place = (uint32_t)rows->n_ids;
}

/* Of a row's subroutine. Returns whether it is its outermost row. */
static inline bool enter_id(struct rv_range_walk *walk, const struct rv_range_frame *frame)
{
    struct rv_range_statistics_id *id = &walk->sums.by_id[frame->id];
    if (__builtin_expect(!id->place, 0))
        begin_id(walk, frame->id);
    const uint32_t at = (uint32_t)(frame - walk->frames);
    const bool is_inner = id->outermost < at && walk->frames[id->outermost].id == frame->id;
    id->outermost = is_inner ? id->outermost : at;
    return !is_inner;
}

static inline void begin_row(struct rv_range_walk *walk, struct rv_range_frame *frame)
{
    frame->is_outermost = enter_id(walk, frame);
    if (frame->is_lost)
        return;
    const uint32_t caller = frame->node, last = rv_range_tree_last(&walk->sums.tree, caller, frame->id);
    frame->node = last ? last : rv_range_tree_at(&walk->sums.tree, caller, frame->id);
    frame->is_lost = frame->node == caller;
}

/*
 * Give times off the CPU that ended after this to the calls that were innermost then: all calls that end as late have
 * been visited.
 */
static void give_times(struct rv_range_walk *walk, uint64_t after_ns)
{
    for (const struct rv_state_stretch *time; (time = rv_range_times_take(&walk->times, walk->lane, after_ns));) {
        size_t n = walk->n_frames;
        while (n > 1 && walk->frames[n - 1].start_ns >= time->at_ns)
            n--;
        if (n > 1)
            rv_state_times_add(&walk->frame_times[n - 1].own, &time->times);
    }
}

/* Visit a call, after all calls that enclose it. */
__attribute__((always_inline)) static inline void add_call(struct rv_range_walk *walk,
                                                           const struct rv_range_piece *piece, const struct rv_box *box,
                                                           uint64_t end_ns, bool lists, bool finishes)
{
    const struct rv_range_scope *scope = walk->scope;
    if (finishes && walk->has_times)
        give_times(walk, end_ns);
    leave_frames(walk, n_enclosing(walk->frames, walk->n_frames, box), lists, finishes);
    if (walk->n_frames == walk->frames_capacity || (finishes && walk->has_times))
        make_room(walk);
    struct rv_range_frame *frame = &walk->frames[walk->n_frames++], *caller = frame - 1;
    const uint64_t from_ns = rv_clock_later_ns(box->start_ns, piece->from_ns),
                   to_ns = rv_clock_earlier_ns(end_ns, piece->to_ns), inside_ns = to_ns > from_ns ? to_ns - from_ns : 0;
    const bool passes = !scope->filter || rv_filter_passes_box(scope->filter, walk->lane, box);
    const uint64_t taken_ns = rv_clock_earlier_ns(caller->self_ns, inside_ns);
    caller->self_ns -= taken_ns;
    frame->start_ns = box->start_ns;
    frame->self_ns = passes ? inside_ns : 0;
    frame->id = passes ? rv_range_scope_id(scope, box->id) : RV_CALL_NO_CALLER;
    frame->depth = box->depth;
    frame->node = caller->node;
    frame->is_lost = caller->is_lost;
    frame->is_counted = !piece->has_later || end_ns < piece->to_ns;
    frame->flags = box->flags;
    if (lists || finishes) {
        frame->duration_ns = box->duration_ns;
        frame->inside_ns = inside_ns;
        frame->own_id = box->id;
        frame->caller = is_row(caller) ? caller->id : caller->caller;
        frame->arguments = 0;
    }
    if (lists) {
        if (is_listed(walk, frame))
            begin_listed(walk, frame);
        return;
    }
    if (passes)
        begin_row(walk, frame);
    if (finishes && scope->time != RV_TIME_WALL)
        return;
    if (taken_ns)
        walk->sums.by_id[caller->id].self_ns -= taken_ns;
    if (passes)
        add_row(walk, frame, (struct measured){inside_ns, inside_ns, box->duration_ns, 0}, taken_ns);
    else
        walk->sums.tree.nodes[frame->node].self_ns -= taken_ns;
}

__attribute__((always_inline)) static inline void add_boxes(struct rv_range_walk *walk, const struct rv_range_piece *of,
                                                            struct rv_box *boxes, size_t n, bool lists, bool finishes)
{
    const struct rv_range_piece piece = *of;
    const uint64_t first_end_ns = piece.has_earlier ? piece.from_ns : 0;
    for (size_t i = 0; i < n; i++) {
        struct rv_box *box = &boxes[i];
        uint64_t end_ns = rv_box_end_ns(box);
        if (box->start_ns > piece.known_ns || box->flags & RV_SPAN_ORPHAN)
            continue;
        if (end_ns > piece.known_ns) {
            box->duration_ns = piece.open_end_ns > box->start_ns ? piece.open_end_ns - box->start_ns : 0;
            box->flags |= RV_SPAN_OPEN;
            end_ns = rv_box_end_ns(box);
        }
        if (end_ns < first_end_ns)
            continue;
        add_call(walk, &piece, box, end_ns, lists, finishes);
    }
}

/* Those of the results are not greater. */
static void reach_ids(struct rv_range_walk *walk, const struct rv_box *boxes, size_t n)
{
    uint32_t greatest = 0;
    for (size_t i = 0; i < n; i++)
        greatest = boxes[i].id > greatest ? boxes[i].id : greatest;
    reach_id(walk, greatest);
    if (n && greatest >= walk->part->ids_end)
        walk->part->ids_end = greatest + 1;
}

/*
 * Add calls as they were known when the range was begun: those that ended later were still open then. Earlier pieces have those
 * that end before this one begins. What is done with a call is decided once for all of them.
 */
static void add_known(struct rv_range_walk *walk, const struct rv_range_piece *piece, struct rv_box *boxes, size_t n)
{
    const bool lists = walk->scope->lists_calls;
    reach_ids(walk, boxes, n);
    if (finishes_all(walk))
        add_boxes(walk, piece, boxes, n, lists, true);
    else if (lists)
        add_boxes(walk, piece, boxes, n, true, false);
    else
        add_boxes(walk, piece, boxes, n, false, false);
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
        add_known(walk, piece, &box, 1);
    }
}

/* Open calls end last. Read them and start the iteration under one lock, so that no call is counted twice. */
static void begin_piece(struct rv_range_walk *walk, const struct rv_range_piece *piece, struct rv_lane *lane)
{
    walk->lane = lane;
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

static void sum_rows(struct rv_range_sums *sums)
{
    static const struct rv_histogram NO_DURATIONS;
    struct rv_range_rows *rows = &sums->rows;
    for (size_t i = 0; i < rows->n_ids; i++) {
        struct rv_range_statistics_id *id = &sums->by_id[rows->ids[i]];
        const struct rv_stats_row row = {.id = (uint32_t)i,
                                         .total_ns = id->total_ns,
                                         .self_ns = id->self_ns,
                                         .min_ns = UINT64_MAX,
                                         .has_doubtful = id->has_doubtful};
        rv_stats_put(rows->stats, &row, &NO_DURATIONS);
        rows->self_ns += id->self_ns;
        *id = (struct rv_range_statistics_id){0};
    }
}

/* Until here a node's own time is what makes it differ from its total less that of its callees. */
static void sum_paths(struct rv_range_tree *tree)
{
    for (size_t i = 1; i < tree->n; i++) {
        const uint64_t total_ns = tree->nodes[i].total_ns;
        tree->nodes[i].self_ns += total_ns;
        tree->nodes[tree->nodes[i].parent].self_ns -= total_ns;
    }
}

/* Leave the part what is needed until it is added, or for as long as it is kept. */
static void end_part(struct rv_range_walk *walk)
{
    struct rv_range_sums *sums = &walk->sums;
    if (walk->is_limited)
        return;
    sum_rows(sums);
    sum_paths(&sums->tree);
    walk->part->rows = sums->rows;
    sums->rows = (struct rv_range_rows){0};
    walk->part->paths = rv_range_tree_pack(&sums->tree);
    rv_range_tree_clear(&sums->tree);
}

const struct rv_range_sums *rv_range_walk_sum_limited(struct rv_range_walk *walk)
{
    struct rv_range_sums *sums = walk->is_limited ? &walk->sums : &walk->aside;
    sum_rows(sums);
    sum_paths(&sums->tree);
    return sums;
}

static void end_piece(struct rv_range_walk *walk)
{
    give_times(walk, 0);
    walk->part->lacks_objects |= walk->times.lacks_objects;
    leave_frames(walk, 1, walk->scope->lists_calls, finishes_all(walk));
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
    pthread_rwlock_rdlock(&lane->lock);
    if (!walk->is_in_piece)
        begin_piece(walk, piece, lane);
    size_t n = rv_span_iter_back_next(&walk->iter, lane->timeline, walk->boxes, max);
    const uint64_t missing_ns = missing_in(&walk->iter, lane->timeline);
    pthread_rwlock_unlock(&lane->lock);
    if (missing_ns > piece->from_ns && missing_ns > walk->part->missing_before_ns)
        walk->part->missing_before_ns = missing_ns;
    walk->has_texts = rv_argument_texts_any(&lane->texts); /* a call's come before it */
    add_known(walk, piece, walk->boxes, n);
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
