/*
 * The sink follows the session all the time: it knows every stream and name, so a file can begin and end at any time.
 *
 * Order in the file: a stream's chunks stay in order, because they are submitted under the stream's lock; names known
 * when a block is submitted precede it. A quiet stream's events are written by the flusher at most a second after they
 * came, which bounds the loss by a kill.
 *
 * Locks: switching, then a stream's, then the record's; encoders take none of them.
 */
#include "sink/recording_writer.h"

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
#include "sink/name_log.h"
#include "sink/ordered_writer.h"

enum {
    STRINGS_BYTES = 1 << 20, /* of names not yet written, at most */
    CPUS_PER_ENCODER = 4,    /* one encoder writes what the workers of so many CPUs deliver */
};
static const uint64_t FLUSH_INTERVAL_NS = 500000000;
/* For a follower, who shows calls that memory has evicted: few blocks are better than recent ones. */
static const uint64_t FOLLOWED_INTERVAL_NS = 4000000000;

struct stream {
    pthread_mutex_t lock; /* covers the rest */
    bool is_on, is_closed;
    bool is_from_start;      /* recorded since it was opened: its counts equal the session's */
    uint32_t number;         /* in the file */
    struct rv_event *events; /* waiting for a full block */
    size_t n, capacity;
    uint64_t n_submitted; /* events waiting for a full block */
    uint64_t waits_since_ns;
    struct rv_stream_account account;
    bool has_account;          /* a new account is written with the next block */
    uint64_t n_dropped_before; /* dropped events before the file began */
    uint64_t last_ns;
    struct rv_rec_stream who;
    char *process_name, *thread_name;
    struct rv_wire_instrumentation instrumentation;
};

struct rv_recording_writer {
    unsigned n_threads;
    pthread_mutex_t switching; /* held while a file begins or ends, or a stream opens; protects what follows */
    struct rv_rec_writer writer;
    struct rv_record_limit limit;
    bool is_all; /* see struct rv_recording_writer_params */
    struct rv_record_follower follower;
    size_t block_events; /* in a full block: see struct rv_recording_writer_params */
    struct rv_record_limiter_gone gone;
    struct rv_ordered_writer *ordered_writer;
    pthread_t flusher;
    bool has_session; /* between the sink's begin and end */
    bool is_stuck;    /* the ordered writer has not ended */
    /* under lock */
    pthread_mutex_t lock;
    pthread_cond_t has_news; /* is_on has changed */
    bool is_on;              /* a file is being written */
    bool is_wanted;          /* flush now */
    struct stream **streams; /* by the session's number */
    size_t n_streams;
    uint32_t n_numbers; /* stream numbers in the file so far */
    uint64_t n_events;
    struct rv_name_log name_log;
    struct rv_rec_buffer strings; /* names that the file does not have yet */
};

/* ---- chunks ---- */

static void submit_payload(struct rv_recording_writer *record, enum rv_rec_type type, uint32_t stream,
                           const void *payload, size_t n)
{
    struct rv_encode_job *job = rv_ordered_writer_acquire(record->ordered_writer);
    if (!job)
        return;
    job->chunk.type = (uint16_t)type;
    job->chunk.stream = stream;
    rv_rec_buffer_add(&job->payload, payload, n);
    rv_ordered_writer_submit(record->ordered_writer, job);
}

/* Under the record's lock. */
static void submit_strings_locked(struct rv_recording_writer *record)
{
    if (record->strings.n == 0)
        return;
    struct rv_encode_job *job = rv_ordered_writer_acquire(record->ordered_writer);
    if (!job) {
        record->strings.n = 0;
        return;
    }
    struct rv_rec_buffer strings = record->strings;
    record->strings = job->payload;
    job->payload = strings;
    job->chunk.type = RV_REC_STRINGS;
    rv_ordered_writer_submit(record->ordered_writer, job);
}

static void submit_strings(struct rv_recording_writer *record)
{
    pthread_mutex_lock(&record->lock);
    submit_strings_locked(record);
    pthread_mutex_unlock(&record->lock);
}

/* Under the stream's lock. */
static void submit_who(struct rv_recording_writer *record, const struct stream *stream)
{
    struct rv_rec_buffer payload = {0};
    rv_rec_buffer_add(&payload, &stream->who, sizeof stream->who);
    rv_rec_buffer_add(&payload, stream->process_name, strlen(stream->process_name) + 1);
    rv_rec_buffer_add(&payload, stream->thread_name, strlen(stream->thread_name) + 1);
    rv_rec_buffer_add(&payload, &stream->instrumentation, sizeof stream->instrumentation);
    submit_payload(record, RV_REC_STREAM, stream->number, payload.bytes, payload.n);
    rv_rec_buffer_fini(&payload);
}

/*
 * Submit the stream's loss; with end_ns, close it. The session's counts include events that no sink received, but are
 * exact at the stream's end only; they are used if the file has the whole stream, else the file's own counts. Under the
 * stream's lock.
 */
static void submit_account(struct rv_recording_writer *record, struct stream *stream, uint64_t end_ns)
{
    struct rv_rec_account account = {.n_produced = stream->account.n_produced,
                                     .n_consumed = stream->account.n_consumed,
                                     .n_dropped = stream->account.n_dropped};
    if (!stream->is_from_start || !stream->is_closed) {
        account.n_dropped -= stream->n_dropped_before;
        account.n_consumed = stream->n_submitted;
        account.n_produced = account.n_consumed + account.n_dropped;
    }
    account.is_closed = end_ns != UINT64_MAX;
    account.end_ns = account.is_closed ? end_ns : 0;
    submit_payload(record, RV_REC_ACCOUNT, stream->number, &account, sizeof account);
    stream->has_account = false;
}

/* Append to an array of events. */
static struct rv_event *append(struct rv_event *to, size_t *capacity, size_t n_there, const struct rv_event *events,
                               size_t n)
{
    to = rv_vec_reserve(to, capacity, n_there + n + RV_BATCH_PADDING, sizeof *to);
    memcpy(to + n_there, events, n * sizeof *to);
    return to;
}

/* A full array changes places with the job's; of a quiet stream, which keeps its small one, the events are copied. */
static void move_events(const struct rv_recording_writer *record, struct stream *stream, struct rv_encode_job *job)
{
    job->n = stream->n;
    if (stream->n < record->block_events) {
        job->events = append(job->events, &job->capacity, 0, stream->events, stream->n);
    } else {
        struct rv_event *empty = job->events;
        size_t capacity = job->capacity;
        job->events = stream->events;
        job->capacity = stream->capacity;
        stream->events = empty;
        stream->capacity = capacity;
    }
    stream->n = 0;
}

static void stop_collecting(struct stream *stream)
{
    stream->is_on = stream->is_from_start = false;
    free(stream->events);
    stream->events = NULL;
    stream->n = stream->capacity = 0;
}

/* Under the stream's lock. */
static void submit_events(struct rv_recording_writer *record, struct stream *stream)
{
    if (stream->n) {
        submit_strings(record);
        struct rv_encode_job *job = rv_ordered_writer_acquire(record->ordered_writer);
        if (!job) {
            stop_collecting(stream);
            return;
        }
        job->chunk.type = RV_REC_EVENTS;
        job->chunk.stream = stream->number;
        job->ordinal = stream->n_submitted;
        stream->n_submitted += stream->n;
        move_events(record, stream, job);
        rv_ordered_writer_submit(record->ordered_writer, job);
    }
    if (stream->has_account)
        submit_account(record, stream, UINT64_MAX);
}

/* ---- on and off ---- */

/* Under the stream's lock. */
static void turn_stream_on(struct rv_recording_writer *record, struct stream *stream, uint32_t number)
{
    stream->is_on = true;
    stream->number = number;
    stream->n_submitted = 0;
    stream->n_dropped_before = stream->account.n_dropped;
    stream->has_account = false;
    submit_who(record, stream);
}

/* Write the stream's last chunks. Under the stream's lock. */
static void turn_stream_off(struct rv_recording_writer *record, struct stream *stream, uint64_t end_ns)
{
    if (!stream->is_on)
        return;
    stream->has_account = false;
    submit_events(record, stream);
    submit_account(record, stream, end_ns);
    stop_collecting(stream);
    pthread_mutex_lock(&record->lock);
    record->n_events += stream->n_submitted;
    pthread_mutex_unlock(&record->lock);
}

/* ---- the sink ---- */

typedef void each_fn(struct rv_recording_writer *record, struct stream *stream);

/* Under the record's lock, which is released meanwhile. */
static void for_all(struct rv_recording_writer *record, each_fn *each)
{
    for (size_t i = 0; i < record->n_streams; i++) {
        struct stream *stream = record->streams[i];
        pthread_mutex_unlock(&record->lock);
        if (stream)
            each(record, stream);
        pthread_mutex_lock(&record->lock);
    }
}

static struct stream *find(struct rv_recording_writer *record, uint32_t number)
{
    pthread_mutex_lock(&record->lock);
    struct stream *stream = record->streams[number];
    pthread_mutex_unlock(&record->lock);
    return stream;
}

/* Streams of a file are numbered in order of opening, while no file begins or ends. */
static void add_stream(struct rv_recording_writer *record, struct stream *stream, uint32_t number)
{
    pthread_mutex_lock(&record->switching);
    pthread_mutex_lock(&record->lock);
    record->streams = rv_vec_extend(record->streams, &record->n_streams, (size_t)number + 1, sizeof(struct stream *));
    record->streams[number] = stream;
    stream->is_from_start = record->is_on;
    uint32_t number_in_file = record->n_numbers;
    record->n_numbers += record->is_on;
    pthread_mutex_unlock(&record->lock);
    pthread_mutex_lock(&stream->lock);
    if (stream->is_from_start)
        turn_stream_on(record, stream, number_in_file);
    pthread_mutex_unlock(&stream->lock);
    pthread_mutex_unlock(&record->switching);
}

static void open_stream(void *context, uint32_t number, const struct rv_stream_info *info)
{
    struct rv_recording_writer *record = context;
    struct stream *stream = rv_alloc(1, sizeof *stream);
    pthread_mutex_init(&stream->lock, NULL);
    stream->process_name = rv_strdup(info->process_name);
    stream->thread_name = rv_strdup(info->thread_name);
    stream->instrumentation = info->instrumentation;
    stream->last_ns = info->born_ns;
    stream->who = (struct rv_rec_stream){.pid = info->pid,
                                         .parent_pid = info->parent_pid,
                                         .tid = info->tid,
                                         .ring = info->ring,
                                         .process_key = info->process_key,
                                         .born_ns = info->born_ns};
    add_stream(record, stream, number);
}

static void rename_stream(void *context, uint32_t number, const char *thread_name)
{
    struct rv_recording_writer *record = context;
    struct stream *stream = find(record, number);
    pthread_mutex_lock(&stream->lock);
    free(stream->thread_name);
    stream->thread_name = rv_strdup(thread_name);
    if (stream->is_on)
        submit_who(record, stream);
    pthread_mutex_unlock(&stream->lock);
}

static void account_stream(void *context, uint32_t number, const struct rv_stream_account *account)
{
    struct stream *stream = find(context, number);
    pthread_mutex_lock(&stream->lock);
    stream->account = *account;
    stream->has_account = stream->is_on;
    pthread_mutex_unlock(&stream->lock);
}

static void add_events(void *context, uint32_t number, const struct rv_event *events, size_t n)
{
    struct rv_recording_writer *record = context;
    struct stream *stream = find(record, number);
    pthread_mutex_lock(&stream->lock);
    stream->last_ns = rv_event_ticks(&events[n - 1]);
    while (n > 0 && stream->is_on) {
        size_t room = record->block_events - stream->n, n_now = n < room ? n : room;
        if (stream->n == 0)
            stream->waits_since_ns = rv_clock_mono_ns();
        stream->events = append(stream->events, &stream->capacity, stream->n, events, n_now);
        stream->n += n_now;
        events += n_now;
        n -= n_now;
        if (stream->n == record->block_events)
            submit_events(record, stream);
    }
    pthread_mutex_unlock(&stream->lock);
}

/* Append at most a batch. */
static void add_opening(void *context, uint32_t number, const struct rv_event *events, size_t n)
{
    struct rv_recording_writer *record = context;
    struct stream *stream = find(record, number);
    pthread_mutex_lock(&stream->lock);
    struct rv_encode_job *job = stream->is_on ? rv_ordered_writer_acquire(record->ordered_writer) : NULL;
    if (job) {
        job->chunk.type = RV_REC_EVENTS;
        job->chunk.flags = RV_REC_OPEN;
        job->chunk.stream = stream->number;
        job->events = append(job->events, &job->capacity, 0, events, n);
        job->n = n;
        job->ordinal = stream->n_submitted;
        rv_ordered_writer_submit(record->ordered_writer, job);
    }
    pthread_mutex_unlock(&stream->lock);
}

static void close_stream(void *context, uint32_t number, uint64_t end_ns, const struct rv_stream_account *account)
{
    struct rv_recording_writer *record = context;
    struct stream *stream = find(record, number);
    pthread_mutex_lock(&stream->lock);
    stream->account = *account;
    stream->is_closed = true;
    turn_stream_off(record, stream, end_ns);
    pthread_mutex_unlock(&stream->lock);
}

static void define(void *context, const struct rv_definition *definitions, size_t n)
{
    struct rv_recording_writer *record = context;
    pthread_mutex_lock(&record->lock);
    const struct rv_rec_buffer *names = &record->name_log.names;
    size_t before = names->n;
    for (size_t i = 0; i < n; i++)
        rv_name_log_add(&record->name_log, &definitions[i]);
    if (record->is_on) {
        rv_rec_buffer_add(&record->strings, names->bytes + before, names->n - before);
        if (record->strings.n > STRINGS_BYTES)
            submit_strings_locked(record);
    }
    pthread_mutex_unlock(&record->lock);
}

/* ---- the flusher ---- */

static void flush_stream(struct rv_recording_writer *record, struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    if (stream->has_account || (stream->n && rv_clock_mono_ns() - stream->waits_since_ns >= FLUSH_INTERVAL_NS))
        submit_events(record, stream);
    pthread_mutex_unlock(&stream->lock);
}

static void flush_any_stream(struct rv_recording_writer *record, struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    if (stream->is_on)
        submit_events(record, stream);
    pthread_mutex_unlock(&stream->lock);
}

static void flush_all(struct rv_recording_writer *record)
{
    const bool is_followed = record->follower.index;
    submit_strings(record);
    pthread_mutex_lock(&record->lock);
    for_all(record, is_followed ? flush_any_stream : flush_stream);
    pthread_mutex_unlock(&record->lock);
    if (is_followed)
        rv_ordered_writer_submit_index(record->ordered_writer);
}

/* Wait for the interval; true at the file's end. */
static bool wait_for_end(struct rv_recording_writer *record)
{
    uint64_t end_ns = rv_clock_mono_ns() + (record->follower.index ? FOLLOWED_INTERVAL_NS : FLUSH_INTERVAL_NS);
    pthread_mutex_lock(&record->lock);
    while (record->is_on && !record->is_wanted && rv_os_wait_until(&record->has_news, &record->lock, end_ns))
        ;
    bool has_ended = !record->is_on;
    record->is_wanted = false;
    pthread_mutex_unlock(&record->lock);
    return has_ended;
}

void rv_recording_writer_flush(struct rv_recording_writer *record)
{
    pthread_mutex_lock(&record->lock);
    record->is_wanted = true;
    pthread_cond_broadcast(&record->has_news);
    pthread_mutex_unlock(&record->lock);
}

static void *run_flusher(void *context)
{
    struct rv_recording_writer *record = context;
    while (!wait_for_end(record))
        flush_all(record);
    return NULL;
}

/* ---- life ---- */

/* The stream, if the file records it from now on. Under switching. */
static void let_in(struct rv_recording_writer *record, struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    if (!stream->is_closed) {
        pthread_mutex_lock(&record->lock);
        uint32_t number = record->n_numbers++;
        pthread_mutex_unlock(&record->lock);
        turn_stream_on(record, stream, number);
    }
    pthread_mutex_unlock(&stream->lock);
}

static void let_out(struct rv_recording_writer *record, struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    turn_stream_off(record, stream, stream->last_ns);
    pthread_mutex_unlock(&stream->lock);
}

/* The file is open: record from now on. Under switching. */
static void turn_on(struct rv_recording_writer *record)
{
    record->ordered_writer = rv_ordered_writer_start(
        &(struct rv_ordered_writer_params){.writer = &record->writer,
                                           .limit = record->limit,
                                           .follower = record->follower,
                                           .leaves_totals = record->is_all && !rv_record_limit_is_set(&record->limit),
                                           .n_threads = record->n_threads});
    pthread_mutex_lock(&record->lock);
    record->is_on = true;
    record->n_numbers = 0;
    record->n_events = 0;
    record->strings.n = 0;
    rv_rec_buffer_add(&record->strings, record->name_log.names.bytes, record->name_log.names.n);
    for_all(record, let_in);
    pthread_mutex_unlock(&record->lock);
    rv_os_start_thread(&record->flusher, run_flusher, record);
}

/* totals: of the session, at its end only; else NULL. Under switching. */
static void turn_off(struct rv_recording_writer *record, const struct rv_stats *totals)
{
    pthread_mutex_lock(&record->lock);
    record->is_on = false;
    pthread_cond_broadcast(&record->has_news);
    for_all(record, let_out);
    struct rv_rec_end last = {.n_events = record->n_events, .n_streams = record->n_numbers};
    pthread_mutex_unlock(&record->lock);
    pthread_join(record->flusher, NULL);
    submit_strings(record);
    rv_ordered_writer_give_totals(record->ordered_writer, totals);
    submit_payload(record, RV_REC_END, 0, &last, sizeof last);
    record->is_stuck = !rv_ordered_writer_stop(record->ordered_writer, &record->gone);
    record->ordered_writer = NULL;
}

static void begin(void *context, uint64_t origin_ns)
{
    struct rv_recording_writer *record = context;
    (void)origin_ns; /* the file has event times */
    pthread_mutex_lock(&record->switching);
    record->has_session = true;
    if (record->writer.path)
        turn_on(record);
    pthread_mutex_unlock(&record->switching);
}

static struct rv_rec_silent_times recorded_times(const struct rv_silent_times *times)
{
    return (struct rv_rec_silent_times){times->n_switches, times->running_ns, times->runnable_ns, times->blocked_ns};
}

static void add_silent(void *context, const struct rv_silent_threads *silent)
{
    struct rv_recording_writer *record = context;
    struct rv_rec_buffer payload = {0};
    const struct rv_rec_silent head = {silent->n_threads, recorded_times(&silent->times)};
    rv_rec_buffer_add(&payload, &head, sizeof head);
    for (size_t i = 0; i < silent->n; i++) {
        const struct rv_silent_thread *thread = &silent->threads[i];
        struct rv_rec_silent_thread row = {thread->pid, thread->tid, "", recorded_times(&thread->times)};
        memcpy(row.name, thread->name, sizeof row.name);
        rv_rec_buffer_add(&payload, &row, sizeof row);
    }
    pthread_mutex_lock(&record->switching);
    if (record->ordered_writer)
        submit_payload(record, RV_REC_SILENT, 0, payload.bytes, payload.n);
    pthread_mutex_unlock(&record->switching);
    rv_rec_buffer_fini(&payload);
}

static void add_outside(void *context, const struct rv_outside_thread *threads, size_t n)
{
    struct rv_recording_writer *record = context;
    struct rv_rec_buffer payload = {0};
    for (size_t i = 0; i < n; i++) {
        struct rv_rec_outside_thread row = {.tid = threads[i].tid};
        snprintf(row.name, sizeof row.name, "%.59s", threads[i].name);
        rv_rec_buffer_add(&payload, &row, sizeof row);
    }
    pthread_mutex_lock(&record->switching);
    if (record->ordered_writer)
        submit_payload(record, RV_REC_OUTSIDE, 0, payload.bytes, payload.n);
    pthread_mutex_unlock(&record->switching);
    rv_rec_buffer_fini(&payload);
}

static void end(void *context, const struct rv_stats *totals)
{
    struct rv_recording_writer *record = context;
    pthread_mutex_lock(&record->switching);
    if (record->ordered_writer)
        turn_off(record, totals);
    record->has_session = false;
    pthread_mutex_unlock(&record->switching);
}

struct rv_recording_writer *rv_recording_writer_create(unsigned n_threads)
{
    struct rv_recording_writer *record = rv_alloc(1, sizeof *record);
    record->n_threads = ((n_threads ? n_threads : rv_os_n_cpus()) + CPUS_PER_ENCODER - 1) / CPUS_PER_ENCODER;
    pthread_mutex_init(&record->switching, NULL);
    pthread_mutex_init(&record->lock, NULL);
    rv_os_init_condition(&record->has_news);
    return record;
}

struct rv_sink rv_recording_writer_sink(struct rv_recording_writer *record)
{
    return (struct rv_sink){.context = record,
                            .begin = begin,
                            .open = open_stream,
                            .rename = rename_stream,
                            .account = account_stream,
                            .preamble = add_opening,
                            .events = add_events,
                            .close = close_stream,
                            .define = define,
                            .silent = add_silent,
                            .outside = add_outside,
                            .end = end};
}

/* A limit needs a file system that can punch holes. */
static int open_file(struct rv_recording_writer *record, const struct rv_recording_writer_params *params)
{
    struct rv_rec_file file = {.pid = params->pid, .mono_ns = params->mono_ns, .real_ns = params->real_ns};
    bool is_limited = rv_record_limit_is_set(&params->limit);
    file.feature_incompat = is_limited ? RV_REC_IN_SEGMENTS : 0;
    int error = params->follower.index
                    ? rv_rec_writer_begin(&record->writer, params->fd, &file)
                    : rv_rec_writer_open(&record->writer, params->path, &file, params->program, params->is_forced);
    if (error)
        return error;
    record->limit = params->limit;
    record->follower = params->follower;
    record->block_events = params->block_events ? params->block_events : RV_REC_MAX_EVENTS;
    record->is_all = params->is_all;
    record->gone = (struct rv_record_limiter_gone){0};
    error = is_limited ? rv_rec_writer_give_back(&record->writer, 0, 0) : 0;
    if (error && params->follower.index) {
        rv_rec_writer_close(&record->writer);
        return error;
    }
    if (error) {
        unlink(params->path);
        rv_rec_writer_close(&record->writer);
        return rv_err(-error, "%s: --%s: its file system cannot free parts of a file: %s", params->path,
                      params->limit.trigger ? "trigger" : "record-limit", strerror(-error));
    }
    return 0;
}

int rv_recording_writer_start(struct rv_recording_writer *record, const struct rv_recording_writer_params *params)
{
    pthread_mutex_lock(&record->switching);
    int error = record->writer.path ? -EBUSY : open_file(record, params);
    if (!error && record->has_session)
        turn_on(record);
    pthread_mutex_unlock(&record->switching);
    return error;
}

int rv_recording_writer_rename(struct rv_recording_writer *record, const char *path)
{
    return rv_rec_writer_rename(&record->writer, path);
}

int rv_recording_writer_stop(struct rv_recording_writer *record, struct rv_recording_writer_totals *totals)
{
    pthread_mutex_lock(&record->switching);
    if (record->ordered_writer)
        turn_off(record, NULL);
    if (record->is_stuck) {
        pthread_mutex_unlock(&record->switching);
        return -ETIMEDOUT;
    }
    *totals = (struct rv_recording_writer_totals){record->n_events - record->gone.n_events,
                                                  record->writer.n_bytes - record->gone.n_bytes, record->gone.n_events};
    if (record->writer.path && record->writer.n_chunks == 1 && !record->follower.index) { /* it is empty */
        unlink(record->writer.path);
        totals->n_bytes = 0;
    }
    int error = rv_rec_writer_close(&record->writer);
    pthread_mutex_unlock(&record->switching);
    return error;
}

void rv_recording_writer_destroy(struct rv_recording_writer *record)
{
    if (!record)
        return;
    rv_rec_writer_close(&record->writer);
    for (size_t i = 0; i < record->n_streams; i++) {
        struct stream *stream = record->streams[i];
        if (!stream)
            continue;
        pthread_mutex_destroy(&stream->lock);
        free(stream->events);
        free(stream->process_name);
        free(stream->thread_name);
        free(stream);
    }
    free(record->streams);
    rv_rec_buffer_fini(&record->strings);
    rv_name_log_fini(&record->name_log);
    pthread_cond_destroy(&record->has_news);
    pthread_mutex_destroy(&record->lock);
    pthread_mutex_destroy(&record->switching);
    free(record);
}
