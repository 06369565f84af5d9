/* Numbers in as few bytes as they need, 7 bits in each, the lowest first: as Protocol Buffers have them. */
#ifndef RV_EXPORT_VARINT_H
#define RV_EXPORT_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_VARINT_MOST_BYTES 10u

/* Write a number to room for RV_VARINT_MOST_BYTES. Returns the number of bytes written. */
static inline size_t rv_varint_put(void *room, uint64_t value)
{
    uint8_t *at = room;
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        at[n++] = (uint8_t)(value | 0x80);
    at[n++] = (uint8_t)value;
    return n;
}

/* Read one that rv_varint_put() wrote: there is no other end. Moves *at behind it. */
static inline uint64_t rv_varint_get(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* The same of bytes that may be anything. False: no number ends before `end`, or it has more than 64 bits. */
static inline bool rv_varint_take(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        const uint8_t byte = *(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return shift < 63 || byte <= 1;
    }
    return false;
}

#endif
