/* Workers add lanes, spans, open frames and names while another thread makes pictures of them and evicts. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/stats.h"
#include "model/subroutines.h"
#include "model/view.h"

enum { N_WORKERS = 3, N_LANES = 40, N_BLOCKS = 6, BLOCK_SPANS = 1500, DEPTH = 12, MEMORY_BYTES = 1 << 20 };

struct shared {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_stats *stats[N_WORKERS];
    pthread_mutex_t lock;
    unsigned n_running;
};

struct worker {
    struct shared *shared;
    uint32_t idx;
};

/* Whole rounds of DEPTH nested calls, innermost first. */
static uint64_t make_block(struct rv_span *spans, uint64_t now_ns)
{
    for (unsigned i = 0; i < BLOCK_SPANS; i++) {
        uint32_t depth = DEPTH - 1 - i % DEPTH;
        now_ns += 40;
        spans[i] =
            (struct rv_span){.start = now_ns - 41 * (i % DEPTH) - 20, .end = now_ns, .id = depth, .depth = depth};
    }
    return now_ns;
}

static void fill_lane(struct shared *shared, struct rv_lane *lane, struct rv_stats *stats)
{
    static _Thread_local struct rv_span spans[BLOCK_SPANS];
    struct rv_stats_lane *stats_lane = rv_stats_lane_create();
    uint64_t now_ns = 1000000;
    for (unsigned block = 0; block < N_BLOCKS; block++) {
        now_ns = make_block(spans, now_ns);
        pthread_mutex_lock(&lane->lock);
        rv_timeline_add(lane->timeline, spans, BLOCK_SPANS);
        lane->open = rv_vec_reserve(lane->open, &lane->open_capacity, 1, sizeof *lane->open);
        lane->open[0] = (struct rv_lane_frame){.start_ns = now_ns, .id = block};
        lane->n_open = 1;
        lane->last_ns = now_ns;
        pthread_mutex_unlock(&lane->lock);
        rv_stats_add(stats, stats_lane, spans, BLOCK_SPANS);
        rv_subroutines_define(shared->subroutines, block * N_LANES + lane->idx, "Package", "name", "file", block);
    }
    rv_stats_lane_destroy(stats_lane);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct shared *shared = worker->shared;
    for (uint32_t i = 0; i < N_LANES; i++) {
        struct rv_lane_identity identity = {
            .pid = worker->idx, .tid = i, .process_key = worker->idx, .process_name = "p"};
        fill_lane(shared, rv_lanes_add(shared->lanes, &identity), shared->stats[worker->idx]);
    }
    pthread_mutex_lock(&shared->lock);
    shared->n_running--;
    pthread_mutex_unlock(&shared->lock);
    return NULL;
}

static unsigned look(struct shared *shared)
{
    struct rv_view view = {0};
    unsigned n_pictures = 0, n_running;
    do {
        uint64_t first = 0, last = 1;
        (void)rv_lanes_bounds(shared->lanes, &first, &last);
        rv_view_update(&view, shared->lanes, &(struct rv_view_params){first, last + 1, 800, 5000});
        for (size_t i = 0; i < view.n_boxes; i += 97)
            (void)rv_subroutines_get(shared->subroutines, view.boxes[i].id);
        if (++n_pictures % 16 == 0)
            rv_lanes_limit_memory(shared->lanes, MEMORY_BYTES);
        pthread_mutex_lock(&shared->lock);
        n_running = shared->n_running;
        pthread_mutex_unlock(&shared->lock);
    } while (n_running);
    rv_view_fini(&view);
    return n_pictures;
}

static int check(struct shared *shared)
{
    uint64_t n_spans = 0, n_calls = 0, wanted = (uint64_t)N_WORKERS * N_LANES * N_BLOCKS * BLOCK_SPANS;
    for (size_t i = 0; i < rv_lanes_n(shared->lanes); i++)
        n_spans += rv_timeline_n_spans(rv_lanes_get(shared->lanes, i)->timeline);
    for (unsigned i = 1; i < N_WORKERS; i++)
        rv_stats_merge(shared->stats[0], shared->stats[i]);
    struct rv_stats_row rows[DEPTH];
    size_t n = rv_stats_rows(shared->stats[0], rows, DEPTH);
    for (size_t i = 0; i < n && i < DEPTH; i++)
        n_calls += rows[i].n_calls;
    if (rv_lanes_n(shared->lanes) == N_WORKERS * N_LANES && n_spans == wanted && n_calls == wanted && n == DEPTH)
        return 0;
    fprintf(stderr, "%zu lanes, %llu spans and %llu calls of %llu\n", rv_lanes_n(shared->lanes),
            (unsigned long long)n_spans, (unsigned long long)n_calls, (unsigned long long)wanted);
    return 1;
}

int main(void)
{
    struct shared shared = {.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .n_running = N_WORKERS};
    struct worker workers[N_WORKERS];
    pthread_t threads[N_WORKERS];
    pthread_mutex_init(&shared.lock, NULL);
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        shared.stats[i] = rv_stats_create();
        workers[i] = (struct worker){&shared, i};
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            return 1;
    }
    unsigned n_pictures = look(&shared);
    for (unsigned i = 0; i < N_WORKERS; i++)
        pthread_join(threads[i], NULL);
    int result = check(&shared);
    printf("%u pictures while %u lanes grew\n", n_pictures, N_WORKERS * N_LANES);
    for (unsigned i = 0; i < N_WORKERS; i++)
        rv_stats_destroy(shared.stats[i]);
    rv_lanes_destroy(shared.lanes);
    rv_subroutines_destroy(shared.subroutines);
    pthread_mutex_destroy(&shared.lock);
    return result;
}
