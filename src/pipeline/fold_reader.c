#include "pipeline/fold_reader.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/vec.h"
#include "pipeline/page_loader.h"
#include "pipeline/stream.h"
#include "source/source.h"

struct indexes { /* offsets of those that have blocks of the time */
    uint64_t *all;
    size_t n, capacity;
};

/* Blocks of a stream come in the order of their INDEXes. */
static void list_of_stream(struct indexes *indexes, const struct rv_fold_reader *reader, const struct rv_stream *stream)
{
    size_t end, first = rv_page_loader_find(stream, reader->from_ns, reader->to_ns, 0, UINT64_MAX, &end);
    indexes->all = rv_vec_reserve(indexes->all, &indexes->capacity, indexes->n + (end - first), sizeof *indexes->all);
    for (size_t i = first, last = SIZE_MAX; i < end; last = i++) {
        const uint64_t index = rv_block_list_at(&stream->blocks, i)->index;
        if (last == SIZE_MAX || index != rv_block_list_at(&stream->blocks, last)->index)
            indexes->all[indexes->n++] = index;
    }
}

static int by_offset(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Those of all streams, each once. */
static struct indexes list_all(const struct rv_fold_reader *reader)
{
    struct rv_page_loader *page_loader = reader->page_loader;
    struct indexes indexes = {.n = 0};
    size_t n = 0;
    pthread_mutex_lock(&page_loader->lock);
    for (size_t i = 0; i < page_loader->n_streams; i++)
        if (page_loader->streams[i]->sums_level)
            list_of_stream(&indexes, reader, page_loader->streams[i]);
    pthread_mutex_unlock(&page_loader->lock);
    if (indexes.n)
        qsort(indexes.all, indexes.n, sizeof *indexes.all, by_offset);
    for (size_t i = 0; i < indexes.n; i++)
        if (n == 0 || indexes.all[i] != indexes.all[n - 1])
            indexes.all[n++] = indexes.all[i];
    indexes.n = n;
    return indexes;
}

static const struct rv_lane *lane_of(const struct rv_stream *stream, uint32_t stack)
{
    return stream->tracks.n ? stream->tracks.all[rv_stream_find_track(stream, stack)].lane : NULL;
}

static void pass(struct rv_fold_summary *summary)
{
    for (uint32_t i = 0; i < summary->row->n_parts; i++) {
        summary->sums += summary->parts->n_sums;
        summary->calls += summary->parts++->n_calls;
    }
}

static void give(const struct rv_fold_reader *reader, const struct rv_source_folds *folds)
{
    struct rv_fold_summary summary = {.parts = folds->parts, .sums = folds->sums, .calls = folds->calls};
    for (size_t i = 0; i < folds->n_folds; i++) {
        summary.row = &folds->folds[i];
        const struct rv_lane *lane = folds->streams[i] ? lane_of(folds->streams[i], summary.row->stack) : NULL;
        if (lane && summary.row->from_ns < reader->to_ns && summary.row->to_ns > reader->from_ns)
            reader->take(reader->taker, lane, &summary);
        pass(&summary);
    }
}

void rv_fold_reader_read(const struct rv_fold_reader *reader)
{
    struct indexes indexes = list_all(reader);
    for (size_t i = 0; i < indexes.n; i++) {
        struct rv_source_folds folds;
        if (!reader->source->read_folds(reader->source, indexes.all[i], &folds))
            continue;
        give(reader, &folds);
        free(folds.folds);
        free(folds.parts);
        free(folds.sums);
        free(folds.calls);
        free(folds.streams);
    }
    free(indexes.all);
}
