/* Waits of a recording that is opened by its index, for the session's. */
#ifndef RV_PIPELINE_WAITS_ON_DEMAND_H
#define RV_PIPELINE_WAITS_ON_DEMAND_H

#include "pipeline/stream.h"
#include "source/source.h"
#include "waits/waits.h"

/* Let the waits be loaded from a source that can; has_copies: as of rv_waits_set_loader(). */
void rv_waits_on_demand_serve(struct rv_waits *waits, struct rv_source *source, bool has_copies);

/* Sums of a stack of the stream; its lane is made where there is none yet. */
void rv_waits_on_demand_add(struct rv_waits *waits, struct rv_stream *stream, const struct rv_waiter_summary *waiter);

#endif
