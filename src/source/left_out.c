#include "source/left_out.h"

#include <stdlib.h>

#include "base/vec.h"
#include "ring/left_out.h"

#define N_SLOTS (4u * RV_LEFT_OUT_MAX) /* a power of two */

struct rv_left_out_publisher {
    struct rv_map *map;
    uint32_t n;
    struct slot {
        uint64_t address; /* 0: none */
        uint32_t process;
    } slots[N_SLOTS];
};

struct rv_left_out_publisher *rv_left_out_publisher_create(struct rv_map *map)
{
    struct rv_left_out_publisher *publisher = rv_alloc(1, sizeof *publisher);
    publisher->map = map;
    return publisher;
}

void rv_left_out_publisher_destroy(struct rv_left_out_publisher *publisher)
{
    free(publisher);
}

static struct slot *find(struct rv_left_out_publisher *publisher, uint64_t address, uint32_t process)
{
    uint64_t hash = (address ^ (uint64_t)process << 32) * 0x9e3779b97f4a7c15ull;
    for (uint64_t i = hash >> 40;; i++) {
        struct slot *slot = &publisher->slots[i % N_SLOTS];
        if (slot->address == 0 || (slot->address == address && slot->process == process))
            return slot;
    }
}

void rv_left_out_publish(struct rv_left_out_publisher *publisher, uint32_t process_idx, const struct rv_event *popped)
{
    uint64_t address = rv_event_address(popped);
    if (rv_event_kind(popped) != RV_EVENT_CALL_AT || address == 0)
        return;
    struct slot *slot = find(publisher, address, process_idx);
    if (slot->address || publisher->n >= RV_LEFT_OUT_MAX)
        return;
    *slot = (struct slot){address, process_idx};
    publisher->n++;
    (void)rv_left_out_add(
        publisher->map,
        &(struct rv_wire_left_out){.address = address, .ticks = rv_event_ticks(popped), .process = process_idx});
}
