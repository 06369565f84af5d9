/* Parts come in order of time, and are read backwards: the last one comes first. */
#include "export/folded_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/leb128.h"
#include "base/vec.h"
#include "export/folded_pieces.h"

struct rv_folded_parts {
    uint32_t n_ids;
    uint8_t *bytes;
    size_t n_bytes, bytes_capacity;
    size_t *ends; /* of the bytes of each part, the first one first */
    size_t n_parts, parts_capacity;
    uint8_t *turned; /* the bytes with the last part first */
    size_t turned_capacity;
};

static void reserve(struct rv_folded_parts *parts, size_t n_numbers)
{
    parts->bytes =
        rv_vec_reserve(parts->bytes, &parts->bytes_capacity, parts->n_bytes + n_numbers * RV_LEB128_MOST_BYTES, 1);
}

static void put(struct rv_folded_parts *parts, uint64_t value)
{
    parts->n_bytes += rv_leb128_put(parts->bytes + parts->n_bytes, value);
}

static void put_entry(struct rv_folded_parts *parts, enum rv_folded_kind kind, uint32_t of)
{
    put(parts, 4 * (uint64_t)of + kind);
}

static void end_part(struct rv_folded_parts *parts)
{
    parts->ends = rv_vec_reserve(parts->ends, &parts->parts_capacity, parts->n_parts + 1, sizeof *parts->ends);
    parts->ends[parts->n_parts++] = parts->n_bytes;
}

static uint32_t id_of(const struct rv_folded_parts *parts, uint32_t told)
{
    return told == RV_FOLDED_OUTSIDE ? parts->n_ids : told;
}

static void take_sums(void *context, uint64_t n_ns, const struct rv_folded_sum *sums, size_t n)
{
    struct rv_folded_parts *parts = context;
    reserve(parts, 2 + 4 * n);
    put_entry(parts, RV_FOLDED_SUMS, (uint32_t)n);
    put(parts, n_ns);
    for (size_t i = 0; i < n; i++) {
        put(parts, id_of(parts, sums[i].id));
        put(parts, sums[i].own_ns);
        put(parts, sums[i].n);
        put(parts, sums[i].total_ns);
    }
    end_part(parts);
}

static void take_stretch(void *context, uint64_t n_ns, const uint32_t *open, size_t n)
{
    struct rv_folded_parts *parts = context;
    reserve(parts, 2 + 2 * n);
    for (size_t i = 0; i < n; i++)
        put_entry(parts, RV_FOLDED_ENTER, id_of(parts, open[i]));
    put_entry(parts, RV_FOLDED_STRETCH, n ? id_of(parts, open[n - 1]) : parts->n_ids);
    put(parts, n_ns);
    for (size_t i = n; i-- > 0;)
        put_entry(parts, RV_FOLDED_LEAVE, id_of(parts, open[i]));
    end_part(parts);
}

/* ---- public ---- */

struct rv_event_folding_taker rv_folded_parts_begin(struct rv_folded_parts *parts)
{
    parts->n_bytes = parts->n_parts = 0;
    return (struct rv_event_folding_taker){take_sums, take_stretch, parts};
}

const uint8_t *rv_folded_parts_end(struct rv_folded_parts *parts, size_t *n_bytes)
{
    parts->turned = rv_vec_reserve(parts->turned, &parts->turned_capacity, parts->n_bytes + 1, 1);
    *n_bytes = rv_leb128_put(parts->turned, 0); /* a call or a return is at the end */
    for (size_t i = parts->n_parts; i-- > 0;) {
        const size_t begin = i ? parts->ends[i - 1] : 0, n = parts->ends[i] - begin;
        memcpy(parts->turned + *n_bytes, parts->bytes + begin, n);
        *n_bytes += n;
    }
    return parts->turned;
}

struct rv_folded_parts *rv_folded_parts_create(uint32_t n_ids)
{
    struct rv_folded_parts *parts = rv_alloc(1, sizeof *parts);
    parts->n_ids = n_ids;
    return parts;
}

void rv_folded_parts_destroy(struct rv_folded_parts *parts)
{
    if (!parts)
        return;
    free(parts->bytes);
    free(parts->ends);
    free(parts->turned);
    free(parts);
}
