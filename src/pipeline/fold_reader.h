/* Reads the sums of critical paths that a recording's index has (struct rv_rec_index_fold), of all lanes. */
#ifndef RV_PIPELINE_FOLD_READER_H
#define RV_PIPELINE_FOLD_READER_H

#include "model/lanes.h"
#include "stream/block_summary.h"

struct rv_page_loader;
struct rv_source;

struct rv_fold_reader {
    struct rv_page_loader *page_loader;
    struct rv_source *source;
    uint64_t from_ns, to_ns; /* blocks that overlap this; others may come, too */
    /* Those of a lane come in order of time; borrowed for the call. */
    void (*take)(void *taker, const struct rv_lane *lane, const struct rv_fold_summary *fold);
    void *taker;
};

/* Give what can be read. */
void rv_fold_reader_read(const struct rv_fold_reader *reader);

#endif
