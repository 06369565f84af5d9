/*
 * Windows that were looked at before, to go back to and forward again. No GL, no SDL.
 *
 * A gesture is many small moves: what comes shortly after another belongs to it, and the window before the first of
 * them is what is kept.
 */
#ifndef RV_VIEWER_HISTORY_H
#define RV_VIEWER_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_HISTORY_PLACES 64u /* the oldest is forgotten */

struct rv_history_place {
    uint64_t from_ns, to_ns;
    bool is_following;
};

struct rv_history { /* zeroed = nothing was looked at before */
    struct rv_history_place places[RV_HISTORY_PLACES];
    size_t n, at;     /* places before `at` are behind, the others ahead */
    uint64_t last_ns; /* when the window was last moved */
};

/* The window, which is at this place, is about to be moved. Forgets what is ahead. */
void rv_history_note(struct rv_history *history, const struct rv_history_place *place, uint64_t clock_ns);

/* Go one back, or forward again; the window is at `place`, which becomes where to go. False when there is nothing. */
bool rv_history_back(struct rv_history *history, struct rv_history_place *place);
bool rv_history_forward(struct rv_history *history, struct rv_history_place *place);

#endif
