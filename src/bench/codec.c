/*
 * The codec of recordings on events of real programs, which are run first: the demo server, a recursion, a program of
 * many threads; or on a recording that the user gives. Beside it, in the same run and on the same blocks: zstd -1 on
 * the raw 16-byte events, and the same calls as gzip'd Chrome JSON.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "bench/bench.h"
#include "launch/launch.h"
#include "pipeline/session.h"
#include "recording/codec.h"
#include "recording/chunk.h"
#include "source/live_drain.h"
#include "source/replay.h"

enum { N_RUNS = 5, MOST_EVENTS = 2 << 20, MOST_JSON_EVENTS = 1 << 18, ZSTD_LEVEL = 1 };

struct part { /* the events of one stream, times in ns */
    struct rv_event *events;
    size_t n, capacity;
    uint32_t tid;
};

struct capture {
    pthread_mutex_t lock;
    struct part *parts; /* by stream */
    size_t n_parts, parts_capacity;
    uint64_t n_events;
};

struct stream { /* one row of the table */
    const char *name;
    const char *argv[4];
};

static const struct stream STREAMS[] = {
    {"demo", {"ringviz-demo", "1", NULL}},
    {"recursion", {"ringviz-bench-traced", "90", NULL}},
    {"threads", {"ringviz-bench-traced", "4", "8", NULL}},
};

/* ---- capture ---- */

static void open_part(void *context, uint32_t stream, const struct rv_stream_info *info)
{
    struct capture *capture = context;
    pthread_mutex_lock(&capture->lock);
    capture->parts = rv_vec_reserve(capture->parts, &capture->parts_capacity, stream + 1u, sizeof *capture->parts);
    while (capture->n_parts <= stream)
        capture->parts[capture->n_parts++] = (struct part){0};
    capture->parts[stream].tid = info->tid;
    pthread_mutex_unlock(&capture->lock);
}

static void keep_events(void *context, uint32_t stream, const struct rv_event *events, size_t n)
{
    struct capture *capture = context;
    pthread_mutex_lock(&capture->lock);
    struct part *part = &capture->parts[stream];
    size_t room = capture->n_events < MOST_EVENTS ? MOST_EVENTS - capture->n_events : 0;
    n = n < room ? n : room;
    part->events = rv_vec_reserve(part->events, &part->capacity, part->n + n, sizeof *events);
    memcpy(part->events + part->n, events, n * sizeof *events);
    part->n += n;
    capture->n_events += n;
    pthread_mutex_unlock(&capture->lock);
}

static void free_parts(struct capture *capture)
{
    for (size_t i = 0; i < capture->n_parts; i++)
        free(capture->parts[i].events);
    free(capture->parts);
    pthread_mutex_destroy(&capture->lock);
}

/* Run the source to its end. */
static struct rv_session *run_session(struct capture *capture, struct rv_source *source)
{
    pthread_mutex_init(&capture->lock, NULL);
    struct rv_sink sink = {.context = capture, .open = open_part, .events = keep_events};
    struct rv_session *session = rv_session_start(&(struct rv_session_params){.sinks = &sink, .n_sinks = 1}, source);
    while (!rv_session_wait(session, 1000000000))
        ;
    return session;
}

static bool has_ended(void *context)
{
    return rv_launch_has_ended(context);
}

/* ---- measures ---- */

struct sizes {
    uint64_t n_events, raw, ours, zstd, json, n_json_events;
};

struct rates { /* M events/s, one sample per run */
    double encode[N_RUNS], decode[N_RUNS], zstd_encode[N_RUNS], zstd_decode[N_RUNS];
};

struct bench {
    const struct capture *capture;
    struct rv_codec *codec;
    struct rv_rec_buffer chunk, chunks; /* one; all of them */
    struct rv_event *back;
    uint8_t *packed; /* by zstd */
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
    struct sizes sizes;
    struct rates rates;
};

/* Every block of every stream. */
static void for_each_block(struct bench *bench,
                           void (*measure)(struct bench *bench, const struct rv_event *events, uint32_t n,
                                           unsigned run),
                           unsigned run)
{
    for (size_t i = 0; i < bench->capture->n_parts; i++) {
        const struct part *part = &bench->capture->parts[i];
        for (size_t at = 0; at < part->n; at += RV_REC_MAX_EVENTS) {
            size_t n = part->n - at < RV_REC_MAX_EVENTS ? part->n - at : RV_REC_MAX_EVENTS;
            measure(bench, part->events + at, (uint32_t)n, run);
        }
    }
}

static void measure_ours(struct bench *bench, const struct rv_event *events, uint32_t n, unsigned run)
{
    struct rv_rec_chunk chunk = {.type = RV_REC_EVENTS};
    uint64_t began = rv_clock_thread_cpu_ns();
    rv_chunk_begin(&bench->chunk);
    rv_codec_encode(bench->codec, events, n, 0, &chunk, &bench->chunk);
    rv_chunk_end(&bench->chunk, &chunk);
    rv_chunk_seal(&bench->chunk, 0);
    uint64_t encoded = rv_clock_thread_cpu_ns();
    memcpy(&chunk, bench->chunk.bytes, sizeof chunk);
    const uint8_t *payload = bench->chunk.bytes + sizeof chunk;
    bool is_whole = rv_chunk_is_whole(&chunk, payload) &&
                    rv_codec_decode(bench->codec, &chunk, payload, chunk.payload_bytes, bench->back) == 0;
    uint64_t decoded = rv_clock_thread_cpu_ns();
    rv_assert(is_whole && memcmp(bench->back, events, n * sizeof *events) == 0);
    bench->rates.encode[run] += (double)(encoded - began);
    bench->rates.decode[run] += (double)(decoded - encoded);
    if (run == 0)
        bench->sizes.ours += bench->chunk.n;
}

static void measure_zstd(struct bench *bench, const struct rv_event *events, uint32_t n, unsigned run)
{
    size_t n_raw = n * sizeof *events, room = ZSTD_compressBound(RV_REC_MAX_EVENTS * sizeof *events);
    uint64_t began = rv_clock_thread_cpu_ns();
    size_t n_packed = ZSTD_compressCCtx(bench->compress, bench->packed, room, events, n_raw, ZSTD_LEVEL);
    uint64_t encoded = rv_clock_thread_cpu_ns();
    size_t n_back = ZSTD_decompressDCtx(bench->decompress, bench->back, n_raw, bench->packed, n_packed);
    uint64_t decoded = rv_clock_thread_cpu_ns();
    rv_assert(n_back == n_raw);
    bench->rates.zstd_encode[run] += (double)(encoded - began);
    bench->rates.zstd_decode[run] += (double)(decoded - encoded);
    if (run == 0)
        bench->sizes.zstd += n_packed;
}

/* Begin and end events of the first calls, as Chrome has them. */
static char *make_json(struct bench *bench, struct rv_subroutines *subroutines, size_t *n_bytes)
{
    char *text = NULL, name[1024];
    FILE *file = open_memstream(&text, n_bytes);
    for (size_t i = 0; i < bench->capture->n_parts; i++) {
        const struct part *part = &bench->capture->parts[i];
        for (size_t k = 0; k < part->n && bench->sizes.n_json_events < MOST_JSON_EVENTS; k++) {
            const struct rv_event *event = &part->events[k];
            if (rv_event_kind(event) > RV_EVENT_RETURN)
                continue;
            struct rv_subroutine subroutine = rv_subroutines_get(subroutines, event->id);
            rv_subroutine_full_name(&subroutine, name, sizeof name);
            fprintf(file, "{\"name\":\"%s\",\"ph\":\"%c\",\"ts\":%.3f,\"pid\":1,\"tid\":%u},\n", name,
                    rv_event_kind(event) == RV_EVENT_CALL ? 'B' : 'E', (double)rv_event_ticks(event) / 1e3, part->tid);
            bench->sizes.n_json_events++;
        }
    }
    fclose(file);
    return text;
}

static void measure_json(struct bench *bench, struct rv_subroutines *subroutines)
{
    size_t n_bytes;
    char *text = make_json(bench, subroutines, &n_bytes);
    uLongf n_packed = compressBound((uLong)n_bytes);
    Bytef *packed = rv_alloc(n_packed, 1);
    if (compress2(packed, &n_packed, (const Bytef *)text, (uLong)n_bytes, Z_DEFAULT_COMPRESSION) == Z_OK)
        bench->sizes.json = n_packed;
    free(packed);
    free(text);
}

/* ---- rows ---- */

static void to_rates(double *ns, uint64_t n_events)
{
    for (unsigned i = 0; i < N_RUNS; i++)
        ns[i] = (double)n_events / ns[i] * 1e3;
}

static void print_rate(struct rv_bench_out *out, const char *stream, const char *what, double *ours, double *zstd,
                       uint64_t n_events)
{
    char name[64];
    snprintf(name, sizeof name, "codec.%s.%s", stream, what);
    to_rates(ours, n_events);
    to_rates(zstd, n_events);
    double median = rv_bench_median(ours, N_RUNS);
    (void)rv_bench_median(zstd, N_RUNS);
    rv_bench_row(out, &(struct rv_bench_row){.bench = name,
                                             .unit = "Mevents/s",
                                             .median = median,
                                             .min = ours[N_RUNS - 1],
                                             .n = N_RUNS,
                                             .baseline = "zstd -1",
                                             .ratio = ours[N_RUNS - 1] / zstd[N_RUNS - 1],
                                             .detail = "min is the best rate; one core"});
}

static void print_bytes(struct rv_bench_out *out, const char *stream, const char *what, double ours, double base,
                        const char *baseline, const char *detail)
{
    char name[64];
    snprintf(name, sizeof name, "codec.%s.%s", stream, what);
    rv_bench_row(out, &(struct rv_bench_row){.bench = name,
                                             .unit = "B/event",
                                             .median = ours,
                                             .min = ours,
                                             .n = 1,
                                             .baseline = baseline,
                                             .ratio = baseline ? base / ours : 0,
                                             .detail = detail});
}

static void print_rows(struct rv_bench_out *out, const char *stream, struct bench *bench)
{
    const struct sizes *sizes = &bench->sizes;
    double n = (double)sizes->n_events, ours = (double)sizes->ours / n, zstd = (double)sizes->zstd / n;
    char detail[64];
    snprintf(detail, sizeof detail, "%llu events in %zu streams", (unsigned long long)sizes->n_events,
             bench->capture->n_parts);
    print_rate(out, stream, "encode", bench->rates.encode, bench->rates.zstd_encode, sizes->n_events);
    print_rate(out, stream, "decode", bench->rates.decode, bench->rates.zstd_decode, sizes->n_events);
    print_bytes(out, stream, "bytes", ours, zstd, "zstd -1", detail);
    print_bytes(out, stream, "bytes.zstd", zstd, 0, NULL, "zstd -1 on the raw events");
    if (sizes->n_json_events)
        print_bytes(out, stream, "bytes.json", (double)sizes->json / (double)sizes->n_json_events, 0, NULL,
                    "gzip'd Chrome JSON");
}

static void measure(struct rv_bench_out *out, const char *stream, const struct capture *capture,
                    struct rv_subroutines *subroutines)
{
    struct bench bench = {.capture = capture, .sizes = {.n_events = capture->n_events}};
    bench.codec = rv_codec_create();
    bench.back = rv_alloc(RV_REC_MAX_EVENTS, sizeof *bench.back);
    bench.packed = rv_alloc(ZSTD_compressBound(RV_REC_MAX_EVENTS * sizeof *bench.back), 1);
    bench.compress = ZSTD_createCCtx();
    bench.decompress = ZSTD_createDCtx();
    for (unsigned run = 0; run < N_RUNS; run++) {
        for_each_block(&bench, measure_ours, run);
        for_each_block(&bench, measure_zstd, run);
    }
    measure_json(&bench, subroutines);
    print_rows(out, stream, &bench);
    ZSTD_freeCCtx(bench.compress);
    ZSTD_freeDCtx(bench.decompress);
    rv_rec_buffer_fini(&bench.chunk);
    free(bench.packed);
    free(bench.back);
    rv_codec_destroy(bench.codec);
}

/* ---- sources ---- */

static int measure_source(struct rv_bench_out *out, const char *name, struct rv_source *source)
{
    struct capture capture = {0};
    struct rv_session *session = run_session(&capture, source);
    int error = capture.n_events ? 0 : rv_err(ENODATA, "codec.%s: no events", name);
    if (!error)
        measure(out, name, &capture, rv_session_subroutines(session));
    rv_session_destroy(session);
    free_parts(&capture);
    return error;
}

static int measure_recording(struct rv_bench_out *out, const char *path)
{
    struct rv_source *source = rv_replay_open(path);
    return source ? measure_source(out, "file", source) : -EBADMSG;
}

/* The program's output is discarded. */
static struct rv_launch *start_quietly(const char *trace_path, const char *const *argv)
{
    int status, kept = dup(STDOUT_FILENO);
    FILE *null = fopen("/dev/null", "we");
    if (kept < 0 || !null || dup2(fileno(null), STDOUT_FILENO) < 0)
        rv_warn("the program's output is shown");
    struct rv_launch *launch =
        rv_launch_start(&(struct rv_launch_params){.trace_path = trace_path, .argv = argv}, &status);
    if (null)
        fclose(null);
    if (kept >= 0) {
        dup2(kept, STDOUT_FILENO);
        close(kept);
    }
    return launch;
}

static int measure_program(struct rv_bench_out *out, const struct stream *stream)
{
    char program[4096], path[4096];
    if (rv_launch_find_file(stream->argv[0], program, sizeof program) != 0)
        return 0; /* the demo is not installed */
    const char *const argv[] = {program, stream->argv[1], stream->argv[2], NULL};
    struct rv_map map = {0};
    int error = rv_map_default_path(path, sizeof path, 16u << 20);
    if (!error)
        error = rv_map_create(&map, path, &(struct rv_map_params){0});
    if (error)
        return error;
    fflush(stdout);
    struct rv_launch *launch = start_quietly(path, argv);
    struct rv_source *source =
        launch ? rv_live_drain_open(&map, &(struct rv_live_drain_params){.is_over = has_ended, .context = launch})
               : NULL;
    error = source ? measure_source(out, stream->name, source) : -ENOENT;
    rv_launch_destroy(launch);
    unlink(path);
    rv_map_close(&map);
    return error;
}

int rv_bench_codec(struct rv_bench_out *out)
{
    const char *path = rv_bench_input(out);
    if (path)
        return measure_recording(out, path);
    int error = 0;
    for (size_t i = 0; i < sizeof STREAMS / sizeof *STREAMS && !error; i++)
        error = measure_program(out, &STREAMS[i]);
    return error;
}
