/* An INDEX's totals of all calls: a row and a histogram of durations for each subroutine called. */
#ifndef RV_SINK_INDEX_TOTALS_H
#define RV_SINK_INDEX_TOTALS_H

#include <stdbool.h>

#include "model/stats.h"
#include "recording/index_chunk.h"

/* Calls are counted in arrays by id: below this. */
#define RV_INDEX_MOST_ID (1u << 22)

/* Limit of buckets in an INDEX: a column has room for four, and a block's calls may add one. */
#define RV_INDEX_MOST_BUCKETS (3u << 20)

/* Are ids and buckets within these limits? */
bool rv_index_totals_fit(const struct rv_stats *totals);

/* Add them to a table. */
void rv_index_totals_put(const struct rv_stats *totals, struct rv_rec_index_table *table);

#endif
