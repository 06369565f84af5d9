/*
 * The contents of one picture: visible lanes, boxes within the budget, open frames, notes, and the time window. Made
 * from the model for each frame, by one thread at a time; drawing, picking and lists use it.
 */
#ifndef RV_MODEL_VIEW_H
#define RV_MODEL_VIEW_H

#include "base/hash_index.h"
#include "model/group_activity.h"
#include "model/lane_choices.h"
#include "model/pixel_cells.h"
#include "model/lit_path.h"

struct rv_snapshot;
struct rv_filter;
struct rv_name_set;
struct rv_waited_calls;

struct rv_view_key { /* scratch of the sort */
    uint64_t start_ns;
    uint32_t box;
};

#define RV_VIEW_LANE_OF_OBJECT                                                                                         \
    UINT32_MAX /* the lane_idx of those that are of no thread, but of what threads wait for */

struct rv_view_lane {
    uint32_t lane_idx;
    uint32_t object;             /* id of the name of that; else 0 */
    bool is_in_part;             /* not all of its holders and waits are there: they were too many */
    uint32_t thread;             /* of the model's lane */
    uint32_t first_box, n_boxes; /* into boxes */
    uint32_t first_note, n_notes;
    uint32_t max_depth, whole_depth; /* rows shown, rows in all */
    uint32_t process;                /* number of the process; < n_processes */
    uint32_t generation;             /* forks between the process and the first */
    uint32_t pid, tid;
    uint32_t level;       /* of detail: the view's, or a finer one */
    uint64_t released_ns; /* what is shown before this time is coarser, since its detail was released; 0: nothing */
    uint64_t merged_ns;   /* until then states are shown that were merged, since the lane has too many; 0: none are */
    bool is_row;          /* to be shown as one row: the innermost calls */
    bool is_pinned;       /* placed before unpinned ones */
    uint32_t first_part, n_parts;     /* into parts; of a thread none: its boxes are where they are in its lane */
    uint32_t first_member, n_members; /* into members: the lanes of a collapsed group, else itself */
    double busiest;                   /* of several: how many were busy where a cell is covered */
    enum rv_lane_group_kind group;    /* of the collapsed one */
    enum rv_lane_fold fold;
    char name[RV_LANE_NAME_BYTES], process_name[RV_LANE_NAME_BYTES];
    char label[RV_LANE_NAME_BYTES]; /* shown instead of the name; "" = the name is */
};

struct rv_view_part {          /* a stretch of a thread's lane, moved in time to a lane of calls or tasks */
    uint64_t from_ns, to_ns;   /* as shown: boxes that begin in [from_ns, to_ns] */
    uint32_t depth, n_depths;  /* the first depth as shown, and the number of depths */
    uint32_t lane_idx, thread; /* of the lane */
    uint64_t shift_ns;         /* added to times of the part's boxes and notes, as they are in the thread's lane */
    uint32_t lane_depth;       /* the depth in the thread's lane that is shown at `depth` */
};

struct rv_view_link {        /* from a part of a lane of calls or tasks to the next */
    uint64_t from_ns, to_ns; /* in the lanes of threads; shown shift_ns earlier */
    uint64_t shift_ns;
    uint32_t lane; /* of the view */
    uint32_t from_depth, to_depth;
    uint32_t from_lane, to_lane; /* lane_idx */
    uint32_t from_call, to_call; /* ids; 0: none */
    uint32_t name;               /* id, of what is followed, */
    bool is_task;                /* else a flow */
};

struct rv_view_step { /* of the critical path, on one of the lanes */
    uint64_t from_ns, to_ns;
    uint32_t lane;
    enum rv_critical_path_step_kind kind;
};

struct rv_view {
    uint64_t from_ns, to_ns; /* window */
    uint64_t until_ns;       /* nothing later is shown; UINT64_MAX = all is */
    uint32_t level;          /* level of detail chosen for all lanes */
    uint64_t column_ns;      /* of several lanes that are shown as one: a power of two */
    uint32_t *lane_levels;   /* the last ones, by lane_idx; RV_LEVEL_NONE = none */
    size_t n_lane_levels;
    bool is_made;        /* false = zeroed */
    size_t n_made;       /* lanes completed so far */
    uint64_t newest_ns;  /* last event of all lanes */
    uint32_t most_depth; /* rows of a lane that are shown; 0 = all */
    struct rv_view_lane *lanes;
    size_t n_lanes, lanes_capacity;
    uint32_t n_processes, n_hidden;      /* n_hidden: lanes hidden by the user */
    uint32_t n_in_front, n_behind;       /* lanes that are left out, for want of room: before the others, after them */
    bool is_flattened;                   /* lanes are rows for want of room, if they are not pinned */
    struct rv_lane_choices as_they_come; /* default order */
    uint32_t *members;                   /* lane_idx, of all lanes that are not hidden */
    size_t members_capacity;
    uint32_t *shown, *places; /* scratch: lane_idx; by lane_idx, index of its representative in lanes */
    size_t shown_capacity, places_capacity;
    struct rv_hash_index by_name;      /* the first of its name of the lanes that are made: its place, + 1 */
    struct rv_group_activity activity; /* its times are of all lanes that are shown with others; else scratch */
    struct rv_box *boxes;              /* per lane sorted by start; open frames included, flag OPEN */
    size_t n_boxes, boxes_capacity;
    struct rv_lane_note *notes; /* per lane sorted by start; with the last STATE before the window */
    size_t n_notes, notes_capacity;
    struct rv_view_part *parts;
    size_t n_parts, parts_capacity;
    struct rv_view_link *links;
    size_t n_links, links_capacity;
    uint64_t n_meant;           /* of a view of tasks: so many are in the window, its lanes stand for them */
    struct rv_view_step *steps; /* of the path in the window, in order of time; without those of hidden lanes */
    size_t n_steps, steps_capacity;
    bool has_path;        /* one is lit, here or elsewhere */
    uint32_t *path_lanes; /* scratch: by thread, 1 + the lane that shows it */
    size_t path_lanes_capacity;
    uint64_t n_folded;       /* calls inside cells */
    size_t n_joined;         /* boxes that are part of others, narrower than a pixel: the budget counts them, too */
    struct rv_box *unsorted; /* scratch */
    struct rv_pixel_cells pixel_cells;
    struct rv_view_key *keys;
    size_t unsorted_capacity, keys_capacity;
    struct rv_snapshot *instants; /* one per member, at until_ns */
    size_t n_instants;
};

struct rv_view_params {
    uint64_t from_ns, to_ns;
    uint32_t width_px;
    size_t box_budget;    /* 0 = 20,000 */
    bool is_steady;       /* one of a series of pictures: use hysteresis for the level */
    bool has_front_first; /* what is left of the budget goes to finer levels, lane by lane from the front */
    uint32_t most_rows;   /* with more in all lanes, those not pinned are one row each; 0 = any number */
    uint32_t most_lanes; /* of more, so many are in the view: the pinned ones, and others from first_lane on; 0 = all */
    uint32_t first_lane; /* of those not pinned; clamped */
    struct rv_lane_choices *lane_order; /* arrangement of the lanes, updated with new ones; NULL = default */
    const struct rv_filter *filter;     /* calls that do not pass are dimmed or hidden; NULL = all pass */
    const struct rv_name_set *hits;     /* of passing calls, these are marked as hits and others dimmed; NULL = none */
    const struct rv_waited_calls *waited; /* instead, of these those that waited for what is in hits; NULL = of names */
    const struct rv_filter *found;        /* likewise, those that pass this one, too */
    const struct rv_lit_path *path;       /* calls of threads that are not on it at that time are dimmed; NULL = none */
    bool is_past;                         /* show the state at until_ns: nothing later, frames open then */
    uint64_t until_ns;                    /* inclusive */
};

/*
 * Rebuild in place at the finest level whose exact count fits the budget, never finer than half a pixel; the coarsest
 * if none fits. Cells narrower than a pixel are joined. Lanes are in the given order, even without boxes in the window.
 * An open frame ends at its lane's last_ns, or at the newest lane's if its lane has not ended; in the past at until_ns.
 * Several lanes that are shown as one have cells of their activity, in columns of two pixels or more. Frames deeper
 * than 4,096 are one box with a count. Notes closer than a quarter pixel are merged. In the past, lanes that had not
 * begun are omitted; others keep their present height. Any thread, one at a time.
 */
void rv_view_update(struct rv_view *view, struct rv_lanes *lanes, const struct rv_view_params *params);

/*
 * The same in steps: begin, then one lane per step with the same params, until it returns false. The view must not be
 * used before that.
 *   returns  whether there was a lane left
 */
void rv_view_begin(struct rv_view *view, struct rv_lanes *lanes, const struct rv_view_params *params);
bool rv_view_step(struct rv_view *view, struct rv_lanes *lanes, const struct rv_view_params *params);

/* Continue the series of another view: its levels are the last ones of this. */
void rv_view_continue(struct rv_view *view, const struct rv_view *before);

void rv_view_fini(struct rv_view *view);

/* Where a box of a lane of the view is from: a thread's lane is one part. False: it is no call, but the lane's own
 * box. */
bool rv_view_part_of(const struct rv_view *view, const struct rv_view_lane *lane, const struct rv_box *box,
                     struct rv_view_part *part);

/* The box at its place in the lane that the part is of. */
struct rv_box rv_view_part_place(const struct rv_view_part *part, const struct rv_box *box);

#endif
