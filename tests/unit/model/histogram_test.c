#include "model/histogram.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void check_ranks(const struct rv_histogram *histogram, uint64_t *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    for (size_t rank = 1; rank <= n; rank += 1 + n / 500) {
        double wanted = (double)values[rank - 1], error = (double)rv_histogram_at(histogram, rank) - wanted;
        cr_assert(error <= 0.01 * wanted && -error <= 0.01 * wanted, "rank %zu: %g off %g", rank, error, wanted);
    }
    cr_assert_eq(rv_histogram_at(histogram, n + 1), 0);
}

Test(histogram, every_rank_is_within_one_percent, .timeout = 60)
{
    enum { N = 200000 };
    uint64_t *values = malloc(N * sizeof *values), seed = 7;
    struct rv_histogram histogram = {0}, halves[2] = {{0}, {0}};
    cr_assert_eq(rv_histogram_at(&histogram, 1), 0);
    for (size_t i = 0; i < N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        values[i] = i % 2 ? 1000 + (seed >> 60) : (seed >> 20) >> (seed >> 8) % 44;
        rv_histogram_add(&histogram, values[i]);
        rv_histogram_add(&halves[i * 2 / N], values[i]);
    }
    rv_histogram_merge(&halves[0], &halves[1]);
    check_ranks(&histogram, values, N);
    check_ranks(&halves[0], values, N);
    rv_histogram_fini(&histogram);
    rv_histogram_fini(&halves[0]);
    rv_histogram_fini(&halves[1]);
    free(values);
}

Test(histogram, merging_reaches_octaves_on_either_side, .timeout = 60)
{
    uint64_t values[] = {0, 5, 1000000, UINT64_MAX}, sorted[] = {0, 0, 5, 1000000, 1000000, UINT64_MAX, UINT64_MAX};
    struct rv_histogram narrow = {0}, wide = {0}, empty = {0};
    rv_histogram_add(&narrow, 1000000);
    for (unsigned i = 0; i < 4; i++)
        rv_histogram_add(&wide, values[i]);
    rv_histogram_add(&wide, 0);
    rv_histogram_add(&wide, UINT64_MAX);
    rv_histogram_merge(&narrow, &wide);
    rv_histogram_merge(&narrow, &empty);
    rv_histogram_merge(&empty, &narrow);
    check_ranks(&empty, sorted, 7);
    rv_histogram_fini(&narrow);
    rv_histogram_fini(&wide);
    rv_histogram_fini(&empty);
}

/* Counts past a byte stay what they are while octaves are added on either side, and when histograms are added up. */
Test(histogram, counts_are_exact_however_it_widens, .timeout = 60)
{
    enum { N_NUMBERS = RV_HISTOGRAM_OCTAVES * RV_HISTOGRAM_BUCKETS };
    static uint64_t counts[N_NUMBERS];
    struct rv_histogram sum = {0};
    uint64_t seed = 3;
    for (unsigned round = 0; round < 6; round++) {
        struct rv_histogram histogram = {0};
        for (unsigned i = 0; i < 40000; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            unsigned octave = 30 + (i % 2 ? 1 : -1) * (int)(i / 2000); /* further out on both sides */
            uint64_t value = ((uint64_t)RV_HISTOGRAM_BUCKETS + (seed >> 62)) << octave;
            size_t idx = (size_t)rv_histogram_octave(value) * RV_HISTOGRAM_BUCKETS + (seed >> 62);
            rv_histogram_add(&histogram, value);
            counts[idx]++;
        }
        rv_histogram_merge(&sum, &histogram);
        rv_histogram_put(&sum, round, 1000);
        counts[round] += 1000;
        rv_histogram_fini(&histogram);
    }
    for (size_t i = 0; i < N_NUMBERS; i++)
        cr_assert_eq(rv_histogram_count(&sum, i), counts[i], "bucket %zu", i);
    rv_histogram_fini(&sum);
}
