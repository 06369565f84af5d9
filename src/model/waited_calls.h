/*
 * The calls that waited, and what for: each wait with the innermost call that it was in. Immutable and shared: the
 * window and the threads that work for it hold the same one.
 */
#ifndef RV_MODEL_WAITED_CALLS_H
#define RV_MODEL_WAITED_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/box.h"
#include "model/name_set.h"

/* Is the text of a search "wait:REGEX": for calls that waited for objects of such names? Then REGEX in it, else
 * NULL. */
const char *rv_waited_calls_sought(const char *text);

struct rv_waited {
    uint64_t from_ns, to_ns;
    uint32_t lane;   /* its index */
    uint32_t call;   /* id of the subroutine */
    uint32_t object; /* id of the name of what was waited for */
};

struct rv_waited_calls; /* opaque */

/* Takes n waits in any order, from malloc(). Returns it held. */
const struct rv_waited_calls *rv_waited_calls_create(struct rv_waited *waits, size_t n);

/* Hold it, to be released. NULL-safe. Any thread. Returns it. */
const struct rv_waited_calls *rv_waited_calls_hold(const struct rv_waited_calls *waited);
void rv_waited_calls_release(const struct rv_waited_calls *waited);

/* Did the call, or the majority's subroutine of the cell, wait in this time for one of the objects? False for NULL. */
bool rv_waited_calls_has(const struct rv_waited_calls *waited, uint32_t lane_idx, const struct rv_box *box,
                         const struct rv_name_set *objects);

#endif
