/* Offsets and sizes of a trace file's sections: planned at creation, checked at every open. Pure functions. */
#ifndef RV_RING_LAYOUT_H
#define RV_RING_LAYOUT_H

#include <stdint.h>

#include "ring/map.h"

/*
 * Fill the geometry of a zeroed page 0 from params, defaults applied.
 *   returns  0, or -EINVAL with *why set: a value out of range
 */
int rv_layout_plan(struct rv_wire_header *header, const struct rv_map_params *params, const char **why);

/*
 * Check that this page 0 describes a valid file of n_bytes.
 *   header   a private copy: shared memory could change during the check
 *   returns  0, -EBADMSG or -EPROTONOSUPPORT with *why set
 */
int rv_layout_check(const struct rv_wire_header *header, uint64_t n_bytes, const char **why);

#endif
