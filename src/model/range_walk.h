/*
 * Measures a part of a range (model/range_statistics.h): some pieces, each of them the calls that end in a stretch of
 * time of one lane. A piece is measured as if it were a range of its own, except that a call that continues after the
 * piece is counted with the later one: only its times inside are added. So the parts of a range can be measured at the
 * same time, and added.
 */
#ifndef RV_MODEL_RANGE_WALK_H
#define RV_MODEL_RANGE_WALK_H

#include <stdatomic.h>

#include "model/call_list.h"
#include "model/filter.h"
#include "model/range_times.h"
#include "model/range_tree.h"
#include "model/span_iter.h"
#include "model/stats.h"

struct rv_range_scope { /* what all parts of a range have in common */
    uint64_t from_ns, to_ns;
    struct rv_lanes *lanes;
    const struct rv_filter *filter; /* all lanes of pieces pass its rules over threads */
    enum rv_time_kind time;
    uint32_t *as_id; /* ids in the results; from n_as_ids on as they are */
    uint32_t n_as_ids;
    bool lists_calls;
    uint32_t calls_of; /* as an id of the results */
    enum rv_call_list_order list_order;
    const struct rv_range_tree *full; /* NULL, or the range's tree: its paths are all that have nodes */
    atomic_uint_least64_t
        least_listed; /* calls of less rank need not be kept; no ordering needed: a lower one does, too */
};

static inline uint32_t rv_range_scope_id(const struct rv_range_scope *scope, uint32_t id)
{
    return id < scope->n_as_ids ? scope->as_id[id] : id;
}

struct rv_range_piece {
    uint64_t from_ns, to_ns;
    uint64_t known_ns;    /* the lane's latest event when the range was begun; what comes later is left out */
    uint64_t open_end_ns; /* the end of calls that were open then */
    uint32_t lane_idx;
    uint64_t n_expected; /* calls, roughly */
    bool is_pilot;       /* small, and in a part of its own */
    bool has_earlier;    /* another piece has the calls that end before from_ns, */
    bool has_later;      /* and those that end at to_ns or later */
    bool is_first;       /* no call of the lane was lost, and all of its earlier ones are in this piece */
    bool is_last;        /* the lane has ended, and all of its later calls are in this piece */
    uint64_t states;     /* hash of the times off the CPU that end in it, where its part may be kept for later ranges */
};

/* Times of a lane are a piece's that end in [ends_ns[0], ends_ns[1]). */
static inline void rv_range_piece_ends(const struct rv_range_piece *piece, uint64_t ends_ns[2])
{
    ends_ns[0] = piece->has_earlier ? piece->from_ns : 0;
    ends_ns[1] = piece->has_later ? piece->to_ns : rv_clock_after_ns(piece->known_ns, 1);
}

struct rv_range_call { /* what is inside a piece of a call that is listed and that several pieces have some of */
    struct rv_call call;
    bool is_counted; /* with this piece, the latest: earlier ones have more of it */
};

struct rv_range_rows {      /* zeroed = none */
    struct rv_stats *stats; /* of subroutine ids[i] at i */
    uint32_t *ids;
    size_t n_ids, ids_capacity;
    uint64_t self_ns; /* of all rows */
};

void rv_range_rows_fini(struct rv_range_rows *rows);

struct rv_range_part {                   /* zeroed but for its pieces = not measured */
    const struct rv_range_piece *pieces; /* of each lane the latest first */
    size_t n_pieces;
    /* once it is complete; but where paths are limited, the share that measured it has them */
    struct rv_range_rows rows;
    struct rv_range_paths paths;
    uint32_t ids_end;          /* greater than the own ids of the calls that it read */
    struct rv_call_list calls; /* that are listed; not finished */
    struct rv_range_call *cut;
    size_t n_cut, cut_capacity;
    uint64_t missing_before_ns;
    bool lacks_objects; /* some were dropped before they were read */
    bool is_damaged, is_done;
    bool is_read;        /* its calls may be in pages: where it is to be kept, it has all of its paths */
    bool is_limited;     /* to paths that have nodes in this range */
    uint64_t n_expected; /* calls */
    bool is_kept_later;  /* to be kept in the range memory (model/range_memory.h) once it has been added, */
    const struct rv_range_part *kept; /* or the kept part whose results this one borrows */
};

void rv_range_part_fini(struct rv_range_part *part);

struct rv_range_sums { /* zeroed = none */
    struct rv_range_rows rows;
    struct rv_stats_calls *calls;         /* of the rows' statistics */
    struct rv_range_statistics_id *by_id; /* of the results */
    size_t n_by_id;
    struct rv_range_tree tree;
};

struct rv_range_walk { /* by one thread, of one part after another; zeroed = of none yet, but for the scope */
    const struct rv_range_scope *scope;
    struct rv_range_part *part;
    size_t at_piece;
    bool is_in_piece, has_times;
    bool has_texts;                /* of the arguments of calls read so far */
    struct rv_lane *lane;          /* of the piece */
    struct rv_range_times times;   /* of the lane, not yet given to calls */
    struct rv_span_iter_back iter; /* over the lane's calls */
    struct rv_range_frame *frames; /* calls that enclose the next one */
    struct rv_range_frame_times *frame_times;
    size_t n_frames, frames_capacity, frame_times_capacity;
    size_t n_listed;            /* frames up to the innermost call that is listed */
    struct rv_range_sums sums;  /* of the part, or if it is limited, of all parts of the walk that are; */
    struct rv_range_sums aside; /* the other ones meanwhile */
    bool is_limited;            /* sums are those of limited parts */
    struct rv_box *boxes;       /* scratch */
};

/* The previous part is complete. The part outlives the walk through it. */
void rv_range_walk_begin(struct rv_range_walk *walk, struct rv_range_part *part);

/*
 * Visit up to `most` calls of the part, which is not complete; fewer when a page is wanted.
 *   returns  calls visited
 */
size_t rv_range_walk_step(struct rv_range_walk *walk, size_t most);

/* Is the part complete? */
static inline bool rv_range_walk_is_over(const struct rv_range_walk *walk)
{
    return walk->at_piece == walk->part->n_pieces;
}

/* The sums of the walk's limited parts, of which it has had some: once, when no part is left for it. */
const struct rv_range_sums *rv_range_walk_sum_limited(struct rv_range_walk *walk);

void rv_range_walk_fini(struct rv_range_walk *walk);

#endif
