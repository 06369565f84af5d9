#include "cli/info_recording.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/instrumentation_text.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"
#include "recording/stream_chunks.h"
#include "recording/chunk_reader.h"

enum { N_TYPES = RV_REC_OUTSIDE + 1, SHOWN_NAME_BYTES = 256 };

static const char *const TYPES[N_TYPES] = {"unknown", "FILE",  "STREAM",  "STRINGS", "EVENTS", "ACCOUNT",
                                           "END",     "INDEX", "SEGMENT", "SILENT",  "OUTSIDE"};

typedef unsigned long long wide;

struct stream {
    struct rv_rec_stream who;
    struct rv_wire_instrumentation instrumentation;
    char *process_name, *thread_name; /* escaped; NULL: its STREAM chunk is missing */
    uint64_t n_blocks, n_events, n_dropped, n_bytes;
    uint64_t n_dropped_before; /* where the first segment begins */
    bool is_known;
};

struct tally {
    struct stream *streams; /* by number */
    size_t n_streams;
    uint64_t n_chunks[N_TYPES], n_bytes[N_TYPES];
    uint64_t n_events, first_ns, last_ns;
    uint64_t n_silent; /* threads without a stream */
    uint64_t n_damages;
};

/* ---- counting ---- */

static struct stream *stream_at(struct tally *tally, uint32_t number)
{
    if (number >= tally->n_streams)
        tally->streams = rv_vec_extend(tally->streams, &tally->n_streams, (size_t)number + 1, sizeof *tally->streams);
    struct stream *stream = &tally->streams[number];
    stream->is_known = true;
    return stream;
}

static char *escaped(const char *text)
{
    char shown[SHOWN_NAME_BYTES];
    rv_text_escape(shown, sizeof shown, text, strlen(text));
    return rv_strdup(shown);
}

/* A later chunk of a stream has its newer name. */
static void take_stream(struct tally *tally, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_stream_chunk who;
    if (rv_stream_chunk_read(&who, chunk, payload) != 0)
        return;
    struct stream *stream = stream_at(tally, chunk->stream);
    free(stream->process_name);
    free(stream->thread_name);
    stream->who = who.stream;
    stream->instrumentation = who.instrumentation;
    stream->process_name = escaped(who.process_name);
    stream->thread_name = escaped(who.thread_name);
}

static void take_events(struct tally *tally, const struct rv_rec_chunk *chunk)
{
    struct stream *stream = stream_at(tally, chunk->stream);
    stream->n_bytes += rv_chunk_bytes(chunk);
    if (chunk->flags & RV_REC_OPEN)
        return;
    stream->n_blocks++;
    stream->n_events += chunk->n_events;
    if (tally->n_events == 0 || chunk->first_ns < tally->first_ns)
        tally->first_ns = chunk->first_ns;
    if (chunk->last_ns > tally->last_ns)
        tally->last_ns = chunk->last_ns;
    tally->n_events += chunk->n_events;
}

static void take_account(struct tally *tally, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_rec_account account;
    if (chunk->payload_bytes < sizeof account)
        return;
    memcpy(&account, payload, sizeof account);
    struct stream *stream = stream_at(tally, chunk->stream);
    if (account.is_before && !stream->n_events)
        stream->n_dropped_before = account.n_dropped;
    stream->n_dropped = account.n_dropped - stream->n_dropped_before;
}

static void take_chunk(struct tally *tally, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                       uint64_t n_file_bytes)
{
    unsigned type = chunk->type < N_TYPES ? chunk->type : 0;
    struct rv_rec_silent silent;
    size_t n_listed;
    tally->n_chunks[type]++;
    tally->n_bytes[type] += rv_chunk_bytes(chunk);
    if (!rv_chunk_has_stream_within(chunk, n_file_bytes))
        return;
    if (type == RV_REC_STREAM)
        take_stream(tally, chunk, payload);
    else if (type == RV_REC_EVENTS)
        take_events(tally, chunk);
    else if (type == RV_REC_ACCOUNT)
        take_account(tally, chunk, payload);
    else if (type == RV_REC_SILENT && rv_rec_silent_read(&silent, &n_listed, chunk, payload) == 0)
        tally->n_silent += silent.n_threads;
}

static void count_damage(void *context, const struct rv_rec_damage *damage)
{
    struct tally *tally = context;
    (void)damage;
    tally->n_damages++;
}

/* ---- printing ---- */

static void print_time(uint64_t real_ns, FILE *out)
{
    time_t seconds = (time_t)(real_ns / 1000000000u);
    struct tm tm;
    char when[64] = "?";
    if (localtime_r(&seconds, &tm))
        (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S %z", &tm);
    fputs(when, out);
}

static const char *ending(const struct rv_rec_reader_state *state, uint64_t n_damages)
{
    if (n_damages)
        return state->is_finished ? "damaged; see --check" : "truncated or damaged; see --check";
    return state->is_finished ? "whole" : "ends early: its recorder was killed, or is still running";
}

static void print_past(const struct rv_rec_reader *reader, FILE *out)
{
    const struct rv_rec_segment *past = rv_rec_reader_past(reader);
    if (past)
        fprintf(out, "discarded %llu earlier event%s, of %.3f s\n", (wide)past->n_events,
                rv_units_word(past->n_events, "", "s"), (double)rv_rec_reader_past_ns(reader) / 1e9);
}

static void print_header(const struct rv_rec_reader *reader, const char *path, const struct tally *tally, FILE *out)
{
    const struct rv_rec_file *file = rv_rec_reader_file(reader);
    struct rv_rec_reader_state state = rv_rec_reader_state(reader);
    char *program = escaped(rv_rec_reader_program(reader));
    fprintf(out, "file      %s\nformat    a recording, version %u.%u\nprogram   %s", path, file->major, file->minor,
            program);
    free(program);
    if (file->pid)
        fprintf(out, ", process %u", file->pid);
    fputs("\ncreated   ", out);
    print_time(file->real_ns, out);
    fprintf(out, "\nclock     monotonic %llu ns at realtime %llu ns\nuuid      ", (wide)file->mono_ns,
            (wide)file->real_ns);
    for (size_t i = 0; i < sizeof file->uuid; i++)
        fprintf(out, "%02x", file->uuid[i]);
    double seconds = tally->last_ns > tally->first_ns ? (double)(tally->last_ns - tally->first_ns) / 1e9 : 0;
    uint64_t n_bytes = state.n_bytes - state.n_gone;
    fprintf(out, "\nbytes     %llu\nevents    %llu stored, over %.3f s, %.3f bytes each\n", (wide)n_bytes, (wide)tally->n_events,
            seconds, tally->n_events ? (double)n_bytes / (double)tally->n_events : 0);
    print_past(reader, out);
    fprintf(out, "ending    %s\n", ending(&state, tally->n_damages));
}

static int by_process(const void *a, const void *b)
{
    const struct stream *x = *(const struct stream *const *)a, *y = *(const struct stream *const *)b;
    if (x->who.process_key != y->who.process_key)
        return x->who.process_key < y->who.process_key ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void print_processes(const struct tally *tally, FILE *out)
{
    const struct stream **sorted = rv_alloc(tally->n_streams, sizeof *sorted);
    char by[RV_INSTRUMENTATION_BYTES];
    size_t n = 0;
    for (size_t i = 0; i < tally->n_streams; i++)
        if (tally->streams[i].process_name)
            sorted[n++] = &tally->streams[i];
    qsort(sorted, n, sizeof *sorted, by_process);
    fprintf(out, "\n%8s %8s  %s\n", "pid", "parent", "name");
    for (size_t i = 0; i < n; i++) {
        if (i && sorted[i]->who.process_key == sorted[i - 1]->who.process_key)
            continue;
        rv_instrumentation_text(&sorted[i]->instrumentation, by);
        fprintf(out, "%8u %8u  %s%s%s\n", sorted[i]->who.pid, sorted[i]->who.parent_pid, sorted[i]->process_name,
                *by ? ", traced by " : "", by);
    }
    free(sorted);
}

static void print_streams(const struct tally *tally, FILE *out)
{
    fprintf(out, "\n%7s %8s %8s %8s %14s %14s %14s  %s\n", "stream", "pid", "tid", "blocks", "events", "bytes",
            "dropped", "thread");
    for (size_t i = 0; i < tally->n_streams; i++) {
        const struct stream *stream = &tally->streams[i];
        if (stream->is_known)
            fprintf(out, "%7zu %8u %8u %8llu %14llu %14llu %14llu  %s\n", i, stream->who.pid, stream->who.tid,
                    (wide)stream->n_blocks, (wide)stream->n_events, (wide)stream->n_bytes, (wide)stream->n_dropped,
                    stream->thread_name ? stream->thread_name : "?");
    }
    if (tally->n_silent)
        fprintf(out, "%llu %s made no traced call: --report\n", (wide)tally->n_silent,
                rv_units_word(tally->n_silent, "thread", "threads"));
}

static void print_chunks(const struct tally *tally, FILE *out)
{
    fprintf(out, "\n%-8s %14s %14s\n", "chunks", "count", "bytes");
    for (size_t i = 0; i < N_TYPES; i++)
        if (tally->n_chunks[i])
            fprintf(out, "%-8s %14llu %14llu\n", TYPES[i], (wide)tally->n_chunks[i], (wide)tally->n_bytes[i]);
}

static void recorded_count_fini(struct tally *tally)
{
    for (size_t i = 0; i < tally->n_streams; i++) {
        free(tally->streams[i].process_name);
        free(tally->streams[i].thread_name);
    }
    free(tally->streams);
}

int rv_info_recording_write(const char *path, FILE *out)
{
    struct rv_rec_reader *reader;
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    struct tally tally = {0};
    struct rv_rec_reader_params params = {count_damage, &tally};
    int result = rv_rec_reader_open(&reader, path, &params);
    if (result)
        return result;
    tally.n_chunks[RV_REC_FILE] = 1; /* the reader has it already */
    tally.n_bytes[RV_REC_FILE] = rv_rec_reader_state(reader).offset;
    while ((result = rv_rec_reader_next(reader, &chunk, &payload)) > 0)
        take_chunk(&tally, &chunk, payload, rv_rec_reader_state(reader).n_bytes);
    if (result == 0) {
        print_header(reader, path, &tally, out);
        print_processes(&tally, out);
        print_streams(&tally, out);
        print_chunks(&tally, out);
    }
    recorded_count_fini(&tally);
    rv_rec_reader_close(reader);
    return result;
}
