/*
 * The effect of eight events on a stack, for each of the 256 patterns of CALL (0) and RETURN (1), first event in bit 0.
 *
 * Places number the frames: 0 to 7 those that the eight events push, 16 to 31 the 16 topmost frames before them, with
 * 31 the top. A two-source permutation takes them as indices.
 */
#ifndef RV_SCAN_PUSH_POP_PATTERNS_H
#define RV_SCAN_PUSH_POP_PATTERNS_H

#include <stdint.h>

struct rv_pattern {
    uint8_t window[16]; /* the place of each of the 16 topmost frames afterwards */
    uint8_t source[8];  /* of each RETURN: the frame it closes */
    uint8_t lane[8];    /* of each RETURN: which event it is */
    uint8_t top[8];     /* of each event: the top frame just before it */
    uint8_t pushed[8];  /* the CALLs still open afterwards, outermost first */
    int8_t height[8];   /* of each RETURN: its frame's index minus the number of frames before the eight events */
    uint8_t n_pops, n_pushes, n_returns; /* n_pops: frames from before the eight events */
    uint8_t peak;                        /* most frames at once, above the earlier ones */
} __attribute__((aligned(64)));

/* Filled by rv_push_pop_patterns_init(), which may be called repeatedly and from any thread. */
extern struct rv_pattern rv_push_pop_patterns[256];
void rv_push_pop_patterns_init(void);

#endif
