/*
 * Order in the file: what one stream submits stays in its order, because it is submitted under the stream's lock; names
 * that are known when a block is submitted go before it. A quiet stream's events are written by the flusher, at most a
 * second after they came, so that a kill costs no more than that.
 */
#include "sink/record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/vec.h"
#include "sink/encoders.h"

enum { STRINGS_BYTES = 1 << 20 }; /* of names that wait, at the most */
static const uint64_t FLUSH_INTERVAL_NS = 500000000;

struct stream {
    pthread_mutex_t lock; /* covers the rest */
    uint32_t number;
    struct rv_event *events; /* that wait for their block to be full */
    size_t n, capacity;
    uint64_t n_submitted; /* events in blocks so far */
    uint64_t waits_since_ns;
    struct rv_stream_account account;
    bool has_account; /* to be told with the next block */
    /* set at opening; its names are the stream's */
    struct rv_rec_stream who;
    char *process_name;
};

struct rv_record {
    struct rv_rec_writer writer;
    struct rv_encoders *encoders;
    struct rv_clock clock;
    unsigned n_threads;
    pthread_t flusher;
    bool has_begun;
    /* under lock */
    pthread_mutex_t lock;
    pthread_cond_t has_ended_signal;
    bool has_ended;
    struct stream **streams; /* by number */
    size_t n_streams, streams_capacity;
    uint64_t n_events;
    struct rv_rec_buffer strings; /* definitions to be written */
};

/* ---- chunks ---- */

static void submit_payload(struct rv_record *record, enum rv_rec_type type, uint32_t stream, const void *payload,
                           size_t n)
{
    struct rv_encode_job *job = rv_encoders_acquire(record->encoders);
    job->chunk.type = (uint16_t)type;
    job->chunk.stream = stream;
    rv_rec_buffer_add(&job->payload, payload, n);
    rv_encoders_submit(record->encoders, job);
}

static void submit_strings(struct rv_record *record)
{
    pthread_mutex_lock(&record->lock);
    bool is_empty = record->strings.n == 0;
    pthread_mutex_unlock(&record->lock);
    if (is_empty)
        return;
    struct rv_encode_job *job = rv_encoders_acquire(record->encoders);
    job->chunk.type = RV_REC_STRINGS;
    pthread_mutex_lock(&record->lock);
    struct rv_rec_buffer strings = record->strings;
    record->strings = job->payload;
    job->payload = strings;
    rv_encoders_submit(record->encoders, job);
    pthread_mutex_unlock(&record->lock);
}

/* Under the stream's lock. */
static void submit_who(struct rv_record *record, const struct stream *stream, const char *thread_name)
{
    struct rv_rec_buffer payload = {0};
    rv_rec_buffer_add(&payload, &stream->who, sizeof stream->who);
    rv_rec_buffer_add(&payload, stream->process_name, strlen(stream->process_name) + 1);
    rv_rec_buffer_add(&payload, thread_name, strlen(thread_name) + 1);
    submit_payload(record, RV_REC_STREAM, stream->number, payload.bytes, payload.n);
    rv_rec_buffer_fini(&payload);
}

/* Under the stream's lock. */
static void submit_events(struct rv_record *record, struct stream *stream)
{
    if (stream->n) {
        submit_strings(record);
        struct rv_encode_job *job = rv_encoders_acquire(record->encoders);
        struct rv_event *empty = job->events;
        size_t capacity = job->capacity;
        job->chunk.type = RV_REC_EVENTS;
        job->chunk.stream = stream->number;
        job->events = stream->events;
        job->n = stream->n;
        job->capacity = stream->capacity;
        job->ordinal = stream->n_submitted;
        stream->n_submitted += stream->n;
        stream->events = empty;
        stream->capacity = capacity;
        stream->n = 0;
        rv_encoders_submit(record->encoders, job);
    }
    if (stream->has_account) {
        struct rv_rec_account account = {
            stream->account.n_produced, stream->account.n_consumed, stream->account.n_dropped, 0, 0, 0};
        submit_payload(record, RV_REC_ACCOUNT, stream->number, &account, sizeof account);
        stream->has_account = false;
    }
}

/* ---- the sink ---- */

static struct stream *find(struct rv_record *record, uint32_t number)
{
    pthread_mutex_lock(&record->lock);
    struct stream *stream = record->streams[number];
    pthread_mutex_unlock(&record->lock);
    return stream;
}

static void add_stream(struct rv_record *record, struct stream *stream)
{
    pthread_mutex_lock(&record->lock);
    record->streams =
        rv_vec_reserve(record->streams, &record->streams_capacity, stream->number + 1u, sizeof(struct stream *));
    while (record->n_streams <= stream->number)
        record->streams[record->n_streams++] = NULL;
    record->streams[stream->number] = stream;
    pthread_mutex_unlock(&record->lock);
}

static void open_stream(void *context, uint32_t number, const struct rv_stream_info *info)
{
    struct rv_record *record = context;
    struct stream *stream = rv_alloc(1, sizeof *stream);
    pthread_mutex_init(&stream->lock, NULL);
    stream->number = number;
    stream->process_name = rv_strdup(info->process_name);
    stream->who = (struct rv_rec_stream){.pid = info->pid,
                                         .parent_pid = info->parent_pid,
                                         .tid = info->tid,
                                         .ring = info->ring,
                                         .process_key = info->process_key,
                                         .born_ns = rv_clock_to_ns(&record->clock, info->born_ticks),
                                         .tag_mode = info->tag_mode};
    submit_who(record, stream, info->thread_name);
    add_stream(record, stream);
}

static void rename_stream(void *context, uint32_t number, const char *thread_name)
{
    struct rv_record *record = context;
    struct stream *stream = find(record, number);
    pthread_mutex_lock(&stream->lock);
    submit_who(record, stream, thread_name);
    pthread_mutex_unlock(&stream->lock);
}

static void account_stream(void *context, uint32_t number, const struct rv_stream_account *account)
{
    struct stream *stream = find(context, number);
    pthread_mutex_lock(&stream->lock);
    stream->account = *account;
    stream->has_account = true;
    pthread_mutex_unlock(&stream->lock);
}

static void add_events(void *context, uint32_t number, const struct rv_event *events, size_t n)
{
    struct rv_record *record = context;
    struct stream *stream = find(record, number);
    pthread_mutex_lock(&stream->lock);
    while (n > 0) {
        size_t room = RV_REC_MAX_EVENTS - stream->n, n_now = n < room ? n : room;
        if (stream->n == 0)
            stream->waits_since_ns = rv_clock_mono_ns();
        stream->events = rv_vec_reserve(stream->events, &stream->capacity, stream->n + n_now, sizeof *events);
        memcpy(stream->events + stream->n, events, n_now * sizeof *events);
        stream->n += n_now;
        events += n_now;
        n -= n_now;
        if (stream->n == RV_REC_MAX_EVENTS)
            submit_events(record, stream);
    }
    pthread_mutex_unlock(&stream->lock);
}

static void close_stream(void *context, uint32_t number, uint64_t end_ticks, const struct rv_stream_account *account)
{
    struct rv_record *record = context;
    struct stream *stream = find(record, number);
    struct rv_rec_account last = {.n_produced = account->n_produced,
                                  .n_consumed = account->n_consumed,
                                  .n_dropped = account->n_dropped,
                                  .end_ns = rv_clock_to_ns(&record->clock, end_ticks),
                                  .is_closed = 1};
    pthread_mutex_lock(&stream->lock);
    stream->has_account = false;
    submit_events(record, stream);
    submit_payload(record, RV_REC_ACCOUNT, number, &last, sizeof last);
    free(stream->events);
    stream->events = NULL;
    stream->capacity = 0;
    pthread_mutex_lock(&record->lock);
    record->n_events += stream->n_submitted;
    pthread_mutex_unlock(&record->lock);
    pthread_mutex_unlock(&stream->lock);
}

static void define(void *context, const struct rv_definition *definitions, size_t n)
{
    struct rv_record *record = context;
    pthread_mutex_lock(&record->lock);
    for (size_t i = 0; i < n; i++) {
        const struct rv_definition *definition = &definitions[i];
        const char *const texts[] = {definition->package, definition->name, definition->file};
        struct rv_rec_string head = {definition->id, definition->line};
        rv_rec_buffer_add(&record->strings, &head, sizeof head);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            rv_rec_buffer_add(&record->strings, texts[k], strlen(texts[k]) + 1);
    }
    bool is_much = record->strings.n > STRINGS_BYTES;
    pthread_mutex_unlock(&record->lock);
    if (is_much)
        submit_strings(record);
}

/* ---- the flusher ---- */

static void flush_stream(struct rv_record *record, struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    if (stream->has_account || (stream->n && rv_clock_mono_ns() - stream->waits_since_ns >= FLUSH_INTERVAL_NS))
        submit_events(record, stream);
    pthread_mutex_unlock(&stream->lock);
}

static void flush_all(struct rv_record *record)
{
    submit_strings(record);
    pthread_mutex_lock(&record->lock);
    for (size_t i = 0; i < record->n_streams; i++) {
        struct stream *stream = record->streams[i];
        pthread_mutex_unlock(&record->lock);
        if (stream)
            flush_stream(record, stream);
        pthread_mutex_lock(&record->lock);
    }
    pthread_mutex_unlock(&record->lock);
}

/* Waits for the interval, or the end: then true. */
static bool wait_for_end(struct rv_record *record)
{
    uint64_t at_ns = rv_clock_mono_ns() + FLUSH_INTERVAL_NS;
    struct timespec deadline = {.tv_sec = (time_t)(at_ns / 1000000000u), .tv_nsec = (long)(at_ns % 1000000000u)};
    pthread_mutex_lock(&record->lock);
    while (!record->has_ended && pthread_cond_timedwait(&record->has_ended_signal, &record->lock, &deadline) == 0)
        ;
    bool has_ended = record->has_ended;
    pthread_mutex_unlock(&record->lock);
    return has_ended;
}

static void *run_flusher(void *context)
{
    struct rv_record *record = context;
    while (!wait_for_end(record))
        flush_all(record);
    return NULL;
}

/* ---- life ---- */

static void begin(void *context, const struct rv_clock *clock)
{
    struct rv_record *record = context;
    record->has_begun = true;
    record->clock = *clock;
    record->encoders = rv_encoders_start(&record->writer, clock, record->n_threads);
    pthread_create(&record->flusher, NULL, run_flusher, record);
}

static void end(void *context)
{
    struct rv_record *record = context;
    pthread_mutex_lock(&record->lock);
    record->has_ended = true;
    pthread_cond_broadcast(&record->has_ended_signal);
    pthread_mutex_unlock(&record->lock);
    pthread_join(record->flusher, NULL);
    submit_strings(record);
    struct rv_rec_end last = {record->n_events, record->n_streams};
    submit_payload(record, RV_REC_END, 0, &last, sizeof last);
    rv_encoders_stop(record->encoders);
    record->encoders = NULL;
}

int rv_record_open(struct rv_record **out, const struct rv_record_params *params)
{
    struct rv_record *record = rv_alloc(1, sizeof *record);
    unsigned n_cpus = rv_os_n_cpus();
    struct rv_rec_file file = {.pid = params->pid, .mono_ns = params->mono_ns, .real_ns = params->real_ns};
    *out = NULL;
    int error = rv_rec_writer_open(&record->writer, params->path, &file, params->program, params->is_forced);
    if (error) {
        free(record);
        return error;
    }
    record->n_threads = params->n_threads ? params->n_threads : n_cpus > 1 ? n_cpus - 1 : 1;
    pthread_mutex_init(&record->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&record->has_ended_signal, &attributes);
    pthread_condattr_destroy(&attributes);
    *out = record;
    return 0;
}

struct rv_sink rv_record_sink(struct rv_record *record)
{
    return (struct rv_sink){.context = record,
                            .begin = begin,
                            .open = open_stream,
                            .rename = rename_stream,
                            .account = account_stream,
                            .events = add_events,
                            .close = close_stream,
                            .define = define,
                            .end = end};
}

int rv_record_rename(struct rv_record *record, const char *path)
{
    return rv_rec_writer_rename(&record->writer, path);
}

int rv_record_close(struct rv_record *record, struct rv_record_totals *totals)
{
    *totals = (struct rv_record_totals){0};
    if (!record)
        return 0;
    if (record->has_begun)
        *totals = (struct rv_record_totals){record->n_events, record->writer.n_bytes};
    else
        unlink(record->writer.path);
    int error = rv_rec_writer_close(&record->writer);
    for (size_t i = 0; i < record->n_streams; i++) {
        struct stream *stream = record->streams[i];
        if (!stream)
            continue;
        pthread_mutex_destroy(&stream->lock);
        free(stream->events);
        free(stream->process_name);
        free(stream);
    }
    free(record->streams);
    rv_rec_buffer_fini(&record->strings);
    pthread_cond_destroy(&record->has_ended_signal);
    pthread_mutex_destroy(&record->lock);
    free(record);
    return error;
}
