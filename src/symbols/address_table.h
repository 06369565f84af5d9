/*
 * Addresses of one process to ids, for the drain's hot loop: open addressing, so thin that the first
 * slot is nearly always the one, and no look at the time. An address that has meant different things at different
 * times, or nothing yet, is kept under a key that the plain comparison does not match; then its module's times decide.
 */
#ifndef RV_SYMBOLS_ADDRESS_TABLE_H
#define RV_SYMBOLS_ADDRESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ringviz/wire.h"

/* Above an address, where the second word of an event has the frame. */
#define RV_ADDRESS_TIMED (1ull << RV_EVENT_FRAME_SHIFT)
#define RV_ADDRESS_FREE UINT64_MAX

struct rv_address_slot {
    uint64_t key; /* the address, perhaps with RV_ADDRESS_TIMED, or RV_ADDRESS_FREE */
    uint32_t id;
    uint32_t module; /* number in the module map */
};

struct rv_address_table {
    struct rv_address_slot *slots;
    size_t n_used;
    uint64_t byte_mask; /* of the offset of a slot */
};

/* Where a key belongs. Fibonacci hashing: neighbours spread. */
static inline struct rv_address_slot *rv_address_home(struct rv_address_slot *slots, uint64_t byte_mask, uint64_t key)
{
    return (struct rv_address_slot *)((char *)slots + ((key * 0x9e3779b97f4a7c15ull) >> 32 & byte_mask));
}

void rv_address_table_init(struct rv_address_table *table);

/* The slot of a key, timed or not, or NULL. */
struct rv_address_slot *rv_address_table_find(const struct rv_address_table *table, uint64_t key);

/* Add or replace; key without RV_ADDRESS_TIMED. Slots may move. */
void rv_address_table_put(struct rv_address_table *table, uint64_t key, bool is_timed, uint32_t id, uint32_t module);

/* From now on look at the time for what was met in this module. */
void rv_address_table_set_timed(struct rv_address_table *table, uint32_t module);

void rv_address_table_fini(struct rv_address_table *table);

#endif
