#include "sink/ordered_writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"
#include "recording/codec.h"
#include "sink/index_builder.h"

enum { JOBS_PER_THREAD = 2 };
static const uint64_t STALL_NS = 1000000000; /* time that the disk of a follower's file has to answer */
static const uint64_t LOOK_NS = 100000000; /* looks at it meanwhile: time while the process is stopped is one of them */

struct rv_ordered_writer {
    /* used by the thread that has set writing_tid */
    struct rv_rec_writer *writer;
    struct rv_index_builder *index_builder;
    struct rv_compressor *compressor;  /* used by that thread */
    struct rv_record_limiter *limiter; /* NULL: no limit */
    struct rv_rec_buffer index;
    bool leaves_totals;
    struct rv_record_follower follower;
    pthread_t *threads;
    unsigned n_threads;
    struct rv_encode_job *jobs;
    size_t n_jobs;
    /* under lock */
    pthread_mutex_t lock;
    pthread_cond_t has_free, has_filled, has_ended;
    struct rv_encode_job **free_jobs;
    size_t n_free;
    struct rv_encode_job **filled; /* by ticket mod n_jobs, [n_taken, n_submitted) */
    struct rv_encode_job **built;  /* likewise; NULL: not built yet */
    uint64_t n_submitted, n_taken, n_written;
    const struct rv_stats *totals;
    unsigned n_running; /* threads */
    pid_t writing_tid;  /* the thread that writes, or 0 */
    bool is_stopping;
    bool has_failed; /* with a follower: nothing more is written */
};

/* Under the lock. */
static void fail(struct rv_ordered_writer *ordered_writer, int error)
{
    if (ordered_writer->has_failed)
        return;
    ordered_writer->has_failed = true;
    pthread_cond_broadcast(&ordered_writer->has_free);
    ordered_writer->follower.fail(ordered_writer->follower.context, error);
}

static void build_events(struct rv_codec *codec, struct rv_encode_job *job)
{
    uint16_t flags = job->chunk.flags;
    rv_codec_encode(codec, job->events, (uint32_t)job->n, job->ordinal, &job->chunk, &job->out);
    job->chunk.flags |= flags;
}

static void build(struct rv_codec *codec, struct rv_encode_job *job)
{
    rv_chunk_begin(&job->out);
    if (job->chunk.type == RV_REC_EVENTS)
        build_events(codec, job);
    else if (job->chunk.type == RV_REC_STRINGS)
        rv_compress_column(rv_codec_compressor(codec), &job->out, 0, job->payload.bytes, job->payload.n);
    else
        rv_rec_buffer_add(&job->out, job->payload.bytes, job->payload.n);
    rv_chunk_end(&job->out, &job->chunk);
}

/* Write an INDEX of the chunks since the last one; the final one has the totals. */
static void write_index(struct rv_ordered_writer *ordered_writer, bool is_last)
{
    bool has_totals = is_last || rv_index_builder_has_many_totals(ordered_writer->index_builder);
    rv_chunk_begin(&ordered_writer->index);
    if (!rv_index_builder_put(ordered_writer->index_builder, ordered_writer->compressor,
                              ordered_writer->writer->n_bytes, has_totals, &ordered_writer->index))
        return;
    rv_chunk_end(&ordered_writer->index, &(struct rv_rec_chunk){.type = RV_REC_INDEX});
    const uint64_t offset = ordered_writer->writer->n_bytes;
    const struct rv_record_follower *follower = &ordered_writer->follower;
    if (rv_rec_writer_put(ordered_writer->writer, &ordered_writer->index) == 0 && follower->index)
        follower->index(follower->context, offset);
}

static struct rv_record_limiter_gone gone(const struct rv_ordered_writer *ordered_writer)
{
    return ordered_writer->limiter ? rv_record_limiter_gone(ordered_writer->limiter)
                                   : (struct rv_record_limiter_gone){0};
}

static bool take_totals(struct rv_ordered_writer *ordered_writer)
{
    pthread_mutex_lock(&ordered_writer->lock);
    const struct rv_stats *totals = ordered_writer->totals;
    pthread_mutex_unlock(&ordered_writer->lock);
    return !ordered_writer->leaves_totals ||
           (totals && rv_index_builder_give_totals(ordered_writer->index_builder, totals));
}

/* END refers to the last INDEX, so write that first. */
static void write_end(struct rv_ordered_writer *ordered_writer, struct rv_encode_job *job)
{
    struct rv_rec_end end;
    bool is_indexed = take_totals(ordered_writer) && !gone(ordered_writer).is_between;
    write_index(ordered_writer, true);
    memcpy(&end, job->payload.bytes, sizeof end);
    end.last_index = is_indexed ? rv_index_builder_last(ordered_writer->index_builder) : 0;
    end.n_events -= gone(ordered_writer).n_events;
    rv_chunk_begin(&job->out);
    rv_rec_buffer_add(&job->out, &end, sizeof end);
    rv_chunk_end(&job->out, &job->chunk);
    rv_rec_writer_put(ordered_writer->writer, &job->out);
}

static void begin_segment(struct rv_ordered_writer *ordered_writer)
{
    write_index(ordered_writer, true);
    rv_record_limiter_begin_segment(ordered_writer->limiter, &ordered_writer->index_builder);
    const struct rv_record_follower *follower = &ordered_writer->follower;
    if (!follower->index)
        return;
    rv_index_builder_leave_sums(ordered_writer->index_builder);
    follower->discard(follower->context, rv_record_limiter_first(ordered_writer->limiter));
}

/* The writer prints and keeps errors. */
static void write_job(struct rv_ordered_writer *ordered_writer, struct rv_encode_job *job)
{
    if (job->chunk.type == RV_REC_END) {
        write_end(ordered_writer, job);
        return;
    }
    if (job->chunk.type == RV_REC_INDEX) {
        write_index(ordered_writer, true);
        return;
    }
    if (ordered_writer->limiter && rv_record_limiter_is_due(ordered_writer->limiter, &job->chunk)) {
        begin_segment(ordered_writer);
    } else if (rv_index_builder_is_due(ordered_writer->index_builder)) {
        write_index(ordered_writer, false);
    }
    const struct rv_indexed_chunk added = {.chunk = &job->chunk,
                                           .offset = ordered_writer->writer->n_bytes,
                                           .payload = job->payload.bytes,
                                           .events = job->events,
                                           .ordinal = job->ordinal,
                                           .n_bytes = job->out.n};
    if (rv_rec_writer_put(ordered_writer->writer, &job->out) != 0)
        return;
    rv_index_builder_add(ordered_writer->index_builder, &added);
    if (ordered_writer->limiter)
        rv_record_limiter_note(ordered_writer->limiter, &job->chunk, job->payload.bytes, job->payload.n);
}

/* Under the lock, which is released while the file is written. */
static void write_built(struct rv_ordered_writer *ordered_writer, struct rv_compressor *compressor)
{
    if (ordered_writer->writing_tid)
        return;
    ordered_writer->writing_tid = rv_os_tid();
    ordered_writer->compressor = compressor;
    struct rv_encode_job **place;
    while (*(place = &ordered_writer->built[ordered_writer->n_written % ordered_writer->n_jobs])) {
        struct rv_encode_job *job = *place;
        *place = NULL;
        if (!ordered_writer->has_failed) {
            pthread_mutex_unlock(&ordered_writer->lock);
            write_job(ordered_writer, job);
            pthread_mutex_lock(&ordered_writer->lock);
        }
        if (ordered_writer->writer->error && ordered_writer->follower.index)
            fail(ordered_writer, ordered_writer->writer->error);
        ordered_writer->n_written++;
        ordered_writer->free_jobs[ordered_writer->n_free++] = job;
        pthread_cond_signal(&ordered_writer->has_free);
    }
    ordered_writer->writing_tid = 0;
}

/* The next job in order, or NULL at the end. Under the lock. */
static struct rv_encode_job *take(struct rv_ordered_writer *ordered_writer)
{
    while (ordered_writer->n_taken == ordered_writer->n_submitted && !ordered_writer->is_stopping)
        pthread_cond_wait(&ordered_writer->has_filled, &ordered_writer->lock);
    if (ordered_writer->n_taken == ordered_writer->n_submitted)
        return NULL;
    return ordered_writer->filled[ordered_writer->n_taken++ % ordered_writer->n_jobs];
}

static void *run_encoder(void *context)
{
    struct rv_ordered_writer *ordered_writer = context;
    rv_os_schedule_bulk(); /* threads that wait for new events go first */
    struct rv_codec *codec = rv_codec_create();
    pthread_mutex_lock(&ordered_writer->lock);
    for (struct rv_encode_job *job; (job = take(ordered_writer));) {
        const bool is_wanted = !ordered_writer->has_failed;
        pthread_mutex_unlock(&ordered_writer->lock);
        if (is_wanted)
            build(codec, job);
        pthread_mutex_lock(&ordered_writer->lock);
        ordered_writer->built[job->ticket % ordered_writer->n_jobs] = job;
        write_built(ordered_writer, rv_codec_compressor(codec));
    }
    rv_codec_destroy(codec);
    ordered_writer->n_running--;
    pthread_cond_signal(&ordered_writer->has_ended);
    pthread_mutex_unlock(&ordered_writer->lock);
    return NULL;
}

struct rv_ordered_writer *rv_ordered_writer_start(const struct rv_ordered_writer_params *params)
{
    struct rv_ordered_writer *ordered_writer = rv_alloc(1, sizeof *ordered_writer);
    const unsigned n_threads = params->n_threads;
    ordered_writer->writer = params->writer;
    ordered_writer->index_builder = rv_index_builder_create();
    ordered_writer->leaves_totals = params->leaves_totals;
    if (params->leaves_totals)
        rv_index_builder_leave_totals(ordered_writer->index_builder);
    ordered_writer->follower = params->follower;
    if (params->follower.index)
        rv_index_builder_leave_sums(ordered_writer->index_builder);
    if (rv_record_limit_is_set(&params->limit))
        ordered_writer->limiter = rv_record_limiter_create(params->writer, &params->limit);
    ordered_writer->n_threads = n_threads;
    ordered_writer->n_jobs = (size_t)n_threads * JOBS_PER_THREAD;
    ordered_writer->jobs = rv_alloc(ordered_writer->n_jobs, sizeof *ordered_writer->jobs);
    ordered_writer->free_jobs = rv_alloc(ordered_writer->n_jobs, sizeof(struct rv_encode_job *));
    ordered_writer->filled = rv_alloc(ordered_writer->n_jobs, sizeof(struct rv_encode_job *));
    ordered_writer->built = rv_alloc(ordered_writer->n_jobs, sizeof(struct rv_encode_job *));
    for (size_t i = 0; i < ordered_writer->n_jobs; i++)
        ordered_writer->free_jobs[ordered_writer->n_free++] = &ordered_writer->jobs[i];
    pthread_mutex_init(&ordered_writer->lock, NULL);
    rv_os_init_condition(&ordered_writer->has_free);
    rv_os_init_condition(&ordered_writer->has_ended);
    pthread_cond_init(&ordered_writer->has_filled, NULL);
    ordered_writer->threads = rv_alloc(n_threads, sizeof *ordered_writer->threads);
    ordered_writer->n_running = n_threads;
    for (unsigned i = 0; i < n_threads; i++)
        rv_os_start_thread(&ordered_writer->threads[i], run_encoder, ordered_writer);
    return ordered_writer;
}

/* Is it the disk that a thread waits for? On a busy machine it waits for a CPU. Under the lock. */
static bool is_disk_waited_for(const struct rv_ordered_writer *ordered_writer)
{
    return ordered_writer->writing_tid && rv_os_process_state(ordered_writer->writing_tid) != 'R';
}

/* Wait for a condition, one look at most. Returns whether the disk let that pass and nothing was written. Under the lock. */
static bool is_look_in_vain(struct rv_ordered_writer *ordered_writer, pthread_cond_t *condition)
{
    const uint64_t end_ns = rv_clock_mono_ns() + LOOK_NS, n_written = ordered_writer->n_written;
    while (rv_os_wait_until(condition, &ordered_writer->lock, end_ns))
        if (ordered_writer->n_written > n_written || ordered_writer->has_failed || ordered_writer->n_running == 0)
            return false;
    return ordered_writer->n_written == n_written && is_disk_waited_for(ordered_writer);
}

/* A job that is free soon, or NULL; others may get the first ones. Under the lock. */
static struct rv_encode_job *acquire_soon(struct rv_ordered_writer *ordered_writer)
{
    for (uint64_t waited_ns = 0; ordered_writer->n_free == 0 && !ordered_writer->has_failed && waited_ns < STALL_NS;)
        waited_ns = is_look_in_vain(ordered_writer, &ordered_writer->has_free) ? waited_ns + LOOK_NS : 0;
    if (ordered_writer->n_free == 0)
        fail(ordered_writer, -ETIMEDOUT);
    return ordered_writer->has_failed ? NULL : ordered_writer->free_jobs[--ordered_writer->n_free];
}

struct rv_encode_job *rv_ordered_writer_acquire(struct rv_ordered_writer *ordered_writer)
{
    struct rv_encode_job *job = NULL;
    pthread_mutex_lock(&ordered_writer->lock);
    if (ordered_writer->follower.index) {
        job = acquire_soon(ordered_writer);
    } else {
        while (ordered_writer->n_free == 0)
            pthread_cond_wait(&ordered_writer->has_free, &ordered_writer->lock);
        job = ordered_writer->free_jobs[--ordered_writer->n_free];
    }
    pthread_mutex_unlock(&ordered_writer->lock);
    if (!job)
        return NULL;
    job->chunk = (struct rv_rec_chunk){0};
    job->n = job->payload.n = 0;
    return job;
}

void rv_ordered_writer_submit(struct rv_ordered_writer *ordered_writer, struct rv_encode_job *job)
{
    pthread_mutex_lock(&ordered_writer->lock);
    job->ticket = ordered_writer->n_submitted++;
    ordered_writer->filled[job->ticket % ordered_writer->n_jobs] = job;
    pthread_cond_signal(&ordered_writer->has_filled);
    pthread_mutex_unlock(&ordered_writer->lock);
}

void rv_ordered_writer_submit_index(struct rv_ordered_writer *ordered_writer)
{
    struct rv_encode_job *job = rv_ordered_writer_acquire(ordered_writer);
    if (!job)
        return;
    job->chunk.type = RV_REC_INDEX;
    rv_ordered_writer_submit(ordered_writer, job);
}

void rv_ordered_writer_give_totals(struct rv_ordered_writer *ordered_writer, const struct rv_stats *totals)
{
    pthread_mutex_lock(&ordered_writer->lock);
    ordered_writer->totals = totals;
    pthread_mutex_unlock(&ordered_writer->lock);
}

/* Returns whether the threads have ended, or will. */
static bool end_threads(struct rv_ordered_writer *ordered_writer)
{
    pthread_mutex_lock(&ordered_writer->lock);
    ordered_writer->is_stopping = true;
    pthread_cond_broadcast(&ordered_writer->has_filled);
    for (uint64_t waited_ns = 0;
         ordered_writer->follower.index && ordered_writer->n_running > 0 && waited_ns < STALL_NS;)
        waited_ns = is_look_in_vain(ordered_writer, &ordered_writer->has_ended) ? waited_ns + LOOK_NS : 0;
    const bool have_ended = !ordered_writer->follower.index || ordered_writer->n_running == 0;
    pthread_mutex_unlock(&ordered_writer->lock);
    return have_ended;
}

bool rv_ordered_writer_stop(struct rv_ordered_writer *ordered_writer, struct rv_record_limiter_gone *total)
{
    if (!end_threads(ordered_writer))
        return false;
    for (unsigned i = 0; i < ordered_writer->n_threads; i++)
        pthread_join(ordered_writer->threads[i], NULL);
    for (size_t i = 0; i < ordered_writer->n_jobs; i++) {
        free(ordered_writer->jobs[i].events);
        rv_rec_buffer_fini(&ordered_writer->jobs[i].payload);
        rv_rec_buffer_fini(&ordered_writer->jobs[i].out);
    }
    *total = gone(ordered_writer);
    rv_record_limiter_destroy(ordered_writer->limiter);
    rv_index_builder_destroy(ordered_writer->index_builder);
    rv_rec_buffer_fini(&ordered_writer->index);
    pthread_cond_destroy(&ordered_writer->has_free);
    pthread_cond_destroy(&ordered_writer->has_filled);
    pthread_cond_destroy(&ordered_writer->has_ended);
    pthread_mutex_destroy(&ordered_writer->lock);
    free(ordered_writer->threads);
    free(ordered_writer->jobs);
    free(ordered_writer->free_jobs);
    free(ordered_writer->filled);
    free(ordered_writer->built);
    free(ordered_writer);
    return true;
}
