/* Gives the calls of a lane, whole or cut into pieces of its time. */
#ifndef RV_TEST_EXPORT_PIECES_H
#define RV_TEST_EXPORT_PIECES_H

#include "export/lane_calls.h"

struct pieces {
    const struct rv_span *spans; /* in closing order */
    size_t n;
    const uint64_t
        *cuts_ns; /* rising: between two of them is a piece, and all calls end in one; n_cuts 0: there are none */
    size_t n_cuts;
    bool has_events;           /* two pieces are given as events, if these are taken */
    bool is_refused;           /* pieces are given, then reported as incomplete */
    size_t *n_given, *n_taken; /* count the pieces, and of them those taken as events, if not NULL */
};

struct rv_lane_calls pieces_calls(const struct pieces *pieces);

#endif
