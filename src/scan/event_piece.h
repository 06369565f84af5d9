/* Part of the time of a stack, as its events. */
#ifndef RV_SCAN_EVENT_PIECE_H
#define RV_SCAN_EVENT_PIECE_H

#include <stddef.h>

#include "ringviz/wire.h"
#include "scan/block_join.h"

struct rv_event_piece {
    uint64_t from_ns, to_ns; /* to_ns: of the last call or return */
    const struct rv_event *events;
    size_t n;
    struct rv_open_stack open; /* at its begin; of it only frames, their keys, ids and starts */
    uint32_t n_ids;            /* an id of an event that is not below this is not one of the pipeline's */
};

#endif
