/*
 * What eight events do to a stack, for each of the 256 patterns of CALL (0) and RETURN (1) in them, first event in bit
 * 0.
 *
 * Places are numbered 0 to 7 for the frames that the eight events push, 16 to 31 for the 16 topmost frames before them,
 * 31 the top: what a two-source permutation takes as an index.
 */
#ifndef RV_SCAN_PATTERNS_H
#define RV_SCAN_PATTERNS_H

#include <stdint.h>

struct rv_pattern {
    uint8_t window[16]; /* where each of the 16 topmost frames afterwards comes from */
    uint8_t source[8];  /* of each RETURN: the frame it closes */
    uint8_t lane[8];    /* of each RETURN: which event it is */
    uint8_t top[8];     /* of each event: the top frame before it */
    uint8_t pushed[8];  /* the CALLs still open afterwards, outermost first */
    int8_t height[8];   /* of each RETURN: its frame's index, less the number of frames before the eight */
    uint8_t n_pops, n_pushes, n_returns; /* n_pops: of frames that were there before */
    uint8_t peak;                        /* most frames at once, above those before */
} __attribute__((aligned(64)));

/* Filled by rv_patterns_init(), which may be called often and from any thread. */
extern struct rv_pattern rv_patterns[256];
void rv_patterns_init(void);

#endif
