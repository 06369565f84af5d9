/*
 * What one picture shows: visible lanes, boxes within the budget, open frames, notes, and the time window.
 * Made from the model for each frame, by one thread at a time; what is drawn, picked and listed comes from here.
 */
#ifndef RV_MODEL_VIEW_H
#define RV_MODEL_VIEW_H

#include "model/lane_order.h"

struct rv_snapshot;
struct rv_filter;
struct rv_name_set;

struct rv_view_key { /* scratch of the sort */
    uint64_t start_ns;
    uint32_t box;
};

struct rv_view_lane {
    uint32_t lane_idx;
    uint32_t thread;             /* of the model's lane */
    uint32_t first_box, n_boxes; /* into boxes */
    uint32_t first_note, n_notes;
    uint32_t max_depth, whole_depth; /* rows shown, rows there are */
    uint32_t process;                /* lanes of one process have the same number; < n_processes */
    uint32_t generation;             /* forks between the process and the first */
    uint32_t pid;
    bool is_row;           /* to be shown as one row: the innermost calls */
    bool is_pinned;        /* stands before those that are not */
    uint32_t n_represents; /* threads of a collapsed process that it stands for, itself too; else 1 */
    char name[RV_LANE_NAME_BYTES], process_name[RV_LANE_NAME_BYTES];
};

struct rv_view {
    uint64_t from_ns, to_ns; /* window */
    uint64_t until_ns;       /* nothing later is shown; UINT64_MAX = all is */
    uint32_t level;          /* level of detail chosen */
    bool is_made;            /* not just zeroed */
    size_t n_made;           /* lanes that have what they show */
    uint64_t newest_ns;      /* last event of all lanes */
    uint32_t most_depth;     /* rows of a lane that are shown; 0 = all */
    struct rv_view_lane *lanes;
    size_t n_lanes, lanes_capacity;
    uint32_t n_processes, n_hidden;    /* n_hidden: lanes left out on request */
    struct rv_lane_order as_they_come; /* where there is no other */
    uint32_t *shown;                   /* scratch: lane_idx */
    size_t shown_capacity;
    struct rv_box *boxes; /* of a lane by rising start; open frames included, flag OPEN */
    size_t n_boxes, boxes_capacity;
    struct rv_lane_note *notes; /* of a lane by rising start; the last STATE before the window included */
    size_t n_notes, notes_capacity;
    uint64_t n_folded;       /* calls that are inside cells */
    struct rv_box *unsorted; /* scratch */
    struct rv_view_key *keys;
    size_t unsorted_capacity, keys_capacity;
    struct rv_snapshot *instants; /* of each lane at until_ns */
    size_t n_instants;
};

struct rv_view_params {
    uint64_t from_ns, to_ns;
    uint32_t width_px;
    size_t box_budget;                /* 0 = 20,000 */
    bool is_steady;                   /* one of a row of pictures: the level changes with a margin only */
    struct rv_lane_order *lane_order; /* of the lanes; learns new ones; NULL = as they come */
    const struct rv_filter *filter;   /* what does not pass is dimmed or left out, as it says; NULL = all passes */
    const struct rv_name_set *hits;   /* of those that pass, calls of these are marked and others dimmed; NULL = none */
    bool is_past;                     /* show what was shown at until_ns: nothing later, and open what was open then */
    uint64_t until_ns;                /* what happened at this very time has happened */
};

/*
 * Rebuild in place: finest level whose exact count fits the budget, never finer than half a pixel; the coarsest where
 * none fits. Lanes stand as they are arranged, whether or not they have anything in the window. An open frame ends at
 * its lane's last_ns, and at the newest lane's where its lane has not ended, in the past at until_ns; those below 4,096
 * deep are one box with their count. Notes closer together than a quarter pixel are one. In the past lanes that had not
 * begun are left out; the others are as high as they are now. Any thread, one at a time.
 */
void rv_view_update(struct rv_view *view, struct rv_lanes *lanes, const struct rv_view_params *params);

/*
 * The same in steps, for one who has little time at once: begin, then a lane a step until there is none, with the same
 * params. Nothing is to be done with the view before.
 *   returns  whether there was one
 */
void rv_view_begin(struct rv_view *view, struct rv_lanes *lanes, const struct rv_view_params *params);
bool rv_view_step(struct rv_view *view, struct rv_lanes *lanes, const struct rv_view_params *params);

void rv_view_fini(struct rv_view *view);

#endif
