/*
 * The verdicts of the viewer's capture filter on functions, by address. The hooks return at once from those that are
 * rejected. Where depth is limited, too, only calls of those that are kept count for it. Since addresses may be reused,
 * nothing is known during a dlclose, nor where dlclose is not intercepted (loading_functions.c).
 */
#ifndef RV_PRODUCERS_NATIVE_REJECTED_FUNCTIONS_H
#define RV_PRODUCERS_NATIVE_REJECTED_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/native/process.h"
#include "producers/native/visibility.h"
#include "ringviz/wire.h"

/* The hash table, also read by the assembly hooks: open addressing with at least one empty slot. */
#define RV_VERDICT_TABLE_FACTOR 0x9e3779b1u
#define RV_VERDICT_TABLE_SHIFT 15
#define RV_VERDICT_TABLE_SLOTS (1u << (32 - RV_VERDICT_TABLE_SHIFT))
#define RV_VERDICT_TABLE_KEPT_BIT 63 /* set in the address of a function that is kept */

enum rv_verdict { RV_VERDICT_UNKNOWN, RV_VERDICT_KEPT, RV_VERDICT_REJECTED };

static inline enum rv_verdict rv_rejected_functions_find(const uint64_t *table, uint64_t address)
{
    uint32_t i = ((uint32_t)address * RV_VERDICT_TABLE_FACTOR) >> RV_VERDICT_TABLE_SHIFT;
    for (;; i = (i + 1) % RV_VERDICT_TABLE_SLOTS) {
        uint64_t found = __atomic_load_n(&table[i], __ATOMIC_RELAXED);
        if (found == address)
            return RV_VERDICT_REJECTED;
        if (found == 0)
            return RV_VERDICT_UNKNOWN;
        if (found == (address | 1ull << RV_VERDICT_TABLE_KEPT_BIT))
            return RV_VERDICT_KEPT;
    }
}

/* By the gate, which is neither 0 nor closed. */
static inline enum rv_verdict rv_gate_verdict(intptr_t gate, uint64_t function)
{
    return gate < 0 || gate & RV_GATE_ALL_KEPT
               ? RV_VERDICT_KEPT
               : rv_rejected_functions_find((const uint64_t *)(gate & ~(intptr_t)RV_GATE_IS_LIMITED), function);
}

/* dlclose is intercepted in this process. Call once, before anything is traced. */
RV_HIDDEN void rv_rejected_functions_allow(void);

/* Has the viewer listed verdicts since the last update? No guard needed. */
RV_HIDDEN bool rv_rejected_functions_is_stale(void);

/* Read the new ones. Within a guard, process open, its lock held. */
RV_HIDDEN void rv_rejected_functions_update(void);

/* Is it about a function of this process, in a module that was there as it was judged? Process open. */
RV_HIDDEN bool rv_verdict_is_own(const struct rv_wire_verdict *verdict);

/* Changes when functions have been added. No guard needed. */
RV_HIDDEN uint32_t rv_rejected_functions_version(void);

/* In the child of fork: what the parent knew holds until any verdict changes, since the list has it for the parent
 * alone. */
RV_HIDDEN void rv_rejected_functions_inherit(void);

/* dlclose begins; has ended. Within a guard, not locked. */
RV_HIDDEN void rv_rejected_functions_suspend(void);
RV_HIDDEN void rv_rejected_functions_resume(void);

#endif
