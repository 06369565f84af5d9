/* Workers add lanes, spans, open frames, names and arguments while another thread makes pictures of them and evicts, and a
 * third searches arguments. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/stats.h"
#include "model/filter.h"
#include "model/span_iter.h"
#include "model/subroutines.h"
#include "model/view.h"

enum { N_WORKERS = 3, N_LANES = 40, N_BLOCKS = 6, BLOCK_SPANS = 1500, DEPTH = 12, MEMORY_BYTES = 1 << 20 };
enum { FIRST_TEXT = 10000, N_TEXTS = 300, PIECE = 512 };

struct shared {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_stats *stats[N_WORKERS];
    const struct rv_filter *filter; /* over arguments */
    uint64_t n_found;               /* the searcher's */
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

/* Of each innermost call. A text may be defined after its first calls. */
static void add_texts(struct shared *shared, struct rv_lane *lane, const struct rv_span *spans, unsigned block)
{
    for (unsigned i = 0; i < BLOCK_SPANS; i += DEPTH) {
        const uint32_t id = FIRST_TEXT + (i / DEPTH * 7 + block) % N_TEXTS;
        rv_argument_texts_add(&lane->texts,
                              &(struct rv_argument_text){.at_ns = spans[i].start, .subroutine = spans[i].id, .id = id});
        rv_subroutines_define(shared->subroutines, id, "", id % 2 ? "\"SELECT\"" : "\"INSERT\"", "", 0);
    }
}

static void fill_lane(struct shared *shared, struct rv_lane *lane, struct rv_stats *stats)
{
    static _Thread_local struct rv_span spans[BLOCK_SPANS];
    struct rv_stats_lane *stats_lane = rv_stats_lane_create();
    uint64_t now_ns = 1000000;
    for (unsigned block = 0; block < N_BLOCKS; block++) {
        now_ns = make_block(spans, now_ns);
        pthread_rwlock_wrlock(&lane->lock);
        rv_timeline_add(lane->timeline, spans, BLOCK_SPANS);
        lane->open = rv_vec_reserve(lane->open, &lane->open_capacity, 1, sizeof *lane->open);
        lane->open[0] = (struct rv_lane_frame){.start_ns = now_ns, .id = block};
        lane->n_open = 1;
        lane->last_ns = now_ns;
        pthread_rwlock_unlock(&lane->lock);
        add_texts(shared, lane, spans, block);
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

static bool is_running(struct shared *shared)
{
    pthread_mutex_lock(&shared->lock);
    bool is = shared->n_running > 0;
    pthread_mutex_unlock(&shared->lock);
    return is;
}

static uint64_t count_found(struct shared *shared, struct rv_lane *lane)
{
    static struct rv_box boxes[PIECE];
    struct rv_span_iter walk = {.n_missed = 0};
    uint64_t n_found = 0;
    for (size_t n = PIECE; n == PIECE;) {
        pthread_rwlock_wrlock(&lane->lock);
        n = rv_span_iter_next(&walk, lane->timeline, boxes, PIECE);
        pthread_rwlock_unlock(&lane->lock);
        for (size_t i = 0; i < n; i++)
            n_found += rv_filter_passes_box(shared->filter, lane, &boxes[i]);
    }
    return n_found;
}

static void *search(void *argument)
{
    struct shared *shared = argument;
    do {
        (void)rv_filter_update(shared->filter, shared->subroutines, SIZE_MAX);
        for (size_t i = 0; i < rv_lanes_n(shared->lanes); i++)
            shared->n_found += count_found(shared, rv_lanes_get(shared->lanes, i));
    } while (is_running(shared));
    return NULL;
}

static unsigned look(struct shared *shared)
{
    struct rv_view view = {0};
    unsigned n_pictures = 0;
    do {
        uint64_t first = 0, last = 1;
        (void)rv_lanes_bounds(shared->lanes, &first, &last);
        rv_view_update(&view, shared->lanes,
                       &(struct rv_view_params){first, last + 1, 800, 5000, .filter = shared->filter});
        for (size_t i = 0; i < view.n_boxes; i += 97)
            (void)rv_subroutines_get(shared->subroutines, view.boxes[i].id);
        if (++n_pictures % 4 == 0)
            rv_lanes_limit_memory(shared->lanes, MEMORY_BYTES);
    } while (is_running(shared));
    rv_view_fini(&view);
    return n_pictures;
}

static int check(struct shared *shared)
{
    uint64_t n_spans = 0, n_calls = 0, n_texts = 0, wanted = (uint64_t)N_WORKERS * N_LANES * N_BLOCKS * BLOCK_SPANS;
    for (size_t i = 0; i < rv_lanes_n(shared->lanes); i++) {
        const struct rv_lane *lane = rv_lanes_get(shared->lanes, i);
        n_spans += rv_timeline_n_spans(lane->timeline);
        n_texts += lane->texts.n + lane->texts.n_forgotten;
    }
    for (unsigned i = 1; i < N_WORKERS; i++)
        rv_stats_merge(shared->stats[0], shared->stats[i]);
    struct rv_stats_row rows[DEPTH];
    size_t n = rv_stats_rows(shared->stats[0], rows, DEPTH);
    for (size_t i = 0; i < n && i < DEPTH; i++)
        n_calls += rows[i].n_calls;
    if (rv_lanes_n(shared->lanes) == N_WORKERS * N_LANES && n_spans == wanted && n_calls == wanted && n == DEPTH &&
        n_texts == wanted / DEPTH)
        return 0;
    fprintf(stderr, "%zu lanes, %llu spans, %llu calls and %llu texts of %llu\n", rv_lanes_n(shared->lanes),
            (unsigned long long)n_spans, (unsigned long long)n_calls, (unsigned long long)n_texts,
            (unsigned long long)wanted);
    return 1;
}

int main(void)
{
    struct shared shared = {.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .n_running = N_WORKERS};
    struct worker workers[N_WORKERS];
    pthread_t threads[N_WORKERS], searcher;
    char why[160];
    pthread_mutex_init(&shared.lock, NULL);
    if (rv_filter_add(&shared.filter, "arg:select", why, sizeof why) != 0 ||
        pthread_create(&searcher, NULL, search, &shared) != 0)
        return 1;
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        shared.stats[i] = rv_stats_create();
        workers[i] = (struct worker){&shared, i};
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            return 1;
    }
    unsigned n_pictures = look(&shared);
    for (unsigned i = 0; i < N_WORKERS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(searcher, NULL);
    int result = check(&shared);
    printf("%u pictures while %u lanes grew; %llu calls found\n", n_pictures, N_WORKERS * N_LANES,
           (unsigned long long)shared.n_found);
    for (unsigned i = 0; i < N_WORKERS; i++)
        rv_stats_destroy(shared.stats[i]);
    rv_filter_release(shared.filter);
    rv_lanes_destroy(shared.lanes);
    rv_subroutines_destroy(shared.subroutines);
    pthread_mutex_destroy(&shared.lock);
    return result;
}
