#include "ring/verdict_section.h"

#include <errno.h>

static struct rv_wire_verdict *record_at(const struct rv_map *map, uint32_t idx)
{
    return (struct rv_wire_verdict *)(void *)(map->base + map->geometry.verdicts.offset) + idx;
}

static void count_of_process(struct rv_map *map, uint32_t process_idx)
{
    const uint32_t n = __atomic_load_n(&map->header->n_processes_used, __ATOMIC_RELAXED);
    if (process_idx < n && n <= map->geometry.n_processes)
        __atomic_fetch_add(&rv_map_process(map, process_idx)->n_verdicts, 1, __ATOMIC_RELEASE); /* X3 -> X4 */
}

int rv_verdicts_add(struct rv_map *map, const struct rv_wire_verdict *record)
{
    uint32_t n = __atomic_load_n(&map->header->n_verdicts_used, __ATOMIC_RELAXED);
    uint64_t offset = map->geometry.verdicts.offset + (uint64_t)n * sizeof *record;
    if (n >= map->geometry.n_verdicts || rv_map_allocate(map, offset, sizeof *record))
        return -ENOSPC;
    *record_at(map, n) = *record;
    __atomic_store_n(&map->header->n_verdicts_used, n + 1, __ATOMIC_RELEASE); /* X1 -> X2 */
    count_of_process(map, record->process);
    return (int)n;
}

void rv_verdicts_change(struct rv_map *map, uint32_t idx, uint32_t process_idx, bool is_kept)
{
    __atomic_store_n(&record_at(map, idx)->is_kept, is_kept, __ATOMIC_RELAXED);
    __atomic_fetch_add(&map->header->n_verdict_changes, 1, __ATOMIC_RELEASE); /* X3 -> X4 */
    count_of_process(map, process_idx);
}

uint32_t rv_verdicts_changes(const struct rv_map *map)
{
    return __atomic_load_n(&map->header->n_verdict_changes, __ATOMIC_ACQUIRE); /* X4 <- X3 */
}

uint32_t rv_verdicts_of_process(const struct rv_map *map, uint32_t process_idx)
{
    return __atomic_load_n(&rv_map_process(map, process_idx)->n_verdicts, __ATOMIC_ACQUIRE); /* X4 <- X3 */
}

uint32_t rv_verdicts_count(const struct rv_map *map)
{
    uint32_t n = __atomic_load_n(&map->header->n_verdicts_used, __ATOMIC_ACQUIRE); /* X2 <- X1 */
    return n < map->geometry.n_verdicts ? n : map->geometry.n_verdicts;
}

struct rv_wire_verdict rv_verdicts_read(const struct rv_map *map, uint32_t idx)
{
    const struct rv_wire_verdict *record = record_at(map, idx);
    return (struct rv_wire_verdict){.address = record->address,
                                    .ticks = record->ticks,
                                    .process = record->process,
                                    .is_kept = __atomic_load_n(&record->is_kept, __ATOMIC_RELAXED)};
}
