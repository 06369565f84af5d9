#include "source/module_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mappings.h"
#include "base/vec.h"
#include "ring/modules.h"
#include "ring/process_liveness.h"

enum {
    PATH_BYTES = 4096 * 4,
    SWEEP_FROM = 64, /* with fewer pending records, liveness is not checked */
};

/* 0: never. */
static uint64_t to_ns(const struct rv_module_watch *watch, uint64_t ticks)
{
    return ticks ? rv_clock_to_ns(&watch->map->clock, ticks) : 0;
}

/* Is what lies there younger than the process, or gone? */
static bool is_newer(const char *path, const struct rv_wire_process *process)
{
    struct stat status;
    struct timespec real, boot;
    if (stat(path, &status) != 0 || clock_gettime(CLOCK_REALTIME, &real) != 0 ||
        clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
        return true;
    const uint64_t start_ns = process->start * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK));
    return rv_clock_time_ns(status.st_ctim) + rv_clock_time_ns(boot) >= rv_clock_time_ns(real) + start_ns;
}

/* The program has identified a file that is not where its path says any more by what lies there now. */
static bool find_deleted(const struct rv_wire_process *process, struct rv_module *module,
                         char link[RV_MAPPINGS_LINK_BYTES])
{
    struct stat status;
    if (!is_newer(module->path, process) || !rv_process_liveness_is_running(process->pid, process->start) ||
        !rv_mappings_link_deleted((pid_t)process->pid, module->start, link))
        return false;
    const bool is_there = stat(link, &status) == 0;
    module->device = is_there ? status.st_dev : UINT64_MAX;
    module->inode = is_there ? status.st_ino : UINT64_MAX;
    return is_there;
}

/* Read the record into the symbolizer. False when it may still change. */
static bool put(const struct rv_module_watch *watch, struct rv_module_pending *pending)
{
    char path[PATH_BYTES], link[RV_MAPPINGS_LINK_BYTES];
    struct rv_module module;
    int error = rv_modules_read(watch->map, pending->module_idx, &module, path, sizeof path);
    if (error)
        return error == -EBADMSG;
    const bool is_deleted =
        !pending->is_put && find_deleted(rv_map_process(watch->map, module.process_idx), &module, link);
    path[rv_mapping_path_bytes(path)] = '\0';
    rv_symbolizer_put_module(watch->symbolizer, &(struct rv_symbolizer_module){
                                                    .process = module.process_idx,
                                                    .start = module.start,
                                                    .end = module.end,
                                                    .bias = module.bias,
                                                    .loaded_ns = to_ns(watch, module.loaded_ticks),
                                                    .unloaded_ns = to_ns(watch, module.unloaded_ticks),
                                                    .device = module.device,
                                                    .inode = module.inode,
                                                    .path = module.path,
                                                    .link = is_deleted ? link : NULL,
                                                    .build_id = module.build_id,
                                                    .build_id_bytes = module.build_id_bytes,
                                                });
    pending->is_put = true;
    pending->process_idx = module.process_idx;
    return module.unloaded_ticks != 0;
}

static bool has_settled(const struct rv_module_watch *watch, struct rv_module_pending *pending)
{
    if (pending->is_put && !rv_modules_unloaded_ticks(watch->map, pending->module_idx))
        return false;
    return put(watch, pending);
}

static bool is_process_gone(const struct rv_map *map, uint32_t process_idx)
{
    const struct rv_wire_process *process = rv_map_process(map, process_idx);
    return __atomic_load_n(&process->state, __ATOMIC_ACQUIRE) == RV_PROCESS_ENDED || /* D2 <- D1 */
           !rv_process_liveness_is_running(process->pid, process->start);
}

/* When the pending records have doubled: read those of dead processes a last time. */
static void sweep(struct rv_module_watch *watch)
{
    if (watch->n_pending < SWEEP_FROM || watch->n_pending / 2 < watch->n_after_sweep)
        return;
    size_t n_left = 0;
    uint32_t last_process = UINT32_MAX;
    bool is_gone = false;
    for (size_t i = 0; i < watch->n_pending; i++) {
        struct rv_module_pending *pending = &watch->pending[i];
        if (pending->is_put && pending->process_idx != last_process) {
            last_process = pending->process_idx;
            is_gone = is_process_gone(watch->map, last_process);
        }
        if (!has_settled(watch, pending) && !(pending->is_put && is_gone))
            watch->pending[n_left++] = *pending;
    }
    watch->n_pending = watch->n_after_sweep = n_left;
}

void rv_module_watch_refresh(struct rv_module_watch *watch)
{
    uint32_t generation = rv_modules_generation(watch->map);
    if (generation == watch->generation)
        return;
    watch->generation = generation;
    size_t n_left = 0;
    for (size_t i = 0; i < watch->n_pending; i++)
        if (!has_settled(watch, &watch->pending[i]))
            watch->pending[n_left++] = watch->pending[i];
    watch->n_pending = n_left;
    for (uint32_t n = rv_modules_count(watch->map); watch->n_seen < n; watch->n_seen++) {
        struct rv_module_pending pending = {.module_idx = watch->n_seen};
        if (put(watch, &pending))
            continue;
        watch->pending = rv_vec_reserve(watch->pending, &watch->capacity, watch->n_pending + 1, sizeof *watch->pending);
        watch->pending[watch->n_pending++] = pending;
    }
    sweep(watch);
}

void rv_module_watch_fini(struct rv_module_watch *watch)
{
    free(watch->pending);
    watch->pending = NULL;
    watch->n_pending = watch->capacity = 0;
}
