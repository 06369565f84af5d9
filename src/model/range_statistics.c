/*
 * A range is divided into parts, which are measured by any number of threads (model/range_walk.h) and added in their order, so
 * that the results do not depend on threads: lanes are ordered by thread, and of each the latest part comes first. But some small
 * parts of all threads and times, the pilots, come before the others: where there are too many paths, they tell which take long.
 */
#include "model/range_statistics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash_index.h"
#include "base/os.h"
#include "base/vec.h"
#include "model/least_listed.h"
#include "model/long_paths.h"
#include "model/range_walk.h"
#include "model/timeline_query.h"

#define CALLS_PER_PART (UINT64_C(1) << 17)
#define PIECES_PER_PART 2u        /* of so many calls, unless they are kept: then one */
#define PILOTS_PER_PART 8u        /* a pilot has so many times less calls than a part; */
#define PARTS_PER_PILOT 8u        /* one of so many parts of a lane begins with one; */
#define MOST_PILOTS 12u           /* and a range has so many */
#define SAMPLED_LISTED (1u << 15) /* calls that the list of a sample keeps: so many are sorted within some 5 ms */
#define MOST_AHEAD 16u            /* parts measured before the next to be added: each may be as large as its calls */

struct piece_end {
    uint64_t ns;
    bool is_of_pilot;
};

struct rv_range_statistics {
    struct rv_range_scope scope;
    struct rv_subroutines *subroutines;
    struct rv_range_memory *memory;
    uint64_t *namesakes; /* hashes of the first so many of scope.as_id */
    uint32_t *lane_idxs;
    size_t n_lane_idxs;
    struct piece_end *ends; /* of the lane that is divided */
    size_t n_ends, ends_capacity;
    struct rv_range_piece *pieces;
    size_t n_pieces, pieces_capacity;
    struct rv_range_part *parts;
    size_t n_parts, parts_capacity;
    uint64_t calls_per_part;
    size_t n_pilots;        /* the first so many parts; 0: all paths get nodes, while there is room */
    size_t n_paths_of_half; /* of the first half of the pilots */
    size_t n_beforehand; /* parts that are to be measured for the memory, and nothing else; 0: all, for the results */
    uint64_t n_calls_sampled;                 /* 0: all */
    double sampled;                           /* share of the calls, once it has begun */
    atomic_uint_least64_t n_expected, n_seen; /* calls; 1 is expected until it has begun */
    /* under the lock */
    pthread_mutex_t lock;
    pthread_cond_t has_added;
    bool has_begun, has_begun_list, is_adding;
    size_t n_taken, n_added; /* parts */
    size_t n_ahead;          /* parts that are taken, not borrowed, and not added */
    size_t n_owing;          /* shares that have sums of limited parts */
    /* written by the share that adds; then the results */
    struct rv_stats *stats;
    struct rv_range_tree tree;
    struct rv_call_list calls;
    struct rv_call *cut; /* listed calls that several pieces have some of */
    size_t n_cut, cut_capacity;
    struct rv_hash_index cut_places; /* of calls in cut, + 1 */
    uint64_t self_ns, missing_before_ns;
    bool is_damaged, lacks_objects;
};

struct rv_range_statistics_share {
    struct rv_range_statistics *range;
    struct rv_range_walk walk; /* without a part: the share looks for one */
    bool is_owing;             /* it has sums of limited parts, which are added when no part is left */
};

/* ---- parts ---- */

static int by_thread(const void *a, const void *b, void *lanes)
{
    return rv_lane_compare(rv_lanes_get(lanes, *(const uint32_t *)a), rv_lanes_get(lanes, *(const uint32_t *)b));
}

static void choose_lanes(struct rv_range_statistics *range, const struct rv_range_statistics_params *params)
{
    size_t n_lanes = rv_lanes_n(params->lanes), n = params->lane_idxs ? params->n_lane_idxs : n_lanes;
    range->lane_idxs = rv_alloc(n, sizeof *range->lane_idxs);
    for (size_t i = 0; i < n; i++) {
        uint32_t idx = params->lane_idxs ? params->lane_idxs[i] : (uint32_t)i;
        if (idx < n_lanes)
            range->lane_idxs[range->n_lane_idxs++] = idx;
    }
}

/* Estimate the calls of a lane in a piece; in summarized blocks as if evenly distributed. */
static uint64_t expected_in(const struct rv_lane *lane, uint64_t from_ns, uint64_t to_ns)
{
    const uint64_t first_ns = rv_timeline_first_ns(lane->timeline), last_ns = lane->last_ns;
    if (!rv_timeline_first_log(lane->timeline))
        return rv_timeline_query_count(lane->timeline, from_ns, to_ns, 0);
    from_ns = from_ns > first_ns ? from_ns : first_ns;
    to_ns = to_ns < last_ns ? to_ns : last_ns;
    if (from_ns >= to_ns)
        return 0;
    return (uint64_t)((double)(to_ns - from_ns) / (double)(last_ns - first_ns) * (double)lane->n_events / 2.0);
}

static void add_piece(struct rv_range_statistics *range, const struct rv_lane *lane, struct rv_range_piece piece)
{
    piece.n_expected = expected_in(lane, piece.from_ns, piece.to_ns);
    range->pieces = rv_vec_reserve(range->pieces, &range->pieces_capacity, range->n_pieces + 1, sizeof *range->pieces);
    range->pieces[range->n_pieces++] = piece;
}

/* Many may have one time. */
static void add_end(struct rv_range_statistics *range, struct piece_end end, const uint64_t within_ns[2])
{
    const uint64_t before_ns = range->n_ends ? range->ends[range->n_ends - 1].ns : within_ns[1];
    if (end.ns <= within_ns[0] || end.ns >= before_ns)
        return;
    range->ends = rv_vec_reserve(range->ends, &range->ends_capacity, range->n_ends + 1, sizeof *range->ends);
    range->ends[range->n_ends++] = end;
}

/* Of the pilots' sizes that a lane is divided into, is this one a pilot? It begins where a part does. */
static bool is_pilot(uint64_t ordinal)
{
    return ordinal % (PILOTS_PER_PART * PARTS_PER_PILOT) == PILOTS_PER_PART;
}

/* A piece ends where the number of calls up to a mark says so: ends stay where they were when more calls come. */
static void add_ends_at_marks(struct rv_range_statistics *range, const struct rv_timeline *timeline,
                              const uint64_t within_ns[2])
{
    size_t n;
    const struct rv_timeline_mark *marks = rv_timeline_marks(timeline, &n);
    const uint64_t calls_per_pilot =
        range->calls_per_part > PILOTS_PER_PART ? range->calls_per_part / PILOTS_PER_PART : 1;
    for (size_t i = n; i-- > 0 && marks[i].end_ns > within_ns[0];) {
        const uint64_t before = (i > 0 ? marks[i - 1].n_spans : 0) / calls_per_pilot,
                       here = marks[i].n_spans / calls_per_pilot;
        if (here / PILOTS_PER_PART > before / PILOTS_PER_PART || (here > before && is_pilot(before)))
            add_end(range, (struct piece_end){marks[i].end_ns, is_pilot(before)}, within_ns);
    }
}

/* Of a recording opened by its index the calls are not known, but their number. */
static void add_even_ends(struct rv_range_statistics *range, const struct rv_lane *lane, const uint64_t within_ns[2])
{
    const uint64_t first_ns = rv_timeline_first_ns(lane->timeline),
                   n_pilots = lane->n_events / 2 / range->calls_per_part * PILOTS_PER_PART;
    const uint64_t period_ns = n_pilots ? (lane->last_ns - first_ns) / n_pilots : 0;
    for (uint64_t i = period_ns ? n_pilots : 0; i-- > 1;)
        if (i % PILOTS_PER_PART == 0 || is_pilot(i - 1))
            add_end(range, (struct piece_end){first_ns + i * period_ns, is_pilot(i - 1)}, within_ns);
}

/*
 * Where pieces of a lane end within a time, the latest first: in each range at the same places. A call's own time off the CPU is
 * known when it has been measured whole.
 */
static void choose_ends(struct rv_range_statistics *range, const struct rv_lane *lane, const uint64_t within_ns[2])
{
    range->n_ends = 0;
    if (range->scope.time != RV_TIME_WALL)
        return;
    if (rv_timeline_first_log(lane->timeline))
        add_even_ends(range, lane, within_ns);
    else
        add_ends_at_marks(range, lane->timeline, within_ns);
}

/* Calls before this time are gone for good. */
static uint64_t gone_before_ns(const struct rv_timeline *timeline)
{
    return rv_timeline_is_backed(timeline) ? rv_timeline_released_ns(timeline, 0) : rv_timeline_exact_from_ns(timeline);
}

/* Does the range begin before all calls of a lane that has lost none? */
static bool begins_before(const struct rv_range_statistics *range, const struct rv_lane *lane)
{
    uint64_t first_ns = rv_timeline_first_ns(lane->timeline);
    if (lane->n_open > 0 && lane->open[0].start_ns < first_ns)
        first_ns = lane->open[0].start_ns;
    return range->scope.from_ns <= first_ns && gone_before_ns(lane->timeline) == 0;
}

/* Divide a lane, the latest piece first. */
static void add_pieces(struct rv_range_statistics *range, const struct rv_lane *lane, uint64_t newest_ns)
{
    const uint64_t known_ns = rv_lane_known_ns(lane);
    struct rv_range_piece piece = {.from_ns = range->scope.from_ns,
                                   .to_ns = range->scope.to_ns,
                                   .known_ns = known_ns,
                                   .open_end_ns = rv_lane_open_end_ns(lane, newest_ns),
                                   .lane_idx = lane->idx,
                                   .is_last = lane->has_ended && range->scope.to_ns > known_ns};
    if (piece.is_last)
        piece.to_ns = UINT64_MAX; /* the same in each range that ends after all calls */
    const uint64_t gone_ns = gone_before_ns(lane->timeline);
    choose_ends(range, lane, (uint64_t[2]){rv_clock_later_ns(gone_ns, piece.from_ns), piece.to_ns});
    for (size_t i = 0; i < range->n_ends; i++) {
        piece.from_ns = range->ends[i].ns;
        piece.has_earlier = true;
        add_piece(range, lane, piece);
        piece.to_ns = piece.from_ns;
        piece.is_pilot = range->ends[i].is_of_pilot;
        piece.has_later = true;
        piece.is_last = false;
    }
    piece.is_first = piece.has_later && begins_before(range, lane);
    piece.from_ns = piece.is_first ? 0 : range->scope.from_ns; /* 0: the same in each such range */
    piece.has_earlier = false;
    add_piece(range, lane, piece);
}

/* A part has the next pieces that make up its calls; but pilots, and pieces that are kept, are parts of their own. */
static void add_to_part(struct rv_range_statistics *range, size_t at, bool is_kept_later)
{
    const struct rv_range_piece *piece = &range->pieces[at];
    const struct rv_range_part *last = range->n_parts ? &range->parts[range->n_parts - 1] : NULL;
    const bool is_alone = is_kept_later || piece->is_pilot || !last || last->is_kept_later || piece[-1].is_pilot;
    if (is_alone || last->n_expected >= PIECES_PER_PART * range->calls_per_part) {
        range->parts = rv_vec_reserve(range->parts, &range->parts_capacity, range->n_parts + 1, sizeof *range->parts);
        range->parts[range->n_parts++] = (struct rv_range_part){.is_kept_later = is_kept_later};
    }
    range->parts[range->n_parts - 1].n_pieces++;
    range->parts[range->n_parts - 1].n_expected += piece->n_expected;
}

/*
 * May a lane's pieces be kept for later ranges, but for those at ends of the range? They must be the same in each: a filter
 * leaves out calls, and one over durations would judge open calls anew, and objects made are dropped when there are too many.
 */
static bool keeps_parts(const struct rv_range_statistics *range, const struct rv_lane *lane)
{
    const struct rv_range_scope *scope = &range->scope;
    return range->memory && scope->time == RV_TIME_WALL && rv_filter_is_over_threads(scope->filter) &&
           lane->made.n_sums == 0;
}

static bool is_at_end(const struct rv_range_piece *piece)
{
    const bool is_begun = piece->has_earlier || piece->is_first;
    const bool is_ended = piece->has_later || piece->is_last;
    return !is_begun || !is_ended;
}

/* The states that a lane's pieces depend on, from the first one on: they may be known later than its calls. */
static void add_states(struct rv_range_statistics *range, const struct rv_range_times *states, size_t first)
{
    uint64_t ends_ns[2];
    for (size_t i = first; i < range->n_pieces; i++) {
        rv_range_piece_ends(&range->pieces[i], ends_ns);
        range->pieces[i].states = rv_range_times_hash_states(states, ends_ns);
    }
}

/*
 * A part has as many of the next pieces as make up its calls. Lanes are sorted by thread, since only the first paths get nodes
 * and lanes come in any order.
 */
static void divide(struct rv_range_statistics *range)
{
    const uint64_t newest_ns = rv_lanes_newest_ns(range->scope.lanes);
    struct rv_range_times states = {0};
    uint64_t n_all_expected = 0;
    qsort_r(range->lane_idxs, range->n_lane_idxs, sizeof *range->lane_idxs, by_thread, range->scope.lanes);
    for (size_t i = 0; i < range->n_lane_idxs; i++) {
        struct rv_lane *lane = rv_lanes_get(range->scope.lanes, range->lane_idxs[i]);
        const size_t first = range->n_pieces;
        pthread_rwlock_rdlock(&lane->lock);
        if (!rv_filter_passes_thread(range->scope.filter, lane->name)) {
            pthread_rwlock_unlock(&lane->lock);
            continue;
        }
        const bool keeps = keeps_parts(range, lane);
        const bool is_read = rv_timeline_first_log(lane->timeline) ||
                             rv_timeline_paged_before_ns(lane->timeline, range->scope.from_ns, range->scope.to_ns);
        add_pieces(range, lane, newest_ns);
        if (keeps)
            rv_range_times_begin_states(&states, lane, (uint64_t[2]){range->scope.from_ns, range->scope.to_ns});
        pthread_rwlock_unlock(&lane->lock);
        if (keeps)
            add_states(range, &states, first);
        for (size_t j = first; j < range->n_pieces; j++) {
            add_to_part(range, j, keeps && !is_at_end(&range->pieces[j]));
            range->parts[range->n_parts - 1].is_read = is_read;
            n_all_expected += range->pieces[j].n_expected;
        }
    }
    rv_range_times_fini(&states);
    atomic_store_explicit(&range->n_expected, n_all_expected, memory_order_relaxed);
    for (size_t i = 0, at = 0; i < range->n_parts; at += range->parts[i++].n_pieces)
        range->parts[i].pieces = &range->pieces[at];
}

struct rv_range_statistics *rv_range_statistics_create(const struct rv_range_statistics_params *params)
{
    struct rv_range_statistics *range = rv_alloc(1, sizeof *range);
    range->scope = (struct rv_range_scope){.from_ns = params->from_ns,
                                           .to_ns = params->to_ns,
                                           .lanes = params->lanes,
                                           .filter = rv_filter_hold(params->filter),
                                           .time = params->time,
                                           .lists_calls = params->lists_calls,
                                           .calls_of = params->calls_of,
                                           .list_order = params->list_order};
    range->calls.order = params->list_order;
    range->calls.most = params->n_calls_sampled ? SAMPLED_LISTED : 0;
    range->subroutines = params->subroutines;
    range->memory = params->memory;
    range->n_beforehand = params->n_beforehand;
    range->n_calls_sampled = params->n_calls_sampled;
    range->sampled = 1.0;
    range->calls_per_part = params->calls_per_part ? params->calls_per_part : CALLS_PER_PART;
    range->stats = rv_stats_create();
    rv_range_tree_init(&range->tree);
    pthread_mutex_init(&range->lock, NULL);
    rv_os_init_condition(&range->has_added);
    choose_lanes(range, params);
    atomic_store_explicit(&range->n_expected, 1, memory_order_relaxed);
    return range;
}

void rv_range_statistics_destroy(struct rv_range_statistics *range)
{
    if (!range)
        return;
    for (size_t i = 0; i < range->n_parts; i++)
        if (range->parts[i].kept)
            rv_range_memory_release(range->memory, range->parts[i].kept);
        else if (i >= range->n_added)
            rv_range_part_fini(&range->parts[i]);
    rv_filter_release(range->scope.filter);
    free(range->scope.as_id);
    free(range->namesakes);
    rv_stats_destroy(range->stats);
    rv_range_tree_fini(&range->tree);
    rv_call_list_fini(&range->calls);
    free(range->cut);
    rv_hash_index_fini(&range->cut_places);
    free(range->lane_idxs);
    free(range->ends);
    free(range->pieces);
    free(range->parts);
    pthread_cond_destroy(&range->has_added);
    pthread_mutex_destroy(&range->lock);
    free(range);
}

/* ---- adding parts ---- */

static uint64_t hash_cut(const struct rv_call *call)
{
    return rv_hash_combine(rv_hash_u64(call->start_ns), (uint64_t)call->lane_idx << 32 | call->depth);
}

static bool is_cut(const void *range, uint32_t place, const void *key)
{
    const struct rv_call *cut = &((const struct rv_range_statistics *)range)->cut[place - 1], *call = key;
    return cut->lane_idx == call->lane_idx && cut->start_ns == call->start_ns && cut->depth == call->depth;
}

static void add_cut(struct rv_range_statistics *range, const struct rv_call *call)
{
    range->cut = rv_vec_reserve(range->cut, &range->cut_capacity, range->n_cut + 1, sizeof *range->cut);
    range->cut[range->n_cut++] = *call;
    rv_hash_index_put(&range->cut_places, hash_cut(call), (uint32_t)range->n_cut);
}

static struct rv_call *find_cut(const struct rv_range_statistics *range, const struct rv_call *call)
{
    const uint32_t place = rv_hash_index_find(&range->cut_places, hash_cut(call), is_cut, range, call);
    return place ? &range->cut[place - 1] : NULL;
}

/* The latest piece counts a call that is cut, those before it have more of it. */
static void list_cut(struct rv_range_statistics *range, const struct rv_range_call *listed)
{
    const struct rv_call *call = &listed->call;
    struct rv_call *cut = listed->is_counted ? NULL : find_cut(range, call);
    if (listed->is_counted)
        add_cut(range, call);
    if (!cut)
        return;
    cut->self_ns += call->self_ns;
    cut->total_ns += call->total_ns;
    cut->arguments_total_ns += call->arguments_total_ns;
}

static void add_rows(struct rv_range_statistics *range, const struct rv_range_rows *rows)
{
    rv_stats_merge_as(range->stats, rows->stats, rows->ids, rows->n_ids);
    range->self_ns += rows->self_ns;
}

static void add_part(struct rv_range_statistics *range, const struct rv_range_part *part)
{
    if (!part->is_limited) {
        add_rows(range, &part->rows);
        rv_range_tree_merge(&range->tree, &part->paths);
    }
    rv_call_list_merge(&range->calls, &part->calls);
    atomic_store_explicit(&range->scope.least_listed, range->calls.least_rank, memory_order_relaxed);
    for (size_t i = 0; i < part->n_cut; i++)
        list_cut(range, &part->cut[i]);
    range->is_damaged |= part->is_damaged;
    range->lacks_objects |= part->lacks_objects;
    if (part->missing_before_ns > range->missing_before_ns)
        range->missing_before_ns = part->missing_before_ns;
}

static struct rv_range_namesakes namesakes_of(const struct rv_range_statistics *range)
{
    return (struct rv_range_namesakes){range->namesakes, range->scope.n_as_ids};
}

static void keep_or_free(struct rv_range_statistics *range, struct rv_range_part *part)
{
    const struct rv_range_namesakes namesakes = namesakes_of(range);
    if (part->is_kept_later && !part->is_limited && !range->scope.lists_calls && part->missing_before_ns == 0)
        rv_range_memory_take(range->memory, part, &namesakes);
    else
        rv_range_part_fini(part);
}

static void finish(struct rv_range_statistics *range)
{
    rv_range_link_nodes(range->tree.nodes, range->tree.n);
    for (size_t i = 0; i < range->n_cut; i++)
        rv_call_list_add(&range->calls, &range->cut[i]);
    rv_call_list_finish(&range->calls);
}

/* Add to the results without the lock, which is given back meanwhile. */
static void begin_adding(struct rv_range_statistics *range)
{
    range->is_adding = true;
    pthread_mutex_unlock(&range->lock);
}

static void end_adding(struct rv_range_statistics *range)
{
    pthread_mutex_lock(&range->lock);
    range->is_adding = false;
    pthread_cond_broadcast(&range->has_added);
}

static void finish_if_complete(struct rv_range_statistics *range)
{
    if (range->n_added == range->n_parts && range->n_owing == 0)
        finish(range);
}

/* Once the pilots are added: will there be too many paths? The other parts find half as many as their second half did. */
static bool has_too_many_paths(const struct rv_range_statistics *range)
{
    uint64_t n_calls = 0, n_others = 0;
    for (size_t i = range->n_pilots / 2; i < range->n_parts; i++)
        *(i < range->n_pilots ? &n_calls : &n_others) += range->parts[i].n_expected;
    const double n_found = (double)(range->tree.n - range->n_paths_of_half);
    return n_found * (double)n_others / (double)(n_calls + 1) / 2.0 > RV_RANGE_MOST_NODES;
}

/* To the paths that take longest in the pilots, and those of long calls. */
static void close_tree(struct rv_range_statistics *range)
{
    struct rv_range_tree long_paths;
    rv_range_tree_init(&long_paths);
    rv_long_paths_add(&long_paths, &range->scope, range->pieces, range->n_pieces);
    rv_range_tree_close(&range->tree, &long_paths);
}

static void add_pilot(struct rv_range_statistics *range)
{
    if (range->n_added == range->n_pilots / 2)
        range->n_paths_of_half = range->tree.n;
    if (range->n_added == range->n_pilots && range->tree.n > RV_RANGE_LARGEST_NODES && has_too_many_paths(range))
        close_tree(range);
}

/* Add the part whose turn it is, if it is complete and no other share adds one. Under the lock. Returns whether it has. */
static bool add_next(struct rv_range_statistics *range)
{
    if (range->is_adding || range->n_added == range->n_parts || !range->parts[range->n_added].is_done)
        return false;
    struct rv_range_part *part = &range->parts[range->n_added];
    begin_adding(range);
    if (!range->n_beforehand && !(range->scope.lists_calls && part->kept))
        add_part(range, part->kept ? part->kept : part);
    if (!part->kept)
        keep_or_free(range, part);
    end_adding(range);
    range->n_ahead -= !part->kept;
    range->n_added++;
    if (range->n_added <= range->n_pilots)
        add_pilot(range);
    if (range->n_added >= range->n_pilots) /* from then on its nodes stay where they are */
        range->scope.full = rv_range_tree_is_full(&range->tree) ? &range->tree : NULL;
    finish_if_complete(range);
    return true;
}

/* ---- shares ---- */

static bool has_subroutine(const struct rv_range_part *part, uint32_t id)
{
    size_t i = 0;
    while (i < part->rows.n_ids && part->rows.ids[i] != id)
        i++;
    return i < part->rows.n_ids;
}

/* A kept part has no list of calls; it is of use where there are none to list. */
static bool is_of_use(const struct rv_range_scope *scope, const struct rv_range_part *kept)
{
    return !scope->lists_calls || !has_subroutine(kept, scope->calls_of);
}

/* Parts that were measured before; until the range is destroyed, lest those of one range replace each other. */
static void borrow_parts(struct rv_range_statistics *range)
{
    const struct rv_range_namesakes namesakes = namesakes_of(range);
    for (size_t i = 0; i < range->n_parts; i++) {
        struct rv_range_part *part = &range->parts[i];
        if (part->is_kept_later)
            part->kept = rv_range_memory_borrow(range->memory, part->pieces, &namesakes);
        if (part->kept && !is_of_use(&range->scope, part->kept)) {
            rv_range_memory_release(range->memory, part->kept);
            part->kept = NULL;
        }
        part->is_done = part->kept;
        if (part->kept)
            atomic_fetch_add_explicit(&range->n_seen, part->n_expected, memory_order_relaxed);
    }
}

static bool is_pilot_part(const struct rv_range_part *part)
{
    return part->pieces->is_pilot;
}

/* Put the pilots first, MOST_PILOTS that are spread evenly, unless all paths have room. */
static void choose_pilots(struct rv_range_statistics *range)
{
    struct rv_range_part *parts = range->parts;
    size_t n_all = 0;
    for (size_t i = 0; i < range->n_parts; i++)
        n_all += is_pilot_part(&parts[i]);
    if (n_all == 0 || atomic_load_explicit(&range->n_expected, memory_order_relaxed) <= RV_RANGE_MOST_NODES)
        return;
    struct rv_range_part *ordered = rv_alloc(range->n_parts, sizeof *ordered);
    const size_t n_chosen = n_all < MOST_PILOTS ? n_all : MOST_PILOTS;
    size_t n_seen = 0, n_others = 0;
    for (size_t i = 0; i < range->n_parts; i++) {
        const bool is_chosen = is_pilot_part(&parts[i]) && n_seen++ * n_chosen / n_all == range->n_pilots;
        ordered[is_chosen ? range->n_pilots++ : n_chosen + n_others++] = parts[i];
    }
    free(parts);
    range->parts = ordered;
    range->parts_capacity = range->n_parts;
}

/* Leave a part whenever the share of the calls up to its middle is due. */
static void choose_sample(struct rv_range_statistics *range)
{
    uint64_t n_all = 0, n_sampled = 0;
    for (size_t i = 0; i < range->n_parts; i++)
        n_all += range->parts[i].n_expected;
    const double share = n_all > range->n_calls_sampled ? (double)range->n_calls_sampled / (double)n_all : 1.0;
    double n_due = 0.0;
    size_t n = 0;
    for (size_t i = 0; i < range->n_parts; i++) {
        const struct rv_range_part part = range->parts[i];
        n_due += share * (double)part.n_expected;
        if (n_due < 0.5 * (double)part.n_expected)
            continue;
        n_due -= (double)part.n_expected;
        n_sampled += part.n_expected;
        range->parts[n++] = part;
    }
    range->n_parts = n;
    range->sampled = n_all ? (double)n_sampled / (double)n_all : 1.0;
    atomic_store_explicit(&range->n_expected, n_sampled, memory_order_relaxed);
}

/* Leave the first parts that are to be kept and are not yet, while there is room for more. */
static void choose_unknown(struct rv_range_statistics *range)
{
    const struct rv_range_namesakes namesakes = namesakes_of(range);
    const size_t room = rv_range_memory_room(range->memory, &namesakes);
    const size_t most = room < range->n_beforehand ? room : range->n_beforehand;
    size_t n = 0;
    for (size_t i = 0; i < range->n_parts; i++) {
        const struct rv_range_part *part = &range->parts[i];
        if (part->kept)
            rv_range_memory_release(range->memory, part->kept);
        else if (part->is_kept_later && n < most)
            range->parts[n++] = *part;
    }
    range->n_parts = n;
}

/* Of the ids that results have others for: subroutines that are named later, and are like no other, leave them as they are. */
static uint64_t *hash_namesakes(const struct rv_range_scope *scope)
{
    uint64_t *hashes = rv_alloc_scratch((size_t)scope->n_as_ids + 1, sizeof *hashes);
    hashes[0] = 0;
    for (uint32_t i = 0; i < scope->n_as_ids; i++)
        hashes[i + 1] =
            scope->as_id[i] == i ? hashes[i] : rv_hash_combine(hashes[i], (uint64_t)i << 32 | scope->as_id[i]);
    return hashes;
}

/* Once. Under the lock. */
static void begin(struct rv_range_statistics *range)
{
    if (range->has_begun)
        return;
    range->has_begun = true;
    divide(range);
    if (range->n_calls_sampled)
        choose_sample(range);
    else if (!range->scope.lists_calls && !range->n_beforehand)
        choose_pilots(range);
    (void)rv_filter_update(range->scope.filter, range->subroutines, SIZE_MAX);
    range->scope.as_id = rv_subroutines_take_namesakes(range->subroutines, &range->scope.n_as_ids);
    range->namesakes = hash_namesakes(&range->scope);
    range->scope.calls_of = rv_range_scope_id(&range->scope, range->scope.calls_of);
    borrow_parts(range);
    if (range->n_beforehand)
        choose_unknown(range);
}

/* Are the parts that are added too far behind the next one to be taken? */
static bool must_wait(const struct rv_range_statistics *range)
{
    const bool is_after_pilots = range->n_taken >= range->n_pilots && range->n_added < range->n_pilots;
    return range->n_taken < range->n_parts && (range->n_ahead >= MOST_AHEAD || is_after_pilots);
}

/* Take the next part, unless those before it are too far behind. Under the lock. Returns whether there is any. */
static bool take_part(struct rv_range_statistics_share *share, uint64_t end_ns)
{
    struct rv_range_statistics *range = share->range;
    while (must_wait(range) && rv_os_wait_until(&range->has_added, &range->lock, end_ns))
        ;
    while (range->n_taken < range->n_parts && range->parts[range->n_taken].kept)
        range->n_taken++;
    const bool are_left = range->n_taken < range->n_parts;
    if (are_left && !must_wait(range)) {
        struct rv_range_part *part = &range->parts[range->n_taken++];
        rv_range_walk_begin(&share->walk, part);
        range->n_ahead++;
        range->n_owing += part->is_limited && !share->is_owing;
        share->is_owing |= part->is_limited;
    }
    return are_left;
}

/* Add the sums of a share's limited parts, once no other share adds. Under the lock. Returns whether it had any. */
static bool add_limited(struct rv_range_statistics_share *share, uint64_t end_ns)
{
    struct rv_range_statistics *range = share->range;
    while (share->is_owing && range->is_adding && rv_os_wait_until(&range->has_added, &range->lock, end_ns))
        ;
    if (!share->is_owing || range->is_adding)
        return share->is_owing;
    begin_adding(range);
    const struct rv_range_sums *sums = rv_range_walk_sum_limited(&share->walk);
    add_rows(range, &sums->rows);
    rv_range_tree_add(&range->tree, &sums->tree);
    end_adding(range);
    share->is_owing = false;
    range->n_owing--;
    finish_if_complete(range);
    return true;
}

/* Once, before the first part is measured. Under the lock. */
static void begin_list(struct rv_range_statistics *range)
{
    const struct rv_range_scope *scope = &range->scope;
    if (range->has_begun_list || !scope->lists_calls)
        return;
    range->has_begun_list = true;
    if (scope->list_order == RV_CALL_LIST_LONGEST && !range->n_calls_sampled)
        range->calls.least_rank = rv_least_listed_ns(scope, range->pieces, range->n_pieces);
    atomic_store_explicit(&range->scope.least_listed, range->calls.least_rank, memory_order_relaxed);
}

/* Between two parts. Returns whether there is anything left to add or to measure. */
static bool add_or_take(struct rv_range_statistics_share *share, uint64_t timeout_ns)
{
    struct rv_range_statistics *range = share->range;
    const uint64_t end_ns = rv_clock_mono_ns() + timeout_ns;
    pthread_mutex_lock(&range->lock);
    begin(range);
    begin_list(range);
    const bool is_left = add_next(range) || take_part(share, end_ns) || add_limited(share, end_ns);
    pthread_mutex_unlock(&range->lock);
    return is_left;
}

static void give_part(struct rv_range_statistics_share *share)
{
    struct rv_range_statistics *range = share->range;
    pthread_mutex_lock(&range->lock);
    share->walk.part->is_done = true;
    share->walk.part = NULL;
    pthread_mutex_unlock(&range->lock);
}

struct rv_range_statistics_share *rv_range_statistics_share_create(struct rv_range_statistics *range)
{
    struct rv_range_statistics_share *share = rv_alloc(1, sizeof *share);
    share->range = range;
    share->walk.scope = &range->scope;
    return share;
}

void rv_range_statistics_share_destroy(struct rv_range_statistics_share *share)
{
    if (!share)
        return;
    rv_range_walk_fini(&share->walk);
    free(share);
}

bool rv_range_statistics_share_step(struct rv_range_statistics_share *share, size_t most, uint64_t timeout_ns)
{
    struct rv_range_walk *walk = &share->walk;
    while (most > 0) {
        if (!walk->part && !add_or_take(share, timeout_ns))
            return true;
        if (!walk->part)
            return false;
        const size_t n = rv_range_walk_step(walk, most);
        atomic_fetch_add_explicit(&share->range->n_seen, n, memory_order_relaxed);
        most -= n;
        if (rv_range_walk_is_over(walk))
            give_part(share);
        else if (rv_range_statistics_share_wants_page(share))
            return false;
    }
    return false;
}

bool rv_range_statistics_share_wants_page(const struct rv_range_statistics_share *share)
{
    return share->walk.part && share->walk.is_in_piece && rv_span_iter_back_wants_page(&share->walk.iter);
}

struct rv_range_statistics_window rv_range_statistics_share_window(const struct rv_range_statistics_share *share)
{
    const struct rv_range_piece *piece = &share->walk.part->pieces[share->walk.at_piece];
    const struct rv_span_iter_back *iter = &share->walk.iter;
    return (struct rv_range_statistics_window){iter->from_ns, iter->to_ns, piece->lane_idx, iter->paged_before_ns};
}

void rv_range_statistics_share_give(struct rv_range_statistics_share *share, struct rv_timeline *page, uint64_t edge_ns)
{
    rv_span_iter_back_give(&share->walk.iter, page, edge_ns);
}

void rv_range_statistics_share_miss(struct rv_range_statistics_share *share)
{
    share->walk.part->is_damaged = true;
}

void rv_range_statistics_measure(struct rv_range_statistics *range)
{
    struct rv_range_statistics_share *share = rv_range_statistics_share_create(range);
    while (!rv_range_statistics_share_step(share, SIZE_MAX, 0))
        continue;
    rv_range_statistics_share_destroy(share);
}

/* ---- results ---- */

size_t rv_range_statistics_n_parts(struct rv_range_statistics *range)
{
    pthread_mutex_lock(&range->lock);
    begin(range);
    const size_t n = range->n_parts > 1 ? range->n_parts : 1;
    pthread_mutex_unlock(&range->lock);
    return n;
}

bool rv_range_statistics_has_all_beforehand(const struct rv_range_statistics *range)
{
    return range->n_parts == 0;
}

double rv_range_statistics_sampled(const struct rv_range_statistics *range)
{
    return range->sampled;
}

uint32_t rv_range_statistics_id(const struct rv_range_statistics *range, uint32_t id)
{
    return rv_range_scope_id(&range->scope, id);
}

double rv_range_statistics_progress(const struct rv_range_statistics *range)
{
    const uint64_t n_seen = atomic_load_explicit(&range->n_seen, memory_order_relaxed);
    const uint64_t n_expected = atomic_load_explicit(&range->n_expected, memory_order_relaxed);
    return n_expected > n_seen ? (double)n_seen / (double)n_expected : 1.0;
}

const struct rv_stats *rv_range_statistics_stats(const struct rv_range_statistics *range)
{
    return range->stats;
}

uint64_t rv_range_statistics_self_ns(const struct rv_range_statistics *range)
{
    return range->self_ns;
}

const struct rv_call_list *rv_range_statistics_calls(const struct rv_range_statistics *range)
{
    return &range->calls;
}

uint64_t rv_range_statistics_missing_before_ns(const struct rv_range_statistics *range)
{
    return range->missing_before_ns;
}

bool rv_range_statistics_lacks_objects(const struct rv_range_statistics *range)
{
    return range->lacks_objects;
}

bool rv_range_statistics_is_damaged(const struct rv_range_statistics *range)
{
    return range->is_damaged;
}

const struct rv_range_node *rv_range_statistics_nodes(const struct rv_range_statistics *range, size_t *n)
{
    *n = range->tree.n;
    return range->tree.nodes;
}
