/*
 * The file's streams, ids and times are the session's, so what a stream or a name is need not be read back: this intake
 * takes the blocks, and passes pages on to the session's.
 */
#include "pipeline/history_on_disk.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/os.h"
#include "base/vec.h"
#include "pipeline/history_blocks.h"
#include "pipeline/waits_on_demand.h"
#include "sink/recording_writer.h"
#include "source/recording_on_demand.h"
#include "source/replay.h"

enum {
    SHARE = 10,            /* of the free space */
    BLOCK_EVENTS = 1 << 14 /* one is loaded to look at a microsecond */
};
static const uint64_t REST_NS = 10000000;
static const uint64_t STALL_NS = 1000000000;         /* time that the disk has to answer */
static const uint64_t FLUSH_INTERVAL_NS = 250000000; /* even if evicted calls are wanted more often than blocks come */

struct followed {
    struct rv_stream *stream; /* NULL: the stream has no blocks, */
    uint64_t end_ns;          /* and its last one ended then */
};

struct rv_history {
    char path[64]; /* of its file, in this process */
    struct rv_recording_writer *record;
    struct rv_source *source; /* reads the file */
    pthread_t thread;
    bool is_begun; /* the session's */
    /* its thread */
    struct rv_lanes *lanes;
    struct rv_waits *waits; /* NULL: not kept */
    struct rv_page_loader *page_loader;
    struct rv_intake session, intake;
    struct followed *streams; /* by number */
    size_t n_streams;
    size_t n_numbers; /* block numbers of freed streams, which are not used again */
    uint64_t flushed_ns, looked_ns, followed_begin;
    /* under lock */
    pthread_mutex_t lock;
    uint64_t *indexes; /* offsets of those that the source does not have yet */
    size_t n_indexes, indexes_capacity;
    uint64_t begin;            /* offset of the oldest part that is not discarded */
    bool is_listed;            /* the source has read all INDEXes that were written */
    bool is_ending, has_ended; /* the thread */
    bool has_failed;
    pthread_cond_t has_news; /* the thread has ended */
};

/* ---- the intake ---- */

/* To the source a stream is its number, so that it can be freed when its thread has ended. */
static void *open_stream(void *context, const struct rv_stream_info *info)
{
    (void)context;
    return (void *)((uintptr_t)info->number + 1);
}

/* Pages of a stream that was freed may be in the lanes: numbers are not used again. */
static struct rv_stream *stream_of(struct rv_history *history, const void *opened)
{
    const uint32_t number = (uint32_t)((uintptr_t)opened - 1);
    if (number >= history->n_streams)
        history->streams =
            rv_vec_extend(history->streams, &history->n_streams, (size_t)number + 1, sizeof *history->streams);
    struct followed *followed = &history->streams[number];
    if (!followed->stream) {
        followed->stream = rv_stream_create(1);
        rv_stream_begin_followed(followed->stream, history->lanes, number, history->n_numbers);
        followed->stream->blocks.end_ns = followed->end_ns; /* what was before is discarded */
    }
    return followed->stream;
}

static void rename_stream(void *context, void *stream, const char *thread_name)
{
    (void)context; /* its live stream is renamed */
    (void)stream;
    (void)thread_name;
}

static void account_stream(void *context, void *stream, const struct rv_stream_account *account)
{
    (void)context; /* its live stream has the account */
    (void)stream;
    (void)account;
}

/* Of a page: no other stream is closed here. */
static void close_stream(void *context, void *page, uint64_t end_ns)
{
    const struct rv_intake *session = &((struct rv_history *)context)->session;
    session->close_stream(session->context, page, end_ns);
}

static struct rv_batch *acquire_batch(void *context)
{
    const struct rv_intake *session = &((struct rv_history *)context)->session;
    return session->acquire_batch(session->context);
}

static void submit_batch(void *context, struct rv_batch *batch)
{
    const struct rv_intake *session = &((struct rv_history *)context)->session;
    session->submit_batch(session->context, batch);
}

/* The session serves no pages then. */
static bool is_stopping(void *context)
{
    (void)context;
    return false;
}

static void define(void *context, const struct rv_definition *definitions, size_t n)
{
    (void)context; /* the live source has defined them */
    (void)definitions;
    (void)n;
}

static void summarize(void *context, void *stream, const struct rv_block_summary *summary)
{
    struct rv_history *history = context;
    rv_history_blocks_add(history->page_loader, stream_of(history, stream), summary);
}

static void add_total(void *context, const struct rv_call_total *total)
{
    (void)context; /* the session counts */
    (void)total;
}

static void add_waiter(void *context, void *stream, const struct rv_waiter_summary *waiter)
{
    struct rv_history *history = context;
    if (history->waits)
        rv_waits_on_demand_add(history->waits, stream_of(history, stream), waiter);
}

static bool take_request(void *context, struct rv_page_request *request)
{
    return rv_page_loader_take(((struct rv_history *)context)->page_loader, request);
}

static void *open_page(void *context, const struct rv_page_request *request, uint32_t entry_stack)
{
    const struct rv_intake *session = &((struct rv_history *)context)->session;
    return session->pages->open_page(session->context, request, entry_stack);
}

static void add_page_stack(void *context, void *page, const struct rv_page_stack *stack)
{
    const struct rv_intake *session = &((struct rv_history *)context)->session;
    session->pages->add_page_stack(session->context, page, stack);
}

static void miss_page(void *context, const struct rv_page_request *request)
{
    rv_page_loader_miss(((struct rv_history *)context)->page_loader, request);
}

static const struct rv_intake_pages PAGES = {summarize, add_total,      add_waiter, take_request,
                                             open_page, add_page_stack, miss_page};

/* ---- indexes ---- */

/* An encoder. */
static void add_index(void *context, uint64_t offset)
{
    struct rv_history *history = context;
    pthread_mutex_lock(&history->lock);
    history->indexes =
        rv_vec_reserve(history->indexes, &history->indexes_capacity, history->n_indexes + 1, sizeof *history->indexes);
    history->indexes[history->n_indexes++] = offset;
    history->is_listed = false;
    pthread_mutex_unlock(&history->lock);
}

static void set_begin(void *context, uint64_t begin)
{
    struct rv_history *history = context;
    pthread_mutex_lock(&history->lock);
    history->begin = begin;
    pthread_mutex_unlock(&history->lock);
}

/* Give the source the indexes written since the last call, and forget what was discarded since. */
static void follow_file(struct rv_history *history)
{
    pthread_mutex_lock(&history->lock);
    for (size_t i = 0; i < history->n_indexes; i++)
        rv_recording_on_demand_add(history->source, history->indexes[i]);
    history->n_indexes = 0;
    const uint64_t begin = history->begin;
    pthread_mutex_unlock(&history->lock);
    if (begin > history->followed_begin)
        rv_history_blocks_discard(history->page_loader, begin);
    history->followed_begin = begin;
}

static void free_streams(struct rv_history *history)
{
    for (struct rv_stream *stream; (stream = rv_history_blocks_take_gone(history->page_loader));) {
        history->streams[stream->number] = (struct followed){.end_ns = stream->blocks.end_ns};
        history->n_numbers = stream->blocks.end > history->n_numbers ? stream->blocks.end : history->n_numbers;
        rv_stream_destroy(stream);
    }
}

/* A recording thread, which holds its lock. */
static void fail(void *context, int error)
{
    struct rv_history *history = context;
    pthread_mutex_lock(&history->lock);
    history->has_failed = true;
    pthread_mutex_unlock(&history->lock);
    if (error == -ETIMEDOUT)
        rv_warn("the disk of the history is too slow: older calls are no longer kept (--history, TMPDIR)");
    else
        rv_warn("no room for the history: older calls are no longer kept (--history, TMPDIR): %s", strerror(-error));
}

/* Must what no block has yet be written? Of lanes there may be very many. */
static bool is_behind(struct rv_history *history, uint64_t now_ns)
{
    const bool looks_at_lanes = now_ns - history->looked_ns >= FLUSH_INTERVAL_NS;
    if (looks_at_lanes)
        history->looked_ns = now_ns;
    return rv_history_blocks_take_behind(history->page_loader, looks_at_lanes);
}

/* List new blocks, or load a requested one. Returns whether there was something to do. */
static bool serve(struct rv_history *history)
{
    uint64_t now_ns = rv_clock_mono_ns();
    follow_file(history);
    free_streams(history);
    if (now_ns - history->flushed_ns >= FLUSH_INTERVAL_NS && is_behind(history, now_ns)) {
        history->flushed_ns = now_ns;
        rv_recording_writer_flush(history->record);
    }
    bool has_moved = history->source->poll(history->source, &history->intake) == RV_SOURCE_MOVED;
    pthread_mutex_lock(&history->lock);
    history->is_listed = !has_moved && history->n_indexes == 0;
    pthread_mutex_unlock(&history->lock);
    return has_moved;
}

bool rv_history_is_listed(struct rv_history *history)
{
    pthread_mutex_lock(&history->lock);
    bool is_listed = history->is_listed || history->has_failed;
    pthread_mutex_unlock(&history->lock);
    return is_listed;
}

bool rv_history_has_failed(struct rv_history *history)
{
    pthread_mutex_lock(&history->lock);
    bool has_failed = history->has_failed;
    pthread_mutex_unlock(&history->lock);
    return has_failed;
}

/* ---- the thread ---- */

static bool goes_on(struct rv_history *history)
{
    pthread_mutex_lock(&history->lock);
    bool goes_on = !history->is_ending && !history->has_failed;
    pthread_mutex_unlock(&history->lock);
    return goes_on;
}

static void *run(void *context)
{
    struct rv_history *history = context;
    while (goes_on(history))
        if (!serve(history))
            rv_page_loader_await(history->page_loader, rv_clock_mono_ns() + REST_NS);
    if (rv_history_has_failed(history))
        rv_history_blocks_drop(history->page_loader);
    pthread_mutex_lock(&history->lock);
    history->has_ended = true;
    pthread_cond_signal(&history->has_news);
    pthread_mutex_unlock(&history->lock);
    return NULL;
}

void rv_history_begin(struct rv_history *history, struct rv_lanes *lanes, struct rv_waits *waits,
                      struct rv_page_loader *page_loader, const struct rv_intake *intake)
{
    history->lanes = lanes;
    history->waits = waits;
    if (waits)
        rv_waits_on_demand_serve(waits, history->source, true);
    history->page_loader = page_loader;
    history->session = *intake;
    history->intake =
        (struct rv_intake){history,      open_stream, rename_stream, account_stream, close_stream, acquire_batch,
                           submit_batch, is_stopping, define,        NULL,           NULL,           &PAGES};
    page_loader->is_followed = true;
    page_loader->lanes = lanes;
    rv_lanes_back(lanes);
    history->is_begun = true;
    rv_os_start_thread(&history->thread, run, history);
}

void rv_history_end(struct rv_history *history)
{
    const uint64_t end_ns = rv_clock_mono_ns() + STALL_NS;
    pthread_mutex_lock(&history->lock);
    history->is_ending = true;
    while (!history->has_ended && rv_os_wait_until(&history->has_news, &history->lock, end_ns))
        ;
    const bool has_ended = history->has_ended;
    pthread_mutex_unlock(&history->lock);
    if (has_ended)
        pthread_join(history->thread, NULL);
}

bool rv_history_is_stuck(struct rv_history *history)
{
    pthread_mutex_lock(&history->lock);
    bool is_stuck = history->is_begun && !history->has_ended;
    pthread_mutex_unlock(&history->lock);
    return is_stuck;
}

/* ---- life ---- */

struct rv_sink rv_history_sink(struct rv_history *history)
{
    return rv_recording_writer_sink(history->record);
}

struct rv_source *rv_history_reopen(struct rv_history *history)
{
    rv_recording_writer_flush(history->record);
    return rv_replay_open_written(history->path);
}

static int open_file(struct rv_history *history, uint64_t n_bytes)
{
    int fd = rv_os_open_spool("the history");
    if (fd < 0)
        return fd;
    snprintf(history->path, sizeof history->path, "/proc/self/fd/%d", fd);
    const struct rv_recording_writer_params params = {.fd = fd,
                                                      .block_events = BLOCK_EVENTS,
                                                      .limit = {.n_bytes = n_bytes},
                                                      .follower = {add_index, set_begin, fail, history}};
    int error = rv_recording_writer_start(history->record, &params);
    if (error)
        rv_warn("no history of older calls: %s (--history, TMPDIR)", strerror(-error));
    return error ? error : rv_recording_on_demand_follow(&history->source, history->path);
}

struct rv_history *rv_history_create(uint64_t n_bytes)
{
    struct rv_history *history = rv_alloc(1, sizeof *history);
    pthread_mutex_init(&history->lock, NULL);
    rv_os_init_condition(&history->has_news);
    history->record = rv_recording_writer_create(0);
    if (open_file(history, n_bytes) == 0)
        return history;
    rv_history_destroy(history);
    return NULL;
}

void rv_history_destroy(struct rv_history *history)
{
    struct rv_recording_writer_totals totals;
    if (!history || rv_history_is_stuck(history) || rv_recording_writer_stop(history->record, &totals) == -ETIMEDOUT)
        return;
    rv_recording_writer_destroy(history->record);
    if (history->source)
        history->source->close(history->source);
    for (size_t i = 0; i < history->n_streams; i++)
        rv_stream_destroy(history->streams[i].stream);
    free(history->streams);
    free(history->indexes);
    pthread_cond_destroy(&history->has_news);
    pthread_mutex_destroy(&history->lock);
    free(history);
}

uint64_t rv_history_default_bytes(void)
{
    return rv_os_spool_room() / SHARE;
}
