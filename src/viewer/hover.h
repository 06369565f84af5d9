/*
 * The hovered or pinned box: found under the cursor, found again when the picture moves. No GL, no SDL.
 *
 * The hovered box is whatever is under the cursor; the pinned box stays the same call when the picture moves, and takes
 * precedence.
 */
#ifndef RV_VIEWER_HOVER_H
#define RV_VIEWER_HOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/view.h"
#include "render/pick.h"

struct rv_hover { /* zeroed = none */
    bool is_on, is_pinned;
    bool is_task;      /* the box is not of a call, but of a whole task */
    struct rv_box box; /* as of the last view that had it */
    uint32_t lane_idx, thread;
    char lane_name[RV_LANE_NAME_BYTES];
    uint32_t n_lanes; /* that the box is of, */
    double n_busy;    /* and how many of them were busy, if several */
    uint32_t box_idx; /* in the view; UINT32_MAX when it is not there */
    float at_px[2];   /* anchor of the tooltip */
    uint64_t self_ns;
    bool has_self; /* self time is known, since the whole box is in the view */
    bool is_self_rough;
};

/*
 * The cursor has moved, and hit was picked there (NULL = nothing). Does nothing while pinned.
 *   returns  whether the box or the tooltip's place has changed
 */
bool rv_hover_move(struct rv_hover *hover, const struct rv_view *view, const struct rv_pick_hit *hit,
                   const float at_px[2]);

/* Pin the box picked at a position; NULL or the pinned box itself unpins. */
void rv_hover_pin(struct rv_hover *hover, const struct rv_view *view, const struct rv_pick_hit *hit,
                  const float at_px[2]);

/* Pin a box that need not be in a view. */
void rv_hover_pin_box(struct rv_hover *hover, const struct rv_box *box, const struct rv_lane *lane,
                      const char *lane_name);

/* Unhover and unpin. Returns whether anything has changed. */
bool rv_hover_clear(struct rv_hover *hover);

/* The view has changed: find the pinned box in it. */
void rv_hover_find(struct rv_hover *hover, const struct rv_view *view);

/* The window that shows the box with a tenth of its length on both sides; false without a box. */
bool rv_hover_window(const struct rv_hover *hover, uint64_t *from_ns, uint64_t *to_ns);

#endif
