#include "symbols/module_map.h"

#include <stdlib.h>

#include "base/vec.h"

static uint32_t append(struct rv_module_map *map, const struct rv_mapped_module *module)
{
    map->modules = rv_vec_reserve(map->modules, &map->capacity, map->n + 1, sizeof *map->modules);
    map->modules[map->n] = *module;
    return (uint32_t)map->n++;
}

static void end_unknown(struct rv_module_map *map)
{
    if (!map->unknown)
        return;
    map->modules[map->unknown - 1].unloaded_ns = 0;
    map->unknown = 0;
}

/* End one where the other begins. */
static void part(struct rv_mapped_module *left, struct rv_mapped_module *right)
{
    struct rv_mapped_module *earlier = left->loaded_ns <= right->loaded_ns ? left : right;
    struct rv_mapped_module *later = earlier == left ? right : left;
    if (earlier->unloaded_ns > later->loaded_ns)
        earlier->unloaded_ns = later->loaded_ns;
}

uint32_t rv_module_map_add(struct rv_module_map *map, const struct rv_mapped_module *module,
                           void (*on_timed)(void *context, uint32_t number), void *context)
{
    struct rv_mapped_module added = *module;
    end_unknown(map);
    for (size_t i = 0; i < map->n; i++) {
        struct rv_mapped_module *other = &map->modules[i];
        if (other->start >= added.end || added.start >= other->end)
            continue;
        part(other, &added);
        added.is_timed = true;
        if (!other->is_timed) {
            other->is_timed = true;
            on_timed(context, (uint32_t)i);
        }
    }
    return append(map, &added);
}

void rv_module_map_unload(struct rv_module_map *map, uint32_t number, uint64_t at_ns)
{
    struct rv_mapped_module *module = &map->modules[number];
    if (at_ns < module->unloaded_ns)
        module->unloaded_ns = at_ns;
}

/* Distance in time; 0 inside [loaded, unloaded). */
static uint64_t distance_in_time(const struct rv_mapped_module *module, uint64_t at_ns)
{
    if (at_ns < module->loaded_ns)
        return module->loaded_ns - at_ns;
    return at_ns < module->unloaded_ns ? 0 : at_ns - module->unloaded_ns + 1;
}

uint32_t rv_module_map_find(const struct rv_module_map *map, uint64_t address, uint64_t at_ns)
{
    uint32_t best = RV_MODULE_NO_FILE;
    uint64_t best_distance = UINT64_MAX;
    for (size_t i = map->n; i-- > 0;) {
        const struct rv_mapped_module *module = &map->modules[i];
        if (address < module->start || address >= module->end)
            continue;
        uint64_t distance = distance_in_time(module, at_ns);
        if (distance == 0)
            return (uint32_t)i;
        if (distance < best_distance) {
            best = (uint32_t)i;
            best_distance = distance;
        }
    }
    return best;
}

uint32_t rv_module_map_unknown(struct rv_module_map *map)
{
    if (!map->unknown)
        map->unknown =
            1 + append(map, &(struct rv_mapped_module){.unloaded_ns = RV_MODULE_MAPPED, .file = RV_MODULE_NO_FILE});
    return map->unknown - 1;
}

void rv_module_map_fini(struct rv_module_map *map)
{
    free(map->modules);
    *map = (struct rv_module_map){0};
}
