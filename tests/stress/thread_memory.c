/* Threads take pieces from one pool and give them back: a piece is one thread's at a time. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "producers/native/thread_memory.h"

enum { N_THREADS = 4, N_ROUNDS = 100000, N_HELD = 3, PIECE_BYTES = 256 };

static struct rv_thread_memory pool = RV_THREAD_MEMORY(PIECE_BYTES);
static unsigned n_wrong; /* [atomic] */

struct piece {
    uint64_t pool_word, owner, others[PIECE_BYTES / 8 - 2];
};

static void *take_and_give(void *context)
{
    const uint64_t self = (uint64_t)(uintptr_t)context;
    struct piece *held[N_HELD] = {0};
    for (unsigned i = 0; i < N_ROUNDS; i++) {
        struct piece **slot = &held[i % N_HELD];
        if (*slot) {
            bool is_mine = (*slot)->owner == self;
            (*slot)->owner = 0;
            __atomic_fetch_add(&n_wrong, !is_mine, __ATOMIC_RELAXED);
            rv_thread_memory_give(&pool, *slot);
        }
        *slot = rv_thread_memory_take(&pool);
        bool is_free = *slot && (*slot)->owner == 0 && (*slot)->pool_word == 0;
        __atomic_fetch_add(&n_wrong, !is_free, __ATOMIC_RELAXED);
        (*slot)->owner = self;
    }
    for (unsigned i = 0; i < N_HELD; i++) {
        held[i]->owner = 0;
        rv_thread_memory_give(&pool, held[i]);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N_THREADS];
    for (uintptr_t i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, take_and_give, (void *)(i + 1));
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%u pieces, %u wrong\n", pool.n_taken, n_wrong);
    return n_wrong != 0 ||
           pool.n_taken > N_ROUNDS / 100; /* given ones are taken again, unless another thread is at it */
}
