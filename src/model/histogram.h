/*
 * A histogram of durations: 64 buckets an octave, so a bucket's middle is within 0.8 % of what it holds; octaves are
 * allocated when first touched. Durations below 128 ns are exact. Counts are exact and histograms add up.
 *
 * A count's low byte stands apart from the rest, so that an octave's 64 are one cache line: what an increment costs is
 * whether its line is at hand.
 */
#ifndef RV_MODEL_HISTOGRAM_H
#define RV_MODEL_HISTOGRAM_H

#include <stdint.h>

#define RV_HISTOGRAM_SHIFT 6u
#define RV_HISTOGRAM_BUCKETS (1u << RV_HISTOGRAM_SHIFT)
#define RV_HISTOGRAM_OCTAVES (65u - RV_HISTOGRAM_SHIFT)

struct rv_histogram_octave {
    uint8_t low[RV_HISTOGRAM_BUCKETS];
    uint64_t high[RV_HISTOGRAM_BUCKETS]; /* in 256s */
};

struct rv_histogram { /* zero is empty */
    struct rv_histogram_octave *octaves[RV_HISTOGRAM_OCTAVES];
};

void rv_histogram_fini(struct rv_histogram *histogram);
struct rv_histogram_octave *rv_histogram_touch(struct rv_histogram *histogram, unsigned octave);
void rv_histogram_merge(struct rv_histogram *into, const struct rv_histogram *from);

/* The value of this rank (1 .. count, smallest first): the middle of its bucket. 0 when there is none. */
uint64_t rv_histogram_at(const struct rv_histogram *histogram, uint64_t rank);

static inline void rv_histogram_add(struct rv_histogram *histogram, uint64_t value)
{
    unsigned octave = 0;
    if (value >= RV_HISTOGRAM_BUCKETS)
        octave = 64 - RV_HISTOGRAM_SHIFT - (unsigned)__builtin_clzll(value);
    struct rv_histogram_octave *counts = histogram->octaves[octave];
    if (__builtin_expect(!counts, 0))
        counts = rv_histogram_touch(histogram, octave);
    unsigned bucket = (unsigned)(octave ? value >> (octave - 1) : value) & (RV_HISTOGRAM_BUCKETS - 1);
    if (__builtin_expect(++counts->low[bucket] == 0, 0))
        counts->high[bucket]++;
}

#endif
