#include "symbols/ids_by_address.h"

#include <stdlib.h>

#include "base/vec.h"

#define MIN_SLOTS 64u
#define SMALL_SLOTS 16384u

static size_t n_slots_of(const struct rv_ids_by_address *table)
{
    return table->byte_mask / sizeof *table->slots + 1;
}

static void set_slots(struct rv_ids_by_address *table, size_t n_slots)
{
    table->slots = rv_alloc(n_slots, sizeof *table->slots);
    table->byte_mask = (n_slots - 1) * sizeof *table->slots;
    for (size_t i = 0; i < n_slots; i++)
        table->slots[i].key = RV_ADDRESS_FREE;
}

/* Small tables can be sparse: untouched slots take no cache. */
static bool is_full(const struct rv_ids_by_address *table)
{
    size_t n_slots = n_slots_of(table);
    return table->n_used * (n_slots < SMALL_SLOTS ? 16 : 4) > n_slots;
}

void rv_ids_by_address_init(struct rv_ids_by_address *table)
{
    *table = (struct rv_ids_by_address){0};
    set_slots(table, MIN_SLOTS);
}

/* The slot of a key, or the free slot for it. */
static struct rv_address_slot *probe(const struct rv_ids_by_address *table, uint64_t key)
{
    size_t i = (size_t)(rv_address_home(table->slots, table->byte_mask, key) - table->slots);
    while ((table->slots[i].key & ~RV_ADDRESS_TIMED) != key && table->slots[i].key != RV_ADDRESS_FREE)
        i = (i + 1) & (n_slots_of(table) - 1);
    return &table->slots[i];
}

struct rv_address_slot *rv_ids_by_address_find(const struct rv_ids_by_address *table, uint64_t key)
{
    struct rv_address_slot *slot = probe(table, key);
    return slot->key == RV_ADDRESS_FREE ? NULL : slot;
}

static void grow(struct rv_ids_by_address *table)
{
    struct rv_address_slot *old = table->slots;
    size_t n_old = n_slots_of(table);
    set_slots(table, n_old * 2);
    for (size_t i = 0; i < n_old; i++)
        if (old[i].key != RV_ADDRESS_FREE)
            *probe(table, old[i].key & ~RV_ADDRESS_TIMED) = old[i];
    free(old);
}

void rv_ids_by_address_put(struct rv_ids_by_address *table, uint64_t key, bool is_timed, uint32_t id, uint32_t module)
{
    struct rv_address_slot *slot = probe(table, key);
    table->n_used += slot->key == RV_ADDRESS_FREE;
    *slot = (struct rv_address_slot){.key = is_timed ? key | RV_ADDRESS_TIMED : key, .id = id, .module = module};
    if (is_full(table))
        grow(table);
}

void rv_ids_by_address_set_timed(struct rv_ids_by_address *table, uint32_t module)
{
    for (size_t i = 0; i < n_slots_of(table); i++)
        if (table->slots[i].key != RV_ADDRESS_FREE && table->slots[i].module == module)
            table->slots[i].key |= RV_ADDRESS_TIMED;
}

void rv_ids_by_address_fini(struct rv_ids_by_address *table)
{
    free(table->slots);
    *table = (struct rv_ids_by_address){0};
}
