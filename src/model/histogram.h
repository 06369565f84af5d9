/*
 * A histogram of durations: 64 buckets an octave, so a bucket's middle is within 0.8 % of its values. Durations below
 * 128 ns are exact. Counts are exact; histograms can be added.
 *
 * The cost of an increment is its cache misses. So the low bytes of counts are stored apart, an octave's 64 in one
 * cache line, for the octaves between the shortest and the longest duration only. The upper bytes are allocated for
 * octaves in which a bucket has reached 256.
 */
#ifndef RV_MODEL_HISTOGRAM_H
#define RV_MODEL_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define RV_HISTOGRAM_SHIFT 6u
#define RV_HISTOGRAM_BUCKETS (1u << RV_HISTOGRAM_SHIFT)
#define RV_HISTOGRAM_OCTAVES (65u - RV_HISTOGRAM_SHIFT)

struct rv_histogram { /* zero is empty */
    uint8_t *low;     /* [octave - first][bucket]; followed by n pointers to each octave's counts / 256, or NULL */
    uint8_t first, n; /* octaves */
};

void rv_histogram_fini(struct rv_histogram *histogram);
/* Add all values of another. */
void rv_histogram_merge(struct rv_histogram *into, const struct rv_histogram *from);

/* Number of values in bucket octave * RV_HISTOGRAM_BUCKETS + bucket; and add to it. */
uint64_t rv_histogram_count(const struct rv_histogram *histogram, size_t number);
void rv_histogram_put(struct rv_histogram *histogram, size_t number, uint64_t n);

/* Slow halves of rv_histogram_add(): make room for an octave; carry when a low byte wraps to zero. */
void rv_histogram_widen(struct rv_histogram *histogram, unsigned octave);
void rv_histogram_carry(struct rv_histogram *histogram, size_t idx, uint64_t n);

/* The value of this rank (1 .. count, smallest first): the middle of its bucket. 0 when there is none. */
uint64_t rv_histogram_at(const struct rv_histogram *histogram, uint64_t rank);

/* Number of values up to this one, including its whole bucket. */
uint64_t rv_histogram_at_most(const struct rv_histogram *histogram, uint64_t value);

/* The octave that a value is counted in, from 0. */
static inline unsigned rv_histogram_octave(uint64_t value)
{
    return 64 - RV_HISTOGRAM_SHIFT - (unsigned)__builtin_clzll(value | (RV_HISTOGRAM_BUCKETS - 1));
}

/* Index of a value's low byte. */
static inline size_t rv_histogram_idx(const struct rv_histogram *histogram, unsigned octave, uint64_t value)
{
    size_t bucket = value >> (octave - (octave > 0)) & (RV_HISTOGRAM_BUCKETS - 1);
    return (size_t)(octave - histogram->first) * RV_HISTOGRAM_BUCKETS + bucket;
}

/* Prefetch for a value that will be added soon. */
static inline void rv_histogram_prefetch(const struct rv_histogram *histogram, uint64_t value)
{
    unsigned octave = rv_histogram_octave(value);
    if (octave - histogram->first < histogram->n)
        __builtin_prefetch(histogram->low + rv_histogram_idx(histogram, octave, value), 1);
}

/* Count one value. */
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
