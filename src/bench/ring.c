/*
 * The cost of a push. The ring has policy `ring`, so it needs no reader, and the default size of a trace file's rings.
 * All rows are measured in turns and compared by their minima.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"
#include "bench/bench.h"
#include "bench/hooked.h"
#include "ring/push.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#define read_clock() __rdtsc()
#else
#define read_clock() rv_clock_mono_ns()
#endif

enum { N_SAMPLES = 31, N_EVENTS = 1 << 17, N_PUSHES = 1 << 17, N_ROUND_TRIPS = 20000 };

struct bed {
    struct rv_wire_header *header;
    struct rv_wire_control *control;
    struct rv_event *events;
    struct rv_pusher pusher;
    struct rv_pusher_state *state;
};

static void make_bed(struct bed *bed, enum rv_clock_kind clock_kind)
{
    bed->header = rv_alloc(1, sizeof *bed->header);
    bed->control = rv_alloc(1, sizeof *bed->control);
    bed->events = rv_alloc(N_EVENTS, sizeof *bed->events);
    bed->state = rv_alloc(1, sizeof *bed->state);
    bed->pusher = (struct rv_pusher){0};
    bed->header->state = RV_FILE_READY;
    bed->header->is_recording = 1;
    struct rv_ring ring = {.header = bed->header,
                           .control = bed->control,
                           .events = bed->events,
                           .n_events = N_EVENTS,
                           .policy = RV_POLICY_RING,
                           .clock_kind = clock_kind};
    rv_pusher_attach(&bed->pusher, bed->state, &ring, 0);
}

static void free_bed(struct bed *bed)
{
    free(bed->header);
    free(bed->control);
    free(bed->events);
    free(bed->state);
}

/* ---- the loops: N_PUSHES each ---- */

static void push_with_clock(struct bed *bed)
{
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    for (uint64_t i = 0; i < N_PUSHES; i++)
        rv_push(&bed->pusher, RV_EVENT_CALL_AT, rv_event_word_at(i, 0), stack, rv_push_slow);
}

/* The push without reading the clock. */
static void push_without_clock(struct bed *bed)
{
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    struct rv_pusher *pusher = &bed->pusher;
    for (uint64_t i = 0; i < N_PUSHES; i++) {
        uint64_t next = rv_push_begin(pusher, stack);
        if (__builtin_expect(next >= pusher->limit, 0)) {
            rv_push_slow(pusher, stack, RV_EVENT_CALL_AT, i);
            continue;
        }
        rv_push_write(rv_push_slot(next), i, i);
        rv_push_end(pusher, next);
    }
}

static void store_with_clock(struct bed *bed)
{
    volatile struct rv_event *events = bed->events;
    for (uint64_t i = 0; i < N_PUSHES; i++) {
        volatile struct rv_event *event = &events[i & (N_EVENTS - 1)];
        event->when = read_clock();
        event->id = (uint32_t)i;
        event->frame = (uint16_t)i;
        event->aux = (uint16_t)(i >> 32);
    }
}

static void clock_only(struct bed *bed)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < N_PUSHES; i++)
        sum += read_clock();
    *(volatile uint64_t *)&bed->state->born_ticks = sum;
}

struct row {
    const char *bench, *baseline;
    void (*run)(struct bed *bed);
    enum rv_clock_kind clock_kind;
    unsigned base_idx;
    double samples[N_SAMPLES], min, median;
    struct bed bed;
};

static void measure(struct row *rows, unsigned n_rows)
{
    for (unsigned sample = 0; sample < N_SAMPLES; sample++) {
        for (struct row *row = rows; row < rows + n_rows; row++) {
            uint64_t start_ns = rv_clock_thread_cpu_ns();
            row->run(&row->bed);
            row->samples[sample] = (double)(rv_clock_thread_cpu_ns() - start_ns) / N_PUSHES;
        }
    }
    for (struct row *row = rows; row < rows + n_rows; row++) {
        row->median = rv_bench_median(row->samples, N_SAMPLES);
        row->min = row->samples[0];
    }
}

static void bench_pushes(struct rv_bench_out *out)
{
    static struct row rows[] = {
        {.bench = "ring.clock", .run = clock_only},
        {.bench = "ring.clock_store", .run = store_with_clock},
        {.bench = "ring.push_clock", .run = push_with_clock, .baseline = "clock and store", .base_idx = 1},
        {.bench = "ring.push", .run = push_without_clock},
        {.bench = "ring.tick",
         .run = push_with_clock,
         .clock_kind = RV_CLOCK_TICK,
         .baseline = "clock and store",
         .base_idx = 1},
    };
    enum { N_ROWS = sizeof rows / sizeof *rows };
    for (unsigned i = 0; i < N_ROWS; i++) {
        make_bed(&rows[i].bed, rows[i].clock_kind);
        rows[i].run(&rows[i].bed);
    }
    measure(rows, N_ROWS);
    for (unsigned i = 0; i < N_ROWS; i++) {
        rv_bench_row(out, &(struct rv_bench_row){.bench = rows[i].bench,
                                                 .unit = "ns/event",
                                                 .median = rows[i].median,
                                                 .min = rows[i].min,
                                                 .n = N_SAMPLES,
                                                 .baseline = rows[i].baseline,
                                                 .ratio = rows[rows[i].base_idx].min / rows[i].min});
        free_bed(&rows[i].bed);
    }
}

/* ---- one word, to and fro between two cores ---- */

struct ping {
    _Alignas(128) uint32_t ball; /* even: ours; odd: the other's */
    _Alignas(128) uint32_t is_over;
};

static void *return_ball(void *context)
{
    struct ping *ping = context;
    while (!__atomic_load_n(&ping->is_over, __ATOMIC_RELAXED)) {
        uint32_t ball = __atomic_load_n(&ping->ball, __ATOMIC_ACQUIRE); /* B1 <- B2, B2 <- B1 */
        if (ball & 1)
            __atomic_store_n(&ping->ball, ball + 1, __ATOMIC_RELEASE); /* B1 -> B2, B2 -> B1 */
    }
    return NULL;
}

static void bench_pingpong(struct rv_bench_out *out)
{
    static struct ping ping;
    double samples[N_SAMPLES];
    pthread_t other;
    if (rv_os_n_cpus() < 2 || pthread_create(&other, NULL, return_ball, &ping) != 0)
        return;
    for (unsigned sample = 0; sample < N_SAMPLES; sample++) {
        uint64_t start_ns = rv_clock_mono_ns();
        for (unsigned i = 0; i < N_ROUND_TRIPS; i++) {
            uint32_t ball = __atomic_load_n(&ping.ball, __ATOMIC_RELAXED);
            __atomic_store_n(&ping.ball, ball + 1, __ATOMIC_RELEASE); /* B1 -> B2 */
            while (__atomic_load_n(&ping.ball, __ATOMIC_ACQUIRE) & 1) /* B1 <- B2 */
                continue;
        }
        samples[sample] = (double)(rv_clock_mono_ns() - start_ns) / (2.0 * N_ROUND_TRIPS);
    }
    __atomic_store_n(&ping.is_over, 1, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
    double median = rv_bench_median(samples, N_SAMPLES);
    rv_bench_row(out, &(struct rv_bench_row){.bench = "ring.pingpong",
                                             .unit = "ns one way",
                                             .median = median,
                                             .min = samples[0],
                                             .n = N_SAMPLES,
                                             .detail = "a word from core to core"});
}

int rv_bench_ring(struct rv_bench_out *out)
{
    bench_pingpong(out);
    bench_pushes(out);
    return rv_bench_hooked(out);
}
