#include "source/filter_told.h"

#include <stdlib.h>

#include "base/vec.h"
#include "ring/left_out.h"

#define N_SLOTS (4u * RV_LEFT_OUT_MAX) /* a power of two */

struct rv_filter_told {
    struct rv_map *map;
    uint32_t n;
    struct slot {
        uint64_t address; /* 0: none */
        uint32_t process;
    } slots[N_SLOTS];
};

struct rv_filter_told *rv_filter_told_create(struct rv_map *map)
{
    struct rv_filter_told *told = rv_alloc(1, sizeof *told);
    told->map = map;
    return told;
}

void rv_filter_told_destroy(struct rv_filter_told *told)
{
    free(told);
}

static struct slot *find(struct rv_filter_told *told, uint64_t address, uint32_t process)
{
    uint64_t hash = (address ^ (uint64_t)process << 32) * 0x9e3779b97f4a7c15ull;
    for (uint64_t i = hash >> 40;; i++) {
        struct slot *slot = &told->slots[i % N_SLOTS];
        if (slot->address == 0 || (slot->address == address && slot->process == process))
            return slot;
    }
}

void rv_filter_tell(struct rv_filter_told *told, uint32_t process_idx, const struct rv_event *popped)
{
    uint64_t address = rv_event_address(popped);
    if (rv_event_kind(popped) != RV_EVENT_CALL_AT || address == 0)
        return;
    struct slot *slot = find(told, address, process_idx);
    if (slot->address || told->n >= RV_LEFT_OUT_MAX)
        return;
    *slot = (struct slot){address, process_idx};
    told->n++;
    (void)rv_left_out_add(told->map, &(struct rv_wire_left_out){
                                         .address = address, .ticks = rv_event_ticks(popped), .process = process_idx});
}
