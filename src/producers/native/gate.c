/* One table per process, rebuilt after a dlclose, since addresses may then belong to other functions. */
#include "producers/native/gate.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "producers/native/mapped.h"
#include "producers/native/process.h"
#include "ring/left_out.h"

/* Under the process lock. */
static struct {
    uint64_t *table;
    uint32_t n_seen; /* [atomic] functions read from the file's list */
    uint32_t n_held; /* in the table */
    uint32_t n_suspended;
    bool is_allowed;
} gate;

void rv_gate_allow(void)
{
    gate.is_allowed = true;
}

bool rv_gate_is_stale(void)
{
    return gate.is_allowed && rv_process_is_open() &&
           rv_left_out_count(rv_process_map()) != __atomic_load_n(&gate.n_seen, __ATOMIC_RELAXED);
}

static bool has_table(void)
{
    if (gate.table)
        return true;
    void *pages = mmap(NULL, RV_GATE_SLOTS * sizeof *gate.table, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages != MAP_FAILED)
        gate.table = pages;
    return pages != MAP_FAILED;
}

static void put(uint64_t address)
{
    uint32_t i = ((uint32_t)address * RV_GATE_FACTOR) >> RV_GATE_SHIFT;
    while (gate.table[i] && gate.table[i] != address)
        i = (i + 1) % RV_GATE_SLOTS;
    gate.n_held += gate.table[i] == 0;
    __atomic_store_n(&gate.table[i], address, __ATOMIC_RELAXED);
}

static void read_list(void)
{
    const struct rv_map *map = rv_process_map();
    uint32_t n = rv_left_out_count(map), i = gate.n_seen;
    for (; i < n && gate.n_held < RV_GATE_SLOTS / 2 && has_table(); i++) {
        struct rv_wire_left_out record = rv_left_out_read(map, i);
        if (record.process == rv_process_idx() && record.address && rv_mapped_has(record.address, record.ticks))
            put(record.address);
    }
    __atomic_store_n(&gate.n_seen, n, __ATOMIC_RELAXED);
    if (gate.n_held && !gate.n_suspended)
        rv_process_set_gate((intptr_t)gate.table);
}

void rv_gate_update(void)
{
    rv_process_lock();
    read_list();
    rv_process_unlock();
}

void rv_gate_suspend(void)
{
    rv_process_lock();
    gate.n_suspended++;
    if (gate.n_held)
        rv_process_set_gate(0);
    rv_process_unlock();
}

/* A hook that reads the table while it is cleared runs for a function that still exists: either answer is right.
 */
void rv_gate_resume(void)
{
    rv_process_lock();
    gate.n_suspended--;
    if (gate.n_held)
        memset(gate.table, 0, RV_GATE_SLOTS * sizeof *gate.table);
    gate.n_held = 0;
    gate.n_seen = 0;
    if (rv_process_is_open())
        read_list();
    rv_process_unlock();
}
