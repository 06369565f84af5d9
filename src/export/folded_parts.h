/* Makes the bytes of a folded piece (export/folded_pieces.h) of parts in order of time, as scan/event_folding.h gives
 * them. */
#ifndef RV_EXPORT_FOLDED_PARTS_H
#define RV_EXPORT_FOLDED_PARTS_H

#include "scan/event_folding.h"

struct rv_folded_parts; /* opaque: of one piece after another */

/* n_ids: time outside of calls is counted as this subroutine. */
struct rv_folded_parts *rv_folded_parts_create(uint32_t n_ids);
void rv_folded_parts_destroy(struct rv_folded_parts *parts); /* NULL-safe */

/* Begin a piece. What it returns takes the parts. */
struct rv_event_folding_taker rv_folded_parts_begin(struct rv_folded_parts *parts);

/* Valid until the next piece begins. */
const uint8_t *rv_folded_parts_end(struct rv_folded_parts *parts, size_t *n_bytes);

#endif
