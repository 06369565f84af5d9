/*
 * Names: an append-only, lock-free table shared by all processes of a trace file.
 *
 * intern: look the key up in the hash index; else allocate bytes in the heap and an id by fetch-add, fill the record,
 * publish name_ids[id], then record.id, then the index slot, in that order, so that a kill at any instruction leaves
 * either a complete name or an unused id. Ids start at 1. A full heap or table yields id 0 and is counted.
 *
 * Orderings, each with its partner:
 *   N1 -> N2  the record before name_ids[id]; readers by id
 *   N3 -> N4  name_ids[id] before record.id; readers that come through the index
 *   N5 -> N6  record.id before the index slot
 *   N7 -> N8  the pages of heap and ids before name_heap_ready and name_ids_ready
 *   N9 -> N10 the pages of a part of the index before its bit
 */
#ifndef RV_RING_NAMES_H
#define RV_RING_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"

struct rv_name { /* strings borrowed from the mapping (producer) or the caller's buffer (reader) */
    enum rv_name_kind kind;
    const char *package, *name, *file; /* "" where unknown */
    uint32_t line_form;
};

/* Returns the id, 0 when full. Any thread of any process; async-signal-safe; lengths are cut at 4095. */
uint32_t rv_names_intern(struct rv_map *map, const struct rv_name *name);

/* Ids published so far, exclusive upper bound. */
uint32_t rv_names_count(const struct rv_map *map);

/*
 * Read a name as untrusted input: bounds checked, UTF-8 validated, control characters escaped as \xNN.
 *   buffer   room for the three strings, at least 3 bytes; *name points into it. What does not fit is cut between
 *            characters.
 *   returns  0, -ENOENT (id never published), -EBADMSG
 */
int rv_names_read(const struct rv_map *map, uint32_t id, struct rv_name *name, char *buffer, size_t buffer_bytes);

/*
 * The name string of a RV_NAME_TEXT, unescaped (paths must stay openable), NUL-terminated.
 *   returns  0, -ENOENT, -EBADMSG; -ENAMETOOLONG when out is too small
 */
int rv_names_read_text(const struct rv_map *map, uint32_t id, char *out, size_t out_bytes);

#endif
