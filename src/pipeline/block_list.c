#include "pipeline/block_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void rv_block_list_fini(struct rv_block_list *list)
{
    free(list->all);
    *list = (struct rv_block_list){0};
}

void rv_block_list_add(struct rv_block_list *list, const struct rv_summed_block *block)
{
    list->all = rv_vec_reserve(list->all, &list->capacity, list->end - list->base + 1, sizeof *list->all);
    list->all[list->end++ - list->base] = *block;
    list->end_ns = block->to_ns;
}

void rv_block_list_discard(struct rv_block_list *list, size_t first)
{
    list->first = first;
    const size_t n = rv_block_list_n(list);
    if (first - list->base <= n)
        return;
    memmove(list->all, rv_block_list_at(list, first), n * sizeof *list->all);
    list->base = first;
    list->capacity = n ? n : 1;
    list->all = rv_realloc(list->all, list->capacity * sizeof *list->all);
}
