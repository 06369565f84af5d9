/*
 * The file of Perl's Devel::RingBuffer 0.3x: native C structs without padding between them, no magic, no version. It is
 * recognized by its exact size computed from the header, which also shows the kind of machine that wrote it.
 */
#ifndef RV_IMPORT_RINGBUFFER_FILE_H
#define RV_IMPORT_RINGBUFFER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RV_RINGBUFFER_HEADER_BYTES = 40 };

struct rv_ringbuffer_layout {
    uint32_t n_rings, n_slots, slot_bytes; /* slot_bytes: of a name */
    size_t slot_stride, time_offset, name_offset;
    size_t free_map, first_ring, ring_bytes; /* offsets in the file, and a ring's size */
};

/* Does a file of this size with this header have the layout? */
bool rv_ringbuffer_layout(const unsigned char header[RV_RINGBUFFER_HEADER_BYTES], uint64_t file_bytes,
                          struct rv_ringbuffer_layout *layout);

struct rv_ringbuffer_ring {
    int32_t pid, tid, current_slot, depth;
};
/* Read the header of a ring, and a slot of its stack. The bytes are input: nothing is validated yet. */
struct rv_ringbuffer_ring rv_ringbuffer_ring(const unsigned char *ring);

struct rv_ringbuffer_slot {
    int32_t line;
    double time; /* seconds since 1970, of the call */
    const char *name;
    size_t n_name;
};
/* A slot of a ring. ring: its bytes, layout->ring_bytes; slot < layout->n_slots; the name points into them. */
struct rv_ringbuffer_slot rv_ringbuffer_slot(const struct rv_ringbuffer_layout *layout, const unsigned char *ring,
                                             uint32_t slot);

#endif
