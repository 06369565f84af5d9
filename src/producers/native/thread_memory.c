/*
 * A stack of pieces, each with the next one's address in its word. A taker reads that word even if another thread
 * has taken and written the piece meanwhile: then the count in the head has changed, and the value is not used.
 *
 * Pieces that were never used lie one behind the other: no page of theirs is touched before.
 *
 *   M1 -> M2  a piece's word and all earlier use of it, before it is on the stack
 */
#include "producers/native/thread_memory.h"

#include <errno.h>
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
    const size_t n_to_align = pool->alignment > RV_THREAD_MEMORY_PAGE ? pool->alignment - RV_THREAD_MEMORY_PAGE : 0;
    const size_t n_bytes = round_up(n * stride, RV_THREAD_MEMORY_PAGE) + n_to_align;
    uint8_t *pages = rv_pages_map(n_bytes);
    if (!pages)
        return NULL;
    (void)madvise(pages, n_bytes, MADV_NOHUGEPAGE);
    return (uint8_t *)round_up((size_t)(pages + pool->n_before), pool->alignment);
}

static size_t stride_of(const struct rv_thread_memory *pool)
{
    return round_up(pool->n_before + pool->n_after, pool->alignment);
}

static void *take_unused(struct rv_thread_memory *pool)
{
    uint64_t unused = __atomic_load_n(&pool->unused, __ATOMIC_RELAXED);
    while (unused >> COUNT_SHIFT) {
        const uint64_t rest = unused - (1ull << COUNT_SHIFT) + stride_of(pool);
        if (__atomic_compare_exchange_n(&pool->unused, &unused, rest, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return piece_of(unused);
    }
    return NULL;
}

/* Another thread may have mapped pieces meanwhile: those of them that nobody has taken go on the stack. */
static void add_unused(struct rv_thread_memory *pool, uint8_t *first, size_t n)
{
    const uint64_t unused = (uint64_t)n << COUNT_SHIFT | (uint64_t)(uintptr_t)first;
    const uint64_t others = __atomic_exchange_n(&pool->unused, unused, __ATOMIC_RELAXED);
    for (size_t i = 0; i < others >> COUNT_SHIFT; i++)
        rv_thread_memory_give(pool, (uint8_t *)piece_of(others) + i * stride_of(pool));
}

/* As many as exist already, up to a limit: few for few threads, rarely for thousands. Small ones fill a page. */
static size_t n_to_map(uint32_t n_taken, size_t stride)
{
    const size_t n = n_taken < 1 ? 1 : n_taken < MOST_AT_ONCE ? n_taken : MOST_AT_ONCE;
    return n * stride < RV_THREAD_MEMORY_PAGE ? RV_THREAD_MEMORY_PAGE / stride : n;
}

static void *make(struct rv_thread_memory *pool)
{
    const size_t stride = stride_of(pool);
    size_t n = n_to_map(__atomic_load_n(&pool->n_taken, __ATOMIC_RELAXED), stride);
    int saved = errno;
    uint8_t *first = map_pieces(pool, n, stride);
    if (!first && n > 1)
        first = map_pieces(pool, n = 1, stride);
    errno = saved;
    if (!first)
        return NULL;
    __atomic_fetch_add(&pool->n_taken, (uint32_t)n, __ATOMIC_RELAXED);
    if (n > 1)
        add_unused(pool, first + stride, n - 1);
    return first;
}

void *rv_thread_memory_take(struct rv_thread_memory *pool)
{
    void *piece = take_left(pool);
    if (!piece)
        piece = take_unused(pool);
    return piece ? piece : make(pool);
}
