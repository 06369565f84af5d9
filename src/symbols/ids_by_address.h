/*
 * Addresses of one process to ids, for the drain's hot loop: open addressing, so sparse that the first slot is nearly
 * always the right one, and without comparing times. An address that has had several meanings over time, or none so
 * far, is stored under a key that the plain comparison does not match; then the times of its module decide.
 */
#ifndef RV_SYMBOLS_IDS_BY_ADDRESS_H
#define RV_SYMBOLS_IDS_BY_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ringviz/wire.h"

/* A bit above the address, where an event's second word has the frame. */
#define RV_ADDRESS_TIMED (1ull << RV_EVENT_FRAME_SHIFT)
#define RV_ADDRESS_FREE UINT64_MAX

struct rv_address_slot {
    uint64_t key; /* the address, possibly with RV_ADDRESS_TIMED, or RV_ADDRESS_FREE */
    uint32_t id;
    uint32_t module; /* module's number in the module map */
};

struct rv_ids_by_address {
    struct rv_address_slot *slots;
    size_t n_used;
    uint64_t byte_mask; /* mask for byte offsets of slots */
};

/* The home slot of a key. Fibonacci hashing spreads neighbouring addresses. */
static inline struct rv_address_slot *rv_address_home(struct rv_address_slot *slots, uint64_t byte_mask, uint64_t key)
{
    return (struct rv_address_slot *)((char *)slots + ((key * 0x9e3779b97f4a7c15ull) >> 32 & byte_mask));
}

void rv_ids_by_address_init(struct rv_ids_by_address *table);

/* The slot of a key, timed or not, or NULL. */
struct rv_address_slot *rv_ids_by_address_find(const struct rv_ids_by_address *table, uint64_t key);

/* Add or replace; key without RV_ADDRESS_TIMED. Slots may move. */
void rv_ids_by_address_put(struct rv_ids_by_address *table, uint64_t key, bool is_timed, uint32_t id, uint32_t module);

/* Compare times from now on for addresses found in this module. */
void rv_ids_by_address_set_timed(struct rv_ids_by_address *table, uint32_t module);

void rv_ids_by_address_fini(struct rv_ids_by_address *table);

#endif
