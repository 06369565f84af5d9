/*
 * The functions rejected by the viewer's capture filter: the hooks look them up by address and return. Since addresses
 * may be reused, none is rejected during a dlclose, nor where dlclose is not intercepted (interpose.c).
 */
#ifndef RV_PRODUCERS_NATIVE_LEFT_OUT_TABLE_H
#define RV_PRODUCERS_NATIVE_LEFT_OUT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/native/linkage.h"

/* The hash table, also read by the assembly hooks: open addressing with at least one empty slot. */
#define RV_LEFT_OUT_TABLE_FACTOR 0x9e3779b1u
#define RV_LEFT_OUT_TABLE_SHIFT 15
#define RV_LEFT_OUT_TABLE_SLOTS (1u << (32 - RV_LEFT_OUT_TABLE_SHIFT))

/* Is the address in the table? The table has an empty slot, where the search ends. */
static inline bool rv_left_out_table_has(const uint64_t *table, uint64_t address)
{
    uint32_t i = ((uint32_t)address * RV_LEFT_OUT_TABLE_FACTOR) >> RV_LEFT_OUT_TABLE_SHIFT;
    for (;; i = (i + 1) % RV_LEFT_OUT_TABLE_SLOTS) {
        uint64_t found = __atomic_load_n(&table[i], __ATOMIC_RELAXED);
        if (found == address || found == 0)
            return found != 0;
    }
}

/* dlclose is intercepted in this process. Call once, before anything is traced. */
RV_HIDDEN void rv_left_out_table_allow(void);

/* Has the viewer listed functions since the last update? No guard needed. */
RV_HIDDEN bool rv_left_out_table_is_stale(void);

/* Read the new ones. Within a guard, process open, not locked. */
RV_HIDDEN void rv_left_out_table_update(void);

/* dlclose begins; has ended. Within a guard, not locked. */
RV_HIDDEN void rv_left_out_table_suspend(void);
RV_HIDDEN void rv_left_out_table_resume(void);

#endif
