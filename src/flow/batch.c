/* One allocation holds a batch's events and the list of its specials; it is released through `events`. */
#include "flow/batch.h"

#include <stdbool.h>
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

/* CALL_AT and RETURN_AT are not for files. */
static bool is_known_kind(unsigned kind)
{
    return kind < RV_EVENT_KIND_COUNT && kind != RV_EVENT_CALL_AT && kind != RV_EVENT_RETURN_AT;
}

/* What the loop needs is copied out of memory that its stores might be to. */
uint32_t rv_batch_fill(struct rv_batch *batch, const struct rv_event *events, uint32_t n, uint64_t *last_ticks)
{
    struct rv_event *out = batch->events;
    uint64_t last = *last_ticks, most = UINT64_MAX;
    uint32_t i = 0, n_out = batch->n;
    for (; i < n && n_out < RV_BATCH_EVENTS; i++) {
        struct rv_event event = events[i];
        unsigned kind = rv_event_kind(&event);
        if (!is_known_kind(kind))
            continue;
        if (kind != RV_EVENT_SYNC) {
            uint64_t now = rv_event_ticks(&event) > last ? rv_event_ticks(&event) : last;
            if (most == UINT64_MAX) {
                batch->base_ticks = now;
                most = now + RV_BATCH_TICKS - 1;
            }
            if (now > most)
                break;
            last = now;
            event.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | now;
        }
        out[n_out++] = event;
    }
    batch->n = n_out;
    if (most == UINT64_MAX)
        batch->base_ticks = last;
    *last_ticks = last;
    rv_batch_seal(batch);
    return i;
}

void rv_batch_seal(struct rv_batch *batch)
{
    const struct rv_event *events = batch->events;
    uint32_t *specials = batch->specials, n_specials = 0;
    const uint32_t n = batch->n;
    for (uint32_t i = 0; i < n; i++) {
        specials[n_specials] = i;
        n_specials += rv_event_kind(&events[i]) > RV_EVENT_RETURN;
    }
    batch->n_specials = n_specials;
    memset(batch->events + n, 0, RV_BATCH_PADDING * sizeof *batch->events);
}
