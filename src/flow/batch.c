/* One allocation holds a batch's events and the list of its specials; it is released through `events`. */
#include "flow/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define EVENTS_BYTES ((RV_BATCH_EVENTS + RV_BATCH_PADDING) * sizeof(struct rv_event))
#define SPECIALS_BYTES (RV_BATCH_EVENTS * sizeof(uint32_t))

void rv_batch_init(struct rv_batch *batch)
{
    char *memory = rv_alloc(1, EVENTS_BYTES + SPECIALS_BYTES);
    batch->events = (struct rv_event *)(void *)memory;
    batch->specials = (uint32_t *)(void *)(memory + EVENTS_BYTES);
}

void rv_batch_fini(struct rv_batch *batch)
{
    if (!batch)
        return;
    free(batch->events);
    batch->events = NULL;
    batch->specials = NULL;
}

void rv_batch_seal(struct rv_batch *batch)
{
    uint32_t n_specials = 0;
    for (uint32_t i = 0; i < batch->n; i++) {
        batch->specials[n_specials] = i;
        n_specials += rv_event_kind(&batch->events[i]) > RV_EVENT_RETURN;
    }
    batch->n_specials = n_specials;
    memset(batch->events + batch->n, 0, RV_BATCH_PADDING * sizeof *batch->events);
}
