/* The longest call of a lane in a slice: of equally long ones the first to end, of those the innermost. */
#ifndef RV_EXPORT_LONGEST_CALL_H
#define RV_EXPORT_LONGEST_CALL_H

#include "export/lane_calls.h"
#include "export/slice.h"

struct rv_longest_call {
    const struct rv_lane_calls *calls;
    const struct rv_slice *part;
    const struct rv_lane *lane;
    /* Told how much was read, from 0 to 1. May be NULL. */
    void (*tell)(void *teller, double done);
    void *teller;
    /* set by the search */
    struct rv_span span;
    bool is_found;
};

/* Calls whose begin is not known do not count. 0, or a negative errno with one line printed. */
int rv_longest_call_find(struct rv_longest_call *longest);

#endif
