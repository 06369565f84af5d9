/*
 * The timeline: the cost of adding a span, and of counting the boxes of a window of any width.
 *
 * Eight threads of nested calls, mean gap near 180 ns, depth up to 24, a pause now and then: so dense that nearly
 * every span is added to a density cell. A window is counted as for a picture of 1600 pixels: at the level whose cells
 * are as wide as a pixel.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "bench/bench.h"
#include "model/lanes.h"
#include "model/slab.h"
#include "model/stats.h"
#include "model/timeline.h"
#include "model/timeline_query.h"

#define N_LANES 8u
#define BLOCK_SPANS 16384u
#define N_ROUNDS 77u /* of a block in each lane: 10 M spans */
#define MOST_DEPTH 24u
#define N_GAPS 4096u
#define WIDTH_PX 1600.0
#define WARM_BYTES (400u << 20)
#define N_WINDOWS 41u
#define N_SCANS 3u

struct generator { /* one thread */
    uint64_t random, now_ns;
    uint64_t start[MOST_DEPTH];
    uint32_t id[MOST_DEPTH];
    uint32_t depth;
    bool has_few_paths;
};

struct lod {
    uint32_t gaps_ns[N_GAPS];
    struct generator generators[N_LANES];
    struct rv_lanes *threads;
    struct rv_timeline *lanes[N_LANES]; /* of the threads */
    struct rv_span *spans; /* all, block by block, lanes in turn: what a linear search without levels of detail reads */
    size_t n_spans;
    uint64_t end_ns; /* where the first lane ends */
    struct rv_box *boxes;
    size_t boxes_capacity;
};

/* Log-normal gaps, by the usual rational approximation of the normal quantile. */
static void make_gaps(uint32_t *gaps_ns)
{
    for (unsigned i = 0; i < N_GAPS; i++) {
        double share = (i + 0.5) / N_GAPS, tail = share < 0.5 ? share : 1 - share;
        double t = sqrt(-2 * log(tail));
        double z =
            t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
        gaps_ns[i] = (uint32_t)(180 * exp(1.3 * (share < 0.5 ? -z : z))) + 1;
    }
}

static bool is_call(const struct generator *generator, uint64_t random)
{
    if (generator->depth < 3)
        return true;
    if (generator->depth >= MOST_DEPTH)
        return false;
    if (generator->depth < 6 && random >> 32 & 4095)
        return true;
    return (random & 1023) < (generator->depth < 8 ? 572u : 512u - 20 * (generator->depth - 8));
}

/* Which of its callees a subroutine calls: any of four, so that nearly each path is new, or nearly always the same. */
static uint32_t choice(const struct generator *generator, uint64_t random)
{
    return generator->has_few_paths ? (random >> 57 & 31) == 0 : (uint32_t)(random >> 57 & 3);
}

static void generate(struct generator *generator, const uint32_t *gaps_ns, struct rv_span *out, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint64_t random = rv_bench_random(&generator->random);
        generator->now_ns += gaps_ns[random >> 20 & (N_GAPS - 1)];
        if ((random >> 44 & 8191) == 0 && generator->depth < 6)
            generator->now_ns += 200000 + rv_bench_random(&generator->random) % 8000000;
        uint32_t depth = generator->depth;
        if (is_call(generator, random)) {
            generator->start[depth] = generator->now_ns;
            uint32_t caller = depth ? generator->id[depth - 1] : (uint32_t)random & 7;
            generator->id[depth] = (caller * 7 + choice(generator, random) + 1) % 600;
            generator->depth++;
        } else {
            generator->depth--;
            out[i++] = (struct rv_span){.start = generator->start[depth - 1],
                                        .end = generator->now_ns,
                                        .id = generator->id[depth - 1],
                                        .depth = depth - 1};
        }
    }
}

/*
 * Allocate and free as much memory as the timelines will need: on a virtual machine the first access to a page that the
 * host has reclaimed costs more than everything measured here.
 */
static void warm_memory(void)
{
    enum { N_SLABS = WARM_BYTES / RV_SLAB_BYTES };
    void **slabs = rv_alloc(N_SLABS, sizeof *slabs);
    for (unsigned i = 0; i < N_SLABS; i++)
        memset(slabs[i] = rv_slab_take(), 1, RV_SLAB_BYTES);
    for (unsigned i = 0; i < N_SLABS; i++)
        rv_slab_give(slabs[i]);
    free(slabs);
}

static size_t lod_bytes(const struct lod *lod)
{
    size_t n_bytes = 0;
    for (unsigned i = 0; i < N_LANES; i++)
        n_bytes += rv_timeline_bytes(lod->lanes[i]);
    return n_bytes;
}

static void build(struct lod *lod, struct rv_bench_out *out)
{
    double samples[N_ROUNDS], sum_ns = 0, n_spans = (double)lod->n_spans;
    struct rv_span *block = lod->spans;
    for (unsigned round = 0; round < N_ROUNDS; round++) {
        double round_ns = 0;
        for (unsigned i = 0; i < N_LANES; i++, block += BLOCK_SPANS) {
            generate(&lod->generators[i], lod->gaps_ns, block, BLOCK_SPANS);
            uint64_t before = rv_clock_thread_cpu_ns();
            rv_timeline_add(lod->lanes[i], block, BLOCK_SPANS);
            round_ns += (double)(rv_clock_thread_cpu_ns() - before);
        }
        samples[round] = round_ns / (BLOCK_SPANS * N_LANES);
        sum_ns += round_ns;
    }
    double bytes = (double)lod_bytes(lod) / n_spans, median = rv_bench_median(samples, N_ROUNDS);
    char detail[64];
    (void)snprintf(detail, sizeof detail, "mean %.1f over %.2g spans", sum_ns / n_spans, n_spans);
    rv_bench_row(out, &(struct rv_bench_row){"lod.build", "ns/span", median, samples[0], N_ROUNDS, NULL, 0, detail});
    rv_bench_row(out,
                 &(struct rv_bench_row){"lod.bytes", "B/span", bytes, bytes, 1, NULL, 0, "16 of them the exact span"});
}

static void add_stats(struct lod *lod, struct rv_bench_out *out)
{
    struct rv_stats *stats = rv_stats_create();
    struct rv_stats_lane *lanes[N_LANES];
    struct rv_span *block = rv_alloc(BLOCK_SPANS, sizeof *block); /* in the cache, as after the scan */
    double samples[N_ROUNDS * N_LANES];
    unsigned n_samples = 0;
    for (unsigned i = 0; i < N_LANES; i++)
        lanes[i] = rv_stats_lane_create();
    while (n_samples < N_ROUNDS * N_LANES) {
        memcpy(block, lod->spans + (size_t)n_samples * BLOCK_SPANS, BLOCK_SPANS * sizeof *block);
        uint64_t before = rv_clock_thread_cpu_ns();
        rv_stats_add(stats, lanes[n_samples % N_LANES], block, BLOCK_SPANS);
        samples[n_samples++] = (double)(rv_clock_thread_cpu_ns() - before) / BLOCK_SPANS;
    }
    double median = rv_bench_median(samples, n_samples);
    rv_bench_row(out, &(struct rv_bench_row){"lod.stats", "ns/span", median, samples[0], n_samples, NULL, 0,
                                             "calls, total, self, percentiles"});
    for (unsigned i = 0; i < N_LANES; i++)
        rv_stats_lane_destroy(lanes[i]);
    rv_stats_destroy(stats);
    free(block);
}

static uint64_t count(const struct lod *lod, const uint64_t window[2], uint32_t level)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < N_LANES; i++)
        n += rv_timeline_query_count(lod->lanes[i], window[0], window[1], level);
    return n;
}

static size_t copy(struct lod *lod, const uint64_t window[2], uint32_t level, uint64_t n_boxes)
{
    lod->boxes = rv_vec_reserve(lod->boxes, &lod->boxes_capacity, n_boxes + 1, sizeof *lod->boxes);
    size_t n = 0;
    for (unsigned i = 0; i < N_LANES; i++)
        n += rv_timeline_query_boxes(lod->lanes[i], window[0], window[1], level, lod->boxes + n,
                                     lod->boxes_capacity - n);
    return n;
}

/* The cost of a window without levels of detail: reads all spans. */
static double scan_us(const struct lod *lod)
{
    double least = INFINITY;
    for (unsigned i = 0; i < N_SCANS; i++) {
        uint64_t before = rv_clock_thread_cpu_ns(), from = lod->spans[lod->n_spans / 2].start, to = from + 1000000;
        volatile size_t n_found;
        size_t n = 0;
        for (size_t j = 0; j < lod->n_spans; j++)
            n += lod->spans[j].start < to && lod->spans[j].end > from;
        n_found = n;
        (void)n_found;
        least = fmin(least, (double)(rv_clock_thread_cpu_ns() - before) / 1000);
    }
    return least;
}

static void query(struct lod *lod, struct rv_bench_out *out, const char *name, uint64_t length_ns, double baseline_us)
{
    double samples[N_WINDOWS], copy_ns = 0;
    uint64_t n_boxes = 0;
    uint32_t level = rv_timeline_level_for((double)length_ns / WIDTH_PX);
    for (unsigned i = 0; i < N_WINDOWS; i++) {
        uint64_t from = (lod->end_ns - length_ns) / N_WINDOWS * (i * 37 % N_WINDOWS),
                 window[2] = {from, from + length_ns};
        uint64_t before = rv_clock_thread_cpu_ns();
        uint64_t n = count(lod, window, level);
        samples[i] = (double)(rv_clock_thread_cpu_ns() - before) / 1000;
        before = rv_clock_thread_cpu_ns();
        n_boxes += copy(lod, window, level, n);
        copy_ns += (double)(rv_clock_thread_cpu_ns() - before);
    }
    double median = rv_bench_median(samples, N_WINDOWS);
    char detail[96];
    (void)snprintf(detail, sizeof detail, "level %u, %.0f boxes, copied at %.1f ns each, worst count %.0f us", level,
                   (double)n_boxes / N_WINDOWS, n_boxes ? copy_ns / (double)n_boxes : 0, samples[N_WINDOWS - 1]);
    rv_bench_row(out, &(struct rv_bench_row){name, "us", median, samples[0], N_WINDOWS, "scan",
                                             baseline_us / samples[0], detail});
}

static void query_windows(struct lod *lod, struct rv_bench_out *out)
{
    static const struct {
        const char *name;
        uint64_t length_ns;
    } windows[] = {
        {"lod.query.10us", 10000},      {"lod.query.1ms", 1000000},   {"lod.query.10ms", 10000000},
        {"lod.query.100ms", 100000000}, {"lod.query.1s", 1000000000}, {"lod.query.all", UINT64_MAX},
    };
    lod->end_ns = UINT64_MAX;
    for (unsigned i = 0; i < N_LANES; i++)
        if (rv_timeline_last_ns(lod->lanes[i]) < lod->end_ns)
            lod->end_ns = rv_timeline_last_ns(lod->lanes[i]);
    double baseline_us = scan_us(lod);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        uint64_t length_ns = windows[i].length_ns < lod->end_ns ? windows[i].length_ns : lod->end_ns;
        query(lod, out, windows[i].name, length_ns, baseline_us);
    }
}

static void begin(struct lod *lod, bool has_few_paths)
{
    lod->threads = rv_lanes_create();
    for (unsigned i = 0; i < N_LANES; i++) {
        lod->generators[i] = (struct generator){.random = i + 1, .has_few_paths = has_few_paths};
        const char name[] = {(char)('0' + i), '\0'};
        lod->lanes[i] =
            rv_lanes_add(lod->threads, &(struct rv_lane_identity){.tid = i, .thread = i, .name = name})->timeline;
    }
}

static void measure_tables(struct lod *lod, bool has_few_paths, struct rv_bench_out *out)
{
    for (unsigned i = 0; i < N_LANES; i++)
        rv_lane_end(rv_lanes_get(lod->threads, i));
    rv_bench_tables(lod->threads, has_few_paths, out);
    rv_lanes_destroy(lod->threads);
}

/* The same spans, as calls of programs are: of few paths. */
static void measure_usual(struct lod *lod, struct rv_bench_out *out)
{
    begin(lod, true);
    for (unsigned i = 0; i < N_ROUNDS * N_LANES; i++) {
        generate(&lod->generators[i % N_LANES], lod->gaps_ns, lod->spans, BLOCK_SPANS);
        rv_timeline_add(lod->lanes[i % N_LANES], lod->spans, BLOCK_SPANS);
    }
    measure_tables(lod, true, out);
}

int rv_bench_lod(struct rv_bench_out *out)
{
    struct lod *lod = rv_alloc(1, sizeof *lod);
    lod->n_spans = N_ROUNDS * N_LANES * (size_t)BLOCK_SPANS;
    lod->spans = rv_alloc(lod->n_spans, sizeof *lod->spans);
    make_gaps(lod->gaps_ns);
    begin(lod, false);
    warm_memory();
    build(lod, out);
    add_stats(lod, out);
    query_windows(lod, out);
    measure_tables(lod, false, out);
    measure_usual(lod, out);
    free(lod->boxes);
    free(lod->spans);
    free(lod);
    return 0;
}
