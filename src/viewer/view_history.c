#include "viewer/view_history.h"

#include <string.h>

#define GESTURE_NS 700000000u /* moves closer in time than this are one gesture */

void rv_view_history_note(struct rv_view_history *history, const struct rv_view_history_place *place, uint64_t clock_ns)
{
    bool is_same_gesture = history->last_ns && clock_ns - history->last_ns < GESTURE_NS;
    history->last_ns = clock_ns;
    if (is_same_gesture)
        return;
    if (history->at == RV_VIEW_HISTORY_PLACES) {
        memmove(&history->places[0], &history->places[1], sizeof history->places - sizeof history->places[0]);
        history->at--;
    }
    history->places[history->at++] = *place;
    history->n = history->at;
}

static void swap(struct rv_view_history_place *a, struct rv_view_history_place *b)
{
    struct rv_view_history_place held = *a;
    *a = *b;
    *b = held;
}

/* Swap the current place with the target, which keeps the way back. */
bool rv_view_history_back(struct rv_view_history *history, struct rv_view_history_place *place)
{
    history->last_ns = 0;
    if (history->at == 0)
        return false;
    swap(place, &history->places[--history->at]);
    return true;
}

bool rv_view_history_forward(struct rv_view_history *history, struct rv_view_history_place *place)
{
    history->last_ns = 0;
    if (history->at == history->n)
        return false;
    swap(place, &history->places[history->at++]);
    return true;
}
