/*
 * History of time windows, to go back and forward. No GL, no SDL.
 *
 * A gesture consists of many small moves: a move shortly after another belongs to it, and only the window before the
 * first is stored.
 */
#ifndef RV_VIEWER_VIEW_HISTORY_H
#define RV_VIEWER_VIEW_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_VIEW_HISTORY_PLACES 64u /* the oldest is dropped */

struct rv_view_history_place {
    uint64_t from_ns, to_ns;
    bool is_following;
};

struct rv_view_history { /* zeroed = empty */
    struct rv_view_history_place places[RV_VIEW_HISTORY_PLACES];
    size_t n, at;     /* places before `at` are earlier, the others later */
    uint64_t last_ns; /* when the window was last moved */
};

/* The window is about to move away from this place. Drops the later places. */
void rv_view_history_note(struct rv_view_history *history, const struct rv_view_history_place *place,
                          uint64_t clock_ns);

/* Go back or forward. place: in, the current one; out, the target. False when there is none. */
bool rv_view_history_back(struct rv_view_history *history, struct rv_view_history_place *place);
bool rv_view_history_forward(struct rv_view_history *history, struct rv_view_history_place *place);

#endif
