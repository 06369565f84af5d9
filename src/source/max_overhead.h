/*
 * Keeps what tracing costs a patched program within a share of its own time: counts calls, and chooses functions that
 * are not to be traced, the most expensive ones first.
 *
 *     cost    calls x what a call's two events cost, by what a clock read takes on this machine; patching, as the
 *             process tells it: as it begins, and to follow what was chosen
 *     time    the process's CPU time, less the cost
 *     debt    cost beyond the share so far: repaid by a lower share; at first some cost is lent
 *     free    a thousandth of a CPU, whatever the process does: what costs less is never left out
 *
 * Where there is room again, functions are let in again, the cheapest first: what one cost when it was left out counts
 * for ever less, and for the longer the more often that was.
 */
#ifndef RV_SOURCE_MAX_OVERHEAD_H
#define RV_SOURCE_MAX_OVERHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"

struct rv_max_overhead; /* opaque */

struct rv_max_overhead_choice {
    uint32_t process_idx, ring_idx; /* the ring has a call of it */
    uint64_t address;
    bool is_back;   /* it is to be traced again; else no longer: */
    uint64_t ticks; /* of its last call */
    double calls_per_s;
};

/* max_overhead: cost by time, 0.5 is 50 %. The map is borrowed. All functions: drain thread. */
struct rv_max_overhead *rv_max_overhead_create(const struct rv_map *map, double max_overhead);
void rv_max_overhead_destroy(struct rv_max_overhead *overhead); /* NULL is fine */

/* Count the calls among a ring's n events, as they were popped. */
void rv_max_overhead_count(struct rv_max_overhead *overhead, uint32_t ring_idx, uint32_t process_idx,
                           const struct rv_event *popped, size_t n);

/* When it is time to: choose. Returns how many, at most max. */
size_t rv_max_overhead_choose(struct rv_max_overhead *overhead, struct rv_max_overhead_choice *choices, size_t max);

/* Does the user want this function traced, whose last call came at these ticks? */
typedef bool rv_max_overhead_is_wanted_fn(void *context, uint32_t process_idx, uint64_t address, uint64_t ticks);

/* What the user wants has changed: of the functions that are left out, those that are wanted are traced for good. */
void rv_max_overhead_heed(struct rv_max_overhead *overhead, rv_max_overhead_is_wanted_fn *is_wanted, void *context);

#endif
