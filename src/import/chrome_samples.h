/* Samples of a Chrome trace: the frames that they name, each with its caller, and the profiles that come in chunks. */
#ifndef RV_IMPORT_CHROME_SAMPLES_H
#define RV_IMPORT_CHROME_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/chrome_profile.h"
#include "import/event_builder.h"
#include "symbols/index.h"

struct rv_chrome_sampled { /* a profile: its chunks go on where the one before has ended */
    uint64_t key;
    uint32_t thread; /* the event builder's; UINT32_MAX = not known */
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

/* The frames of a profile, under keys that rv_chrome_samples_node() makes of its own key and their numbers. */
void rv_chrome_samples_add_nodes(struct rv_chrome_samples *samples, struct rv_event_builder *builder, uint64_t key,
                                 const struct rv_chrome_profile *profile);
uint64_t rv_chrome_samples_node(uint64_t key, uint64_t number);

/*
 * A sample whose innermost frame has this key; a key of 0 is an empty stack. What V8 calls "(garbage collector)" and
 * "(program)" runs on top of what the thread was sampled in before. False: one of the frames is not there.
 */
bool rv_chrome_samples_emit(const struct rv_chrome_samples *samples, struct rv_event_builder *builder, uint32_t thread,
                            int64_t ns, uint64_t key);

/* The profile of a key, made at first sight. Valid until the next call. */
struct rv_chrome_sampled *rv_chrome_samples_profile(struct rv_chrome_samples *samples, uint64_t key);

#endif
