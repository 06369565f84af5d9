/*
 * Finished spans on disk until the program's end: an unlinked temporary file of blocks, each of one lane and linked to
 * the lane's previous and next block. Only one block per lane is kept in memory. --export and --spans get calls from
 * here, not from a span reader: a sink gets each call when it ends, those that lanes evict, too.
 */
#ifndef RV_EXPORT_SPOOL_H
#define RV_EXPORT_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "export/lane_calls.h"
#include "scan/span.h"
#include "sink/sink.h"

enum { RV_SPOOL_SPANS = 511 };

struct rv_spool_block {
    uint64_t previous, next; /* of the same lane, numbers from 1; previous 0 = none, next of the last: undefined */
    uint32_t lane_idx, n;
    uint64_t reserved;
    struct rv_span spans[RV_SPOOL_SPANS];
};

struct rv_spool; /* opaque; internally locked */

/* Write all n_bytes at this offset. 0, or a negative errno with one line printed. */
int rv_spool_write_at(int fd, const void *bytes, size_t n_bytes, uint64_t offset);
int rv_spool_read_at(int fd, void *bytes, size_t n_bytes, uint64_t offset);

/* NULL with one line printed. */
struct rv_spool *rv_spool_create(void);
void rv_spool_destroy(struct rv_spool *spool);

/* The sink that fills it. */
struct rv_sink rv_spool_sink(struct rv_spool *spool);

/*
 * Write everything to the file before it is read. 0, or the negative errno of the first failure, which was printed:
 * then only spans spooled before it are in the file.
 */
int rv_spool_seal(struct rv_spool *spool);

/* For a sealed spool. Block numbers: 0 = none. */
uint64_t rv_spool_n_spans(const struct rv_spool *spool);
uint64_t rv_spool_first_block(const struct rv_spool *spool, uint32_t lane_idx);
uint64_t rv_spool_last_block(const struct rv_spool *spool, uint32_t lane_idx);

/* That of the lane behind this one, which was read. */
uint64_t rv_spool_next_block(const struct rv_spool *spool, uint32_t lane_idx, uint64_t number,
                             const struct rv_spool_block *block);

/* 0, or a negative errno with one line printed. */
int rv_spool_read(const struct rv_spool *spool, uint64_t number, struct rv_spool_block *out);

/* All calls of a sealed spool, which outlives it. */
struct rv_lane_calls rv_spool_calls(const struct rv_spool *spool);

#endif
