/*
 * The reserve is mapped and never touched: it counts for a limit of address space, and as memory where the system does
 * not overcommit. Every allocation is tried twice, since another thread may just have given up the reserve.
 */
#include "base/memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"

#define RESERVE_BYTES ((size_t)32 << 20)

static void *_Atomic reserve; /* NULL: there is none */
static atomic_bool is_short, is_ending;

void rv_memory_keep_reserve(void)
{
    void *kept = mmap(NULL, RESERVE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    atomic_store_explicit(&reserve, kept == MAP_FAILED ? NULL : kept, memory_order_relaxed);
}

static bool give_up_reserve(void)
{
    void *kept = atomic_exchange_explicit(&reserve, NULL, memory_order_relaxed);
    if (!kept)
        return false;
    (void)munmap(kept, RESERVE_BYTES);
    atomic_store_explicit(&is_short, true, memory_order_relaxed);
    (void)rv_err(ENOMEM, "out of memory: no more is read; what was read is written");
    return true;
}

void rv_memory_refused(size_t n_bytes, unsigned n_tries)
{
    if (give_up_reserve() || n_tries == 0)
        return;
    while (atomic_exchange_explicit(&is_ending, true, memory_order_relaxed))
        pause();
    (void)rv_err(ENOMEM, "out of memory: %zu bytes were refused, ringviz ends", n_bytes);
    quick_exit(EXIT_FAILURE);
}

bool rv_memory_is_short(void)
{
    return atomic_load_explicit(&is_short, memory_order_relaxed);
}
