/* The time of a lane, each stretch of it with the call that was the innermost one, the latest first. */
#ifndef RV_EXPORT_INNERMOST_CALLS_H
#define RV_EXPORT_INNERMOST_CALLS_H

#include "export/call_walk.h"

struct rv_innermost_calls {
    const struct rv_lane_calls *calls;
    const struct rv_lane *lane;
    uint64_t from_ns, to_ns; /* only calls that overlap this; to_ns 0 = all */
    /* As of struct rv_lane_calls_wanted: of other times, the innermost calls are not known. */
    bool (*is_needed)(const void *needed_by, uint64_t from_ns, uint64_t to_ns);
    const void *needed_by;
    /* id: of the call's subroutine; UINT32_MAX: there was none. Stretches follow each other without gaps, from the end
     * of the lane's last call to 0. */
    void (*pass)(void *context, uint32_t id, uint64_t from_ns, uint64_t to_ns);
    /* Called for each call, when the time behind it, or down to its begin, was passed. May be NULL. */
    void (*enter)(void *context, const struct rv_span *call);
    void (*leave)(void *context, uint32_t id);
    void *context;
};

/* 0, or a negative errno with one line printed. */
int rv_innermost_calls_read(const struct rv_innermost_calls *params);

/* The same of a piece of the lane's time, down to its begin: its calls are given, not read. */
void rv_innermost_calls_of_piece(const struct rv_innermost_calls *params, const struct rv_span_piece *piece);

#endif
