#include "pipeline/memory_limit.h"

#include "base/os.h"
#include "model/slab.h"

enum { OPEN_CALL_BYTES = 128, OPEN_CALLS_SHARE = 8, OPEN_CALLS_OF_ANY = 1 << 21 }; /* the last: allowed in any case */
enum { LANES_SHARE = 4, FREE_SHARE = 8 };                                          /* guaranteed to lanes; left free */
enum { WAITS_SHARE = 8, FOLDS_SHARE = 8, BLOCK_LIST_SHARE = 8 };
enum { RANGES_SHARE = 8, MOST_RANGES_BYTES = 64 << 20 }; /* the last: those of 10 million calls and more */
enum { PAGES_SHARE = 2, LEAST_PAGES_BYTES = 32 << 20 }; /* where there is a history */
enum { CHECKS_A_SHARE = 4, SPAN_BYTES = 32 };           /* checks until what is free is filled; a span and its cells */

uint64_t rv_memory_limit_default(bool has_history)
{
    return rv_os_ram_bytes() / (has_history ? 32 : 4);
}

void rv_memory_limit_init(struct rv_memory_limit *limit, uint64_t bytes, struct rv_lanes *lanes)
{
    limit->lanes = lanes;
    limit->bytes = bytes;
    pthread_mutex_init(&limit->checking, NULL);
    atomic_init(&limit->n_unchecked, 0);
}

void rv_memory_limit_fini(struct rv_memory_limit *limit)
{
    pthread_mutex_destroy(&limit->checking);
}

/* What other resident data leaves, minus the growth until the next check. */
static void limit_lanes(struct rv_memory_limit *limit, uint64_t resident)
{
    const uint64_t most = limit->bytes, share = most / LANES_SHARE;
    const size_t lanes_bytes = rv_lanes_bytes(limit->lanes);
    const uint64_t of_lanes = lanes_bytes + rv_slab_ready_bytes();
    const uint64_t taken = most / FREE_SHARE + (resident > of_lanes ? resident - of_lanes : 0);
    const uint64_t left = taken < most - share ? most - taken : share;
    if (lanes_bytes > left)
        rv_lanes_limit_memory(limit->lanes, left);
}

/* Thousands of lanes are not asked while all that is resident is less than their share. */
void rv_memory_limit_check(struct rv_memory_limit *limit)
{
    pthread_mutex_lock(&limit->checking);
    atomic_store_explicit(&limit->n_unchecked, 0, memory_order_relaxed);
    const uint64_t resident = rv_os_resident_bytes();
    if (resident > limit->bytes / LANES_SHARE)
        limit_lanes(limit, resident);
    pthread_mutex_unlock(&limit->checking);
}

void rv_memory_limit_count(struct rv_memory_limit *limit, uint64_t n_spans)
{
    const uint64_t most = limit->bytes / FREE_SHARE / CHECKS_A_SHARE / SPAN_BYTES;
    if (atomic_fetch_add_explicit(&limit->n_unchecked, n_spans, memory_order_relaxed) + n_spans > most)
        rv_memory_limit_check(limit);
}

uint64_t rv_memory_limit_open_calls(uint64_t bytes)
{
    const uint64_t most = bytes / OPEN_CALLS_SHARE / OPEN_CALL_BYTES;
    return most > OPEN_CALLS_OF_ANY ? most : OPEN_CALLS_OF_ANY;
}

uint64_t rv_memory_limit_waits(uint64_t bytes)
{
    return bytes / WAITS_SHARE;
}

uint64_t rv_memory_limit_folds(uint64_t bytes)
{
    return bytes / FOLDS_SHARE;
}

/* A live session's lanes want memory, too; the pages of a narrow window always fit. */
uint64_t rv_memory_limit_pages(uint64_t bytes, bool has_history)
{
    if (!has_history)
        return bytes;
    return bytes / PAGES_SHARE > LEAST_PAGES_BYTES ? bytes / PAGES_SHARE : LEAST_PAGES_BYTES;
}

uint64_t rv_memory_limit_block_list(uint64_t bytes)
{
    return bytes / BLOCK_LIST_SHARE;
}

uint64_t rv_memory_limit_ranges(uint64_t bytes)
{
    return bytes / RANGES_SHARE < MOST_RANGES_BYTES ? bytes / RANGES_SHARE : MOST_RANGES_BYTES;
}
