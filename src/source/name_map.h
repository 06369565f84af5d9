/*
 * Name ids of a trace file to symbolizer ids: a growing table, so that the drain's loop is one load. Ids are input:
 * unpublished or broken ones become 0.
 */
#ifndef RV_SOURCE_NAME_MAP_H
#define RV_SOURCE_NAME_MAP_H

#include <stdint.h>

#include "ring/names.h"
#include "symbols/symbolizer.h"

struct rv_name_map {
    const struct rv_map *map;
    struct rv_symbolizer *symbolizer;
    uint32_t *ids; /* by name id; 0 = not looked up yet */
    size_t n;
};

void rv_name_map_fini(struct rv_name_map *names);

/* The symbolizer id of a name id, 0 for none. Drain thread. */
uint32_t rv_name_map_lookup(struct rv_name_map *names, uint32_t name_id);

#endif
