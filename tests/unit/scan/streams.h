/* Random event streams for tests of the scan: what programs do, what goes wrong, and what no program does. */
#ifndef RV_TEST_STREAMS_H
#define RV_TEST_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ringviz/wire.h"

uint64_t random_next(uint64_t *state);
uint32_t random_below(uint64_t *state, uint32_t n);

struct stream_params {                                          /* zero = none of it */
    uint32_t n;                                                 /* events before drops */
    uint32_t n_stacks;                                          /* 0: one */
    uint32_t n_ids;                                             /* 0: every CALL has its own */
    uint32_t frame_size;                                        /* greatest key step of a CALL; 0: 1 */
    uint32_t longjmp_permille, orphan_permille, noise_permille; /* noise: GC, LINE, MARK, VALUE... */
    uint32_t sync_permille;
    uint32_t drop_percent;
    bool has_bursts;     /* of drops */
    bool has_lost_marks; /* where bursts are dropped */
    bool has_random_tags;
    bool is_random_kind; /* CALL or RETURN by a coin: hostile */
    bool is_without_return_ids;
};

struct stream {
    struct rv_event *events;
    uint32_t n;
    uint32_t *parents; /* n_ids == 0: of each id, the id of its caller, 0 = none; index 0 unused */
    bool *is_kept;     /* ... whether its CALL was not dropped */
    uint32_t n_ids;
};

/* Draw the parameters themselves. */
struct stream_params stream_random_params(uint64_t *random);

struct stream stream_generate(const struct stream_params *params, uint64_t *random);
void stream_free(struct stream *stream);

#endif
