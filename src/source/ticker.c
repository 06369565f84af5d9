#include "source/ticker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/os.h"
#include "base/vec.h"

static const uint64_t PERIOD_NS = 100000;

struct rv_ticker {
    pthread_t thread;
    uint32_t *word;
    _Atomic bool is_stopping;
};

static void *run(void *context)
{
    struct rv_ticker *ticker = context;
    while (!atomic_load_explicit(&ticker->is_stopping, memory_order_relaxed)) {
        __atomic_fetch_add(ticker->word, 1, __ATOMIC_RELAXED);
        rv_os_sleep_ns(PERIOD_NS);
    }
    return NULL;
}

struct rv_ticker *rv_ticker_start(uint32_t *word)
{
    struct rv_ticker *ticker = rv_alloc(1, sizeof *ticker);
    ticker->word = word;
    rv_os_start_thread(&ticker->thread, run, ticker);
    return ticker;
}

void rv_ticker_stop(struct rv_ticker *ticker)
{
    if (!ticker)
        return;
    atomic_store_explicit(&ticker->is_stopping, true, memory_order_relaxed);
    pthread_join(ticker->thread, NULL);
    free(ticker);
}
