/*
 * The box that is pointed at: found under the cursor, found again when the picture moves, pinned, described. No GL, no
 * SDL.
 *
 * What is hovered is what stands under the cursor now; what is pinned stays the same call wherever it goes. A pinned
 * box goes before a hovered one.
 */
#ifndef RV_VIEWER_HOVER_H
#define RV_VIEWER_HOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/subroutines.h"
#include "model/view.h"
#include "render/pick.h"
#include "render/tooltip.h"

struct rv_hover { /* zeroed = nothing is pointed at */
    bool is_on, is_pinned;
    struct rv_box box; /* as of the last view that had it */
    uint32_t lane_idx, thread;
    char lane_name[RV_LANE_NAME_BYTES];
    uint32_t box_idx; /* in the view; UINT32_MAX when it is not there */
    float at_px[2];   /* where the tooltip stands */
    uint64_t self_ns;
    bool has_self; /* self time is known: all of the box is in the view */
    bool is_self_rough;
};

/*
 * The cursor is at a position of this view, over what was picked there (NULL = nothing). Does nothing while pinned.
 *   returns  whether something other is to be shown: another box, or the tooltip at another place
 */
bool rv_hover_move(struct rv_hover *hover, const struct rv_view *view, const struct rv_pick_hit *hit,
                   const float at_px[2]);

/* Pin what was picked at a position; nothing there, or the pinned box itself, unpins. */
void rv_hover_pin(struct rv_hover *hover, const struct rv_view *view, const struct rv_pick_hit *hit,
                  const float at_px[2]);

/* Pin a box that need not be in a view. */
void rv_hover_pin_box(struct rv_hover *hover, const struct rv_box *box, const struct rv_lane *lane,
                      const char *lane_name);

/* Point at nothing. Returns whether something was pointed at. */
bool rv_hover_clear(struct rv_hover *hover);

/* The view has changed: find the pinned box in it. */
void rv_hover_find(struct rv_hover *hover, const struct rv_view *view);

/* The window that shows the box with a tenth of its length on both sides; false when nothing is pointed at. */
bool rv_hover_window(const struct rv_hover *hover, uint64_t *from_ns, uint64_t *to_ns);

struct rv_hover_about {
    struct rv_subroutines *subroutines;
    uint64_t n_calls, n_below; /* of the subroutine: all, and those that took no longer; 0 calls = not known */
    uint64_t zero_ns;          /* of the time axis */
    bool is_live;              /* zero is now */
    double scale;              /* pixels per point */
};

/* What is to be said of the box. False when nothing is pointed at. */
bool rv_hover_describe(const struct rv_hover *hover, const struct rv_hover_about *about, struct rv_tooltip *tooltip);

#endif
