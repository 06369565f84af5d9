#include "import/ringbuffer_file.h"

#include <string.h>

enum { RING_HEADER_BYTES = 3176, TAIL_BYTES = 1024, MOST_BYTES = 1 << 28, MOST_RINGS = 1 << 16 };
/* Sizes of the C structs that belong to no ring, on the two kinds of machine. */
enum { FIXED_64 = 3256, FIXED_32 = 3240 };

static int32_t int_at(const unsigned char *bytes, size_t offset)
{
    int32_t value;
    memcpy(&value, bytes + offset, sizeof value);
    return value;
}

static bool fits(struct rv_ringbuffer_layout *layout, uint64_t global_bytes, uint64_t message_bytes, bool is_64_bit,
                 uint64_t file_bytes)
{
    layout->time_offset = is_64_bit ? 8 : 4;
    layout->name_offset = layout->time_offset + sizeof(double);
    layout->slot_stride = layout->slot_bytes + layout->name_offset;
    layout->ring_bytes = RING_HEADER_BYTES + (size_t)message_bytes + layout->n_slots * layout->slot_stride;
    if (layout->ring_bytes > file_bytes)
        return false; /* else the sum below might wrap to the size of the file */
    layout->free_map = RV_RINGBUFFER_HEADER_BYTES + (size_t)global_bytes;
    layout->first_ring = layout->free_map + layout->n_rings;
    return file_bytes == (is_64_bit ? FIXED_64 : FIXED_32) + global_bytes + layout->n_rings +
                             (uint64_t)layout->n_rings * layout->ring_bytes + TAIL_BYTES;
}

bool rv_ringbuffer_layout(const unsigned char header[RV_RINGBUFFER_HEADER_BYTES], uint64_t file_bytes,
                          struct rv_ringbuffer_layout *layout)
{
    int32_t message = int_at(header, 4), n_rings = int_at(header, 8), n_slots = int_at(header, 12),
            slot = int_at(header, 16), global = int_at(header, 28);
    if (n_rings < 1 || n_rings > MOST_RINGS || n_slots < 1 || slot < 4 || message < 0 || global < 0 ||
        file_bytes > MOST_BYTES || (uint64_t)n_slots > file_bytes || (uint64_t)slot > file_bytes ||
        (uint64_t)message > file_bytes || (uint64_t)global > file_bytes || (slot | message | global) & 3)
        return false;
    layout->n_rings = (uint32_t)n_rings;
    layout->n_slots = (uint32_t)n_slots;
    layout->slot_bytes = (uint32_t)slot;
    return fits(layout, (uint64_t)global, (uint64_t)message, true, file_bytes) ||
           fits(layout, (uint64_t)global, (uint64_t)message, false, file_bytes);
}

struct rv_ringbuffer_ring rv_ringbuffer_ring(const unsigned char *ring)
{
    return (struct rv_ringbuffer_ring){int_at(ring, 0), int_at(ring, 4), int_at(ring, 8), int_at(ring, 12)};
}

struct rv_ringbuffer_slot rv_ringbuffer_slot(const struct rv_ringbuffer_layout *layout, const unsigned char *ring,
                                             uint32_t slot)
{
    const unsigned char *slots = ring + layout->ring_bytes - layout->n_slots * layout->slot_stride;
    const unsigned char *at = slots + slot * layout->slot_stride;
    struct rv_ringbuffer_slot read = {.line = int_at(at, 0), .name = (const char *)at + layout->name_offset};
    memcpy(&read.time, at + layout->time_offset, sizeof read.time);
    read.n_name = strnlen(read.name, layout->slot_bytes);
    return read;
}
