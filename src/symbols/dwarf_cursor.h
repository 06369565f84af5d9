/*
 * Reads untrusted bytes. A cursor never leaves its range: a read beyond it returns 0, moves the cursor to the end and
 * sets is_broken.
 */
#ifndef RV_SYMBOLS_DWARF_CURSOR_H
#define RV_SYMBOLS_DWARF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/leb128.h"
#include "symbols/elf_file.h"

struct rv_dwarf_cursor {
    const uint8_t *at, *end;
    bool is_broken; /* a read was out of range */
};

/* Bytes not read yet. */
static inline size_t rv_dwarf_left(const struct rv_dwarf_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

/* The bytes are malformed: all further reads give 0. */
static inline void rv_dwarf_break(struct rv_dwarf_cursor *cursor)
{
    cursor->at = cursor->end;
    cursor->is_broken = true;
}

/* A cursor at an offset of a section; broken if beyond it. */
static inline struct rv_dwarf_cursor rv_dwarf_cursor(struct rv_elf_bytes bytes, uint64_t offset)
{
    if (offset >= bytes.n)
        return (struct rv_dwarf_cursor){.is_broken = true};
    return (struct rv_dwarf_cursor){.at = bytes.at + offset, .end = bytes.at + bytes.n};
}

/* Pass n bytes. */
static inline void rv_dwarf_skip(struct rv_dwarf_cursor *cursor, uint64_t n)
{
    if (n > rv_dwarf_left(cursor))
        rv_dwarf_break(cursor);
    else
        cursor->at += n;
}

/* A little-endian integer of 1 to 8 bytes. */
static inline uint64_t rv_dwarf_take(struct rv_dwarf_cursor *cursor, unsigned n_bytes)
{
    uint64_t value = 0;
    if (n_bytes > sizeof value || n_bytes > rv_dwarf_left(cursor)) {
        rv_dwarf_break(cursor);
        return 0;
    }
    for (unsigned i = 0; i < n_bytes; i++)
        value |= (uint64_t)cursor->at[i] << 8 * i;
    cursor->at += n_bytes;
    return value;
}

/* LEB128; bits beyond 64 are lost. */
static inline uint64_t rv_dwarf_take_unsigned(struct rv_dwarf_cursor *cursor)
{
    uint64_t value;
    if (rv_leb128_take(&cursor->at, cursor->end, &value))
        return value;
    rv_dwarf_break(cursor);
    return 0;
}

/* SLEB128. */
static inline int64_t rv_dwarf_take_signed(struct rv_dwarf_cursor *cursor)
{
    int64_t value;
    if (rv_leb128_take_signed(&cursor->at, cursor->end, &value))
        return value;
    rv_dwarf_break(cursor);
    return 0;
}

/* A string terminated before the cursor's end, or NULL. */
static inline const char *rv_dwarf_take_string(struct rv_dwarf_cursor *cursor)
{
    const uint8_t *from = cursor->at, *zero = rv_dwarf_left(cursor) ? memchr(from, 0, rv_dwarf_left(cursor)) : NULL;
    if (!zero) {
        rv_dwarf_break(cursor);
        return NULL;
    }
    cursor->at = zero + 1;
    return (const char *)from;
}

#endif
