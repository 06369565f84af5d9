#include "export/recorded_folds.h"

#include <criterion/criterion.h>

#include "stream/block_summary.h"

enum { N_FOLDS = 100, FOLD_NS = 10 };

/* Folds of one lane, each of a time outside of calls. */
static void read_folds(void *context, const struct rv_lane_folds_wanted *wanted)
{
    static const struct rv_rec_index_part part = {.n_sums = 1};
    static const struct rv_rec_index_sum sum = {.own_ns = FOLD_NS, .n = 1, .id = RV_REC_SUM_OUTSIDE};
    for (uint64_t i = 0; i < N_FOLDS; i++) {
        const struct rv_rec_index_fold row = {.from_ns = i * FOLD_NS, .to_ns = (i + 1) * FOLD_NS, .n_parts = 1};
        wanted->take(wanted->context, context, &(struct rv_fold_summary){&row, &part, &sum, NULL});
    }
}

static size_t count_read(uint64_t most_bytes, uint64_t *n_bytes)
{
    static const uint32_t as_id[] = {0};
    struct rv_lane lane = {.idx = 0};
    const struct rv_lane_calls calls = {.read_folds = read_folds, .context = &lane};
    struct rv_recorded_folds *folds = rv_recorded_folds_create(&(struct rv_recorded_folds_params){
        .calls = &calls, .as_id = as_id, .n_ids = 1, .to_ns = UINT64_MAX, .most_bytes = most_bytes});
    size_t n;
    const struct rv_folded_time *pieces = rv_recorded_folds_of(folds, &lane, &n);
    *n_bytes = 0;
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(pieces[i].from_ns, i * FOLD_NS);
        *n_bytes += sizeof *pieces + pieces[i].n_bytes;
    }
    rv_recorded_folds_destroy(folds);
    return n;
}

Test(recorded_folds, take_no_more_memory_than_they_may, .timeout = 60)
{
    uint64_t all_bytes, n_bytes;
    cr_assert_eq(count_read(UINT64_MAX, &all_bytes), N_FOLDS);
    const size_t n_half = count_read(all_bytes / 2, &n_bytes);
    cr_expect_eq(n_half, N_FOLDS / 2);
    cr_expect_leq(n_bytes, all_bytes / 2);
    cr_expect_eq(count_read(0, &n_bytes), 0);
}
