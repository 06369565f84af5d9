/* One table per process, emptied as a dlclose begins and filled anew once it has ended, since addresses may then belong
 * to other functions. */
#include "producers/native/rejected_functions.h"

#include <errno.h>
#include <string.h>

#include "producers/native/modules.h"
#include "producers/native/pages.h"
#include "producers/native/process.h"
#include "ring/verdict_section.h"

/* Under the process lock. */
static struct {
    uint64_t *table;
    uint32_t n_seen;  /* [atomic] number of verdicts read from the file's list, */
    uint32_t changes; /* [atomic] and number of their changes */
    uint32_t n_held;  /* entries in the table */
    uint32_t version; /* [atomic] */
    uint32_t n_suspended;
    bool is_allowed;
    bool is_inherited; /* by fork: the list has it for the parent alone */
} verdicts;

void rv_rejected_functions_allow(void)
{
    verdicts.is_allowed = true;
}

bool rv_rejected_functions_is_stale(void)
{
    return verdicts.is_allowed && rv_process_is_open() &&
           (rv_verdicts_count(rv_process_map()) != __atomic_load_n(&verdicts.n_seen, __ATOMIC_RELAXED) ||
            rv_verdicts_changes(rv_process_map()) != __atomic_load_n(&verdicts.changes, __ATOMIC_RELAXED));
}

bool rv_verdict_is_own(const struct rv_wire_verdict *verdict)
{
    return verdict->process == rv_process_idx() && verdict->address &&
           rv_native_modules_has(verdict->address, verdict->ticks);
}

static bool has_table(void)
{
    if (verdicts.table)
        return true;
    verdicts.table = rv_pages_map(RV_VERDICT_TABLE_SLOTS * sizeof *verdicts.table);
    return verdicts.table != NULL;
}

static void put(const struct rv_wire_verdict *verdict)
{
    const uint64_t kept_bit = 1ull << RV_VERDICT_TABLE_KEPT_BIT;
    const uint64_t address = verdict->address & ~kept_bit, word = address | (verdict->is_kept ? kept_bit : 0);
    uint32_t i = ((uint32_t)address * RV_VERDICT_TABLE_FACTOR) >> RV_VERDICT_TABLE_SHIFT;
    while (verdicts.table[i] && (verdicts.table[i] & ~kept_bit) != address)
        i = (i + 1) % RV_VERDICT_TABLE_SLOTS;
    verdicts.n_held += verdicts.table[i] == 0;
    __atomic_store_n(&verdicts.table[i], word, __ATOMIC_RELAXED);
}

/* A hook that reads the table meanwhile runs for a function that still exists: either answer is right. */
static void empty(void)
{
    if (verdicts.n_held)
        memset(verdicts.table, 0, RV_VERDICT_TABLE_SLOTS * sizeof *verdicts.table);
    verdicts.n_held = 0;
    verdicts.is_inherited = false;
    __atomic_store_n(&verdicts.n_seen, 0, __ATOMIC_RELAXED);
}

static void read_list(void)
{
    const struct rv_map *map = rv_process_map();
    const uint32_t changes = rv_verdicts_changes(map), n = rv_verdicts_count(map);
    if (verdicts.is_inherited && changes != verdicts.changes)
        empty();
    uint32_t i = changes == verdicts.changes ? verdicts.n_seen : 0;
    for (; i < n && verdicts.n_held < RV_VERDICT_TABLE_SLOTS / 2 && has_table(); i++) {
        struct rv_wire_verdict record = rv_verdicts_read(map, i);
        if (rv_verdict_is_own(&record))
            put(&record);
    }
    __atomic_store_n(&verdicts.n_seen, n, __ATOMIC_RELAXED);
    __atomic_store_n(&verdicts.changes, changes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&verdicts.version, 1, __ATOMIC_RELAXED);
    if (verdicts.n_held)
        rv_process_set_gate((intptr_t)verdicts.table | (rv_process_limit ? RV_GATE_IS_LIMITED : 0));
}

uint32_t rv_rejected_functions_version(void)
{
    return __atomic_load_n(&verdicts.version, __ATOMIC_RELAXED);
}

void rv_rejected_functions_update(void)
{
    if (!verdicts.n_suspended)
        read_list();
}

void rv_rejected_functions_inherit(void)
{
    verdicts.is_inherited = true;
}

void rv_rejected_functions_suspend(void)
{
    rv_process_lock();
    verdicts.n_suspended++;
    empty();
    rv_process_unlock();
}

void rv_rejected_functions_resume(void)
{
    rv_process_lock();
    verdicts.n_suspended--;
    if (!verdicts.n_suspended && rv_process_is_open())
        read_list();
    rv_process_unlock();
}
