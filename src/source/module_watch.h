/*
 * Follows the module table of a trace file: adds new modules and unloads to the symbolizer. Modules of a dead process
 * are not read again.
 */
#ifndef RV_SOURCE_MODULE_WATCH_H
#define RV_SOURCE_MODULE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"
#include "symbols/symbolizer.h"

struct rv_module_pending { /* a record that may still change */
    uint32_t module_idx, process_idx;
    bool is_put; /* published and in the symbolizer: only its unload can follow */
};

struct rv_module_watch {
    const struct rv_map *map;
    struct rv_symbolizer *symbolizer;
    uint32_t n_seen, generation;
    struct rv_module_pending *pending;
    size_t n_pending, capacity;
    size_t n_after_sweep; /* number pending after the last removal of dead processes' */
};

/* Bring the symbolizer up to date. One load when nothing has changed. Drain thread. */
void rv_module_watch_refresh(struct rv_module_watch *watch);
void rv_module_watch_fini(struct rv_module_watch *watch);

#endif
