/* Threads that wait for each other, made up at random. */
#ifndef RV_TEST_MODEL_RANDOM_WAITS_H
#define RV_TEST_MODEL_RANDOM_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/critical_path_walk.h"

enum { MOST_THREADS = 8, MOST_WAITS = 60 };

struct random_waits {
    struct rv_critical_path_thread threads[MOST_THREADS];
    struct rv_critical_path_wait waits[MOST_WAITS];
    size_t n_threads, n_waits;
    uint64_t end_ns;
};

void random_waits_seed(uint32_t seed);
uint32_t random_waits_below(uint32_t n);

/* All times differ, except that a wake may be the end of its wait. With ties, several things happen at one time. */
void random_waits_make(struct random_waits *graph, bool has_ties);

#endif
