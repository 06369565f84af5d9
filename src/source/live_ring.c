#include "source/live_ring.h"

#include <string.h>

#include "ring/process_liveness.h"

uint64_t rv_live_ring_ticks_at_end(const struct rv_live_ring *slot)
{
    uint64_t stopped = __atomic_load_n(&slot->ring.control->closing_ticks, __ATOMIC_RELAXED);
    return stopped ? stopped : __atomic_load_n(&slot->ring.control->exited_ticks, __ATOMIC_RELAXED);
}

struct rv_batch *rv_live_ring_wait_for_batch(const struct rv_live_ring *slot, const struct rv_intake *intake)
{
    struct rv_batch *batch;
    while (!(batch = intake->acquire_batch(intake->context)))
        rv_ring_turn_done(slot->map->header);
    return batch;
}

void rv_live_ring_submit(const struct rv_live_ring *slot, struct rv_batch *batch, const struct rv_intake *intake)
{
    batch->stream = slot->stream;
    intake->submit_batch(intake->context, batch);
    if (__atomic_load_n(&slot->ring.control->is_waiting, __ATOMIC_RELAXED))
        rv_ring_turn_done(slot->map->header);
}

struct rv_batch *rv_live_ring_append_loss(struct rv_live_ring *slot, struct rv_batch *batch,
                                          const struct rv_intake *intake)
{
    uint32_t n = slot->n_lost_ahead > UINT32_MAX ? UINT32_MAX : (uint32_t)slot->n_lost_ahead;
    if (batch->n > 0) {
        rv_live_ring_submit(slot, batch, intake);
        batch = rv_live_ring_wait_for_batch(slot, intake);
    }
    slot->n_lost_ahead -= n;
    rv_normalize_loss(&slot->normalizer, batch, n);
    return batch;
}

struct rv_batch *rv_live_ring_append(struct rv_live_ring *slot, struct rv_batch *batch, const struct rv_event *events,
                                     size_t n, const struct rv_intake *intake)
{
    while (n > 0) {
        const uint32_t room = RV_BATCH_EVENTS - batch->n;
        const uint32_t n_done = rv_normalize(&slot->normalizer, batch, events, n < room ? (uint32_t)n : room);
        events += n_done;
        n -= n_done;
        if (n == 0)
            break;
        rv_live_ring_submit(slot, batch, intake);
        batch = rv_live_ring_wait_for_batch(slot, intake);
    }
    return batch;
}

void rv_live_ring_hand_over(struct rv_live_ring *slot, const struct rv_event *events, size_t n,
                            const struct rv_intake *intake)
{
    struct rv_batch *batch = rv_live_ring_wait_for_batch(slot, intake);
    rv_live_ring_submit(slot, rv_live_ring_append(slot, batch, events, n, intake), intake);
}

/* What the thread has called since it blocked, it called in a signal handler, or it has left the call by a jump. */
bool rv_live_ring_send_open_wait(struct rv_live_ring *slot, uint64_t now, const struct rv_intake *intake)
{
    const uint64_t word = __atomic_load_n(&slot->ring.control->blocking, __ATOMIC_RELAXED);
    const uint64_t began = word >> RV_BLOCKING_KIND_BITS, kind = word & RV_WAIT_KIND_MASK;
    if (!word || rv_live_ring_ticks_at_end(slot) || began > now || kind < RV_WAIT_SLEEP || kind >= RV_WAIT_KIND_COUNT ||
        rv_normalize_time(&slot->map->clock, began) < slot->normalizer.last_call_ns)
        return false;
    const uint64_t words[][2] = {
        {(uint64_t)RV_EVENT_WAIT << RV_EVENT_KIND_SHIFT | now, rv_event_word(0, (uint16_t)(kind | RV_WAIT_PAST), 0)},
        {(uint64_t)RV_EVENT_WOKEN << RV_EVENT_KIND_SHIFT | now, rv_event_word_since_begin(now - began)}};
    struct rv_event events[sizeof words / sizeof *words];
    memcpy(events, words, sizeof words);
    slot->n_added += sizeof words / sizeof *words;
    rv_live_ring_hand_over(slot, events, sizeof words / sizeof *words, intake);
    return true;
}

void rv_live_rings_use_capture(const struct rv_live_rings *rings, const struct rv_capture_control *capture)
{
    for (uint32_t i = 0; i < rings->n; i++) {
        rings->all[i].normalizer.filter = capture->filter;
        rings->all[i].normalizer.publisher = capture->publisher;
    }
}
