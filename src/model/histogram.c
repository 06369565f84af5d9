#include "model/histogram.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* The counts without their low bytes, by octave. */
static uint64_t **high_of(const struct rv_histogram *histogram)
{
    return (uint64_t **)(void *)(histogram->low + (size_t)histogram->n * RV_HISTOGRAM_BUCKETS);
}

static uint64_t count(const struct rv_histogram *histogram, size_t idx)
{
    const uint64_t *high = high_of(histogram)[idx / RV_HISTOGRAM_BUCKETS];
    return histogram->low[idx] + (high ? high[idx % RV_HISTOGRAM_BUCKETS] << 8 : 0);
}

void rv_histogram_fini(struct rv_histogram *histogram)
{
    for (size_t i = 0; i < histogram->n; i++)
        free(high_of(histogram)[i]);
    free(histogram->low);
    *histogram = (struct rv_histogram){0};
}

/* Make room for the octaves [first, end). */
static void reach(struct rv_histogram *histogram, unsigned first, unsigned end)
{
    if (histogram->n && histogram->first < first)
        first = histogram->first;
    if (histogram->n && histogram->first + histogram->n > (int)end)
        end = histogram->first + histogram->n;
    struct rv_histogram wider = {.first = (uint8_t)first, .n = (uint8_t)(end - first)};
    wider.low = rv_alloc(wider.n, RV_HISTOGRAM_BUCKETS + sizeof(uint64_t *));
    if (histogram->n) {
        size_t shift = histogram->first - first;
        memcpy(wider.low + shift * RV_HISTOGRAM_BUCKETS, histogram->low, (size_t)histogram->n * RV_HISTOGRAM_BUCKETS);
        memcpy(high_of(&wider) + shift, high_of(histogram), histogram->n * sizeof(uint64_t *));
    }
    free(histogram->low);
    *histogram = wider;
}

void rv_histogram_widen(struct rv_histogram *histogram, unsigned octave)
{
    reach(histogram, octave, octave + 1);
}

void rv_histogram_carry(struct rv_histogram *histogram, size_t idx, uint64_t n)
{
    uint64_t **high = &high_of(histogram)[idx / RV_HISTOGRAM_BUCKETS];
    if (!*high)
        *high = rv_alloc(RV_HISTOGRAM_BUCKETS, sizeof **high);
    (*high)[idx % RV_HISTOGRAM_BUCKETS] += n;
}

/* Add an octave's low bytes to others at once. False: one of them would wrap, and nothing has been added. */
static bool add_low(uint8_t *into, const uint8_t *from)
{
    uint8_t sums[RV_HISTOGRAM_BUCKETS], wraps = 0;
    for (size_t i = 0; i < RV_HISTOGRAM_BUCKETS; i++) {
        sums[i] = (uint8_t)(into[i] + from[i]);
        wraps |= sums[i] < from[i];
    }
    if (!wraps)
        memcpy(into, sums, sizeof sums);
    return !wraps;
}

static void add_octave(struct rv_histogram *into, size_t into_idx, const struct rv_histogram *from, size_t from_idx)
{
    for (size_t i = 0; i < RV_HISTOGRAM_BUCKETS; i++) {
        const uint64_t sum = into->low[into_idx + i] + count(from, from_idx + i);
        into->low[into_idx + i] = (uint8_t)sum;
        if (sum >> 8)
            rv_histogram_carry(into, into_idx + i, sum >> 8);
    }
}

void rv_histogram_merge(struct rv_histogram *into, const struct rv_histogram *from)
{
    if (from->n == 0)
        return;
    if (into->n == 0 || from->first < into->first || from->first + from->n > into->first + into->n)
        reach(into, from->first, (unsigned)from->first + from->n);
    const size_t shift = (size_t)(from->first - into->first) * RV_HISTOGRAM_BUCKETS;
    for (size_t i = 0; i < from->n; i++) {
        const size_t idx = i * RV_HISTOGRAM_BUCKETS;
        if (high_of(from)[i] || !add_low(&into->low[shift + idx], &from->low[idx]))
            add_octave(into, shift + idx, from, idx);
    }
}

/* Number of values in the octave whose low bytes begin at idx. */
static uint64_t count_octave(const struct rv_histogram *histogram, size_t idx)
{
    const uint64_t *high = high_of(histogram)[idx / RV_HISTOGRAM_BUCKETS];
    uint64_t n_low = 0, n_high = 0;
    for (size_t i = 0; i < RV_HISTOGRAM_BUCKETS; i++)
        n_low += histogram->low[idx + i];
    for (size_t i = 0; high && i < RV_HISTOGRAM_BUCKETS; i++)
        n_high += high[i];
    return n_low + (n_high << 8);
}

uint64_t rv_histogram_at(const struct rv_histogram *histogram, uint64_t rank)
{
    const size_t n_buckets = (size_t)histogram->n * RV_HISTOGRAM_BUCKETS;
    uint64_t n = 0, n_octave;
    size_t begin = 0;
    for (; begin < n_buckets && n + (n_octave = count_octave(histogram, begin)) < rank; begin += RV_HISTOGRAM_BUCKETS)
        n += n_octave;
    for (size_t i = begin; i < n_buckets; i++) {
        n += count(histogram, i);
        if (n < rank)
            continue;
        unsigned octave = histogram->first + (unsigned)(i / RV_HISTOGRAM_BUCKETS);
        uint64_t bucket = i % RV_HISTOGRAM_BUCKETS;
        if (octave == 0)
            return bucket;
        return ((RV_HISTOGRAM_BUCKETS + bucket) << (octave - 1)) + ((UINT64_C(1) << (octave - 1)) - 1) / 2;
    }
    return 0;
}

uint64_t rv_histogram_at_most(const struct rv_histogram *histogram, uint64_t value)
{
    unsigned octave = value < RV_HISTOGRAM_BUCKETS ? 0 : 64 - RV_HISTOGRAM_SHIFT - (unsigned)__builtin_clzll(value);
    size_t bucket = (octave ? value >> (octave - 1) : value) & (RV_HISTOGRAM_BUCKETS - 1);
    size_t first = histogram->first * (size_t)RV_HISTOGRAM_BUCKETS,
           last = octave * (size_t)RV_HISTOGRAM_BUCKETS + bucket;
    uint64_t n = 0;
    for (size_t i = 0; i < (size_t)histogram->n * RV_HISTOGRAM_BUCKETS && first + i <= last; i++)
        n += count(histogram, i);
    return n;
}

uint64_t rv_histogram_count(const struct rv_histogram *histogram, size_t number)
{
    size_t first = histogram->first * (size_t)RV_HISTOGRAM_BUCKETS;
    return number >= first && number < first + histogram->n * (size_t)RV_HISTOGRAM_BUCKETS
               ? count(histogram, number - first)
               : 0;
}

void rv_histogram_put(struct rv_histogram *histogram, size_t number, uint64_t n)
{
    unsigned octave = (unsigned)(number / RV_HISTOGRAM_BUCKETS);
    if (octave - histogram->first >= histogram->n)
        rv_histogram_widen(histogram, octave);
    size_t idx = number - histogram->first * (size_t)RV_HISTOGRAM_BUCKETS;
    uint64_t sum = histogram->low[idx] + n;
    histogram->low[idx] = (uint8_t)sum;
    if (sum >> 8)
        rv_histogram_carry(histogram, idx, sum >> 8);
}
