#include "model/range_memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/vec.h"

struct kept {
    struct rv_range_piece piece;
    struct rv_range_part *part;
    uint64_t namesakes;
    size_t n_bytes;
    unsigned n_users;
};

struct rv_range_memory {
    pthread_mutex_t lock;
    struct kept *all; /* the oldest first */
    size_t n, capacity;
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
    memory->n_bytes -= memory->all[at].n_bytes;
    rv_range_part_fini(memory->all[at].part);
    free(memory->all[at].part);
    for (memory->n--; at < memory->n; at++)
        memory->all[at] = memory->all[at + 1];
}

void rv_range_memory_destroy(struct rv_range_memory *memory)
{
    if (!memory)
        return;
    while (memory->n > 0)
        drop(memory, memory->n - 1);
    free(memory->all);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

static bool is_same(const struct rv_range_piece *a, const struct rv_range_piece *b)
{
    return a->lane_idx == b->lane_idx && a->from_ns == b->from_ns && a->to_ns == b->to_ns;
}

const struct rv_range_part *rv_range_memory_borrow(struct rv_range_memory *memory, const struct rv_range_piece *piece,
                                                   uint64_t namesakes)
{
    const struct rv_range_part *part = NULL;
    pthread_mutex_lock(&memory->lock);
    for (size_t i = 0; i < memory->n && !part; i++) {
        struct kept *kept = &memory->all[i];
        if (kept->namesakes != namesakes || !is_same(&kept->piece, piece))
            continue;
        kept->n_users++;
        part = kept->part;
    }
    pthread_mutex_unlock(&memory->lock);
    return part;
}

void rv_range_memory_release(struct rv_range_memory *memory, const struct rv_range_part *part)
{
    pthread_mutex_lock(&memory->lock);
    for (size_t i = 0; i < memory->n; i++)
        memory->all[i].n_users -= memory->all[i].part == part;
    pthread_mutex_unlock(&memory->lock);
}

static size_t bytes_of(const struct rv_range_part *part)
{
    return rv_stats_n_buckets(part->stats) + part->tree.capacity * sizeof *part->tree.nodes +
           part->n_ids * (sizeof *part->ids + sizeof(struct rv_stats_row));
}

static void make_room(struct rv_range_memory *memory, size_t n_bytes)
{
    for (size_t i = 0; i < memory->n && memory->n_bytes + n_bytes > memory->most_bytes;)
        if (memory->all[i].n_users > 0)
            i++;
        else
            drop(memory, i);
}

void rv_range_memory_take(struct rv_range_memory *memory, struct rv_range_part *part, uint64_t namesakes)
{
    const size_t n_bytes = bytes_of(part);
    pthread_mutex_lock(&memory->lock);
    if (n_bytes > memory->largest_bytes)
        memory->largest_bytes = n_bytes;
    make_room(memory, n_bytes);
    const bool has_room = memory->n_bytes + n_bytes <= memory->most_bytes;
    if (has_room) {
        memory->all = rv_vec_reserve(memory->all, &memory->capacity, memory->n + 1, sizeof *memory->all);
        struct kept *kept = &memory->all[memory->n++];
        *kept = (struct kept){
            .piece = *part->pieces, .part = rv_alloc(1, sizeof *part), .namesakes = namesakes, .n_bytes = n_bytes};
        *kept->part = *part;
        kept->part->pieces = NULL;
        memory->n_bytes += n_bytes;
    }
    pthread_mutex_unlock(&memory->lock);
    if (!has_room)
        rv_range_part_fini(part);
}

size_t rv_range_memory_room(struct rv_range_memory *memory, uint64_t namesakes)
{
    pthread_mutex_lock(&memory->lock);
    for (size_t i = 0; i < memory->n;)
        if (memory->all[i].n_users > 0 || memory->all[i].namesakes == namesakes)
            i++;
        else
            drop(memory, i);
    const size_t n_free = memory->most_bytes > memory->n_bytes ? memory->most_bytes - memory->n_bytes : 0;
    const size_t n = memory->largest_bytes ? n_free / memory->largest_bytes : 1;
    pthread_mutex_unlock(&memory->lock);
    return n;
}
