/*
 * LEB128: numbers in as few bytes as they need, 7 bits in each, the lowest first; all but the last have bit 7. So are
 * the numbers of DWARF and of unwind tables, and the varints of Protocol Buffers.
 */
#ifndef RV_BASE_LEB128_H
#define RV_BASE_LEB128_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_LEB128_MOST_BYTES 10u

/* Write a number to room for RV_LEB128_MOST_BYTES. Returns the number of bytes written. */
static inline size_t rv_leb128_put(void *room, uint64_t value)
{
    uint8_t *at = room;
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        at[n++] = (uint8_t)(value | 0x80);
    at[n++] = (uint8_t)value;
    return n;
}

/* Read one that rv_leb128_put() wrote: there is no other end. Moves *at behind it. */
static inline uint64_t rv_leb128_get(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

/*
 * The same of bytes that may be anything. Bits beyond 64 are lost.
 *   n_bits   set to how many the number has there, lost ones too
 *   returns  false: no number ends before `end`, which *at then is
 */
static inline bool rv_leb128_take_bits(const uint8_t **at, const uint8_t *end, uint64_t *value, unsigned *n_bits)
{
    *value = 0;
    for (unsigned shift = 0; *at < end; shift += 7) {
        const uint8_t byte = *(*at)++;
        if (shift < 64)
            *value |= (uint64_t)(byte & 0x7f) << shift;
        *n_bits = shift + 7;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static inline bool rv_leb128_take(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    unsigned n_bits;
    return rv_leb128_take_bits(at, end, value, &n_bits);
}

/* False where it has more than 64 bits, too. */
static inline bool rv_leb128_take_whole(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    unsigned n_bits;
    return rv_leb128_take_bits(at, end, value, &n_bits) && (n_bits <= 63 || (n_bits <= 70 && (*at)[-1] <= 1));
}

/* SLEB128: the highest bit is the sign. */
static inline bool rv_leb128_take_signed(const uint8_t **at, const uint8_t *end, int64_t *value)
{
    uint64_t bits;
    unsigned n_bits;
    if (!rv_leb128_take_bits(at, end, &bits, &n_bits))
        return false;
    if (n_bits < 64 && (*at)[-1] & 0x40)
        bits |= UINT64_MAX << n_bits;
    *value = (int64_t)bits;
    return true;
}

#endif
