/*
 * A histogram of durations: 64 buckets an octave, so a bucket's middle is within 0.8 % of what it holds. Durations
 * below 128 ns are exact. Counts are exact and histograms add up.
 *
 * What an increment costs is whether its cache line is at hand: a count's low byte stands apart from the rest, an
 * octave's 64 are one line, and the octaves between the shortest and the longest duration seen stand side by side. The
 * rest is there for the octaves of which a bucket has come to 256.
 */
#ifndef RV_MODEL_HISTOGRAM_H
#define RV_MODEL_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define RV_HISTOGRAM_SHIFT 6u
#define RV_HISTOGRAM_BUCKETS (1u << RV_HISTOGRAM_SHIFT)
#define RV_HISTOGRAM_OCTAVES (65u - RV_HISTOGRAM_SHIFT)

struct rv_histogram { /* zero is empty */
    uint8_t *low;     /* by octave - first, then bucket; behind them n pointers: each octave's rest, in 256s, or NULL */
    uint8_t first, n; /* octaves */
};

void rv_histogram_fini(struct rv_histogram *histogram);
void rv_histogram_merge(struct rv_histogram *into, const struct rv_histogram *from);

/* Values in a bucket by its number, octave * RV_HISTOGRAM_BUCKETS + bucket; and so many more of them. */
uint64_t rv_histogram_count(const struct rv_histogram *histogram, size_t number);
void rv_histogram_put(struct rv_histogram *histogram, size_t number, uint64_t n);

/* Slow halves of rv_histogram_add(): make room for an octave; a low byte has come round to zero. */
void rv_histogram_widen(struct rv_histogram *histogram, unsigned octave);
void rv_histogram_carry(struct rv_histogram *histogram, size_t idx, uint64_t n);

/* The value of this rank (1 .. count, smallest first): the middle of its bucket. 0 when there is none. */
uint64_t rv_histogram_at(const struct rv_histogram *histogram, uint64_t rank);

/* How many values are not above this one, its whole bucket included. */
uint64_t rv_histogram_at_most(const struct rv_histogram *histogram, uint64_t value);

static inline unsigned rv_histogram_octave(uint64_t value)
{
    return 64 - RV_HISTOGRAM_SHIFT - (unsigned)__builtin_clzll(value | (RV_HISTOGRAM_BUCKETS - 1));
}

/* Of a value's octave, its place among those that are there. */
static inline size_t rv_histogram_idx(const struct rv_histogram *histogram, unsigned octave, uint64_t value)
{
    size_t bucket = value >> (octave - (octave > 0)) & (RV_HISTOGRAM_BUCKETS - 1);
    return (size_t)(octave - histogram->first) * RV_HISTOGRAM_BUCKETS + bucket;
}

/* The value will be added soon. */
static inline void rv_histogram_prefetch(const struct rv_histogram *histogram, uint64_t value)
{
    unsigned octave = rv_histogram_octave(value);
    if (octave - histogram->first < histogram->n)
        __builtin_prefetch(histogram->low + rv_histogram_idx(histogram, octave, value), 1);
}

static inline void rv_histogram_add(struct rv_histogram *histogram, uint64_t value)
{
    unsigned octave = rv_histogram_octave(value);
    if (__builtin_expect(octave - histogram->first >= histogram->n, 0))
        rv_histogram_widen(histogram, octave);
    size_t idx = rv_histogram_idx(histogram, octave, value);
    if (__builtin_expect(++histogram->low[idx] == 0, 0))
        rv_histogram_carry(histogram, idx, 1);
}

#endif
