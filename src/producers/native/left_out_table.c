/* One table per process, rebuilt after a dlclose, since addresses may then belong to other functions. */
#include "producers/native/left_out_table.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "producers/native/modules.h"
#include "producers/native/process.h"
#include "ring/left_out.h"

/* Under the process lock. */
static struct {
    uint64_t *table;
    uint32_t n_seen; /* [atomic] functions read from the file's list */
    uint32_t n_held; /* in the table */
    uint32_t n_suspended;
    bool is_allowed;
} left_out;

void rv_left_out_table_allow(void)
{
    left_out.is_allowed = true;
}

bool rv_left_out_table_is_stale(void)
{
    return left_out.is_allowed && rv_process_is_open() &&
           rv_left_out_count(rv_process_map()) != __atomic_load_n(&left_out.n_seen, __ATOMIC_RELAXED);
}

static bool has_table(void)
{
    if (left_out.table)
        return true;
    void *pages = mmap(NULL, RV_LEFT_OUT_TABLE_SLOTS * sizeof *left_out.table, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages != MAP_FAILED)
        left_out.table = pages;
    return pages != MAP_FAILED;
}

static void put(uint64_t address)
{
    uint32_t i = ((uint32_t)address * RV_LEFT_OUT_TABLE_FACTOR) >> RV_LEFT_OUT_TABLE_SHIFT;
    while (left_out.table[i] && left_out.table[i] != address)
        i = (i + 1) % RV_LEFT_OUT_TABLE_SLOTS;
    left_out.n_held += left_out.table[i] == 0;
    __atomic_store_n(&left_out.table[i], address, __ATOMIC_RELAXED);
}

static void read_list(void)
{
    const struct rv_map *map = rv_process_map();
    uint32_t n = rv_left_out_count(map), i = left_out.n_seen;
    for (; i < n && left_out.n_held < RV_LEFT_OUT_TABLE_SLOTS / 2 && has_table(); i++) {
        struct rv_wire_left_out record = rv_left_out_read(map, i);
        if (record.process == rv_process_idx() && record.address && rv_native_modules_has(record.address, record.ticks))
            put(record.address);
    }
    __atomic_store_n(&left_out.n_seen, n, __ATOMIC_RELAXED);
    if (left_out.n_held && !left_out.n_suspended)
        rv_process_set_gate((intptr_t)left_out.table);
}

void rv_left_out_table_update(void)
{
    rv_process_lock();
    read_list();
    rv_process_unlock();
}

void rv_left_out_table_suspend(void)
{
    rv_process_lock();
    left_out.n_suspended++;
    if (left_out.n_held)
        rv_process_set_gate(0);
    rv_process_unlock();
}

/* A hook that reads the table while it is cleared runs for a function that still exists: either answer is right.
 */
void rv_left_out_table_resume(void)
{
    rv_process_lock();
    left_out.n_suspended--;
    if (left_out.n_held)
        memset(left_out.table, 0, RV_LEFT_OUT_TABLE_SLOTS * sizeof *left_out.table);
    left_out.n_held = 0;
    left_out.n_seen = 0;
    if (rv_process_is_open())
        read_list();
    rv_process_unlock();
}
