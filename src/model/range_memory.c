#include "model/range_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/vec.h"

struct kept {
    struct rv_range_part part; /* is borrowed as the whole */
    struct rv_range_piece piece;
    uint64_t namesakes; /* of the ids up to the part's greatest */
    size_t n_bytes;
    unsigned n_users;
    bool is_outdated; /* its states are other ones by now, or cut by another range */
};

struct rv_range_memory {
    pthread_mutex_t lock;
    struct kept **all; /* the oldest first */
    size_t n, capacity;
    struct rv_hash_index by_piece; /* place in all, + 1 */
    bool is_indexed;               /* no place has changed since they were put there */
    size_t n_bytes, most_bytes;
    size_t largest_bytes; /* of a part that was to be kept */
};

struct rv_range_memory *rv_range_memory_create(size_t most_bytes)
{
    struct rv_range_memory *memory = rv_alloc(1, sizeof *memory);
    pthread_mutex_init(&memory->lock, NULL);
    memory->most_bytes = most_bytes;
    return memory;
}

static void drop(struct rv_range_memory *memory, size_t at)
{
    struct kept *kept = memory->all[at];
    memory->n_bytes -= kept->n_bytes;
    rv_range_part_fini(&kept->part);
    free(kept);
    memory->n--;
    memmove(&memory->all[at], &memory->all[at + 1], (memory->n - at) * sizeof(struct kept *));
    memory->is_indexed = false;
}

void rv_range_memory_destroy(struct rv_range_memory *memory)
{
    if (!memory)
        return;
    while (memory->n > 0)
        drop(memory, memory->n - 1);
    free(memory->all);
    rv_hash_index_fini(&memory->by_piece);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

/* The ids that a part has are those below its end: is each of them in results what it was when the part was measured? */
static uint64_t namesakes_of(const struct rv_range_part *part, const struct rv_range_namesakes *namesakes)
{
    return namesakes->hashes[part->ids_end < namesakes->n_ids ? part->ids_end : namesakes->n_ids];
}

struct wanted {
    const struct rv_range_piece *piece;
    const struct rv_range_namesakes *namesakes;
};

static bool is_wanted(const void *memory, uint32_t place, const void *key)
{
    const struct kept *kept = ((const struct rv_range_memory *)memory)->all[place - 1];
    const struct wanted *wanted = key;
    const struct rv_range_piece *a = &kept->piece, *b = wanted->piece;
    return !kept->is_outdated && a->lane_idx == b->lane_idx && a->from_ns == b->from_ns && a->to_ns == b->to_ns &&
           kept->namesakes == namesakes_of(&kept->part, wanted->namesakes);
}

static uint64_t hash_of(const struct rv_range_piece *piece)
{
    return rv_hash_combine(rv_hash_combine(rv_hash_u64(piece->from_ns), piece->to_ns), piece->lane_idx);
}

static void index_all(struct rv_range_memory *memory)
{
    if (memory->is_indexed)
        return;
    rv_hash_index_clear(&memory->by_piece);
    for (size_t i = 0; i < memory->n; i++)
        rv_hash_index_put(&memory->by_piece, hash_of(&memory->all[i]->piece), (uint32_t)i + 1);
    memory->is_indexed = true;
}

const struct rv_range_part *rv_range_memory_borrow(struct rv_range_memory *memory, const struct rv_range_piece *piece,
                                                   const struct rv_range_namesakes *namesakes)
{
    const struct wanted wanted = {piece, namesakes};
    pthread_mutex_lock(&memory->lock);
    index_all(memory);
    const uint32_t place = rv_hash_index_find(&memory->by_piece, hash_of(piece), is_wanted, memory, &wanted);
    struct kept *kept = place ? memory->all[place - 1] : NULL;
    if (kept && kept->piece.states != piece->states) {
        kept->is_outdated = true;
        kept = NULL;
    }
    if (kept)
        kept->n_users++;
    pthread_mutex_unlock(&memory->lock);
    return kept ? &kept->part : NULL;
}

void rv_range_memory_release(struct rv_range_memory *memory, const struct rv_range_part *part)
{
    pthread_mutex_lock(&memory->lock);
    ((struct kept *)part)->n_users--;
    pthread_mutex_unlock(&memory->lock);
}

static size_t bytes_of(const struct rv_range_part *part)
{
    return rv_stats_n_buckets(part->rows.stats) + part->paths.n_bytes +
           part->rows.n_ids * (sizeof *part->rows.ids + sizeof(struct rv_stats_row));
}

static void make_room(struct rv_range_memory *memory, size_t n_bytes)
{
    for (size_t i = 0; i < memory->n && memory->n_bytes + n_bytes > memory->most_bytes;)
        if (memory->all[i]->n_users > 0)
            i++;
        else
            drop(memory, i);
}

static void keep(struct rv_range_memory *memory, const struct rv_range_part *part, size_t n_bytes,
                 const struct rv_range_namesakes *namesakes)
{
    struct kept *kept = rv_alloc(1, sizeof *kept);
    *kept = (struct kept){
        .part = *part, .piece = *part->pieces, .namesakes = namesakes_of(part, namesakes), .n_bytes = n_bytes};
    kept->part.pieces = NULL;
    memory->all = rv_vec_reserve(memory->all, &memory->capacity, memory->n + 1, sizeof(struct kept *));
    memory->all[memory->n++] = kept;
    memory->n_bytes += n_bytes;
    if (memory->is_indexed)
        rv_hash_index_put(&memory->by_piece, hash_of(&kept->piece), (uint32_t)memory->n);
}

void rv_range_memory_take(struct rv_range_memory *memory, struct rv_range_part *part,
                          const struct rv_range_namesakes *namesakes)
{
    const size_t n_bytes = bytes_of(part);
    pthread_mutex_lock(&memory->lock);
    if (n_bytes > memory->largest_bytes)
        memory->largest_bytes = n_bytes;
    make_room(memory, n_bytes);
    const bool has_room = memory->n_bytes + n_bytes <= memory->most_bytes;
    if (has_room)
        keep(memory, part, n_bytes, namesakes);
    pthread_mutex_unlock(&memory->lock);
    if (!has_room)
        rv_range_part_fini(part);
}

size_t rv_range_memory_room(struct rv_range_memory *memory, const struct rv_range_namesakes *namesakes)
{
    pthread_mutex_lock(&memory->lock);
    for (size_t i = 0; i < memory->n;) {
        const struct kept *kept = memory->all[i];
        const bool is_wanted = kept->namesakes == namesakes_of(&kept->part, namesakes) && !kept->is_outdated;
        if (kept->n_users > 0 || is_wanted)
            i++;
        else
            drop(memory, i);
    }
    const size_t n_free = memory->most_bytes > memory->n_bytes ? memory->most_bytes - memory->n_bytes : 0;
    const size_t n = memory->largest_bytes ? n_free / memory->largest_bytes : 1;
    pthread_mutex_unlock(&memory->lock);
    return n;
}
