#include "source/stack_entries.h"

#include <stdlib.h>

#include "base/vec.h"

void rv_stack_entries_fini(struct rv_stack_entries *entries)
{
    free(entries->entries);
    rv_hash_index_fini(&entries->latest);
    *entries = (struct rv_stack_entries){0};
}

const struct rv_stack_entry *rv_stack_entries_latest(const struct rv_stack_entries *entries, uint32_t stack)
{
    uint32_t latest = rv_hash_index_get(&entries->latest, stack);
    return latest ? &entries->entries[latest - 1] : NULL;
}

void rv_stack_entries_add(struct rv_stack_entries *entries, const struct rv_stack_entry *entry)
{
    uint32_t *latest = rv_hash_index_at(&entries->latest, entry->stack);
    entries->entries = rv_vec_reserve(entries->entries, &entries->capacity, entries->n + 1, sizeof *entries->entries);
    entries->entries[entries->n++] = *entry;
    if (latest)
        *latest = (uint32_t)entries->n;
    else
        rv_hash_index_add(&entries->latest, entry->stack, (uint32_t)entries->n);
}

void rv_stack_entries_forget(struct rv_stack_entries *entries)
{
    rv_hash_index_clear(&entries->latest);
}
