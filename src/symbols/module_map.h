/*
 * The modules of one process by address and time.
 *
 * Modules keep their numbers for ever, so that caches may store them. Modules that overlap in space do not overlap in
 * time: when the producer missed an unload, the later module ends the earlier. Some numbers mean "no known module":
 * they cover nothing, and end when the next module is added.
 */
#ifndef RV_SYMBOLS_MODULE_MAP_H
#define RV_SYMBOLS_MODULE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_MODULE_MAPPED UINT64_MAX /* unloaded_ns while mapped */
#define RV_MODULE_NO_FILE UINT32_MAX

struct rv_mapped_module {
    uint64_t start, end, bias;
    uint64_t loaded_ns, unloaded_ns; /* valid in [loaded, unloaded) */
    uint32_t file;                   /* the caller's number, or RV_MODULE_NO_FILE */
    bool is_timed;                   /* its addresses belonged to other modules at other times: compare times */
};

struct rv_module_map { /* zero = empty */
    struct rv_mapped_module *modules;
    size_t n, capacity;
    uint32_t unknown; /* 1 + number of the current "no known module", or 0 */
};

/*
 * Add a module.
 *   on_timed  called with the number of each module that becomes timed by this one
 *   returns   its number
 */
uint32_t rv_module_map_add(struct rv_module_map *map, const struct rv_mapped_module *module,
                           void (*on_timed)(void *context, uint32_t number), void *context);

/* Set the time of the unload. */
void rv_module_map_unload(struct rv_module_map *map, uint32_t number, uint64_t at_ns);

/*
 * The module that covered the address at that time, else the one that covered it nearest in time: constructors run
 * before a producer knows of their module, destructors after it has reported the unload.
 *   returns  its number, or RV_MODULE_NO_FILE
 */
uint32_t rv_module_map_find(const struct rv_module_map *map, uint64_t address, uint64_t at_ns);

/* The number for "no known module", valid until the next add. */
uint32_t rv_module_map_unknown(struct rv_module_map *map);

void rv_module_map_fini(struct rv_module_map *map);

#endif
