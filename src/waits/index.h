/*
 * The waits so far by lane and time, for questions about one call: kept up to date at little cost while a program runs.
 * Internally locked.
 */
#ifndef RV_WAITS_INDEX_H
#define RV_WAITS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/lanes.h"
#include "waits/waits.h"

struct rv_wait_index;

/* Both outlive it. */
struct rv_wait_index *rv_wait_index_create(struct rv_waits *waits, struct rv_lanes *lanes);
void rv_wait_index_destroy(struct rv_wait_index *index); /* NULL-safe */

/* Take in the waits that came meanwhile. */
void rv_wait_index_update(struct rv_wait_index *index);

/* A wait by its number, which stays its; false: there is none. */
bool rv_wait_index_get(struct rv_wait_index *index, size_t number, struct rv_wait_edge *edge);

struct rv_wait_sum { /* of the waits of a lane that lie in a stretch of time */
    uint64_t n, total_ns, longest_ns;
    size_t longest; /* its number */
};

/* False: there are none. */
bool rv_wait_index_sum(struct rv_wait_index *index, uint32_t lane_idx, uint64_t from_ns, uint64_t to_ns,
                       struct rv_wait_sum *sum);

#endif
