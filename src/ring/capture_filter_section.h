/* The patterns of the capture filter in the trace file: producers leave functions alone that those reject by name. */
#ifndef RV_RING_CAPTURE_FILTER_SECTION_H
#define RV_RING_CAPTURE_FILTER_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"

struct rv_capture_filter_section {
    const char *include, *exclude; /* NULL: none */
};

/* Bytes of a section for what the parameters have. */
uint64_t rv_capture_filter_section_bytes(const struct rv_map_params *params);

/* Write such a section. The creator. */
void rv_capture_filter_section_write(void *section, const struct rv_map_params *params);

/* Find the patterns in the n_bytes of a section, as long as that stays. Those that are damaged are none. Pure. */
struct rv_capture_filter_section rv_capture_filter_section_find(const void *section, size_t n_bytes);

#endif
