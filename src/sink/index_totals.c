#include "sink/index_totals.h"

#include <stdlib.h>

/* Add buckets that have calls to the table, if not NULL. Returns their number. */
static uint32_t put_buckets(const struct rv_histogram *durations, struct rv_rec_index_table *table)
{
    const uint32_t first = durations->first * RV_HISTOGRAM_BUCKETS;
    uint32_t n = 0;
    for (uint32_t k = first; k < first + durations->n * RV_HISTOGRAM_BUCKETS; k++) {
        uint64_t n_calls = rv_histogram_count(durations, k);
        if (n_calls == 0)
            continue;
        if (table)
            rv_rec_index_add(table, RV_REC_INDEX_BUCKETS, &(struct rv_rec_index_bucket){n_calls, k, 0});
        n++;
    }
    return n;
}

bool rv_index_totals_fit(const struct rv_stats *totals)
{
    size_t n;
    struct rv_stats_row *rows = rv_stats_take_rows(totals, &n);
    uint64_t n_buckets = 0;
    bool fit = true;
    for (size_t i = 0; i < n && fit; i++) {
        n_buckets += put_buckets(rv_stats_durations(totals, rows[i].id), NULL);
        fit = rows[i].id < RV_INDEX_MOST_ID && n_buckets <= RV_INDEX_MOST_BUCKETS;
    }
    free(rows);
    return fit;
}

/* In a file a total is of its id alone: --check counts again, and knows no names. The inner times are beside it. */
void rv_index_totals_put(const struct rv_stats *totals, struct rv_rec_index_table *table)
{
    size_t n;
    struct rv_stats_row *rows = rv_stats_take_rows(totals, &n);
    table->head.flags |= rv_stats_lacks_inner(totals) ? 0 : RV_REC_INDEX_HAS_INNERS;
    for (size_t i = 0; i < n; i++) {
        uint32_t n_buckets = put_buckets(rv_stats_durations(totals, rows[i].id), table);
        rv_rec_index_add(table, RV_REC_INDEX_TOTALS,
                         &(struct rv_rec_index_total){.n_calls = rows[i].n_calls,
                                                      .total_ns = rows[i].total_ns + rows[i].inner_ns,
                                                      .self_ns = rows[i].self_ns,
                                                      .min_ns = rows[i].min_ns,
                                                      .max_ns = rows[i].max_ns,
                                                      .id = rows[i].id,
                                                      .n_buckets = n_buckets});
        if (rows[i].inner_ns)
            rv_rec_index_add(table, RV_REC_INDEX_INNERS,
                             &(struct rv_rec_index_inner){.inner_ns = rows[i].inner_ns, .total = (uint32_t)i});
    }
    free(rows);
}
