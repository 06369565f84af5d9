/* Folds pieces of a thread's time (export/folded_pieces.h), by the calls or events in each. */
#ifndef RV_EXPORT_FOLDING_H
#define RV_EXPORT_FOLDING_H

#include <stddef.h>
#include <stdint.h>

#include "scan/event_piece.h"
#include "scan/span.h"

struct rv_folding; /* opaque: folds one piece after another */

/* as_id: of each subroutine below n_ids the one that it is counted as; borrowed. */
struct rv_folding *rv_folding_create(const uint32_t *as_id, uint32_t n_ids);
void rv_folding_destroy(struct rv_folding *folding); /* NULL-safe */

/* Fold a piece; times_ns: around which all is kept, rising. The bytes are valid until the next piece. */
const uint8_t *rv_folding_fold(struct rv_folding *folding, const struct rv_span_piece *piece, const uint64_t *times_ns,
                               size_t n_times, size_t *n_bytes);

/* The same by its events. NULL: they are not the calls and returns of one stack, each return that of the innermost
 * call. */
const uint8_t *rv_folding_fold_events(struct rv_folding *folding, const struct rv_event_piece *piece,
                                      const uint64_t *times_ns, size_t n_times, size_t *n_bytes);

#endif
