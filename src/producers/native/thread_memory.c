/*
 * A stack of pieces, each with the next one's address in its word. A taker reads that word even if another thread
 * has taken and written the piece meanwhile: then the count in the head has changed, and the value is not used.
 *
 *   M1 -> M2  a piece's word and all earlier use of it, before it is on the stack
 */
#include "producers/native/thread_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "producers/native/pages.h"

#define MOST_AT_ONCE 16u
#define COUNT_SHIFT 48
#define ADDRESS_MASK ((1ull << COUNT_SHIFT) - 1)

static uint64_t *piece_of(uint64_t head)
{
    return (uint64_t *)(uintptr_t)(head & ADDRESS_MASK);
}

static uint64_t with(uint64_t head, const void *piece)
{
    return ((head >> COUNT_SHIFT) + 1) << COUNT_SHIFT | (uint64_t)(uintptr_t)piece;
}

static void *take_left(struct rv_thread_memory *pool)
{
    uint64_t head = __atomic_load_n(&pool->free, __ATOMIC_ACQUIRE); /* M2 <- M1 */
    while (piece_of(head)) {
        uint64_t next = __atomic_load_n(piece_of(head), __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&pool->free, &head, with(head, (void *)(uintptr_t)next), false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) { /* M2 <- M1 */
            __atomic_store_n(piece_of(head), 0, __ATOMIC_RELAXED);
            return piece_of(head);
        }
    }
    return NULL;
}

void rv_thread_memory_give(struct rv_thread_memory *pool, void *piece)
{
    uint64_t head = __atomic_load_n(&pool->free, __ATOMIC_RELAXED);
    do
        __atomic_store_n((uint64_t *)piece, head & ADDRESS_MASK, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&pool->free, &head, with(head, piece), false, __ATOMIC_RELEASE, /* M1 -> M2 */
                                        __ATOMIC_RELAXED));
}

static size_t round_up(size_t n, size_t alignment)
{
    return (n + alignment - 1) & ~(alignment - 1);
}

/* Map n pieces. Returns the address of the first; they are a stride apart. NULL: no memory. */
static uint8_t *map_pieces(const struct rv_thread_memory *pool, size_t n, size_t stride)
{
    const size_t n_bytes = n * stride + pool->alignment - RV_THREAD_MEMORY_PAGE;
    uint8_t *pages = rv_pages_map(n_bytes);
    if (!pages)
        return NULL;
    (void)madvise(pages, n_bytes, MADV_NOHUGEPAGE);
    return (uint8_t *)round_up((size_t)(pages + pool->n_before), pool->alignment);
}

/* Allocate as many as exist already, up to a limit: few for few threads, rarely for thousands. */
static void *make(struct rv_thread_memory *pool)
{
    const uint32_t n_taken = __atomic_load_n(&pool->n_taken, __ATOMIC_RELAXED);
    size_t n = n_taken < 1 ? 1 : n_taken < MOST_AT_ONCE ? n_taken : MOST_AT_ONCE;
    const size_t stride = round_up(pool->n_before + pool->n_after, pool->alignment);
    int saved = errno;
    uint8_t *first = map_pieces(pool, n, stride);
    if (!first && n > 1)
        first = map_pieces(pool, n = 1, stride);
    errno = saved;
    if (!first)
        return NULL;
    __atomic_fetch_add(&pool->n_taken, (uint32_t)n, __ATOMIC_RELAXED);
    for (size_t i = 1; i < n; i++)
        rv_thread_memory_give(pool, first + i * stride);
    return first;
}

void *rv_thread_memory_take(struct rv_thread_memory *pool)
{
    void *piece = take_left(pool);
    return piece ? piece : make(pool);
}
