/*
 * The blocks of a stream that are in a file, by number: the oldest are removed as they are discarded from the file, and
 * keep their numbers.
 */
#ifndef RV_PIPELINE_BLOCK_LIST_H
#define RV_PIPELINE_BLOCK_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_summed_block { /* covers (from_ns, to_ns): from the block before it on, which may be long ago */
    uint64_t from_ns, to_ns;
    uint64_t first_ns;      /* of its events */
    uint64_t offset, index; /* in the file: its own, its INDEX's */
    uint32_t n_events;
    bool is_coming; /* requested */
    bool is_lost;   /* it cannot be read */
};

struct rv_block_list {           /* zeroed = empty; blocks [first, end) */
    struct rv_summed_block *all; /* the first one is number `base` */
    size_t base, first, end, capacity;
    uint64_t end_ns; /* of the last one ever added */
};

void rv_block_list_fini(struct rv_block_list *list); /* leaves it zeroed */

static inline struct rv_summed_block *rv_block_list_at(const struct rv_block_list *list, size_t number)
{
    return &list->all[number - list->base];
}

static inline bool rv_block_list_has(const struct rv_block_list *list, size_t number)
{
    return number >= list->first && number < list->end;
}

static inline size_t rv_block_list_n(const struct rv_block_list *list)
{
    return list->end - list->first;
}

/* Append a block, which is copied. */
void rv_block_list_add(struct rv_block_list *list, const struct rv_summed_block *block);

/* Remove the blocks before this one. Their memory is freed when it is more than the others'. */
void rv_block_list_discard(struct rv_block_list *list, size_t first);

/* Memory. */
static inline size_t rv_block_list_bytes(const struct rv_block_list *list)
{
    return list->capacity * sizeof *list->all;
}

#endif
