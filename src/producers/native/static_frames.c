/*
 * An entry's begin is 4 bytes, relative to the index, and trampolines may be further away than that; but its range may
 * have 8. So the last entry then begins behind the program and ends with the trampolines. What else lies there has no other
 * entry that could be found.
 */
#include "producers/native/static_frames.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "producers/native/near_pages.h"
#include "producers/native/patched_calls.h"
#include "producers/native/replaced_returns.h"

#if defined(__x86_64__) && defined(__LP64__)

#define PAGE 4096u
#define ABSOLUTE 0x00u
#define COUNTED 0x03u /* 4 bytes */
#define INDEXED 0x3bu /* relative to the index, signed, 4 bytes: what all linkers write */

struct entry {
    int32_t begin, record;
};

struct index {
    uint8_t version, of_records, of_count, of_entries;
    uint8_t records[8];
    uint32_t n;
    struct entry entries[];
};
_Static_assert(sizeof(struct index) == 16, "");

struct own {
    uint64_t at; /* 0: the program has no index */
    const struct entry *entries;
    size_t n;
    uint64_t begin, end; /* of the program */
};

/* As all linkers write it: 4 bytes for the address of the records, too. */
static void read_index(struct own *own, uint64_t at, uint64_t n_bytes)
{
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)at;
    uint32_t n;
    if (n_bytes < 12 || bytes[0] != 1 || bytes[2] != COUNTED || bytes[3] != INDEXED || (bytes[1] & 0x0f) != 0x0b)
        return;
    memcpy(&n, bytes + 8, sizeof n);
    if (n > (n_bytes - 12) / sizeof(struct entry))
        return;
    own->at = at;
    own->n = n;
    own->entries = (const struct entry *)(const void *)(bytes + 12);
}

static struct own read_own(const ElfW(Phdr) * headers, size_t n, uint64_t bias)
{
    struct own own = {.begin = UINT64_MAX};
    for (size_t i = 0; i < n; i++) {
        const uint64_t begin = bias + headers[i].p_vaddr, end = begin + headers[i].p_memsz;
        if (headers[i].p_type == PT_GNU_EH_FRAME)
            read_index(&own, begin, headers[i].p_memsz);
        if (headers[i].p_type == PT_LOAD && begin < own.begin)
            own.begin = begin;
        if (headers[i].p_type == PT_LOAD && end > own.end)
            own.end = end;
    }
    return own;
}

/* Where their entry begins; 0: nowhere. */
static uint64_t begin_of(const struct own *own, uint64_t index)
{
    const uint64_t begin = (uint64_t)(uintptr_t)rv_returns_trampolines;
    const int64_t distance = (int64_t)(begin - index);
    if (distance == (int32_t)distance)
        return begin;
    return begin > own->end ? own->end : 0;
}

static void write_record(uint8_t *to, uint64_t begin)
{
    const uint64_t range = (uint64_t)(uintptr_t)rv_returns_trampolines + sizeof rv_returns_trampolines - begin;
    memcpy(to, rv_returns_frame, RV_RETURNS_FRAME_BYTES);
    memcpy(to + RV_RETURNS_FRAME_BEGIN, &begin, sizeof begin);
    memcpy(to + RV_RETURNS_FRAME_BEGIN + sizeof begin, &range, sizeof range);
}

/* The program's own, relative to another place, with one more in front or behind. */
static void write_entries(struct index *index, const struct own *own, struct entry trampolines)
{
    const int64_t distance = (int64_t)(own->at - (uint64_t)(uintptr_t)index);
    const size_t n_before = trampolines.begin < (int64_t)(own->begin - (uint64_t)(uintptr_t)index);
    index->entries[n_before ? 0 : own->n] = trampolines;
    for (size_t i = 0; i < own->n; i++)
        index->entries[n_before + i] =
            (struct entry){(int32_t)(own->entries[i].begin + distance), (int32_t)(own->entries[i].record + distance)};
}

uint64_t rv_static_frames_make(const ElfW(Phdr) * headers, size_t n_headers, uint64_t bias, size_t *n_bytes)
{
    const struct own own = read_own(headers, n_headers, bias);
    const size_t n_index = sizeof(struct index) + (own.n + 1) * sizeof(struct entry);
    struct index *index = rv_near_pages_map(own.begin, own.end, n_index + RV_RETURNS_FRAME_BYTES);
    const uint64_t at = (uint64_t)(uintptr_t)index, begin = index ? begin_of(&own, at) : 0;
    if (!begin)
        return 0;
    *index = (struct index){1, ABSOLUTE, COUNTED, INDEXED, {0}, (uint32_t)(own.n + 1)};
    const struct entry trampolines = {(int32_t)(int64_t)(begin - at), (int32_t)(n_index + RV_RETURNS_FRAME_RECORD)};
    write_entries(index, &own, trampolines);
    write_record((uint8_t *)index + n_index, begin);
    *n_bytes = n_index + RV_RETURNS_FRAME_BYTES;
    return mprotect(index, *n_bytes, PROT_READ) == 0 ? at : 0;
}

#endif
