#include "ring/file_pages.h"

#include <errno.h>

static void touch_pages(uint8_t *first, uint8_t *end)
{
    for (uint8_t *page = first; page < end; page += RV_WIRE_PAGE)
        __atomic_fetch_or(page, 0, __ATOMIC_RELAXED);
}

/* One system call where the kernel allocates and maps at once; it needs no descriptor. */
static int give(struct rv_map *map, void *data, size_t n_bytes)
{
    const uint64_t offset = rv_map_offset(map, data);
    int error = rv_map_populate(map, offset, n_bytes);
    if (error != -ENOSYS)
        return error;
    error = rv_map_allocate(map, offset, n_bytes);
    if (!error)
        touch_pages(map->base + (offset & ~(uint64_t)(RV_WIRE_PAGE - 1)), (uint8_t *)data + n_bytes);
    return error;
}

int rv_file_pages_give_state(struct rv_map *map, uint32_t ring_idx)
{
    if (ring_idx < __atomic_load_n(&map->header->n_rings_used, __ATOMIC_RELAXED) ||
        ring_idx < __atomic_load_n(&map->header->n_rings_ready, __ATOMIC_RELAXED))
        return 0;
    return give(map, rv_map_control(map, ring_idx), sizeof(struct rv_wire_control));
}

int rv_file_pages_give_rest(struct rv_map *map, uint32_t ring_idx)
{
    struct rv_wire_control *control = rv_map_control(map, ring_idx);
    if (__atomic_load_n(&control->rest_has_pages, __ATOMIC_RELAXED))
        return 0;
    int error = give(map, control + 1, map->geometry.control_bytes - sizeof *control);
    if (!error)
        __atomic_store_n(&control->rest_has_pages, 1, __ATOMIC_RELAXED);
    return error;
}

/* Slots from first to end; where those before it have pages, the ring remembers these, too. */
static int give_slots(struct rv_map *map, uint32_t ring_idx, uint64_t first, uint64_t end)
{
    uint32_t *n_backed = &rv_map_control(map, ring_idx)->n_backed;
    const uint64_t n = __atomic_load_n(n_backed, __ATOMIC_RELAXED);
    if (end <= n)
        return 0;
    const int error = give(map, rv_map_events(map, ring_idx) + first, (end - first) * sizeof(struct rv_event));
    if (!error && first <= n)
        __atomic_store_n(n_backed, (uint32_t)end, __ATOMIC_RELAXED);
    return error;
}

int rv_file_pages_give_events(struct rv_map *map, uint32_t ring_idx, uint64_t head, uint64_t n)
{
    const uint64_t n_events = map->geometry.ring_events, first = head & (n_events - 1);
    n = n < n_events ? n : n_events;
    const uint64_t n_here = n < n_events - first ? n : n_events - first;
    const int error = give_slots(map, ring_idx, first, first + n_here);
    return error || n == n_here ? error : give_slots(map, ring_idx, 0, n - n_here);
}

/* The events' page is not mapped: the consumer reads the first events from the file. */
int rv_file_pages_prepare(struct rv_map *map, uint32_t ring_idx)
{
    const uint32_t n_events = map->geometry.ring_events;
    const uint32_t n = n_events < RV_BACKING_FIRST_EVENTS ? n_events : RV_BACKING_FIRST_EVENTS;
    int error = rv_file_pages_give_state(map, ring_idx);
    if (!error)
        error = rv_map_allocate(map, rv_map_offset(map, rv_map_events(map, ring_idx)), n * sizeof(struct rv_event));
    if (error)
        return error;
    __atomic_store_n(&rv_map_control(map, ring_idx)->n_backed, n, __ATOMIC_RELAXED);
    __atomic_store_n(&map->header->n_rings_ready, ring_idx + 1, __ATOMIC_RELAXED);
    return 0;
}
