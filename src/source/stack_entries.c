#include "source/stack_entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

void rv_stack_entries_fini(struct rv_stack_entries *entries)
{
    free(entries->entries);
    free(entries->slots);
    *entries = (struct rv_stack_entries){0};
}

static uint32_t *find_slot(const struct rv_stack_entries *entries, uint32_t stack)
{
    uint32_t mask = entries->n_slots - 1, i = (uint32_t)rv_hash_u64(stack) & mask;
    while (entries->slots[i] && entries->entries[entries->slots[i] - 1].stack != stack)
        i = (i + 1) & mask;
    return &entries->slots[i];
}

const struct rv_stack_entry *rv_stack_entries_latest(const struct rv_stack_entries *entries, uint32_t stack)
{
    uint32_t slot = entries->n_slots ? *find_slot(entries, stack) : 0;
    return slot ? &entries->entries[slot - 1] : NULL;
}

/* Before adding a stack: keep the hash at most half full. */
static void make_room(struct rv_stack_entries *entries)
{
    if (2 * entries->n_stacks < entries->n_slots)
        return;
    uint32_t *before = entries->slots;
    uint32_t n_before = entries->n_slots;
    entries->n_slots = n_before ? 2 * n_before : 8;
    entries->slots = rv_alloc(entries->n_slots, sizeof *entries->slots);
    for (uint32_t i = 0; i < n_before; i++)
        if (before[i])
            *find_slot(entries, entries->entries[before[i] - 1].stack) = before[i];
    free(before);
}

void rv_stack_entries_add(struct rv_stack_entries *entries, const struct rv_stack_entry *entry)
{
    make_room(entries);
    uint32_t *slot = find_slot(entries, entry->stack);
    entries->entries = rv_vec_reserve(entries->entries, &entries->capacity, entries->n + 1, sizeof *entries->entries);
    entries->entries[entries->n++] = *entry;
    entries->n_stacks += !*slot;
    *slot = (uint32_t)entries->n;
}

void rv_stack_entries_forget(struct rv_stack_entries *entries)
{
    if (entries->n_stacks)
        memset(entries->slots, 0, entries->n_slots * sizeof *entries->slots);
    entries->n_stacks = 0;
}
