#include "ring/modules.h"

#include <errno.h>
#include <string.h>

#include "ring/names.h"

static struct rv_wire_module *record_at(const struct rv_map *map, uint32_t module_idx)
{
    return (struct rv_wire_module *)(map->base + map->geometry.modules.offset) + module_idx;
}

static int append(struct rv_map *map)
{
    uint32_t *used = &map->header->n_modules_used;
    uint32_t idx = __atomic_load_n(used, __ATOMIC_RELAXED);
    do {
        uint64_t offset = map->geometry.modules.offset + (uint64_t)idx * sizeof(struct rv_wire_module);
        if (idx >= map->geometry.n_modules || rv_map_allocate(map, offset, sizeof(struct rv_wire_module)))
            return -ENOSPC;
    } while (!__atomic_compare_exchange_n(used, &idx, idx + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return (int)idx;
}

static void announce_change(struct rv_map *map)
{
    __atomic_fetch_add(&map->header->module_generation, 1, __ATOMIC_RELEASE); /* U3 -> U4 */
}

int rv_modules_add(struct rv_map *map, const struct rv_module *module)
{
    int idx = append(map);
    if (idx < 0)
        return idx;
    struct rv_wire_module *record = record_at(map, (uint32_t)idx);
    record->process = module->process_idx;
    record->start = module->start;
    record->end = module->end;
    record->bias = module->bias;
    record->loaded_ticks = module->loaded_ticks;
    record->unloaded_ticks = module->unloaded_ticks;
    record->path_name = rv_names_intern(map, &(struct rv_name){.kind = RV_NAME_TEXT, .name = module->path});
    record->device = module->device;
    record->inode = module->inode;
    record->build_id_bytes =
        module->build_id_bytes < sizeof record->build_id ? module->build_id_bytes : (uint32_t)sizeof record->build_id;
    memcpy(record->build_id, module->build_id, record->build_id_bytes);
    __atomic_store_n(&record->is_published, 1, __ATOMIC_RELEASE); /* U1 -> U2 */
    announce_change(map);
    return idx;
}

void rv_modules_unload(struct rv_map *map, uint32_t module_idx, uint64_t ticks)
{
    if (module_idx >= map->geometry.n_modules)
        return;
    __atomic_store_n(&record_at(map, module_idx)->unloaded_ticks, ticks, __ATOMIC_RELAXED);
    announce_change(map);
}

uint32_t rv_modules_generation(const struct rv_map *map)
{
    return __atomic_load_n(&map->header->module_generation, __ATOMIC_ACQUIRE); /* U4 <- U3 */
}

uint32_t rv_modules_count(const struct rv_map *map)
{
    uint32_t n = __atomic_load_n(&map->header->n_modules_used, __ATOMIC_RELAXED);
    return n < map->geometry.n_modules ? n : map->geometry.n_modules;
}

int rv_modules_read(const struct rv_map *map, uint32_t module_idx, struct rv_module *module, char *path_buffer,
                    size_t path_bytes)
{
    if (module_idx >= rv_modules_count(map))
        return -ENOENT;
    const struct rv_wire_module *record = record_at(map, module_idx);
    if (__atomic_load_n(&record->is_published, __ATOMIC_ACQUIRE) != 1) /* U2 <- U1 */
        return -ENOENT;
    struct rv_module copy = {
        .process_idx = record->process,
        .start = record->start,
        .end = record->end,
        .bias = record->bias,
        .loaded_ticks = record->loaded_ticks,
        .unloaded_ticks = __atomic_load_n(&record->unloaded_ticks, __ATOMIC_RELAXED),
        .device = record->device,
        .inode = record->inode,
        .path = path_buffer,
        .build_id_bytes = record->build_id_bytes,
    };
    uint32_t path_name = record->path_name;
    if (copy.start >= copy.end || copy.process_idx >= map->geometry.n_processes ||
        copy.build_id_bytes > sizeof copy.build_id)
        return -EBADMSG;
    if (path_bytes == 0)
        return -EINVAL;
    path_buffer[0] = '\0';
    if (path_name && rv_names_read_text(map, path_name, path_buffer, path_bytes))
        return -EBADMSG;
    memcpy(copy.build_id, record->build_id, copy.build_id_bytes);
    *module = copy;
    return 0;
}

uint64_t rv_modules_unloaded_ticks(const struct rv_map *map, uint32_t module_idx)
{
    if (module_idx >= map->geometry.n_modules)
        return 0;
    return __atomic_load_n(&record_at(map, module_idx)->unloaded_ticks, __ATOMIC_RELAXED);
}
