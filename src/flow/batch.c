/* One allocation holds the batch, its events and the list of its specials. */
#include "flow/batch.h"

#include <stdlib.h>

#include "base/vec.h"

#define ALIGNMENT 64u
#define HEADER_BYTES ((sizeof(struct rv_batch) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)
#define EVENTS_BYTES ((RV_BATCH_EVENTS + RV_BATCH_PADDING) * sizeof(struct rv_event))
#define SPECIALS_BYTES (RV_BATCH_EVENTS * sizeof(uint32_t))

struct rv_batch *rv_batch_create(void)
{
    char *memory = rv_alloc(1, HEADER_BYTES + EVENTS_BYTES + SPECIALS_BYTES);
    struct rv_batch *batch = (struct rv_batch *)(void *)memory;
    batch->events = (struct rv_event *)(void *)(memory + HEADER_BYTES);
    batch->specials = (uint32_t *)(void *)(memory + HEADER_BYTES + EVENTS_BYTES);
    return batch;
}

void rv_batch_destroy(struct rv_batch *batch)
{
    free(batch);
}
