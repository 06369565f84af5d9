/* Samples of a Chrome trace: their frames, each with its caller, and profiles that come in chunks. */
#ifndef RV_IMPORT_CHROME_SAMPLES_H
#define RV_IMPORT_CHROME_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/chrome_profile.h"
#include "import/event_builder.h"
#include "base/hash_index.h"

struct rv_chrome_sampled { /* a profile: each chunk continues where the previous one ended */
    uint64_t key;
    uint32_t thread; /* number in the event builder; UINT32_MAX = unknown */
    int64_t now_ns;
};

struct rv_chrome_samples { /* zero = empty */
    struct rv_call_nesting_frame_entry *frames;
    size_t n_frames, frames_capacity;
    struct rv_hash_index index;
    struct rv_chrome_sampled *profiles;
    size_t n_profiles, profiles_capacity;
    struct rv_chrome_tick *ticks; /* of the frames' samples that come */
    size_t n_ticks, ticks_capacity;
};

void rv_chrome_samples_fini(struct rv_chrome_samples *samples);

/* Add a frame with its key, its caller's key (0 = none) and its subroutine (0: omitted from stacks). */
void rv_chrome_samples_add(struct rv_chrome_samples *samples, uint64_t key, uint64_t caller, uint32_t id);

/* Add a profile's frames; rv_chrome_samples_node() makes their keys from the profile's key and their numbers. */
void rv_chrome_samples_add_nodes(struct rv_chrome_samples *samples, struct rv_event_builder *builder, uint64_t key,
                                 const struct rv_chrome_profile *profile);
uint64_t rv_chrome_samples_node(uint64_t key, uint64_t number);

/*
 * Emit a sample whose innermost frame has this key; a key of 0 is an empty stack. V8's "(garbage collector)" and
 * "(program)" run on top of the thread's previous sample. False: a frame is missing.
 */
bool rv_chrome_samples_emit(const struct rv_chrome_samples *samples, struct rv_event_builder *builder, uint32_t thread,
                            int64_t ns, uint64_t key);

/* The profile with this key, created if new. Valid until the next call. */
struct rv_chrome_sampled *rv_chrome_samples_profile(struct rv_chrome_samples *samples, uint64_t key);

#endif
