/*
 * A lane's spans in calling order: callers before their callees, siblings by time, each with its depth in the tree
 * (export/call_walk.h).
 */
#ifndef RV_EXPORT_PREORDER_H
#define RV_EXPORT_PREORDER_H

#include <stddef.h>

#include "export/lane_calls.h"
#include "export/slice.h"

struct rv_preorder; /* opaque */

/*
 * A reader with a temporary file of its own, for several lanes in turn.
 *   calls    copied
 *   part     only spans in it; callees of a span not in it move up to its place. Borrowed
 *   returns  NULL with one line printed
 */
struct rv_preorder *rv_preorder_create(const struct rv_lane_calls *calls, const struct rv_slice *part);
void rv_preorder_destroy(struct rv_preorder *preorder);

/* Begin a lane. 0, or a negative errno with one line printed. */
int rv_preorder_begin(struct rv_preorder *preorder, const struct rv_lane *lane);

/*
 * The next spans.
 *   spans    valid until the next call
 *   n        their number; 0 after the last
 *   returns  0, or a negative errno with one line printed
 */
int rv_preorder_next(struct rv_preorder *preorder, const struct rv_span **spans, size_t *n);

#endif
