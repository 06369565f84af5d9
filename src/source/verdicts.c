#include "source/verdicts.h"

#include <stdlib.h>

#include "base/vec.h"
#include "ring/verdicts.h"

#define N_SLOTS (4u * RV_VERDICTS_MAX) /* a power of two */

struct rv_verdict_publisher {
    struct rv_map *map;
    uint32_t n;
    struct slot {
        uint64_t address; /* 0: none */
        uint32_t process;
    } slots[N_SLOTS];
};

struct rv_verdict_publisher *rv_verdict_publisher_create(struct rv_map *map)
{
    struct rv_verdict_publisher *publisher = rv_alloc(1, sizeof *publisher);
    publisher->map = map;
    return publisher;
}

void rv_verdict_publisher_destroy(struct rv_verdict_publisher *publisher)
{
    free(publisher);
}

static struct slot *find(struct rv_verdict_publisher *publisher, uint64_t address, uint32_t process)
{
    uint64_t hash = (address ^ (uint64_t)process << 32) * 0x9e3779b97f4a7c15ull;
    for (uint64_t i = hash >> 40;; i++) {
        struct slot *slot = &publisher->slots[i % N_SLOTS];
        if (slot->address == 0 || (slot->address == address && slot->process == process))
            return slot;
    }
}

void rv_verdict_publish(struct rv_verdict_publisher *publisher, uint32_t process_idx, const struct rv_event *popped,
                        bool is_kept)
{
    uint64_t address = rv_event_address(popped);
    if (rv_event_kind(popped) != RV_EVENT_CALL_AT || address == 0 || (is_kept && !publisher->map->geometry.max_depth))
        return;
    struct slot *slot = find(publisher, address, process_idx);
    if (slot->address || publisher->n >= RV_VERDICTS_MAX)
        return;
    *slot = (struct slot){address, process_idx};
    publisher->n++;
    (void)rv_verdicts_add(publisher->map, &(struct rv_wire_verdict){.address = address,
                                                                    .ticks = rv_event_ticks(popped),
                                                                    .process = process_idx,
                                                                    .is_kept = is_kept});
}
