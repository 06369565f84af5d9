#include "source/overwritten_words.h"

#include "base/err.h"
#include "ring/ownership.h"

/* Warn once. A truncated file reads as zeroes: that has its own warning. */
static bool is_news(const struct rv_map *map, bool *is_said)
{
    const bool is_first = !*is_said && rv_map_is_whole(map);
    *is_said = true;
    return is_first;
}

void rv_overwritten_words_warn(struct rv_live_ring *slot)
{
    if (!is_news(slot->map, &slot->is_damage_said))
        return;
    char name[64];
    rv_ownership_thread_name(slot->map, slot->idx, name);
    rv_warn("ring %u (%s) was overwritten by a traced program: its events may be wrong", slot->idx, name);
}

/* A ring with an open stream is LIVE or EXITED. A ring without one is empty until it has a new owner. */
static bool has_wrong_state(const struct rv_live_ring *slot)
{
    bool has_events = rv_ring_n_waiting(&slot->ring) > 0; /* read first: a claim is visible before its events */
    uint32_t state = __atomic_load_n(&slot->ring.control->state, __ATOMIC_ACQUIRE); /* D2 <- D1 */
    bool is_claimed = state == RV_RING_LIVE || state == RV_RING_EXITED;
    if (slot->stream)
        return !is_claimed;
    return has_events && !(is_claimed && slot->generation != slot->ring.control->generation);
}

void rv_overwritten_words_repair_ring(struct rv_live_ring *slot)
{
    if (!has_wrong_state(slot))
        return;
    struct rv_wire_control *control = slot->ring.control;
    uint32_t generation = slot->stream ? slot->generation : control->generation + 1;
    if (!rv_ownership_revive(slot->map, slot->idx, generation))
        return;
    if (!slot->stream)
        control->claim_head = slot->ring.tail; /* earlier events are already counted */
    rv_overwritten_words_warn(slot);
}

/* Only a full ring under `fill` ends tracing, and stores its index. In any other invalid state producers are silent. */
void rv_overwritten_words_repair_file(const struct rv_map *map, bool *is_said)
{
    struct rv_wire_header *header = map->header;
    uint32_t state = __atomic_load_n(&header->state, __ATOMIC_ACQUIRE); /* S2 <- S1 */
    bool is_filled = map->geometry.policy == RV_POLICY_FILL && state == RV_FILE_STOPPED &&
                     __atomic_load_n(&header->stop_reason, __ATOMIC_RELAXED);
    if (state == RV_FILE_READY || is_filled)
        return;
    __atomic_store_n(&header->state, RV_FILE_READY, __ATOMIC_RELEASE); /* M1 -> M2 */
    if (is_news(map, is_said))
        rv_warn("the trace file was overwritten by a traced program: events until now may be missing");
}
