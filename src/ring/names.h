/*
 * Names: an append-only, lock-free table shared by all processes of a trace file.
 *
 * intern: look in the hash index; else allocate bytes in the heap and an id by fetch-add, fill the record, publish
 * name_ids[id], then record.id, then the index slot, in that order, so that a kill at any instruction leaves either a
 * whole name or an unused id. Ids start at 1. A full heap or table yields id 0 and is counted.
 */
#ifndef RV_RING_NAMES_H
#define RV_RING_NAMES_H

#include <stdint.h>

#include "ring/map.h"

struct rv_name { /* borrowed from the mapping (producer) or from the caller's buffer (reader) */
    enum rv_name_kind kind;
    const char *package, *name, *file; /* "" where unknown */
    uint32_t line;
};

/* Returns the id, 0 when full. Any thread of any process; async-signal-safe; lengths are cut at 4095. */
uint32_t rv_names_intern(struct rv_map *map, const struct rv_name *name);

/* Ids published so far, exclusive upper bound. */
uint32_t rv_names_count(const struct rv_map *map);

/*
 * Read a name as untrusted input: bounds checked, UTF-8 validated, control characters escaped as \xNN.
 *   buffer   room for the three strings; *name points into it
 *   returns  0, -ENOENT (id never published), -EBADMSG
 */
int rv_names_read(const struct rv_map *map, uint32_t id, struct rv_name *name, char *buffer, size_t buffer_bytes);

#endif
