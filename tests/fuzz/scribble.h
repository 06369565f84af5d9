/* Shared by the targets that write arbitrary bytes into a trace file. */
#ifndef RV_FUZZ_SCRIBBLE_H
#define RV_FUZZ_SCRIBBLE_H

#include "ring/map.h"

/* Of a small file: tables that are full soon, texts that are longer than their room. */
extern const struct rv_map_params scribble_params;

/*
 * The input is a list of {section, offset, length, bytes}, lengths and offsets in two bytes each: write them.
 *   base      of the mapping
 *   sections  where the input may write; none is empty
 */
void scribble(uint8_t *base, const struct rv_wire_area *sections, size_t n_sections, const uint8_t *data, size_t size);

#endif
