#include "export/folded_pieces.h"

#include <stdlib.h>

#include "base/leb128.h"
#include "base/vec.h"

/* ---- reading ---- */

void rv_folded_reader_init(struct rv_folded_reader *reader, const struct rv_folded_time *folded)
{
    reader->at = folded->bytes;
    reader->end = folded->bytes + folded->n_bytes;
    reader->at_ns = folded->to_ns - rv_leb128_get(&reader->at);
}

bool rv_folded_reader_next(struct rv_folded_reader *reader, struct rv_folded_entry *entry)
{
    if (reader->at == reader->end)
        return false;
    const uint64_t head = rv_leb128_get(&reader->at);
    *entry = (struct rv_folded_entry){.kind = (enum rv_folded_kind)(head % 4)};
    *(entry->kind == RV_FOLDED_SUMS ? &entry->n_rows : &entry->id) = (uint32_t)(head / 4);
    if (entry->kind == RV_FOLDED_STRETCH || entry->kind == RV_FOLDED_SUMS) {
        entry->to_ns = reader->at_ns;
        entry->from_ns = reader->at_ns -= rv_leb128_get(&reader->at);
    }
    return true;
}

struct rv_folded_row rv_folded_reader_row(struct rv_folded_reader *reader)
{
    struct rv_folded_row row = {.id = (uint32_t)rv_leb128_get(&reader->at)};
    row.own_ns = rv_leb128_get(&reader->at);
    row.n = rv_leb128_get(&reader->at);
    row.total_ns = rv_leb128_get(&reader->at);
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
    return rv_leb128_take_whole(&checking->at, checking->end, value) && *value <= most;
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
