#include "ring/left_out.h"

#include <errno.h>

static struct rv_wire_left_out *record_at(const struct rv_map *map, uint32_t idx)
{
    return (struct rv_wire_left_out *)(void *)(map->base + map->geometry.left_out.offset) + idx;
}

int rv_left_out_add(struct rv_map *map, const struct rv_wire_left_out *record)
{
    uint32_t n = __atomic_load_n(&map->header->n_left_out_used, __ATOMIC_RELAXED);
    uint64_t offset = map->geometry.left_out.offset + (uint64_t)n * sizeof *record;
    if (n >= map->geometry.n_left_out || rv_map_allocate(map, offset, sizeof *record))
        return -ENOSPC;
    *record_at(map, n) = *record;
    __atomic_store_n(&map->header->n_left_out_used, n + 1, __ATOMIC_RELEASE); /* X1 -> X2 */
    return 0;
}

uint32_t rv_left_out_count(const struct rv_map *map)
{
    uint32_t n = __atomic_load_n(&map->header->n_left_out_used, __ATOMIC_ACQUIRE); /* X2 <- X1 */
    return n < map->geometry.n_left_out ? n : map->geometry.n_left_out;
}

struct rv_wire_left_out rv_left_out_read(const struct rv_map *map, uint32_t idx)
{
    return *record_at(map, idx);
}
