/* The waits that another thread ended, for formats of --export: their two ends, by lane and time. */
#ifndef RV_EXPORT_WAKES_H
#define RV_EXPORT_WAKES_H

#include <stddef.h>

#include "export/slice.h"
#include "waits/waits.h"

struct rv_wake_end { /* where a wait was ended, or ends */
    uint64_t at_ns;
    uint32_t lane;
    uint32_t object; /* id of its name; 0: none */
    size_t number;   /* of the wait, from 0 */
    enum rv_wait_kind kind;
    enum rv_wake wake;
    bool is_waiter; /* false: the thread that ended it */
};

struct rv_wakes {
    struct rv_wake_end *ends; /* n, of lanes in the order of their indices, each in order of time */
    size_t n;
};

/* Of those of which both ends are in the slice. waits NULL: none. */
struct rv_wakes rv_wakes_read(struct rv_waits *waits, const struct rv_lanes *lanes, const struct rv_slice *part);
void rv_wakes_fini(struct rv_wakes *wakes);

/* The first end in a lane, or behind it. */
size_t rv_wakes_find(const struct rv_wakes *wakes, uint32_t lane);

#endif
