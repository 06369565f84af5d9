#include "recorded.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "recording/chunk.h"

enum { PORTION = 20000 };

uint64_t recorded_seed = 11;

uint64_t recorded_draw(uint64_t below)
{
    recorded_seed = recorded_seed * 6364136223846793005u + 1442695040888963407u;
    return (recorded_seed >> 33) % below;
}

struct thread { /* on its way through its calls */
    uint32_t stack, depth[RECORDED_STACKS], ids[RECORDED_STACKS][RECORDED_DEPTH];
    uint64_t now_ns, step_ns, tick_ns; /* now; between events; of the clock */
    uint64_t end_ns;
    uint64_t waits_every;
    bool is_waiting;
};

/* A wait for one of three objects, its end by one of the two busiest threads, or a release. */
static void make_wait(struct thread *thread, struct rv_event *event)
{
    const uint32_t since = (uint32_t)recorded_draw(thread->step_ns);
    const bool is_release = !thread->is_waiting && recorded_draw(2);
    event->id = 1 + (uint32_t)recorded_draw(3);
    event->frame = (uint16_t)(RV_WAIT_MUTEX | (is_release ? RV_WAIT_RELEASE : 0));
    event->when |= (uint64_t)RV_EVENT_WAIT << RV_EVENT_KIND_SHIFT;
    if (thread->is_waiting) {
        event->id = (10 + (uint32_t)recorded_draw(2)) | RV_WAKE_EXACT << RV_EVENT_WAKE_SHIFT;
        event->when += (uint64_t)(RV_EVENT_WOKEN - RV_EVENT_WAIT) << RV_EVENT_KIND_SHIFT;
        event->frame = (uint16_t)(since >> 16);
        event->aux = (uint16_t)since;
    }
    thread->is_waiting = !thread->is_waiting && !is_release;
}

static struct rv_event next_event(struct thread *thread)
{
    thread->now_ns += recorded_draw(2 * thread->step_ns) + (recorded_draw(5000) == 0 ? recorded_draw(4000000) : 0);
    uint32_t *depth = &thread->depth[thread->stack], *ids = thread->ids[thread->stack];
    struct rv_event event = {.when = thread->now_ns / thread->tick_ns * thread->tick_ns};
    thread->end_ns = event.when;
    if (thread->waits_every && recorded_draw(thread->is_waiting ? 8 : thread->waits_every) == 0) {
        make_wait(thread, &event);
    } else if (recorded_draw(3000) == 0) {
        event.id = thread->stack = (uint32_t)recorded_draw(RECORDED_STACKS);
        event.when |= (uint64_t)RV_EVENT_SWITCH << RV_EVENT_KIND_SHIFT;
    } else if (recorded_draw(9000) == 0) {
        event.id = 1;
        event.when |= (uint64_t)RV_EVENT_MARK << RV_EVENT_KIND_SHIFT;
    } else if (*depth == 0 || (*depth < RECORDED_DEPTH && recorded_draw(2))) {
        event.id = ids[*depth] = recorded_draw(40000) ? 1 + (uint32_t)recorded_draw(RECORDED_IDS - 1) : RECORDED_IDS;
        event.frame = (uint16_t)(*depth)++;
    } else {
        if (*depth > 3 && recorded_draw(60) == 0)
            *depth -= 2; /* a jump */
        event.frame = (uint16_t)-- * depth;
        event.id = ids[*depth];
        event.when |= (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT;
    }
    return event;
}

static void define_all(const struct rv_sink *sink, uint32_t n_names)
{
    for (uint32_t i = 1; i <= RECORDED_IDS; i++) {
        char name[16];
        const uint32_t number = n_names ? 1 + i % n_names : i;
        snprintf(name, sizeof name, "f%u", number);
        sink->define(sink->context, &(struct rv_definition){i, "", name, "", number}, 1);
    }
}

static void open_all(const struct rv_sink *sink, const struct recorded_params *params, struct thread *threads)
{
    define_all(sink, params->n_names);
    for (uint32_t i = 0; i < RECORDED_STREAMS; i++) {
        threads[i] = (struct thread){.now_ns = 1000000,
                                     .step_ns = params->step_ns[i],
                                     .tick_ns = params->tick_ns ? params->tick_ns : 1,
                                     .waits_every = params->waits_every};
        struct rv_stream_info info = {.pid = 7, .tid = 10 + i, .process_name = "p", .thread_name = "t", .ring = i};
        sink->open(sink->context, i, &info);
    }
}

/* Give the sink a portion of one thread's events, then of the next thread's. */
static void give_all(const struct rv_sink *sink, const struct recorded_params *params, struct thread *threads)
{
    static struct rv_event events[PORTION];
    size_t n_left[RECORDED_STREAMS], n_all = 0;
    for (uint32_t i = 0; i < RECORDED_STREAMS; i++)
        n_all += n_left[i] = params->n_events[i];
    while (n_all > 0)
        for (uint32_t i = 0; i < RECORDED_STREAMS; i++) {
            size_t n = n_left[i] < PORTION ? n_left[i] : PORTION;
            for (size_t k = 0; k < n; k++)
                events[k] = next_event(&threads[i]);
            if (n)
                sink->events(sink->context, i, events, n);
            n_left[i] -= n;
            n_all -= n;
        }
}

static struct rv_sink begin(struct rv_recording_writer *recorder, const char *path,
                            const struct recorded_params *params)
{
    struct rv_sink sink = rv_recording_writer_sink(recorder);
    if (rv_recording_writer_start(recorder, &(struct rv_recording_writer_params){.path = path,
                                                                                 .program = "p",
                                                                                 .is_forced = true,
                                                                                 .limit = params->limit,
                                                                                 .block_events = params->block_events}) != 0)
        exit(1);
    sink.begin(sink.context, 0);
    return sink;
}

/* Threads that made no traced call. */
static void give_silent(const struct rv_sink *sink)
{
    struct rv_silent_threads silent = {0};
    rv_silent_threads_add(&silent, &(struct rv_silent_thread){7, 20, "worker", {3, 100, 20, 3000}});
    rv_silent_threads_add(&silent, &(struct rv_silent_thread){8, 8, "", {1, 5, 0, UINT64_C(1) << 40}});
    sink->silent(sink->context, &silent);
    rv_silent_threads_fini(&silent);
}

static void end(struct rv_recording_writer *recorder, const struct rv_sink *sink)
{
    struct rv_recording_writer_totals totals;
    sink->end(sink->context, NULL);
    if (rv_recording_writer_stop(recorder, &totals) != 0)
        exit(1);
    rv_recording_writer_destroy(recorder);
}

void recorded_make(const char *path, const struct recorded_params *params)
{
    struct thread threads[RECORDED_STREAMS];
    struct rv_recording_writer *recorder = rv_recording_writer_create(1);
    struct rv_sink sink = begin(recorder, path, params);
    open_all(&sink, params, threads);
    give_all(&sink, params, threads);
    for (uint32_t i = 0; i < RECORDED_STREAMS; i++)
        sink.close(sink.context, i, threads[i].end_ns + 100,
                   &(struct rv_stream_account){params->n_events[i] + 2, params->n_events[i], 2});
    give_silent(&sink);
    end(recorder, &sink);
}

void recorded_write(const char *path, const struct rv_event *events, size_t n)
{
    struct rv_recording_writer *recorder = rv_recording_writer_create(1);
    struct rv_sink sink = begin(recorder, path, &(struct recorded_params){.n_names = 0});
    struct rv_stream_info info = {.pid = 7, .tid = 10, .process_name = "p", .thread_name = "t"};
    define_all(&sink, 0);
    sink.open(sink.context, 0, &info);
    sink.events(sink.context, 0, events, n);
    sink.close(sink.context, 0, rv_event_ticks(&events[n - 1]) + 100, &(struct rv_stream_account){n, n, 0});
    end(recorder, &sink);
}

/* Rename the column DEPTHS of the payload to an unknown one. */
static void age_index(uint8_t *payload)
{
    struct rv_rec_index head;
    struct rv_rec_column column;
    memcpy(&head, payload, sizeof head);
    payload += sizeof head;
    for (uint32_t i = 0; i < head.n_columns; i++) {
        memcpy(&column, payload, sizeof column);
        if (column.id == RV_REC_INDEX_DEPTHS)
            column.id = UINT16_MAX;
        memcpy(payload, &column, sizeof column);
        payload += sizeof column + column.stored_bytes;
    }
}

static void age_chunk(FILE *file, const struct rv_rec_chunk *chunk)
{
    struct rv_rec_buffer buffer = {0};
    long at = ftell(file);
    rv_chunk_begin(&buffer);
    uint8_t *payload = rv_rec_buffer_reserve(&buffer, chunk->payload_bytes);
    if (fseek(file, at + (long)sizeof *chunk, SEEK_SET) != 0 || fread(payload, chunk->payload_bytes, 1, file) != 1)
        exit(1);
    buffer.n += chunk->payload_bytes;
    age_index(payload);
    rv_chunk_end(&buffer, chunk);
    rv_chunk_seal(&buffer, chunk->sequence);
    if (fseek(file, at, SEEK_SET) != 0 || fwrite(buffer.bytes, buffer.n, 1, file) != 1)
        exit(1);
    rv_rec_buffer_fini(&buffer);
}

void recorded_age(const char *path)
{
    struct rv_rec_chunk chunk;
    FILE *file = fopen(path, "r+");
    for (long at = 0; file && fread(&chunk, sizeof chunk, 1, file) == 1; at += (long)rv_chunk_bytes(&chunk)) {
        (void)fseek(file, at, SEEK_SET);
        if (chunk.type == RV_REC_INDEX)
            age_chunk(file, &chunk);
        (void)fseek(file, at + (long)rv_chunk_bytes(&chunk), SEEK_SET);
    }
    if (!file || fclose(file) != 0)
        exit(1);
}

void recorded_damage(const char *path, unsigned block)
{
    struct rv_rec_chunk chunk;
    FILE *file = fopen(path, "r+");
    long at = 0;
    for (unsigned n = 0; file && fread(&chunk, sizeof chunk, 1, file) == 1; at += (long)rv_chunk_bytes(&chunk)) {
        if (chunk.type == RV_REC_EVENTS && n++ == block)
            break;
        (void)fseek(file, at + (long)rv_chunk_bytes(&chunk), SEEK_SET);
    }
    if (!file || fseek(file, at + chunk.header_bytes + chunk.payload_bytes / 2, SEEK_SET) != 0)
        exit(1);
    const int byte = fgetc(file);
    if (fseek(file, -1, SEEK_CUR) != 0 || fputc(byte ^ 1, file) == EOF || fclose(file) != 0)
        exit(1);
}
