#include "sink/ordered_writer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/vec.h"
#include "recording/codec.h"
#include "sink/index_builder.h"

enum { JOBS_PER_THREAD = 3 };

struct rv_encoders {
    struct rv_rec_writer *writer; /* with the indexer of the thread that has set is_writing */
    struct rv_indexer *indexer;
    struct rv_segments *segments; /* NULL: all is kept */
    struct rv_rec_buffer index;
    bool leaves_totals;
    pthread_t *threads;
    unsigned n_threads;
    struct rv_encode_job *jobs;
    size_t n_jobs;
    /* under lock */
    pthread_mutex_t lock;
    pthread_cond_t has_free, has_filled;
    struct rv_encode_job **free_jobs;
    size_t n_free;
    struct rv_encode_job **filled; /* by ticket mod n_jobs, [n_taken, n_submitted) */
    struct rv_encode_job **built;  /* likewise, [n_written, n_taken); NULL: not yet */
    uint64_t n_submitted, n_taken, n_written;
    const struct rv_stats *totals;
    bool is_writing, is_stopping;
};

static void build_events(struct rv_codec *codec, struct rv_encode_job *job)
{
    uint16_t flags = job->chunk.flags;
    rv_codec_encode(codec, job->events, (uint32_t)job->n, job->ordinal, &job->chunk, &job->out);
    job->chunk.flags |= flags;
}

static void build(struct rv_codec *codec, struct rv_compressor *compressor, struct rv_encode_job *job)
{
    rv_chunk_begin(&job->out);
    if (job->chunk.type == RV_REC_EVENTS)
        build_events(codec, job);
    else if (job->chunk.type == RV_REC_STRINGS)
        rv_column_put(compressor, &job->out, 0, job->payload.bytes, job->payload.n);
    else
        rv_rec_buffer_add(&job->out, job->payload.bytes, job->payload.n);
    rv_chunk_end(&job->out, &job->chunk);
}

/* An INDEX of what was written since the last one; the last one has the totals. */
static void write_index(struct rv_encoders *encoders, bool is_last)
{
    bool has_totals = is_last || rv_indexer_has_many_totals(encoders->indexer);
    rv_chunk_begin(&encoders->index);
    if (!rv_indexer_put(encoders->indexer, encoders->writer->n_bytes, has_totals, &encoders->index))
        return;
    rv_chunk_end(&encoders->index, &(struct rv_rec_chunk){.type = RV_REC_INDEX});
    rv_rec_writer_put(encoders->writer, &encoders->index);
}

static struct rv_segments_gone gone(const struct rv_encoders *encoders)
{
    return encoders->segments ? rv_segments_gone(encoders->segments) : (struct rv_segments_gone){0};
}

static bool take_totals(struct rv_encoders *encoders)
{
    pthread_mutex_lock(&encoders->lock);
    const struct rv_stats *totals = encoders->totals;
    pthread_mutex_unlock(&encoders->lock);
    return !encoders->leaves_totals || (totals && rv_indexer_give_totals(encoders->indexer, totals));
}

/* END tells of the last INDEX, so that goes before it. */
static void write_end(struct rv_encoders *encoders, struct rv_encode_job *job)
{
    struct rv_rec_end end;
    bool is_indexed = take_totals(encoders) && !gone(encoders).is_between;
    write_index(encoders, true);
    memcpy(&end, job->payload.bytes, sizeof end);
    end.last_index = is_indexed ? rv_indexer_last(encoders->indexer) : 0;
    end.n_events -= gone(encoders).n_events;
    rv_chunk_begin(&job->out);
    rv_rec_buffer_add(&job->out, &end, sizeof end);
    rv_chunk_end(&job->out, &job->chunk);
    rv_rec_writer_put(encoders->writer, &job->out);
}

/* What fails is said by the writer, and kept. */
static void write_job(struct rv_encoders *encoders, struct rv_encode_job *job)
{
    if (job->chunk.type == RV_REC_END) {
        write_end(encoders, job);
        return;
    }
    if (encoders->segments && rv_segments_is_due(encoders->segments, &job->chunk)) {
        write_index(encoders, true);
        rv_segments_begin(encoders->segments, &encoders->indexer);
    } else if (rv_indexer_is_due(encoders->indexer)) {
        write_index(encoders, false);
    }
    const struct rv_indexed_chunk added = {.chunk = &job->chunk,
                                           .offset = encoders->writer->n_bytes,
                                           .payload = job->payload.bytes,
                                           .events = job->events,
                                           .ordinal = job->ordinal};
    if (rv_rec_writer_put(encoders->writer, &job->out) != 0)
        return;
    rv_indexer_add(encoders->indexer, &added);
    if (encoders->segments)
        rv_segments_note(encoders->segments, &job->chunk, job->payload.bytes, job->payload.n);
}

/* Under the lock, which is released while the file is written. */
static void write_built(struct rv_encoders *encoders)
{
    if (encoders->is_writing)
        return;
    encoders->is_writing = true;
    struct rv_encode_job **place;
    while (*(place = &encoders->built[encoders->n_written % encoders->n_jobs])) {
        struct rv_encode_job *job = *place;
        *place = NULL;
        pthread_mutex_unlock(&encoders->lock);
        write_job(encoders, job);
        pthread_mutex_lock(&encoders->lock);
        encoders->n_written++;
        encoders->free_jobs[encoders->n_free++] = job;
        pthread_cond_signal(&encoders->has_free);
    }
    encoders->is_writing = false;
}

/* The next job in order, or NULL at the end. Under the lock. */
static struct rv_encode_job *take(struct rv_encoders *encoders)
{
    while (encoders->n_taken == encoders->n_submitted && !encoders->is_stopping)
        pthread_cond_wait(&encoders->has_filled, &encoders->lock);
    if (encoders->n_taken == encoders->n_submitted)
        return NULL;
    return encoders->filled[encoders->n_taken++ % encoders->n_jobs];
}

static void *run_encoder(void *context)
{
    struct rv_encoders *encoders = context;
    rv_os_schedule_bulk(); /* those who wait for a session's next events go first */
    struct rv_codec *codec = rv_codec_create();
    struct rv_compressor *compressor = rv_compressor_create();
    pthread_mutex_lock(&encoders->lock);
    for (struct rv_encode_job *job; (job = take(encoders));) {
        pthread_mutex_unlock(&encoders->lock);
        build(codec, compressor, job);
        pthread_mutex_lock(&encoders->lock);
        encoders->built[job->ticket % encoders->n_jobs] = job;
        write_built(encoders);
    }
    pthread_mutex_unlock(&encoders->lock);
    rv_codec_destroy(codec);
    rv_compressor_destroy(compressor);
    return NULL;
}

struct rv_encoders *rv_encoders_start(const struct rv_encoders_params *params)
{
    struct rv_encoders *encoders = rv_alloc(1, sizeof *encoders);
    const unsigned n_threads = params->n_threads;
    encoders->writer = params->writer;
    encoders->indexer = rv_indexer_create();
    encoders->leaves_totals = params->leaves_totals;
    if (params->leaves_totals)
        rv_indexer_leave_totals(encoders->indexer);
    if (rv_record_limit_is_set(&params->limit))
        encoders->segments = rv_segments_create(params->writer, &params->limit);
    encoders->n_threads = n_threads;
    encoders->n_jobs = (size_t)n_threads * JOBS_PER_THREAD + 1;
    encoders->jobs = rv_alloc(encoders->n_jobs, sizeof *encoders->jobs);
    encoders->free_jobs = rv_alloc(encoders->n_jobs, sizeof(struct rv_encode_job *));
    encoders->filled = rv_alloc(encoders->n_jobs, sizeof(struct rv_encode_job *));
    encoders->built = rv_alloc(encoders->n_jobs, sizeof(struct rv_encode_job *));
    for (size_t i = 0; i < encoders->n_jobs; i++)
        encoders->free_jobs[encoders->n_free++] = &encoders->jobs[i];
    pthread_mutex_init(&encoders->lock, NULL);
    pthread_cond_init(&encoders->has_free, NULL);
    pthread_cond_init(&encoders->has_filled, NULL);
    encoders->threads = rv_alloc(n_threads, sizeof *encoders->threads);
    for (unsigned i = 0; i < n_threads; i++)
        rv_os_start_thread(&encoders->threads[i], run_encoder, encoders);
    return encoders;
}

struct rv_encode_job *rv_encoders_acquire(struct rv_encoders *encoders)
{
    pthread_mutex_lock(&encoders->lock);
    while (encoders->n_free == 0)
        pthread_cond_wait(&encoders->has_free, &encoders->lock);
    struct rv_encode_job *job = encoders->free_jobs[--encoders->n_free];
    pthread_mutex_unlock(&encoders->lock);
    job->chunk = (struct rv_rec_chunk){0};
    job->n = job->payload.n = 0;
    return job;
}

void rv_encoders_submit(struct rv_encoders *encoders, struct rv_encode_job *job)
{
    pthread_mutex_lock(&encoders->lock);
    job->ticket = encoders->n_submitted++;
    encoders->filled[job->ticket % encoders->n_jobs] = job;
    pthread_cond_signal(&encoders->has_filled);
    pthread_mutex_unlock(&encoders->lock);
}

void rv_encoders_give_totals(struct rv_encoders *encoders, const struct rv_stats *totals)
{
    pthread_mutex_lock(&encoders->lock);
    encoders->totals = totals;
    pthread_mutex_unlock(&encoders->lock);
}

struct rv_segments_gone rv_encoders_stop(struct rv_encoders *encoders)
{
    pthread_mutex_lock(&encoders->lock);
    encoders->is_stopping = true;
    pthread_cond_broadcast(&encoders->has_filled);
    pthread_mutex_unlock(&encoders->lock);
    for (unsigned i = 0; i < encoders->n_threads; i++)
        pthread_join(encoders->threads[i], NULL);
    for (size_t i = 0; i < encoders->n_jobs; i++) {
        free(encoders->jobs[i].events);
        rv_rec_buffer_fini(&encoders->jobs[i].payload);
        rv_rec_buffer_fini(&encoders->jobs[i].out);
    }
    struct rv_segments_gone total = gone(encoders);
    rv_segments_destroy(encoders->segments);
    rv_indexer_destroy(encoders->indexer);
    rv_rec_buffer_fini(&encoders->index);
    pthread_cond_destroy(&encoders->has_free);
    pthread_cond_destroy(&encoders->has_filled);
    pthread_mutex_destroy(&encoders->lock);
    free(encoders->threads);
    free(encoders->jobs);
    free(encoders->free_jobs);
    free(encoders->filled);
    free(encoders->built);
    free(encoders);
    return total;
}
