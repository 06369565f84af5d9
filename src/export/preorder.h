/*
 * A lane's spans in the order of their calls: callers before what they called, siblings by time, each with its depth in
 * the tree. Spans are spooled in closing order, where callers come last; nothing is kept in memory but the frames that
 * are open at one moment.
 *
 * The result is a proper tree whatever came in: a span lies within its caller, and begins no earlier than its sibling
 * before it ended. Spans of an orphan's time that the orphan encloses become its children; an orphan inside of a call,
 * whose own call was lost, begins when it ends, because when it began is not known.
 */
#ifndef RV_EXPORT_PREORDER_H
#define RV_EXPORT_PREORDER_H

#include <stddef.h>

#include "export/slice.h"
#include "export/spool.h"

struct rv_preorder; /* opaque */

/*
 * A reader with a temporary file of its own, for one lane after the other.
 *   part     only spans of it; what they called stands in their place where they are not in it. Borrowed
 *   returns  NULL with one line printed
 */
struct rv_preorder *rv_preorder_create(const struct rv_spool *spool, const struct rv_slice *part);
void rv_preorder_destroy(struct rv_preorder *preorder);

/* Begin a lane. 0, or a negative errno with one line printed. */
int rv_preorder_begin(struct rv_preorder *preorder, uint32_t lane_idx);

/*
 * The next spans.
 *   spans    valid until the next call
 *   n        how many; 0 after the last
 *   returns  0, or a negative errno with one line printed
 */
int rv_preorder_next(struct rv_preorder *preorder, const struct rv_span **spans, size_t *n);

#endif
