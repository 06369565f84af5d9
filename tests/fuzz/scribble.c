#include "scribble.h"

#include <string.h>

enum { HEADER_BYTES = 5 };

const struct rv_map_params scribble_params = {.n_rings = 2,
                                              .ring_events = 256,
                                              .n_slots = 3,
                                              .slot_bytes = 16,
                                              .message_bytes = 16,
                                              .global_bytes = 64,
                                              .n_processes = 4,
                                              .n_modules = 4,
                                              .n_names = 16,
                                              .name_heap_bytes = 4096};

void scribble(uint8_t *base, const struct rv_wire_area *sections, size_t n_sections, const uint8_t *data, size_t size)
{
    while (size > HEADER_BYTES) {
        const struct rv_wire_area *section = &sections[data[0] % n_sections];
        size_t offset = ((size_t)data[1] | (size_t)data[2] << 8) % section->n_bytes;
        size_t n_bytes = (size_t)data[3] | (size_t)data[4] << 8;
        data += HEADER_BYTES;
        size -= HEADER_BYTES;
        n_bytes = n_bytes < size ? n_bytes : size;
        size_t fits = n_bytes < section->n_bytes - offset ? n_bytes : (size_t)section->n_bytes - offset;
        memcpy(base + section->offset + offset, data, fits);
        data += n_bytes;
        size -= n_bytes;
    }
}
