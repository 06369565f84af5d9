/*
 * A call is kept if one of the times is in it: so are then its callers, and the calls that are kept are at all times the outermost
 * ones that are open. All else is between two entries.
 */
#include "export/folded_time.h"

#include <stdlib.h>

#include "base/vec.h"
#include "export/varint.h"

struct sum { /* of a subroutine, since the last entry */
    uint64_t own_ns, n, total_ns;
    uint64_t n_open, begun_ns; /* its calls, and the end of the outermost */
    bool is_listed;
};

struct rv_folding {
    uint32_t n_ids;
    struct sum *sums; /* by subroutine */
    uint32_t *listed; /* those that have sums */
    uint32_t n_listed;
    const uint64_t *times_ns; /* those that were not passed */
    size_t n_times;
    uint64_t told_ns, at_ns; /* later time is in entries, was passed */
    uint32_t n_open, n_kept; /* calls, and of them those that are kept */
    bool has_begun;
    uint8_t *bytes;
    size_t n_bytes, capacity;
    uint64_t to_ns;
};

/* ---- folding ---- */

static void reserve(struct rv_folding *folding, size_t n_numbers)
{
    folding->bytes =
        rv_vec_reserve(folding->bytes, &folding->capacity, folding->n_bytes + n_numbers * RV_VARINT_MOST_BYTES, 1);
}

static void put(struct rv_folding *folding, uint64_t value)
{
    folding->n_bytes += rv_varint_put(folding->bytes + folding->n_bytes, value);
}

static void put_entry(struct rv_folding *folding, enum rv_folded_kind kind, uint32_t of)
{
    put(folding, 4 * (uint64_t)of + kind);
}

static struct sum *list(struct rv_folding *folding, uint32_t id)
{
    struct sum *sum = &folding->sums[id];
    if (!sum->is_listed)
        folding->listed[folding->n_listed++] = id;
    sum->is_listed = true;
    return sum;
}

/* Begin at the end of the last call: what is later is nobody's. */
static void begin_at(struct rv_folding *folding, uint64_t at_ns)
{
    if (folding->has_begun)
        return;
    folding->has_begun = true;
    folding->told_ns = folding->at_ns = at_ns;
    reserve(folding, 1);
    put(folding, folding->to_ns - at_ns);
}

static void put_sums(struct rv_folding *folding)
{
    if (folding->told_ns == folding->at_ns)
        return;
    reserve(folding, 2 + 4 * (size_t)folding->n_listed);
    put_entry(folding, RV_FOLDED_SUMS, folding->n_listed);
    put(folding, folding->told_ns - folding->at_ns);
    for (uint32_t i = 0; i < folding->n_listed; i++) {
        const uint32_t id = folding->listed[i];
        struct sum *sum = &folding->sums[id];
        put(folding, id);
        put(folding, sum->own_ns);
        put(folding, sum->n);
        put(folding, sum->total_ns);
        sum->own_ns = sum->n = sum->total_ns = 0;
        sum->is_listed = false;
    }
    folding->n_listed = 0;
    folding->told_ns = folding->at_ns;
}

static bool has_time_from(struct rv_folding *folding, uint64_t from_ns)
{
    while (folding->n_times && folding->times_ns[folding->n_times - 1] > folding->at_ns)
        folding->n_times--;
    return folding->n_times && folding->times_ns[folding->n_times - 1] >= from_ns;
}

void rv_folding_begin(struct rv_folding *folding, const uint64_t *times_ns, size_t n_times, uint64_t to_ns)
{
    folding->times_ns = times_ns;
    folding->n_times = n_times;
    folding->n_bytes = 0;
    folding->to_ns = to_ns;
    folding->has_begun = false;
}

void rv_folding_pass(struct rv_folding *folding, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    begin_at(folding, to_ns);
    if (has_time_from(folding, from_ns)) {
        put_sums(folding);
        reserve(folding, 2);
        put_entry(folding, RV_FOLDED_STRETCH, id);
        put(folding, to_ns - from_ns);
        folding->told_ns = from_ns;
    } else {
        struct sum *sum = list(folding, id);
        sum->own_ns += to_ns - from_ns;
        sum->n++;
    }
    folding->at_ns = from_ns;
}

static void put_call(struct rv_folding *folding, enum rv_folded_kind kind, uint32_t id)
{
    put_sums(folding);
    reserve(folding, 1);
    put_entry(folding, kind, id);
}

void rv_folding_enter(struct rv_folding *folding, uint32_t id, uint64_t start_ns, uint64_t end_ns)
{
    begin_at(folding, end_ns);
    if (has_time_from(folding, start_ns)) {
        put_call(folding, RV_FOLDED_ENTER, id);
        folding->n_kept++;
    }
    folding->n_open++;
    struct sum *sum = &folding->sums[id];
    if (sum->n_open++ == 0)
        sum->begun_ns = folding->at_ns;
}

void rv_folding_leave(struct rv_folding *folding, uint32_t id)
{
    struct sum *sum = &folding->sums[id];
    const bool is_kept = folding->n_open-- == folding->n_kept;
    sum->n_open--;
    if (is_kept) {
        put_call(folding, RV_FOLDED_LEAVE, id);
        folding->n_kept--;
    } else if (sum->n_open == 0 && sum->begun_ns > folding->at_ns) {
        list(folding, id)->total_ns += sum->begun_ns - folding->at_ns;
    }
}

const uint8_t *rv_folding_end(struct rv_folding *folding, size_t *n_bytes)
{
    begin_at(folding, folding->to_ns);
    put_sums(folding);
    *n_bytes = folding->n_bytes;
    return folding->bytes;
}

struct rv_folding *rv_folding_create(uint32_t n_ids)
{
    struct rv_folding *folding = rv_alloc(1, sizeof *folding);
    folding->n_ids = n_ids;
    folding->sums = rv_alloc((size_t)n_ids + 1, sizeof *folding->sums);
    folding->listed = rv_alloc((size_t)n_ids + 1, sizeof *folding->listed);
    return folding;
}

void rv_folding_destroy(struct rv_folding *folding)
{
    if (!folding)
        return;
    free(folding->sums);
    free(folding->listed);
    free(folding->bytes);
    free(folding);
}

/* ---- reading ---- */

void rv_folded_reader_init(struct rv_folded_reader *reader, const struct rv_folded_time *folded)
{
    reader->at = folded->bytes;
    reader->end = folded->bytes + folded->n_bytes;
    reader->at_ns = folded->to_ns - rv_varint_get(&reader->at);
}

bool rv_folded_reader_next(struct rv_folded_reader *reader, struct rv_folded_entry *entry)
{
    if (reader->at == reader->end)
        return false;
    const uint64_t head = rv_varint_get(&reader->at);
    *entry = (struct rv_folded_entry){.kind = (enum rv_folded_kind)(head % 4)};
    *(entry->kind == RV_FOLDED_SUMS ? &entry->n_rows : &entry->id) = (uint32_t)(head / 4);
    if (entry->kind == RV_FOLDED_STRETCH || entry->kind == RV_FOLDED_SUMS) {
        entry->to_ns = reader->at_ns;
        entry->from_ns = reader->at_ns -= rv_varint_get(&reader->at);
    }
    return true;
}

struct rv_folded_row rv_folded_reader_row(struct rv_folded_reader *reader)
{
    struct rv_folded_row row = {.id = (uint32_t)rv_varint_get(&reader->at)};
    row.own_ns = rv_varint_get(&reader->at);
    row.n = rv_varint_get(&reader->at);
    row.total_ns = rv_varint_get(&reader->at);
    return row;
}

/* ---- validation ---- */

struct checking {
    const uint8_t *at, *end;
    uint64_t left_ns; /* of the piece */
    uint32_t n_ids;
    uint32_t *open; /* calls that are entered */
    size_t n_open, capacity;
};

/* A number of at most `most`. */
static bool take(struct checking *checking, uint64_t most, uint64_t *value)
{
    return rv_varint_take(&checking->at, checking->end, value) && *value <= most;
}

static bool check_sums(struct checking *checking, uint64_t n_rows)
{
    uint64_t all_ns, own_ns = 0;
    if (n_rows > (uint64_t)checking->n_ids + 1 || !take(checking, checking->left_ns, &all_ns))
        return false;
    for (uint64_t i = 0; i < n_rows; i++) {
        uint64_t id, own, n, total;
        if (!take(checking, checking->n_ids, &id) || !take(checking, all_ns - own_ns, &own) ||
            !take(checking, own, &n) || !take(checking, all_ns, &total))
            return false;
        own_ns += own;
    }
    checking->left_ns -= all_ns;
    return own_ns == all_ns;
}

static bool check_stretch(struct checking *checking)
{
    uint64_t n_ns;
    if (!take(checking, checking->left_ns, &n_ns))
        return false;
    checking->left_ns -= n_ns;
    return n_ns > 0;
}

static bool check_entry(struct checking *checking)
{
    uint64_t head;
    if (!take(checking, 4 * ((uint64_t)checking->n_ids + 1) + 3, &head))
        return false;
    const uint32_t of = (uint32_t)(head / 4);
    switch ((enum rv_folded_kind)(head % 4)) {
    case RV_FOLDED_SUMS:
        return check_sums(checking, head / 4);
    case RV_FOLDED_STRETCH:
        return of <= checking->n_ids && check_stretch(checking);
    case RV_FOLDED_ENTER:
        checking->open =
            rv_vec_reserve(checking->open, &checking->capacity, checking->n_open + 1, sizeof *checking->open);
        checking->open[checking->n_open++] = of;
        return of <= checking->n_ids;
    case RV_FOLDED_LEAVE:
        return checking->n_open && checking->open[--checking->n_open] == of;
    }
    return false;
}

bool rv_folded_time_is_valid(const struct rv_folded_time *folded, uint32_t n_ids)
{
    struct checking checking = {.at = folded->bytes, .end = folded->bytes + folded->n_bytes, .n_ids = n_ids};
    uint64_t behind_ns;
    bool is_valid = folded->from_ns <= folded->to_ns && take(&checking, folded->to_ns - folded->from_ns, &behind_ns);
    if (is_valid)
        checking.left_ns = folded->to_ns - folded->from_ns - behind_ns;
    while (is_valid && checking.at < checking.end)
        is_valid = check_entry(&checking);
    free(checking.open);
    return is_valid && checking.n_open == 0;
}
