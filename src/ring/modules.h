/*
 * The module table of a trace file: which file was mapped where and when, written by producers, read by the drain.
 *
 * Orderings, each with its partner:
 *   U1 -> U2  a record is complete before is_published
 *   U3 -> U4  a change of the table before its new generation
 */
#ifndef RV_RING_MODULES_H
#define RV_RING_MODULES_H

#include <stdint.h>

#include "ring/map.h"

struct rv_module {
    uint32_t process_idx;
    uint64_t start, end, bias;
    uint64_t loaded_ticks, unloaded_ticks; /* 0 = still mapped */
    uint64_t device, inode;
    const char *path; /* absolute path of the file */
    uint8_t build_id[20];
    uint32_t build_id_bytes;
};

/* Append. Returns the record's index or -ENOSPC. Any thread; bumps module_generation. */
int rv_modules_add(struct rv_map *map, const struct rv_module *module);

/* Stamp the unload. */
void rv_modules_unload(struct rv_map *map, uint32_t module_idx, uint64_t ticks);

/* A number that changes with the table, and the number of its modules. */
uint32_t rv_modules_generation(const struct rv_map *map);
uint32_t rv_modules_count(const struct rv_map *map);

/* Read record module_idx as untrusted input; path goes into path_buffer. 0, -ENOENT (not published), -EBADMSG. */
int rv_modules_read(const struct rv_map *map, uint32_t module_idx, struct rv_module *module, char *path_buffer,
                    size_t path_bytes);

/* Time of the unload in ticks, 0 while mapped; a single load. */
uint64_t rv_modules_unloaded_ticks(const struct rv_map *map, uint32_t module_idx);

#endif
