/* The oracle: one plain stack machine per stack, event by event. Slow and obvious; tests compare every kernel with
 * it. */
#ifndef RV_SCAN_SERIAL_H
#define RV_SCAN_SERIAL_H

#include "scan/block.h"
#include "scan/block_join.h"

struct rv_serial; /* opaque */

struct rv_serial *rv_serial_create(void);
void rv_serial_destroy(struct rv_serial *serial);

/* Feed events in order; finished spans are appended to *spans (rv_vec_reserve), in closing order. */
void rv_serial_feed(struct rv_serial *serial, const struct rv_event *events, size_t n, struct rv_span **spans,
                    size_t *n_spans, size_t *capacity);
void rv_serial_finish(struct rv_serial *serial, uint64_t end_ns, struct rv_span **spans, size_t *n_spans,
                      size_t *capacity);
void rv_serial_counts(const struct rv_serial *serial, struct rv_block_join_counts *out);

#endif
