/*
 * A reference is an offset into the heap in units of 8 bytes; 0 is none. Every reference is checked against the heap's
 * bounds before use, in producers that probe the index too: another process may have written it.
 */
#include "ring/names.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"

enum { MAX_STRING_BYTES = 4095, REFERENCE_UNIT = 8 };

/* Pages of heap and ids are allocated this many bytes ahead of their use. */
static const uint64_t READY_STEP = 64 << 10;

struct key {
    uint32_t hash, line_form;
    uint16_t kind;
    uint16_t n_bytes[3];
    const char *strings[3]; /* package, name, file */
};

/* ---- access ---- */

static uint32_t *index_slots(const struct rv_map *map)
{
    return (uint32_t *)(map->base + map->geometry.name_index.offset);
}

static uint32_t *id_slots(const struct rv_map *map)
{
    return (uint32_t *)(map->base + map->geometry.name_ids.offset);
}

/* The record at a reference, checked to lie within the heap; NULL when it does not. */
static struct rv_wire_name *record_at(const struct rv_map *map, uint32_t reference, uint16_t n_bytes[3])
{
    uint64_t offset = (uint64_t)reference * REFERENCE_UNIT, heap_bytes = map->geometry.name_heap.n_bytes;
    if (reference == 0 || offset > heap_bytes || heap_bytes - offset < sizeof(struct rv_wire_name))
        return NULL;
    struct rv_wire_name *record = (struct rv_wire_name *)(map->base + map->geometry.name_heap.offset + offset);
    n_bytes[0] = __atomic_load_n(&record->package_bytes, __ATOMIC_RELAXED);
    n_bytes[1] = __atomic_load_n(&record->name_bytes, __ATOMIC_RELAXED);
    n_bytes[2] = __atomic_load_n(&record->file_bytes, __ATOMIC_RELAXED);
    uint64_t text_bytes = (uint64_t)n_bytes[0] + n_bytes[1] + n_bytes[2] + 3;
    return text_bytes <= heap_bytes - offset - sizeof *record ? record : NULL;
}

static const char *text_of(const struct rv_wire_name *record)
{
    return (const char *)(record + 1);
}

/* ---- intern ---- */

static uint16_t cut(const char *string)
{
    size_t n = strnlen(string, MAX_STRING_BYTES + 1);
    if (n <= MAX_STRING_BYTES)
        return (uint16_t)n;
    n = MAX_STRING_BYTES;
    while (n && ((unsigned char)string[n] & 0xc0) == 0x80)
        n--; /* do not cut inside a character */
    return (uint16_t)n;
}

static struct key make_key(const struct rv_name *name)
{
    struct key key = {
        .line_form = name->line_form, .kind = (uint16_t)name->kind, .strings = {name->package, name->name, name->file}};
    uint64_t hash = rv_hash_u64((uint64_t)key.kind << 32 | key.line_form);
    for (unsigned i = 0; i < 3; i++) {
        if (!key.strings[i])
            key.strings[i] = "";
        key.n_bytes[i] = cut(key.strings[i]);
        hash = rv_hash_combine(hash, rv_hash_bytes(key.strings[i], key.n_bytes[i]));
    }
    key.hash = (uint32_t)(hash ^ hash >> 32);
    return key;
}

/* The id of the record when it matches the key, else 0. */
static uint32_t match(const struct rv_map *map, uint32_t reference, const struct key *key)
{
    uint16_t n_bytes[3];
    const struct rv_wire_name *record = record_at(map, reference, n_bytes);
    if (!record || record->hash != key->hash || record->line_form != key->line_form || record->kind != key->kind)
        return 0;
    const char *text = text_of(record);
    for (unsigned i = 0; i < 3; i++) {
        if (n_bytes[i] != key->n_bytes[i] || memcmp(text, key->strings[i], n_bytes[i]) != 0)
            return 0;
        text += n_bytes[i] + 1;
    }
    uint32_t id = __atomic_load_n(&record->id, __ATOMIC_ACQUIRE); /* N4 <- N3 */
    return id < map->geometry.n_name_ids ? id : 0;
}

/* Allocate the pages of an area that fills from its start, up to `end`; *ready_word is how far they are. */
static int ready_area(struct rv_map *map, const struct rv_wire_area *area, uint64_t *ready_word, uint64_t end)
{
    uint64_t ready = __atomic_load_n(ready_word, __ATOMIC_ACQUIRE); /* N8 <- N7 */
    if (end <= ready)
        return 0;
    uint64_t wanted = end + READY_STEP < area->n_bytes ? end + READY_STEP : area->n_bytes;
    int error = rv_map_allocate(map, area->offset + ready, wanted - ready);
    while (!error && ready < wanted &&
           !__atomic_compare_exchange_n(ready_word, &ready, wanted, false, __ATOMIC_RELEASE, /* N7 -> N8 */
                                        __ATOMIC_RELAXED))
        continue;
    return error;
}

/* Allocate n_bytes in the heap. Returns their offset, 0 when full. */
static uint64_t allocate_heap(struct rv_map *map, uint64_t n_bytes)
{
    uint64_t *used_word = &map->header->name_heap_used;
    uint64_t used = __atomic_load_n(used_word, __ATOMIC_RELAXED);
    do {
        uint64_t heap_bytes = map->geometry.name_heap.n_bytes;
        if (used == 0 || used % REFERENCE_UNIT || used > heap_bytes || heap_bytes - used < n_bytes)
            return 0;
        if (ready_area(map, &map->geometry.name_heap, &map->header->name_heap_ready, used + n_bytes))
            return 0;
    } while (!__atomic_compare_exchange_n(used_word, &used, used + n_bytes, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return used;
}

static uint32_t allocate_id(struct rv_map *map)
{
    uint32_t *next = &map->header->next_name_id;
    uint32_t id = __atomic_load_n(next, __ATOMIC_RELAXED);
    do {
        uint64_t end = (id + UINT64_C(1)) * sizeof(uint32_t);
        if (id == 0 || id >= map->geometry.n_name_ids ||
            ready_area(map, &map->geometry.name_ids, &map->header->name_ids_ready, end))
            return 0;
    } while (!__atomic_compare_exchange_n(next, &id, id + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return id;
}

/* Write and publish a record. Returns its reference, 0 when heap or ids are full. */
static uint32_t add(struct rv_map *map, const struct key *key, uint32_t *id)
{
    uint64_t text_bytes = (uint64_t)key->n_bytes[0] + key->n_bytes[1] + key->n_bytes[2] + 3;
    uint64_t record_bytes =
        (sizeof(struct rv_wire_name) + text_bytes + REFERENCE_UNIT - 1) & ~(uint64_t)(REFERENCE_UNIT - 1);
    uint64_t offset = allocate_heap(map, record_bytes);
    *id = offset ? allocate_id(map) : 0;
    if (*id == 0)
        return 0;
    struct rv_wire_name *record = (struct rv_wire_name *)(map->base + map->geometry.name_heap.offset + offset);
    record->hash = key->hash;
    record->line_form = key->line_form;
    record->kind = key->kind;
    record->package_bytes = key->n_bytes[0];
    record->name_bytes = key->n_bytes[1];
    record->file_bytes = key->n_bytes[2];
    record->record_bytes = (uint32_t)record_bytes;
    char *text = (char *)(record + 1);
    for (unsigned i = 0; i < 3; i++) {
        memcpy(text, key->strings[i], key->n_bytes[i]);
        text += key->n_bytes[i] + 1;
    }
    uint32_t reference = (uint32_t)(offset / REFERENCE_UNIT);
    __atomic_store_n(id_slots(map) + *id, reference, __ATOMIC_RELEASE); /* N1 -> N2 */
    __atomic_store_n(&record->id, *id, __ATOMIC_RELEASE);               /* N3 -> N4 */
    return reference;
}

/* The index is hashed: its pages are allocated part by part, each at its first probe. NULL when that fails. */
static uint32_t *ready_slot(struct rv_map *map, uint32_t slot_idx)
{
    const struct rv_wire_area *area = &map->geometry.name_index;
    uint64_t least_bytes = (area->n_bytes + RV_WIRE_INDEX_PARTS - 1) / RV_WIRE_INDEX_PARTS;
    uint64_t part_bytes = (least_bytes + RV_WIRE_PAGE - 1) & ~(uint64_t)(RV_WIRE_PAGE - 1);
    uint64_t part = slot_idx * sizeof(uint32_t) / part_bytes, bit = 1ull << part % 64;
    uint64_t *word = &map->header->name_index_ready[part / 64];
    if (!(__atomic_load_n(word, __ATOMIC_ACQUIRE) & bit)) { /* N10 <- N9 */
        uint64_t begin = part * part_bytes, rest = area->n_bytes - begin;
        if (rv_map_allocate(map, area->offset + begin, rest < part_bytes ? rest : part_bytes))
            return NULL;
        __atomic_fetch_or(word, bit, __ATOMIC_RELEASE); /* N9 -> N10 */
    }
    return index_slots(map) + slot_idx;
}

/* Find the key's slot. Returns its id, or 0 with *slot the empty slot to use, NULL when there is none. */
static uint32_t probe(struct rv_map *map, const struct key *key, uint32_t *from, uint32_t **slot)
{
    uint32_t mask = map->geometry.n_index_slots - 1;
    for (uint32_t n = 0; n <= mask; n++, (*from)++) {
        *slot = ready_slot(map, *from & mask);
        if (!*slot)
            return 0;
        uint32_t reference = __atomic_load_n(*slot, __ATOMIC_ACQUIRE); /* N6 <- N5 */
        if (reference == 0)
            return 0;
        uint32_t id = match(map, reference, key);
        if (id)
            return id;
    }
    *slot = NULL;
    return 0;
}

static uint32_t intern(struct rv_map *map, const struct key *key)
{
    uint32_t from = key->hash, own_id = 0, reference = 0;
    for (;;) {
        uint32_t *slot;
        uint32_t id = probe(map, key, &from, &slot);
        if (id)
            return id;
        if (!slot)
            return own_id;
        if (!reference && !(reference = add(map, key, &own_id)))
            return 0;
        uint32_t empty = 0;
        if (__atomic_compare_exchange_n(slot, &empty, reference, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) /* N5 -> N6 */
            return own_id;
    }
}

uint32_t rv_names_intern(struct rv_map *map, const struct rv_name *name)
{
    struct key key = make_key(name);
    uint32_t id = intern(map, &key);
    if (id == 0)
        __atomic_fetch_add(&map->header->n_names_lost, 1, __ATOMIC_RELAXED);
    return id;
}

/* ---- read ---- */

uint32_t rv_names_count(const struct rv_map *map)
{
    uint32_t n = __atomic_load_n(&map->header->next_name_id, __ATOMIC_RELAXED);
    return n < map->geometry.n_name_ids ? n : map->geometry.n_name_ids;
}

static int find_record(const struct rv_map *map, uint32_t id, const struct rv_wire_name **record, uint16_t n_bytes[3])
{
    uint64_t ready = __atomic_load_n(&map->header->name_ids_ready, __ATOMIC_ACQUIRE); /* N8 <- N7 */
    if (id == 0 || id >= map->geometry.n_name_ids || (id + UINT64_C(1)) * sizeof(uint32_t) > ready)
        return -ENOENT;
    uint32_t reference = __atomic_load_n(id_slots(map) + id, __ATOMIC_ACQUIRE); /* N2 <- N1 */
    if (reference == 0)
        return -ENOENT;
    *record = record_at(map, reference, n_bytes);
    if (!*record)
        return -EBADMSG;
    uint32_t published = __atomic_load_n(&(*record)->id, __ATOMIC_ACQUIRE); /* N4 <- N3 */
    if (published != id)
        return published == 0 ? -ENOENT : -EBADMSG;
    return 0;
}

int rv_names_read(const struct rv_map *map, uint32_t id, struct rv_name *name, char *buffer, size_t buffer_bytes)
{
    const struct rv_wire_name *record;
    uint16_t n_bytes[3];
    int error = buffer_bytes < 3 ? -EINVAL : find_record(map, id, &record, n_bytes);
    if (error)
        return error;
    uint16_t kind = record->kind;
    if (kind >= RV_NAME_KIND_COUNT)
        return -EBADMSG;
    const char *text = text_of(record);
    const char *strings[3];
    for (unsigned i = 0; i < 3; i++) {
        size_t reserved = 2 - i; /* a NUL for each string still to come */
        size_t used = rv_text_escape(buffer, buffer_bytes - reserved, text, n_bytes[i]) + 1;
        strings[i] = buffer;
        buffer += used;
        buffer_bytes -= used;
        text += n_bytes[i] + 1;
    }
    *name = (struct rv_name){kind, strings[0], strings[1], strings[2], record->line_form};
    return 0;
}

int rv_names_read_text(const struct rv_map *map, uint32_t id, char *out, size_t out_bytes)
{
    const struct rv_wire_name *record;
    uint16_t n_bytes[3];
    int error = find_record(map, id, &record, n_bytes);
    if (error)
        return error;
    if (n_bytes[1] >= out_bytes)
        return -ENAMETOOLONG;
    memcpy(out, text_of(record) + n_bytes[0] + 1, n_bytes[1]);
    out[n_bytes[1]] = '\0';
    return 0;
}
