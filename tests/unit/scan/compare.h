/* A stream scanned in blocks with a carry, compared with the serial oracle. */
#ifndef RV_TEST_COMPARE_H
#define RV_TEST_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/block.h"
#include "scan/block_join.h"

struct scanned {
    struct rv_span *spans; /* per stack in closing order, stacks by key; those of finish are last of their stack */
    size_t n, capacity;
    struct rv_block_join_counts counts;
};

struct cutting {
    enum rv_scan_kernel kernel;
    uint32_t block_events; /* at most; 0: each block drawn from 1 to n */
    unsigned n_threads;    /* 0 and 1: the calling one */
    bool is_resumed;       /* each block by a carry of its own, which goes on where the one before stood */
    uint64_t seed;
};

struct scanned scan_serially(const struct rv_event *events, size_t n);
struct scanned scan_in_blocks(const struct rv_event *events, size_t n, const struct cutting *cutting);
void scanned_free(struct scanned *scanned);

/* False, and the first difference on stderr, when they differ. */
bool scanned_is_equal(const struct scanned *expected, const struct scanned *got);

#endif
