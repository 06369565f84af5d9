#include "model/histogram.h"

#include <stdlib.h>

#include "base/vec.h"

void rv_histogram_fini(struct rv_histogram *histogram)
{
    for (unsigned i = 0; i < RV_HISTOGRAM_OCTAVES; i++)
        free(histogram->octaves[i]);
    *histogram = (struct rv_histogram){0};
}

uint64_t *rv_histogram_touch(struct rv_histogram *histogram, unsigned octave)
{
    if (!histogram->octaves[octave])
        histogram->octaves[octave] = rv_alloc(RV_HISTOGRAM_BUCKETS, sizeof(uint64_t));
    return histogram->octaves[octave];
}

void rv_histogram_merge(struct rv_histogram *into, const struct rv_histogram *from)
{
    for (unsigned i = 0; i < RV_HISTOGRAM_OCTAVES; i++) {
        if (!from->octaves[i])
            continue;
        uint64_t *counts = rv_histogram_touch(into, i);
        for (unsigned j = 0; j < RV_HISTOGRAM_BUCKETS; j++)
            counts[j] += from->octaves[i][j];
    }
}

uint64_t rv_histogram_at(const struct rv_histogram *histogram, uint64_t rank)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < RV_HISTOGRAM_OCTAVES; i++)
        for (unsigned j = 0; histogram->octaves[i] && j < RV_HISTOGRAM_BUCKETS; j++) {
            n += histogram->octaves[i][j];
            if (n < rank)
                continue;
            if (i == 0)
                return j;
            return ((uint64_t)(RV_HISTOGRAM_BUCKETS + j) << (i - 1)) + (((UINT64_C(1) << (i - 1)) - 1) / 2);
        }
    return 0;
}
