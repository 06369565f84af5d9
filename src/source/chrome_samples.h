/* Samples of a Chrome trace: the frames that they name, each with its caller, and the profiles that come in chunks. */
#ifndef RV_SOURCE_CHROME_SAMPLES_H
#define RV_SOURCE_CHROME_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/index.h"

struct rv_chrome_sampled { /* a profile: its chunks go on where the one before has ended */
    uint64_t key;
    uint32_t thread; /* the emitter's; UINT32_MAX = not known */
    int64_t now_ns;
};

struct rv_chrome_samples { /* zero = empty */
    struct rv_chrome_frame_entry *frames;
    size_t n_frames, frames_capacity;
    struct rv_index index;
    struct rv_chrome_sampled *profiles;
    size_t n_profiles, profiles_capacity;
};

void rv_chrome_samples_fini(struct rv_chrome_samples *samples);

/* A frame under a key: the caller's key (0 = none), and its subroutine (0: it is left out of stacks). */
void rv_chrome_samples_add(struct rv_chrome_samples *samples, uint64_t key, uint64_t caller, uint32_t id);

/*
 * The stack that ends at a frame, into the end of ids[0 .. max).
 *   returns  how many there are; *is_known: every frame was there
 */
size_t rv_chrome_samples_stack(const struct rv_chrome_samples *samples, uint64_t key, uint32_t *ids, size_t max,
                               bool *is_known);

/* The profile of a key, made at first sight. Valid until the next call. */
struct rv_chrome_sampled *rv_chrome_samples_profile(struct rv_chrome_samples *samples, uint64_t key);

#endif
