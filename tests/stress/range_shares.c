/*
 * A range of many parts, which threads measure while calls are added to its lanes, equals one that one thread measures and that is
 * begun at the same time, also once no more calls come. Parts are kept for the next range where there is room. Where there are
 * more paths than have nodes, parts are measured by what others that are added meanwhile have found.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/range_statistics.h"

#ifdef __SANITIZE_THREAD__
enum { N_TURNS = 6 };
#else
enum { N_TURNS = 12 };
#endif
enum { N_LANES = 6, N_FIRST = 500, N_ROUNDS = 20000, N_IDS = 40, MOST_THREADS = 4 };
enum { N_PATHS_OF_LANE = 60000, N_LEVELS = 4 };

struct world {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    pthread_mutex_t lock;           /* while a round is added */
    struct rv_range_memory *memory; /* of parts that threads have measured */
    uint64_t calls_per_part;
};

/* In each round two calls in one, of other subroutines each time; one lane's make objects. */
static void add_round(struct rv_lane *lane, uint64_t round)
{
    const uint64_t at_ns = 1000 + round * 100;
    const uint32_t id = (uint32_t)(round * 7 + lane->idx) % (N_IDS - 2) + 1;
    const struct rv_span spans[] = {{.start = at_ns + 10, .end = at_ns + 30, .id = id + 1, .depth = 1},
                                    {.start = at_ns + 40, .end = at_ns + 45, .id = id, .depth = 1},
                                    {.start = at_ns, .end = at_ns + 60 + round % 30, .id = id, .depth = 0}};
    pthread_rwlock_wrlock(&lane->lock);
    rv_timeline_add(lane->timeline, spans, 3);
    if (lane->idx == 0)
        rv_made_objects_add(&lane->made, at_ns + 20, round % 5 + 1);
    lane->last_ns = at_ns + 90;
    pthread_rwlock_unlock(&lane->lock);
}

static void add_rounds(struct world *world, uint64_t first, uint64_t end)
{
    for (uint64_t round = first; round < end; round++)
        for (size_t i = 0; i < N_LANES; i++) {
            pthread_mutex_lock(&world->lock);
            add_round(rv_lanes_get(world->lanes, i), round);
            pthread_mutex_unlock(&world->lock);
        }
}

static void *add_more(void *world)
{
    add_rounds(world, N_FIRST, N_ROUNDS);
    return NULL;
}

static void *step_all(void *range)
{
    struct rv_range_statistics_share *share = rv_range_statistics_share_create(range);
    while (!rv_range_statistics_share_step(share, 1000, 1000000))
        continue;
    rv_range_statistics_share_destroy(share);
    return NULL;
}

static struct rv_range_statistics *make(const struct world *world, size_t n_threads, bool lists_calls)
{
    return rv_range_statistics_create(
        &(struct rv_range_statistics_params){.to_ns = UINT64_MAX,
                                             .lanes = world->lanes,
                                             .subroutines = world->subroutines,
                                             .memory = n_threads > 1 ? world->memory : NULL,
                                             .calls_per_part = world->calls_per_part,
                                             .lists_calls = lists_calls,
                                             .calls_of = 5});
}

static void measure(struct rv_range_statistics *range, size_t n_threads)
{
    pthread_t threads[MOST_THREADS];
    for (size_t i = 0; i < n_threads; i++)
        if (pthread_create(&threads[i], NULL, step_all, range) != 0)
            exit(1);
    for (size_t i = 0; i < n_threads; i++)
        (void)pthread_join(threads[i], NULL);
}

static bool are_rows_equal(const struct rv_range_statistics *a, const struct rv_range_statistics *b)
{
    struct rv_stats_row rows[2][N_IDS + 1];
    const size_t n = rv_stats_rows(rv_range_statistics_stats(a), rows[0], N_IDS);
    bool are_equal = n > 0 && rv_stats_rows(rv_range_statistics_stats(b), rows[1], N_IDS) == n;
    for (size_t i = 0; i < n && are_equal; i++)
        are_equal = rows[0][i].id == rows[1][i].id && rows[0][i].n_calls == rows[1][i].n_calls &&
                    rows[0][i].total_ns == rows[1][i].total_ns && rows[0][i].self_ns == rows[1][i].self_ns &&
                    rows[0][i].p50_ns == rows[1][i].p50_ns && rows[0][i].max_ns == rows[1][i].max_ns &&
                    rows[0][i].total_times.n_objects == rows[1][i].total_times.n_objects;
    return are_equal;
}

static bool are_calls_equal(const struct rv_call_list *a, const struct rv_call_list *b)
{
    bool are_equal = a->n > 0 && a->n == b->n && a->n_calls == b->n_calls && a->by_caller.n == b->by_caller.n;
    for (size_t i = 0; i < a->n && are_equal; i++)
        are_equal = a->calls[i].start_ns == b->calls[i].start_ns &&
                    a->calls[i].duration_ns == b->calls[i].duration_ns &&
                    a->calls[i].lane_idx == b->calls[i].lane_idx && a->calls[i].self_ns == b->calls[i].self_ns;
    return are_equal;
}

static bool are_nodes_equal(const struct rv_range_statistics *a, const struct rv_range_statistics *b)
{
    size_t n[2];
    const struct rv_range_node *nodes[2] = {rv_range_statistics_nodes(a, &n[0]), rv_range_statistics_nodes(b, &n[1])};
    return n[0] > 1 && n[0] == n[1] && memcmp(nodes[0], nodes[1], n[0] * sizeof **nodes) == 0;
}

/* Does the range that several threads measure in parts equal the range of one part? */
static bool is_right(struct world *world, size_t n_threads)
{
    struct rv_range_statistics *ranges[2], *lists[2];
    const size_t n[2] = {1, n_threads};
    pthread_mutex_lock(&world->lock);
    for (int i = 0; i < 2; i++) {
        ranges[i] = make(world, n[i], false);
        lists[i] = make(world, n[i], true);
        (void)rv_range_statistics_n_parts(ranges[i]); /* begins it */
        (void)rv_range_statistics_n_parts(lists[i]);
    }
    pthread_mutex_unlock(&world->lock);
    for (int i = 0; i < 2; i++) {
        measure(ranges[i], n[i]);
        measure(lists[i], n[i]);
    }
    const bool is_right = are_rows_equal(ranges[0], ranges[1]) && are_nodes_equal(ranges[0], ranges[1]) &&
                          are_calls_equal(rv_range_statistics_calls(lists[0]), rv_range_statistics_calls(lists[1]));
    for (int i = 0; i < 2; i++) {
        rv_range_statistics_destroy(ranges[i]);
        rv_range_statistics_destroy(lists[i]);
    }
    return is_right;
}

/* Calls in each other, on another path each time. */
static void add_paths(struct rv_lane *lane)
{
    struct rv_span spans[N_LEVELS];
    for (uint64_t i = 0; i < N_PATHS_OF_LANE; i++) {
        uint64_t digits = i * N_LANES + lane->idx;
        for (uint32_t depth = 0; depth < N_LEVELS; depth++, digits /= N_IDS - 1)
            spans[N_LEVELS - 1 - depth] = (struct rv_span){.start = 1000 + i * 100 + depth,
                                                           .end = 1090 + i * 100 - depth,
                                                           .id = (uint32_t)(digits % (N_IDS - 1)) + 1,
                                                           .depth = depth};
        rv_timeline_add(lane->timeline, spans, N_LEVELS);
    }
    lane->last_ns = 1000 + N_PATHS_OF_LANE * 100;
}

static void begin(struct world *world)
{
    *world = (struct world){rv_lanes_create(), rv_subroutines_create(), PTHREAD_MUTEX_INITIALIZER,
                            rv_range_memory_create(1 << 18), 900};
    for (uint32_t i = 0; i < N_LANES; i++)
        (void)rv_lanes_add(world->lanes, &(struct rv_lane_identity){.pid = 1, .tid = i + 1, .thread = i});
    for (uint32_t id = 1; id <= N_IDS; id++)
        rv_subroutines_define(world->subroutines, id, "", "f", "", id);
}

static void end(struct world *world)
{
    rv_range_memory_destroy(world->memory);
    rv_lanes_destroy(world->lanes);
    rv_subroutines_destroy(world->subroutines);
}

/* By small parts all get nodes while there is room, by large ones those that take longest in the first. */
static bool is_right_with_many_paths(uint64_t calls_per_part)
{
    struct world world;
    begin(&world);
    world.calls_per_part = calls_per_part;
    for (size_t i = 0; i < N_LANES; i++)
        add_paths(rv_lanes_get(world.lanes, i));
    const bool is = is_right(&world, MOST_THREADS);
    end(&world);
    return is;
}

int main(void)
{
    struct world world;
    pthread_t adder;
    begin(&world);
    add_rounds(&world, 0, N_FIRST);
    if (pthread_create(&adder, NULL, add_more, &world) != 0)
        return 1;
    int n_wrong = 0;
    for (int i = 0; i < N_TURNS; i++)
        n_wrong += !is_right(&world, MOST_THREADS);
    (void)pthread_join(adder, NULL);
    for (size_t n = 2; n <= MOST_THREADS; n++)
        n_wrong += !is_right(&world, n);
    end(&world);
    n_wrong += !is_right_with_many_paths(900);
    n_wrong += !is_right_with_many_paths(60000);
    printf("%d ranges differ\n", n_wrong);
    return n_wrong;
}
