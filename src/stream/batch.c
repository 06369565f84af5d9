/* One allocation holds a batch's events and the list of its specials; it is released through `events`. */
#include "stream/batch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { GROUP_EVENTS = 64, STEP_EVENTS = 16, AHEAD_EVENTS = 128, FIRST_EVENTS = 4 };

void rv_batch_init(struct rv_batch *batch, uint32_t most_events)
{
    const size_t events_bytes = (most_events + RV_BATCH_PADDING) * sizeof *batch->events;
    char *memory = rv_alloc_scratch(1, events_bytes + most_events * sizeof *batch->specials);
    batch->events = (struct rv_event *)(void *)memory;
    batch->specials = (uint32_t *)(void *)(memory + events_bytes);
}

void rv_batch_fini(struct rv_batch *batch)
{
    if (!batch)
        return;
    free(batch->events);
    batch->events = NULL;
    batch->specials = NULL;
}

void rv_batch_copy(struct rv_batch *to, const struct rv_batch *from)
{
    struct rv_event *events = to->events;
    uint32_t *specials = to->specials;
    *to = *from;
    to->events = memcpy(events, from->events, (from->n + RV_BATCH_PADDING) * sizeof *events);
    to->specials = memcpy(specials, from->specials, from->n_specials * sizeof *specials);
}

bool rv_batch_is_noted(const struct rv_event *special)
{
    switch ((enum rv_event_kind)rv_event_kind(special)) {
    case RV_EVENT_MARK:
        return rv_event_step(special) == RV_STEP_NONE;
    case RV_EVENT_THREAD:
        return special->aux != RV_THREAD_MADE;
    case RV_EVENT_GC_START:
    case RV_EVENT_GC_END:
    case RV_EVENT_VALUE:
    case RV_EVENT_LOST:
        return true;
    case RV_EVENT_CALL:
    case RV_EVENT_RETURN:
    case RV_EVENT_CALL_AT:
    case RV_EVENT_RETURN_AT:
    case RV_EVENT_SWITCH:
    case RV_EVENT_LINE:
    case RV_EVENT_SYNC:
    case RV_EVENT_ARGUMENTS:
    case RV_EVENT_WAIT:
    case RV_EVENT_WOKEN:
    case RV_EVENT_KIND_COUNT:
        break;
    }
    return false;
}

/* CALL_AT and RETURN_AT occur in live rings only. */
static bool is_known_kind(unsigned kind)
{
    return kind != RV_EVENT_CALL_AT && kind != RV_EVENT_RETURN_AT;
}

/* Are all of these calls and returns, with times that neither fall nor exceed `most`? One branch for all. */
static bool is_fitting(const struct rv_event *events, uint32_t n, uint64_t last, uint64_t most)
{
    uint64_t whens = 0, steps = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t now = rv_event_ticks(&events[i]);
        whens |= events[i].when;
        steps |= now - last;
        last = now;
    }
    return whens >> (RV_EVENT_KIND_SHIFT + 1) == 0 && steps >> 63 == 0 && last <= most;
}

/* Number of leading events that need no change. Where others are near, as in threads that wait, no step is tried. */
static uint32_t count_fitting(const struct rv_event *events, uint32_t n, uint64_t *last_ns, uint64_t most)
{
    uint64_t last = *last_ns;
    uint32_t i = 0;
    for (; i < FIRST_EVENTS && i < n && is_fitting(events + i, 1, last, most); i++)
        last = rv_event_ticks(&events[i]);
    for (; i >= FIRST_EVENTS && n - i >= STEP_EVENTS && is_fitting(events + i, STEP_EVENTS, last, most);
         i += STEP_EVENTS) {
        last = rv_event_ticks(&events[i + STEP_EVENTS - 1]);
        for (uint32_t k = 0; k < STEP_EVENTS; k += 64 / sizeof *events) /* the next pages */
            __builtin_prefetch(&events[i + AHEAD_EVENTS + k]);
    }
    for (; i < n && is_fitting(events + i, 1, last, most); i++)
        last = rv_event_ticks(&events[i]);
    *last_ns = last;
    return i;
}

/* Copy and correct events, which may be the batch's own: most then stay in place. */
static uint32_t fit(struct rv_batch *batch, const struct rv_event *events, uint32_t n, uint64_t *last_ns)
{
    struct rv_event *out = batch->events;
    uint64_t last = *last_ns, most = UINT64_MAX;
    uint32_t i = 0, n_out = 0;
    batch->n_specials = 0;
    while (i < n && n_out < RV_BATCH_EVENTS) {
        struct rv_event event = events[i];
        unsigned kind = rv_event_kind(&event);
        if (!is_known_kind(kind)) {
            i++;
            continue;
        }
        if (kind != RV_EVENT_SYNC) {
            uint64_t now = rv_event_ticks(&event) > last ? rv_event_ticks(&event) : last;
            if (most == UINT64_MAX) {
                batch->base_ns = now;
                most = now + RV_BATCH_NS - 1;
            }
            if (now > most)
                break;
            last = now;
            event.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | now;
        }
        i++;
        batch->specials[batch->n_specials] = n_out;
        batch->n_specials += kind > RV_EVENT_RETURN;
        out[n_out++] = event;
        if (most == UINT64_MAX)
            continue;
        uint32_t n_most = n - i < RV_BATCH_EVENTS - n_out ? n - i : RV_BATCH_EVENTS - n_out;
        uint32_t n_fitting = count_fitting(events + i, n_most, &last, most);
        if (out + n_out != events + i)
            memmove(out + n_out, events + i, n_fitting * sizeof *out);
        i += n_fitting;
        n_out += n_fitting;
    }
    batch->n = n_out;
    if (most == UINT64_MAX)
        batch->base_ns = last;
    *last_ns = last;
    return i;
}

static void pad(struct rv_batch *batch)
{
    memset(batch->events + batch->n, 0, RV_BATCH_PADDING * sizeof *batch->events);
}

uint32_t rv_batch_fill(struct rv_batch *batch, const struct rv_event *events, uint32_t n, uint64_t *last_ns)
{
    uint32_t n_done = fit(batch, events, n, last_ns);
    pad(batch);
    return n_done;
}

uint32_t rv_batch_fit(struct rv_batch *batch, struct rv_event *events, uint32_t n, uint64_t *last_ns)
{
    batch->events = events;
    return fit(batch, events, n, last_ns);
}

/* Most groups have no specials: one test skips them. */
void rv_batch_seal(struct rv_batch *batch, uint32_t first)
{
    const struct rv_event *events = batch->events;
    uint32_t *specials = batch->specials, n_specials = batch->n_specials;
    const uint32_t n = batch->n;
    for (uint32_t begin = first, end; begin < n; begin = end) {
        uint64_t any = 0;
        end = n - begin < GROUP_EVENTS ? n : begin + GROUP_EVENTS;
        for (uint32_t i = begin; i < end; i++)
            any |= events[i].when;
        for (uint32_t i = begin; i < end && any >> (RV_EVENT_KIND_SHIFT + 1); i++) {
            specials[n_specials] = i;
            n_specials += rv_event_kind(&events[i]) > RV_EVENT_RETURN;
        }
    }
    batch->n_specials = n_specials;
    pad(batch);
}
