#include "export/critical_path_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

#define MAGIC UINT64_C(0x31534d5553505652) /* "RVPSUMS1" */

struct rv_critical_path_sums_head {
    uint64_t magic, recording, names;
    uint64_t checksum; /* of what follows */
};

struct rv_critical_path_sums_piece {
    uint64_t key; /* of the lane */
    uint64_t from_ns, to_ns;
    uint64_t n_bytes; /* these follow */
};

struct kept {
    struct rv_critical_path_sums_piece piece;
    const uint8_t *bytes;
    bool is_old; /* another piece is kept instead */
};

struct rv_critical_path_sums {
    uint64_t recording, names, most_bytes;
    size_t most_bytes_a_call;
    uint32_t n_ids;
    uint8_t *read; /* what was kept */
    size_t n_read;
    struct kept *kept; /* of it: by lane and time */
    size_t n_kept, kept_capacity;
    struct kept *added; /* since; their bytes are their own */
    size_t n_added, added_capacity;
    uint64_t n_bytes; /* of all */
};

static int compare(const struct rv_critical_path_sums_piece *a, uint64_t key, uint64_t to_ns)
{
    if (a->key != key)
        return a->key < key ? -1 : 1;
    return (a->to_ns > to_ns) - (a->to_ns < to_ns);
}

static int by_lane_and_time(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    const int order = compare(&x->piece, y->piece.key, y->piece.to_ns);
    return order ? order : (x->piece.from_ns > y->piece.from_ns) - (x->piece.from_ns < y->piece.from_ns);
}

/* The first one that is not before this. */
static size_t find(const struct rv_critical_path_sums *sums, uint64_t key, uint64_t to_ns)
{
    size_t low = 0, high = sums->n_kept;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (compare(&sums->kept[middle].piece, key, to_ns) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- what was kept ---- */

static bool is_ours(const struct rv_critical_path_sums *sums)
{
    struct rv_critical_path_sums_head head;
    if (sums->n_read < sizeof head)
        return false;
    memcpy(&head, sums->read, sizeof head);
    return head.magic == MAGIC && head.recording == sums->recording && head.names == sums->names &&
           head.checksum == rv_hash_bytes_seeded(sums->read + sizeof head, sums->n_read - sizeof head, head.names);
}

static void list(struct rv_critical_path_sums *sums)
{
    size_t at = sizeof(struct rv_critical_path_sums_head);
    struct kept kept = {.is_old = false};
    while (sums->n_read - at >= sizeof kept.piece) {
        memcpy(&kept.piece, sums->read + at, sizeof kept.piece);
        at += sizeof kept.piece;
        if (kept.piece.n_bytes > sums->n_read - at)
            break;
        kept.bytes = sums->read + at;
        at += kept.piece.n_bytes;
        sums->kept = rv_vec_reserve(sums->kept, &sums->kept_capacity, sums->n_kept + 1, sizeof *sums->kept);
        sums->kept[sums->n_kept++] = kept;
        sums->n_bytes += sizeof kept.piece + kept.piece.n_bytes;
    }
    if (sums->n_kept)
        qsort(sums->kept, sums->n_kept, sizeof *sums->kept, by_lane_and_time);
}

void rv_critical_path_sums_name(struct rv_critical_path_sums *sums, const uint32_t *as_id, uint32_t n_ids)
{
    sums->n_ids = n_ids;
    sums->names = rv_hash_bytes_seeded(as_id, n_ids * sizeof *as_id, n_ids);
    if (is_ours(sums))
        list(sums);
}

uint64_t rv_critical_path_sums_key(const struct rv_lane *lane)
{
    uint64_t key = rv_hash_u64(lane->process_key);
    key = rv_hash_combine(key, (uint64_t)lane->pid << 32 | lane->tid);
    key = rv_hash_combine(key, (uint64_t)lane->thread << 32 | lane->stack);
    return rv_hash_combine(key, lane->last_ns);
}

static struct rv_folded_time folded_of(const struct kept *kept)
{
    return (struct rv_folded_time){kept->piece.from_ns, kept->piece.to_ns, kept->bytes, kept->piece.n_bytes};
}

void rv_critical_path_sums_each(const struct rv_critical_path_sums *sums, uint64_t key, uint64_t from_ns,
                                uint64_t to_ns, void (*take)(void *context, const struct rv_folded_time *folded),
                                void *context)
{
    for (size_t i = find(sums, key, from_ns); i < sums->n_kept && sums->kept[i].piece.key == key; i++) {
        const struct rv_folded_time folded = folded_of(&sums->kept[i]);
        if (folded.from_ns >= to_ns)
            return;
        if (rv_folded_time_is_valid(&folded, sums->n_ids))
            take(context, &folded);
    }
}

/* ---- what is to be kept ---- */

/* The piece of the same time that was kept; NULL: there is none. */
static struct kept *find_same(struct rv_critical_path_sums *sums, uint64_t key, const struct rv_folded_time *folded)
{
    for (size_t i = find(sums, key, folded->to_ns); i < sums->n_kept; i++)
        if (compare(&sums->kept[i].piece, key, folded->to_ns) != 0)
            return NULL;
        else if (sums->kept[i].piece.from_ns == folded->from_ns)
            return &sums->kept[i];
    return NULL;
}

void rv_critical_path_sums_add(struct rv_critical_path_sums *sums, uint64_t key, const struct rv_folded_time *folded,
                               size_t n_calls)
{
    struct kept *same = find_same(sums, key, folded);
    const struct rv_critical_path_sums_piece piece = {key, folded->from_ns, folded->to_ns, folded->n_bytes};
    if (folded->n_bytes > n_calls * sums->most_bytes_a_call || (same && same->piece.n_bytes >= folded->n_bytes) ||
        sums->n_bytes + sizeof piece + folded->n_bytes > sums->most_bytes)
        return;
    if (same) {
        same->is_old = true;
        sums->n_bytes -= sizeof piece + same->piece.n_bytes;
    }
    uint8_t *bytes = rv_alloc(folded->n_bytes, 1);
    memcpy(bytes, folded->bytes, folded->n_bytes);
    sums->added = rv_vec_reserve(sums->added, &sums->added_capacity, sums->n_added + 1, sizeof *sums->added);
    sums->added[sums->n_added++] = (struct kept){.piece = piece, .bytes = bytes};
    sums->n_bytes += sizeof piece + folded->n_bytes;
}

static size_t put(uint8_t *bytes, size_t n_bytes, const struct kept *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (all[i].is_old)
            continue;
        memcpy(bytes + n_bytes, &all[i].piece, sizeof all[i].piece);
        n_bytes += sizeof all[i].piece;
        memcpy(bytes + n_bytes, all[i].bytes, all[i].piece.n_bytes);
        n_bytes += all[i].piece.n_bytes;
    }
    return n_bytes;
}

void *rv_critical_path_sums_take_bytes(const struct rv_critical_path_sums *sums, size_t *n_bytes)
{
    if (!sums->n_added)
        return NULL;
    struct rv_critical_path_sums_head head = {.magic = MAGIC, .recording = sums->recording, .names = sums->names};
    uint8_t *bytes = rv_alloc(sizeof head + sums->n_bytes, 1);
    size_t n = put(bytes, sizeof head, sums->kept, sums->n_kept);
    n = put(bytes, n, sums->added, sums->n_added);
    head.checksum = rv_hash_bytes_seeded(bytes + sizeof head, n - sizeof head, head.names);
    memcpy(bytes, &head, sizeof head);
    *n_bytes = n;
    return bytes;
}

/* ---- public ---- */

struct rv_critical_path_sums *rv_critical_path_sums_create(const struct rv_critical_path_sums_params *params)
{
    struct rv_critical_path_sums *sums = rv_alloc(1, sizeof *sums);
    sums->recording = params->recording;
    sums->most_bytes = params->most_bytes;
    sums->most_bytes_a_call = params->most_bytes_a_call;
    sums->read = params->bytes;
    sums->n_read = params->bytes ? params->n_bytes : 0;
    return sums;
}

void rv_critical_path_sums_destroy(struct rv_critical_path_sums *sums)
{
    if (!sums)
        return;
    for (size_t i = 0; i < sums->n_added; i++)
        free((void *)(uintptr_t)sums->added[i].bytes);
    free(sums->added);
    free(sums->kept);
    free(sums->read);
    free(sums);
}
