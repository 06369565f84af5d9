/*
 * Watched expressions: a monitor adds them, the traced thread evaluates them repeatedly, the monitor fetches
 * results.
 *
 *   E1 -> E2  expression before in_use 1
 *   E3 -> E4  result before is_result_ready 1
 *   E5 -> E6  the result is copied before is_result_ready 0
 */
#ifndef RV_RING_WATCHES_H
#define RV_RING_WATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"

/* Monitor. Returns the watch's index; -ENOSPC when all are in use, -E2BIG for more than 256 bytes of expression. */
int rv_watches_add(struct rv_wire_control *control, const char *expression);

/* Monitor: ask for its removal; the owner acknowledges. -ENOENT when it is not in use. */
int rv_watches_remove(struct rv_wire_control *control, unsigned watch_idx);

/*
 * Owner: the next watch at or after first_idx that awaits a value; acknowledges removals on the way.
 *   expression  257 bytes, NUL-terminated
 *   returns     its index or -ENOENT
 */
int rv_watches_take(struct rv_wire_control *control, unsigned first_idx, char *expression);

/*
 * Owner: set its value or evaluation error. Cut to 512 bytes; value NULL: undefined.
 *   returns  0; -ENOENT when it was removed meanwhile
 */
int rv_watches_set_result(struct rv_wire_control *control, unsigned watch_idx, const char *value, size_t n_bytes,
                          bool is_error);

/*
 * Monitor: fetch the result, which asks for the next one.
 *   result        512 bytes, not terminated
 *   result_bytes  negative: an error text of that many bytes
 *   returns       0; -EAGAIN when there is none yet; -ENOENT
 */
int rv_watches_get_result(struct rv_wire_control *control, unsigned watch_idx, char *result, int32_t *result_bytes);

/* Any process. The expression (257 bytes, NUL-terminated). 0 or -ENOENT. */
int rv_watches_expression(const struct rv_wire_control *control, unsigned watch_idx, char *expression);

#endif
