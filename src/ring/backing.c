#include "ring/backing.h"

#include <errno.h>

static void touch_pages(uint8_t *first, uint8_t *end)
{
    for (uint8_t *page = first; page < end; page += RV_WIRE_PAGE)
        __atomic_fetch_or(page, 0, __ATOMIC_RELAXED);
}

/* One system call where the kernel allocates and maps at once; it needs no descriptor. */
static int give(struct rv_map *map, void *data, size_t n_bytes)
{
    uint64_t offset = (uint64_t)((uint8_t *)data - map->base);
    int error = rv_map_populate(map, offset, n_bytes);
    if (error != -ENOSYS)
        return error;
    error = rv_map_allocate(map, offset, n_bytes);
    if (!error)
        touch_pages(map->base + (offset & ~(uint64_t)(RV_WIRE_PAGE - 1)), (uint8_t *)data + n_bytes);
    return error;
}

int rv_backing_give_state(struct rv_map *map, uint32_t ring_idx)
{
    if (ring_idx < __atomic_load_n(&map->header->n_rings_used, __ATOMIC_RELAXED))
        return 0;
    return give(map, rv_map_control(map, ring_idx), sizeof(struct rv_wire_control));
}

int rv_backing_give_rest(struct rv_map *map, uint32_t ring_idx)
{
    struct rv_wire_control *control = rv_map_control(map, ring_idx);
    if (__atomic_load_n(&control->rest_has_pages, __ATOMIC_RELAXED))
        return 0;
    int error = give(map, control + 1, map->geometry.control_bytes - sizeof *control);
    if (!error)
        __atomic_store_n(&control->rest_has_pages, 1, __ATOMIC_RELAXED);
    return error;
}

int rv_backing_give_events(struct rv_map *map, uint32_t ring_idx, uint64_t head, uint64_t n)
{
    struct rv_event *events = rv_map_events(map, ring_idx);
    uint64_t n_events = map->geometry.ring_events, first = head & (n_events - 1);
    n = n < n_events ? n : n_events;
    uint64_t n_here = n < n_events - first ? n : n_events - first;
    int error = give(map, events + first, n_here * sizeof *events);
    if (!error && n > n_here)
        error = give(map, events, (n - n_here) * sizeof *events);
    return error;
}
