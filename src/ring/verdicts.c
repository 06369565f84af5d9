#include "ring/verdicts.h"

#include <errno.h>

static struct rv_wire_verdict *record_at(const struct rv_map *map, uint32_t idx)
{
    return (struct rv_wire_verdict *)(void *)(map->base + map->geometry.verdicts.offset) + idx;
}

int rv_verdicts_add(struct rv_map *map, const struct rv_wire_verdict *record)
{
    uint32_t n = __atomic_load_n(&map->header->n_verdicts_used, __ATOMIC_RELAXED);
    uint64_t offset = map->geometry.verdicts.offset + (uint64_t)n * sizeof *record;
    if (n >= map->geometry.n_verdicts || rv_map_allocate(map, offset, sizeof *record))
        return -ENOSPC;
    *record_at(map, n) = *record;
    __atomic_store_n(&map->header->n_verdicts_used, n + 1, __ATOMIC_RELEASE); /* X1 -> X2 */
    return 0;
}

uint32_t rv_verdicts_count(const struct rv_map *map)
{
    uint32_t n = __atomic_load_n(&map->header->n_verdicts_used, __ATOMIC_ACQUIRE); /* X2 <- X1 */
    return n < map->geometry.n_verdicts ? n : map->geometry.n_verdicts;
}

struct rv_wire_verdict rv_verdicts_read(const struct rv_map *map, uint32_t idx)
{
    return *record_at(map, idx);
}
