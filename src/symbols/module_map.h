/*
 * Which module of one process covered an address at a time.
 *
 * Modules keep their place for ever, so that a cache may hold their numbers. Two that overlap in space do not overlap
 * in time: where the producer missed an unload, the later one ends the earlier. Some numbers stand for "no module
 * known": they cover nothing, and end when the next module comes.
 */
#ifndef RV_SYMBOLS_MODULE_MAP_H
#define RV_SYMBOLS_MODULE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_MODULE_MAPPED UINT64_MAX /* unloaded_ns of what is still there */
#define RV_MODULE_NO_FILE UINT32_MAX

struct rv_mapped_module {
    uint64_t start, end, bias;
    uint64_t loaded_ns, unloaded_ns; /* valid in [loaded, unloaded) */
    uint32_t file;                   /* the caller's number, or RV_MODULE_NO_FILE */
    bool is_timed;                   /* its addresses have meant something else at another time: look at the time */
};

struct rv_module_map { /* zero = empty */
    struct rv_mapped_module *modules;
    size_t n, capacity;
    uint32_t unknown; /* 1 + number of the current "no module known", or 0 */
};

/*
 * Add.
 *   on_timed  called with the number of each module that has just become timed by this one
 *   returns   its number
 */
uint32_t rv_module_map_add(struct rv_module_map *map, const struct rv_mapped_module *module,
                           void (*on_timed)(void *context, uint32_t number), void *context);

/* Set when it was unloaded. */
void rv_module_map_unload(struct rv_module_map *map, uint32_t number, uint64_t at_ns);

/*
 * The module that covered the address at that time; failing that, the one that covered it nearest in time: constructors
 * run before a producer can know of their module, destructors after it may have said it is gone. returns  its number,
 * or RV_MODULE_NO_FILE
 */
uint32_t rv_module_map_find(const struct rv_module_map *map, uint64_t address, uint64_t at_ns);

/* The number for "no module known", valid until the next add. */
uint32_t rv_module_map_unknown(struct rv_module_map *map);

void rv_module_map_fini(struct rv_module_map *map);

#endif
