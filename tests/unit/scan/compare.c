/* Blocks are cut first; threads take them in order, scan in parallel, and join in order, each waiting for its turn. */
#include "compare.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scan/serial.h"
#include "streams.h"

#define MAX_THREADS 8

struct blocks {
    struct rv_block_input *inputs;
    size_t n, capacity;
    struct rv_event **events; /* a copy each: a kernel that reads too far meets the sanitizer */
    uint32_t **specials;
    enum rv_scan_kernel kernel;
    uint32_t capacity_events;
    bool is_resumed;
    struct rv_block_join *carry;
    struct scanned *out;
    size_t next_scan, next_merge;
    pthread_mutex_t lock;
    pthread_cond_t merged;
};

/* Blocks from scan to scan, as a worker of a session keeps its own: to make one takes longer than most scans. */
static struct {
    struct rv_block *block;
    uint32_t capacity;
} idle[MAX_THREADS];
static unsigned n_given_back;
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;

static struct rv_block *borrow_block(uint32_t capacity)
{
    struct rv_block *block = NULL;
    pthread_mutex_lock(&idle_lock);
    for (unsigned i = 0; i < MAX_THREADS && !block; i++)
        if (idle[i].capacity == capacity) {
            block = idle[i].block;
            idle[i].block = NULL;
            idle[i].capacity = 0;
        }
    pthread_mutex_unlock(&idle_lock);
    return block ? block : rv_block_create(capacity);
}

static void give_back(struct rv_block *block, uint32_t capacity)
{
    pthread_mutex_lock(&idle_lock);
    unsigned i = n_given_back++ % MAX_THREADS;
    rv_block_destroy(idle[i].block);
    idle[i].block = block;
    idle[i].capacity = capacity;
    pthread_mutex_unlock(&idle_lock);
}

static int compare_stacks(const void *a, const void *b)
{
    const struct rv_span *x = a, *y = b;
    return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* Merge sort by stack: qsort is not stable. */
static void sort_by_stack(struct rv_span *spans, struct rv_span *spare, size_t n)
{
    if (n < 2)
        return;
    size_t half = n / 2, i = 0, j = half, k = 0;
    sort_by_stack(spans, spare, half);
    sort_by_stack(spans + half, spare, n - half);
    while (i < half && j < n)
        spare[k++] = compare_stacks(&spans[j], &spans[i]) < 0 ? spans[j++] : spans[i++];
    while (i < half)
        spare[k++] = spans[i++];
    memcpy(spans, spare, k * sizeof *spans);
}

static void sort_scanned(struct scanned *scanned)
{
    struct rv_span *spare = rv_alloc(scanned->n + 1, sizeof *spare);
    sort_by_stack(scanned->spans, spare, scanned->n);
    free(spare);
}

static uint64_t end_ns(const struct rv_event *events, size_t n)
{
    return n ? rv_event_ticks(&events[n - 1]) + 7 : 7;
}

struct scanned scan_serially(const struct rv_event *events, size_t n)
{
    struct scanned out = {0};
    struct rv_serial *serial = rv_serial_create();
    rv_serial_feed(serial, events, n, &out.spans, &out.n, &out.capacity);
    rv_serial_counts(serial, &out.counts);
    rv_serial_finish(serial, end_ns(events, n), &out.spans, &out.n, &out.capacity);
    rv_serial_destroy(serial);
    sort_scanned(&out);
    return out;
}

static void collect(struct scanned *out, const struct rv_block *block, size_t step)
{
    struct rv_block_cursor cursor = {0};
    for (size_t n = 1; n;) {
        out->spans = rv_vec_reserve(out->spans, &out->capacity, out->n + step, sizeof *out->spans);
        n = rv_block_read_spans(block, &cursor, out->spans + out->n, step);
        out->n += n;
    }
}

static void collect_open(struct scanned *out, struct rv_block_join *carry, uint64_t end_ns)
{
    for (size_t n = 1; n;) {
        out->spans = rv_vec_reserve(out->spans, &out->capacity, out->n + 7, sizeof *out->spans);
        n = rv_block_join_finish(carry, end_ns, out->spans + out->n, 7);
        out->n += n;
    }
}

static void add_counts(struct rv_block_join_counts *sum, const struct rv_block_join *carry)
{
    struct rv_block_join_counts counts;
    rv_block_join_counts(carry, &counts);
    sum->n_calls += counts.n_calls;
    sum->n_cut += counts.n_cut;
    sum->n_orphans += counts.n_orphans;
    sum->n_doubtful += counts.n_doubtful;
    sum->n_lost += counts.n_lost;
    sum->max_depth = counts.max_depth > sum->max_depth ? counts.max_depth : sum->max_depth;
}

static void resume(struct blocks *blocks)
{
    struct rv_block_join *before = blocks->carry;
    blocks->carry = rv_block_join_create();
    for (size_t i = 0; i < rv_block_join_n_stacks(before); i++) {
        struct rv_open_stack open;
        rv_block_join_open_stack(before, i, &open);
        rv_block_join_resume(blocks->carry, &open, rv_block_join_last_ns(before));
    }
    add_counts(&blocks->out->counts, before);
    rv_block_join_destroy(before);
}

static void *run_worker(void *argument)
{
    struct blocks *blocks = argument;
    struct rv_block *block = borrow_block(blocks->capacity_events);
    for (;;) {
        pthread_mutex_lock(&blocks->lock);
        size_t mine = blocks->next_scan++;
        pthread_mutex_unlock(&blocks->lock);
        if (mine >= blocks->n)
            break;
        rv_block_scan(block, &blocks->inputs[mine], blocks->kernel);
        pthread_mutex_lock(&blocks->lock);
        while (blocks->next_merge != mine)
            pthread_cond_wait(&blocks->merged, &blocks->lock);
        rv_block_join_apply(blocks->carry, block);
        collect(blocks->out, block, mine % 3 == 0 ? 1 + mine % 50 : 20000);
        if (blocks->is_resumed)
            resume(blocks);
        blocks->next_merge++;
        pthread_cond_broadcast(&blocks->merged);
        pthread_mutex_unlock(&blocks->lock);
    }
    give_back(block, blocks->capacity_events);
    return NULL;
}

static void cut_block(struct blocks *blocks, const struct rv_event *events, uint32_t n, uint32_t entry_stack)
{
    size_t i = blocks->n++;
    struct rv_event *copy = rv_alloc(n + RV_BLOCK_PADDING, sizeof *copy);
    uint32_t *specials = rv_alloc(n, sizeof *specials), n_specials = 0;
    memcpy(copy, events, n * sizeof *copy);
    uint64_t base = 0;
    bool has_base = false;
    for (uint32_t k = 0; k < n; k++) {
        if (rv_event_kind(&events[k]) > RV_EVENT_RETURN)
            specials[n_specials++] = k;
        if (!has_base && rv_event_kind(&events[k]) != RV_EVENT_SYNC) {
            base = rv_event_ticks(&events[k]);
            has_base = true;
        }
    }
    blocks->events[i] = copy;
    blocks->specials[i] = specials;
    blocks->inputs[i] = (struct rv_block_input){
        .events = copy,
        .n = n,
        .specials = specials,
        .n_specials = n_specials,
        .base_ns = base,
        .entry_stack = entry_stack,
    };
}

static void cut_blocks(struct blocks *blocks, const struct rv_event *events, size_t n, const struct cutting *cutting)
{
    uint64_t random = cutting->seed;
    size_t most = n < RV_BLOCK_EVENTS ? n + 1 : RV_BLOCK_EVENTS;
    uint32_t entry_stack = 0;
    blocks->capacity_events = cutting->block_events ? cutting->block_events : (uint32_t)most;
    blocks->inputs = rv_alloc(n + 1, sizeof *blocks->inputs);
    blocks->events = rv_alloc(n + 1, sizeof *blocks->events);
    blocks->specials = rv_alloc(n + 1, sizeof *blocks->specials);
    for (size_t i = 0; i < n;) {
        uint32_t m = cutting->block_events;
        if (!m)
            m = 1 + random_below(&random, random_below(&random, 2) ? (uint32_t)most - 1 : 64);
        if (m > n - i)
            m = (uint32_t)(n - i);
        if (m > blocks->capacity_events)
            m = blocks->capacity_events;
        cut_block(blocks, events + i, m, entry_stack);
        entry_stack = rv_block_exit_stack(&blocks->inputs[blocks->n - 1]);
        i += m;
    }
}

struct scanned scan_in_blocks(const struct rv_event *events, size_t n, const struct cutting *cutting)
{
    struct scanned out = {0};
    struct blocks blocks = {
        .kernel = cutting->kernel,
        .is_resumed = cutting->is_resumed,
        .carry = rv_block_join_create(),
        .out = &out,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .merged = PTHREAD_COND_INITIALIZER,
    };
    cut_blocks(&blocks, events, n, cutting);
    pthread_t threads[MAX_THREADS];
    unsigned n_threads = cutting->n_threads > MAX_THREADS ? MAX_THREADS : cutting->n_threads;
    for (unsigned i = 1; i < n_threads; i++)
        pthread_create(&threads[i], NULL, run_worker, &blocks);
    run_worker(&blocks);
    for (unsigned i = 1; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    add_counts(&out.counts, blocks.carry);
    collect_open(&out, blocks.carry, end_ns(events, n));
    rv_block_join_destroy(blocks.carry);
    for (size_t i = 0; i < blocks.n; i++) {
        free(blocks.events[i]);
        free(blocks.specials[i]);
    }
    free(blocks.inputs);
    free(blocks.events);
    free(blocks.specials);
    sort_scanned(&out);
    return out;
}

void scanned_free(struct scanned *scanned)
{
    free(scanned->spans);
    *scanned = (struct scanned){0};
}

static bool is_equal_span(const struct rv_span *a, const struct rv_span *b)
{
    return a->start == b->start && a->end == b->end && a->id == b->id && a->depth == b->depth && a->stack == b->stack &&
           a->flags == b->flags;
}

static void print_span(const char *what, const struct rv_span *span)
{
    fprintf(stderr, "  %s stack %u depth %d id %u [%llu, %llu] flags %u\n", what, span->stack, (int)span->depth,
            span->id, (unsigned long long)span->start, (unsigned long long)span->end, span->flags);
}

static bool is_equal_count(const char *what, uint64_t expected, uint64_t got)
{
    if (expected != got)
        fprintf(stderr, "  %s: expected %llu, got %llu\n", what, (unsigned long long)expected, (unsigned long long)got);
    return expected == got;
}

bool scanned_is_equal(const struct scanned *expected, const struct scanned *got)
{
    const struct rv_block_join_counts *a = &expected->counts, *b = &got->counts;
    for (size_t i = 0; i < expected->n && i < got->n; i++) {
        if (is_equal_span(&expected->spans[i], &got->spans[i]))
            continue;
        fprintf(stderr, "  span %zu of %zu (%zu):\n", i, expected->n, got->n);
        print_span("expected", &expected->spans[i]);
        print_span("got     ", &got->spans[i]);
        return false;
    }
    return is_equal_count("spans", expected->n, got->n) & is_equal_count("calls", a->n_calls, b->n_calls) &
           is_equal_count("cut", a->n_cut, b->n_cut) & is_equal_count("orphans", a->n_orphans, b->n_orphans) &
           is_equal_count("lost", a->n_lost, b->n_lost) & is_equal_count("doubtful", a->n_doubtful, b->n_doubtful) &
           is_equal_count("max depth", a->max_depth, b->max_depth);
}
