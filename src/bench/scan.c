/*
 * The scan compared with its serial oracle: blocks of 16 K events in the cache, CPU time of this thread, every kernel
 * that this CPU runs.
 *
 * Events have depths, as producers write them, and RETURNs have ids, so that every pop is checked.
 */
#include "bench/bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "scan/block.h"
#include "scan/block_join.h"
#include "scan/serial.h"

#define BLOCK RV_BLOCK_EVENTS
#define N_BLOCKS 24u
#define N_EVENTS (BLOCK * N_BLOCKS)
#define N_ROUNDS 9u
#define N_IDS 1000u
#define N_STACKS 64u
#define MAX_DEPTH 200000u
#define READ_SPANS 512u

struct program {
    int32_t *keys;
    uint32_t *ids;
    uint32_t depth;
};

struct stream {
    struct rv_event *events;
    uint32_t n;
    uint64_t now_ns, random;
    uint32_t drop_percent;
    struct program programs[N_STACKS];
    struct program *current;
    struct rv_block_input inputs[N_BLOCKS];
    uint32_t *specials;
};

static void put(struct stream *stream, unsigned kind, uint32_t id, int32_t key)
{
    if (stream->n == N_EVENTS ||
        (stream->drop_percent && rv_bench_random(&stream->random) % 100 < stream->drop_percent))
        return;
    stream->now_ns += 30 + rv_bench_random(&stream->random) % 40;
    stream->events[stream->n++] = (struct rv_event){
        .when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | stream->now_ns,
        .id = id,
        .frame = (uint16_t)key,
    };
}

static void call(struct stream *stream, uint32_t id)
{
    struct program *program = stream->current;
    uint32_t depth = program->depth;
    int32_t key = depth ? program->keys[depth - 1] + 1 : 100;
    program->keys[depth] = key;
    program->ids[depth] = id;
    program->depth++;
    put(stream, RV_EVENT_CALL, id, key);
}

static void leave(struct stream *stream)
{
    struct program *program = stream->current;
    program->depth--;
    put(stream, RV_EVENT_RETURN, program->ids[program->depth], program->keys[program->depth]);
}

static uint32_t some_id(struct stream *stream)
{
    return 1 + (uint32_t)(rv_bench_random(&stream->random) % N_IDS);
}

/* One step of a random walk with a drift towards a depth. */
static void walk(struct stream *stream, double depth)
{
    double p = 0.5 + (depth - (double)stream->current->depth) * 0.02;
    p = p < 0.1 ? 0.1 : p > 0.9 ? 0.9 : p;
    double drawn = (double)(rv_bench_random(&stream->random) >> 11) * 0x1p-53;
    if (!stream->current->depth || drawn < p)
        call(stream, some_id(stream));
    else
        leave(stream);
}

static void fib(struct stream *stream, int n)
{
    if (stream->n == N_EVENTS)
        return;
    call(stream, 7);
    if (n > 1) {
        fib(stream, n - 1);
        fib(stream, n - 2);
    }
    leave(stream);
}

static void fill_walk10(struct stream *stream)
{
    while (stream->n < N_EVENTS)
        walk(stream, 10);
}

static void fill_walk100(struct stream *stream)
{
    while (stream->n < N_EVENTS)
        walk(stream, 100);
}

static void fill_flat(struct stream *stream)
{
    for (int i = 0; i < 5; i++)
        call(stream, some_id(stream));
    while (stream->n < N_EVENTS) {
        call(stream, some_id(stream));
        leave(stream);
    }
}

static void fill_fib(struct stream *stream)
{
    while (stream->n < N_EVENTS)
        fib(stream, 25);
}

static void fill_threads64(struct stream *stream)
{
    while (stream->n < N_EVENTS) {
        for (uint64_t n = 30 + rv_bench_random(&stream->random) % 41; n > 0; n--)
            walk(stream, 10);
        uint32_t next = (uint32_t)(rv_bench_random(&stream->random) % N_STACKS);
        stream->current = &stream->programs[next];
        put(stream, RV_EVENT_SWITCH, next, 0);
    }
}

static void fill_deep100k(struct stream *stream)
{
    while (stream->current->depth < 100000)
        call(stream, some_id(stream));
    while (stream->n < N_EVENTS)
        walk(stream, 100010);
}

/* A quarter of a walk's events is missing: hardly eight in a row nest. */
static void fill_drops25(struct stream *stream)
{
    stream->drop_percent = 25;
    fill_walk10(stream);
}

static const struct workload {
    const char *name;
    void (*fill)(struct stream *stream);
    uint32_t n_stacks;
} workloads[] = {
    {"walk10", fill_walk10, 1},
    {"walk100", fill_walk100, 1},
    {"flat", fill_flat, 1},
    {"fib", fill_fib, 1},
    {"threads64", fill_threads64, N_STACKS},
    {"deep100k", fill_deep100k, 1},
    {"drops25", fill_drops25, 1},
};

static void cut_blocks(struct stream *stream)
{
    uint32_t stack = 0, n_specials = 0;
    for (uint32_t b = 0; b < N_BLOCKS; b++) {
        struct rv_block_input *input = &stream->inputs[b];
        *input = (struct rv_block_input){
            .events = stream->events + b * BLOCK,
            .n = BLOCK,
            .specials = stream->specials + n_specials,
            .base_ns = rv_event_ticks(&stream->events[b * BLOCK]),
            .entry_stack = stack,
        };
        for (uint32_t i = 0; i < BLOCK; i++)
            if (rv_event_kind(&input->events[i]) > RV_EVENT_RETURN)
                stream->specials[n_specials++] = i;
        input->n_specials = (uint32_t)(stream->specials + n_specials - input->specials);
        stack = rv_block_exit_stack(input);
    }
}

static struct stream *create_stream(const struct workload *workload)
{
    struct stream *stream = rv_alloc(1, sizeof *stream);
    stream->random = 88172645463325252ull;
    stream->now_ns = 1000000000;
    stream->events = rv_alloc(N_EVENTS + RV_BLOCK_PADDING, sizeof *stream->events);
    stream->specials = rv_alloc(N_EVENTS, sizeof *stream->specials);
    for (uint32_t i = 0; i < workload->n_stacks; i++) {
        stream->programs[i].keys = rv_alloc(MAX_DEPTH, sizeof *stream->programs[i].keys);
        stream->programs[i].ids = rv_alloc(MAX_DEPTH, sizeof *stream->programs[i].ids);
    }
    stream->current = &stream->programs[0];
    workload->fill(stream);
    cut_blocks(stream);
    return stream;
}

static void destroy_stream(struct stream *stream)
{
    for (uint32_t i = 0; i < N_STACKS; i++) {
        free(stream->programs[i].keys);
        free(stream->programs[i].ids);
    }
    free(stream->events);
    free(stream->specials);
    free(stream);
}

/* What a round measures, ns per event (read: per span), one sample a round. */
struct samples {
    double block[N_ROUNDS], carry[N_ROUNDS], both[N_ROUNDS], read[N_ROUNDS];
};

static void run_serial(const struct stream *stream, double *samples)
{
    struct rv_event *hot = rv_alloc(BLOCK + RV_BLOCK_PADDING, sizeof *hot);
    struct rv_span *spans = NULL;
    size_t capacity = 0;
    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        struct rv_serial *serial = rv_serial_create();
        uint64_t total_ns = 0;
        for (uint32_t b = 0; b < N_BLOCKS; b++) {
            size_t n_spans = 0;
            memcpy(hot, stream->inputs[b].events, BLOCK * sizeof *hot);
            uint64_t begin_ns = rv_clock_thread_cpu_ns();
            rv_serial_feed(serial, hot, BLOCK, &spans, &n_spans, &capacity);
            total_ns += rv_clock_thread_cpu_ns() - begin_ns;
        }
        samples[round] = (double)total_ns / N_EVENTS;
        rv_serial_destroy(serial);
    }
    free(spans);
    free(hot);
}

static void run_round(const struct stream *stream, enum rv_scan_kernel kernel, struct rv_block *block,
                      struct rv_event *hot, struct rv_span *spans, struct samples *samples, uint32_t round)
{
    struct rv_block_join *carry = rv_block_join_create();
    uint64_t block_ns = 0, carry_ns = 0, read_ns = 0, n_spans = 0;
    for (uint32_t b = 0; b < N_BLOCKS; b++) {
        struct rv_block_input input = stream->inputs[b];
        struct rv_block_cursor cursor = {0};
        memcpy(hot, input.events, (BLOCK + RV_BLOCK_PADDING) * sizeof *hot);
        input.events = hot;
        uint64_t t0 = rv_clock_thread_cpu_ns();
        rv_block_scan(block, &input, kernel);
        uint64_t t1 = rv_clock_thread_cpu_ns();
        rv_block_join_apply(carry, block);
        uint64_t t2 = rv_clock_thread_cpu_ns();
        for (size_t n; (n = rv_block_read_spans(block, &cursor, spans, READ_SPANS)) > 0;)
            n_spans += n;
        read_ns += rv_clock_thread_cpu_ns() - t2;
        block_ns += t1 - t0;
        carry_ns += t2 - t1;
    }
    samples->block[round] = (double)block_ns / N_EVENTS;
    samples->carry[round] = (double)carry_ns / N_EVENTS;
    samples->both[round] = (double)(block_ns + carry_ns) / N_EVENTS;
    samples->read[round] = (double)read_ns / (double)(n_spans ? n_spans : 1);
    rv_block_join_destroy(carry);
}

static void run_kernel(const struct stream *stream, enum rv_scan_kernel kernel, struct samples *samples)
{
    struct rv_block *block = rv_block_create(BLOCK);
    struct rv_event *hot = rv_alloc(BLOCK + RV_BLOCK_PADDING, sizeof *hot);
    struct rv_span *spans = rv_alloc(READ_SPANS, sizeof *spans);
    for (uint32_t round = 0; round < N_ROUNDS; round++)
        run_round(stream, kernel, block, hot, spans, samples, round);
    free(spans);
    free(hot);
    rv_block_destroy(block);
}

static void report(struct rv_bench_out *out, const char *name, const char *unit, double *samples, double baseline,
                   const char *detail)
{
    double median = rv_bench_median(samples, N_ROUNDS);
    rv_bench_row(out, &(struct rv_bench_row){
                          .bench = name,
                          .unit = unit,
                          .median = median,
                          .min = samples[0],
                          .n = N_ROUNDS,
                          .baseline = baseline > 0 ? "serial" : NULL,
                          .ratio = baseline > 0 ? baseline / samples[0] : 0,
                          .detail = detail,
                      });
}

static void report_kernel(struct rv_bench_out *out, const char *name, enum rv_scan_kernel kernel,
                          struct samples *samples, double baseline)
{
    char detail[160];
    rv_bench_median(samples->block, N_ROUNDS);
    rv_bench_median(samples->carry, N_ROUNDS);
    rv_bench_median(samples->read, N_ROUNDS);
    snprintf(detail, sizeof detail, "%s; block %.2f, carry %.3f, reading %.2f ns/span; serial %.2f",
             rv_scan_kernel_name(kernel), samples->block[0], samples->carry[0], samples->read[0], baseline);
    report(out, name, "ns/event", samples->both, baseline, detail);
}

static void bench_workload(struct rv_bench_out *out, const struct workload *workload)
{
    struct stream *stream = create_stream(workload);
    enum rv_scan_kernel best = rv_scan_best_kernel();
    double serial[N_ROUNDS];
    struct samples samples;
    char name[64];
    run_serial(stream, serial);
    rv_bench_median(serial, N_ROUNDS);
    run_kernel(stream, best, &samples);
    snprintf(name, sizeof name, "scan.%s", workload->name);
    report_kernel(out, name, best, &samples, serial[0]);
    for (int kernel = 0; kernel < RV_SCAN_KERNEL_COUNT; kernel++) {
        if (!rv_scan_kernel_is_supported((enum rv_scan_kernel)kernel))
            continue;
        run_kernel(stream, (enum rv_scan_kernel)kernel, &samples);
        snprintf(name, sizeof name, "scan.%s.%s", workload->name, rv_scan_kernel_name((enum rv_scan_kernel)kernel));
        report_kernel(out, name, (enum rv_scan_kernel)kernel, &samples, serial[0]);
    }
    destroy_stream(stream);
}

/* Threads that take blocks in turn, scan them in parallel and join them in order, as the pipeline's workers do. */
struct crew {
    const struct stream *stream;
    enum rv_scan_kernel kernel;
    struct rv_block *blocks[N_BLOCKS];
    bool is_scanned[N_BLOCKS];
    struct rv_block_join *carry;
    uint32_t n_merged;
    pthread_mutex_t lock;
    atomic_uint next, n_ready;
    unsigned n_threads;
};

static void merge_scanned(struct crew *crew, uint32_t b)
{
    pthread_mutex_lock(&crew->lock);
    crew->is_scanned[b] = true;
    while (crew->n_merged < N_BLOCKS && crew->is_scanned[crew->n_merged])
        rv_block_join_apply(crew->carry, crew->blocks[crew->n_merged++]);
    pthread_mutex_unlock(&crew->lock);
}

/* Begins when all threads have started, and ends when all have ended. */
static void *run_crew(void *argument)
{
    struct crew *crew = argument;
    atomic_fetch_add_explicit(&crew->n_ready, 1, memory_order_relaxed);
    while (atomic_load_explicit(&crew->n_ready, memory_order_relaxed) < crew->n_threads)
        ;
    for (uint32_t b; (b = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed)) < N_BLOCKS;) {
        rv_block_scan(crew->blocks[b], &crew->stream->inputs[b], crew->kernel);
        merge_scanned(crew, b);
    }
    return NULL;
}

static double time_crew(struct crew *crew, unsigned n_threads)
{
    pthread_t other;
    crew->n_threads = n_threads;
    crew->carry = rv_block_join_create();
    crew->n_merged = 0;
    memset(crew->is_scanned, 0, sizeof crew->is_scanned);
    atomic_store_explicit(&crew->next, 0, memory_order_relaxed);
    atomic_store_explicit(&crew->n_ready, 0, memory_order_relaxed);
    if (n_threads > 1 && pthread_create(&other, NULL, run_crew, crew) != 0)
        return 0;
    while (n_threads > 1 && atomic_load_explicit(&crew->n_ready, memory_order_relaxed) == 0)
        ;
    uint64_t begin_ns = rv_clock_mono_ns();
    run_crew(crew);
    if (n_threads > 1)
        pthread_join(other, NULL);
    uint64_t end_ns = rv_clock_mono_ns();
    rv_block_join_destroy(crew->carry);
    return (double)(end_ns - begin_ns) / N_EVENTS;
}

#define N_BOUNCES 20000u

static void *bounce(void *argument)
{
    atomic_uint *ball = argument;
    for (unsigned i = 0; i < N_BOUNCES; i++) {
        while (atomic_load_explicit(ball, memory_order_relaxed) != 2 * i + 1)
            ;
        atomic_store_explicit(ball, 2 * i + 2, memory_order_relaxed);
    }
    return NULL;
}

/* ns for a cache line to go from one core to another: it limits what two threads can gain. */
static double time_pingpong(void)
{
    static _Alignas(64) atomic_uint ball;
    pthread_t other;
    atomic_store_explicit(&ball, 0, memory_order_relaxed);
    if (pthread_create(&other, NULL, bounce, &ball) != 0)
        return 0;
    uint64_t begin_ns = 0;
    for (unsigned i = 0; i < N_BOUNCES; i++) {
        if (i == N_BOUNCES / 2)
            begin_ns = rv_clock_mono_ns();
        atomic_store_explicit(&ball, 2 * i + 1, memory_order_relaxed);
        while (atomic_load_explicit(&ball, memory_order_relaxed) != 2 * i + 2)
            ;
    }
    double one_way_ns = (double)(rv_clock_mono_ns() - begin_ns) / (2.0 * (N_BOUNCES / 2.0));
    pthread_join(other, NULL);
    return one_way_ns;
}

static void bench_threads2(struct rv_bench_out *out)
{
    struct stream *stream = create_stream(&workloads[0]);
    struct crew crew = {.stream = stream, .kernel = rv_scan_best_kernel(), .lock = PTHREAD_MUTEX_INITIALIZER};
    double one[N_ROUNDS], two[N_ROUNDS];
    char detail[96];
    for (uint32_t b = 0; b < N_BLOCKS; b++)
        crew.blocks[b] = rv_block_create(BLOCK);
    time_crew(&crew, 2);
    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        one[round] = time_crew(&crew, 1);
        two[round] = time_crew(&crew, 2);
    }
    rv_bench_median(one, N_ROUNDS);
    snprintf(detail, sizeof detail, "wall time, one thread %.2f; a line to the other core %.0f ns", one[0],
             time_pingpong());
    double median = rv_bench_median(two, N_ROUNDS);
    rv_bench_row(out, &(struct rv_bench_row){
                          .bench = "scan.walk10.threads2",
                          .unit = "ns/event",
                          .median = median,
                          .min = two[0],
                          .n = N_ROUNDS,
                          .baseline = "one thread",
                          .ratio = one[0] / two[0],
                          .detail = detail,
                      });
    for (uint32_t b = 0; b < N_BLOCKS; b++)
        rv_block_destroy(crew.blocks[b]);
    destroy_stream(stream);
}

int rv_bench_scan(struct rv_bench_out *out)
{
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        bench_workload(out, &workloads[i]);
    bench_threads2(out);
    return 0;
}
