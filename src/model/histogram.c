#include "model/histogram.h"

#include <stdlib.h>

#include "base/vec.h"

static uint64_t count(const struct rv_histogram_octave *octave, unsigned bucket)
{
    return octave->high[bucket] << 8 | octave->low[bucket];
}

void rv_histogram_fini(struct rv_histogram *histogram)
{
    for (unsigned i = 0; i < RV_HISTOGRAM_OCTAVES; i++)
        free(histogram->octaves[i]);
    *histogram = (struct rv_histogram){0};
}

struct rv_histogram_octave *rv_histogram_touch(struct rv_histogram *histogram, unsigned octave)
{
    if (!histogram->octaves[octave])
        histogram->octaves[octave] = rv_alloc(1, sizeof(struct rv_histogram_octave));
    return histogram->octaves[octave];
}

void rv_histogram_merge(struct rv_histogram *into, const struct rv_histogram *from)
{
    for (unsigned i = 0; i < RV_HISTOGRAM_OCTAVES; i++) {
        if (!from->octaves[i])
            continue;
        struct rv_histogram_octave *counts = rv_histogram_touch(into, i);
        for (unsigned j = 0; j < RV_HISTOGRAM_BUCKETS; j++) {
            uint64_t sum = count(counts, j) + count(from->octaves[i], j);
            counts->low[j] = (uint8_t)sum;
            counts->high[j] = sum >> 8;
        }
    }
}

uint64_t rv_histogram_at(const struct rv_histogram *histogram, uint64_t rank)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < RV_HISTOGRAM_OCTAVES; i++)
        for (unsigned j = 0; histogram->octaves[i] && j < RV_HISTOGRAM_BUCKETS; j++) {
            n += count(histogram->octaves[i], j);
            if (n < rank)
                continue;
            if (i == 0)
                return j;
            return ((uint64_t)(RV_HISTOGRAM_BUCKETS + j) << (i - 1)) + (((UINT64_C(1) << (i - 1)) - 1) / 2);
        }
    return 0;
}
