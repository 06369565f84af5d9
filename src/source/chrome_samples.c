#include "source/chrome_samples.h"

#include <stdlib.h>

#include "base/vec.h"

struct rv_chrome_frame_entry {
    uint64_t key, caller;
    uint32_t id;
};

void rv_chrome_samples_fini(struct rv_chrome_samples *samples)
{
    free(samples->frames);
    free(samples->profiles);
    rv_index_fini(&samples->index);
}

static bool is_frame(const void *context, uint32_t value, const void *key)
{
    return ((const struct rv_chrome_samples *)context)->frames[value - 1].key == *(const uint64_t *)key;
}

void rv_chrome_samples_add(struct rv_chrome_samples *samples, uint64_t key, uint64_t caller, uint32_t id)
{
    samples->frames =
        rv_vec_reserve(samples->frames, &samples->frames_capacity, samples->n_frames + 1, sizeof *samples->frames);
    samples->frames[samples->n_frames++] = (struct rv_chrome_frame_entry){key, caller, id};
    rv_index_put(&samples->index, key, (uint32_t)samples->n_frames);
}

size_t rv_chrome_samples_stack(const struct rv_chrome_samples *samples, uint64_t key, uint32_t *ids, size_t max,
                               bool *is_known)
{
    size_t n = 0, n_steps = 0;
    *is_known = true;
    while (key && n < max && n_steps++ < max) { /* callers may go round in a circle */
        uint32_t found = rv_index_find(&samples->index, key, is_frame, samples, &key);
        *is_known = found != 0;
        if (!found)
            return n;
        const struct rv_chrome_frame_entry *frame = &samples->frames[found - 1];
        if (frame->id)
            ids[max - ++n] = frame->id;
        key = frame->caller;
    }
    return n;
}

struct rv_chrome_sampled *rv_chrome_samples_profile(struct rv_chrome_samples *samples, uint64_t key)
{
    for (size_t i = samples->n_profiles; i-- > 0 && samples->n_profiles - i < 256;)
        if (samples->profiles[i].key == key)
            return &samples->profiles[i];
    samples->profiles = rv_vec_reserve(samples->profiles, &samples->profiles_capacity, samples->n_profiles + 1,
                                       sizeof *samples->profiles);
    samples->profiles[samples->n_profiles] = (struct rv_chrome_sampled){.key = key, .thread = UINT32_MAX};
    return &samples->profiles[samples->n_profiles++];
}
