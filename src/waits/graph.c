#include "waits/graph.h"

#include <stdlib.h>

#include "base/hash_index.h"
#include "base/vec.h"

static void find_threads(struct rv_wait_graph *graph, struct rv_lanes *lanes)
{
    const size_t n = rv_lanes_n(lanes);
    for (size_t i = 0; i < n; i++)
        if (rv_lanes_get(lanes, i)->thread >= graph->n_threads)
            graph->n_threads = (size_t)rv_lanes_get(lanes, i)->thread + 1;
    graph->threads = rv_alloc(graph->n_threads + 1, sizeof *graph->threads);
    graph->lane_of = rv_alloc(graph->n_threads + 1, sizeof *graph->lane_of);
    for (size_t i = 0; i < n; i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        struct rv_path_thread *thread = &graph->threads[lane->thread];
        uint64_t first_ns, last_ns;
        if (!rv_lane_bounds(lane, &first_ns, &last_ns))
            continue;
        if (!graph->lane_of[lane->thread] || first_ns < thread->begin_ns)
            thread->begin_ns = first_ns;
        if (!graph->lane_of[lane->thread] || lane->stack < graph->lane_of[lane->thread]->stack)
            graph->lane_of[lane->thread] = lane;
    }
}

/* Of some threads nothing is known but their waits, and what they released. */
static void add_bare_threads(struct rv_wait_graph *graph, struct rv_lanes *lanes)
{
    const size_t n = rv_lanes_n(lanes);
    for (size_t i = 0; i < n; i++) {
        const struct rv_lane *lane = rv_lanes_get(lanes, i);
        if (lane->thread >= graph->n_threads || graph->lane_of[lane->thread])
            continue;
        graph->lane_of[lane->thread] = lane;
        graph->threads[lane->thread].begin_ns = UINT64_MAX;
    }
}

/* Sets the first thread of a key, where there is none yet; 1 + thread. */
static uint32_t first_of(struct rv_hash_index *threads, uint64_t key, uint32_t thread)
{
    const uint32_t number = rv_hash_index_get(threads, key);
    if (!number)
        rv_hash_index_add(threads, key, thread + 1);
    return number;
}

static void find_parents(struct rv_wait_graph *graph)
{
    struct rv_hash_index of_process = {0}, of_pid = {0}; /* 1 + first thread */
    for (uint32_t i = 0; i < graph->n_threads; i++) {
        const struct rv_lane *lane = graph->lane_of[i];
        graph->threads[i].parent = RV_PATH_NONE;
        if (!lane)
            continue;
        uint32_t number = first_of(&of_process, lane->process_key + 1, i);
        if (!number)
            number = rv_hash_index_get(&of_pid, (uint64_t)lane->parent_pid + 1);
        if (number)
            graph->threads[i].parent = number - 1;
        (void)first_of(&of_pid, (uint64_t)lane->pid + 1, i);
    }
    rv_hash_index_fini(&of_process);
    rv_hash_index_fini(&of_pid);
}

/* A thread that came while the threads were listed is not in the graph. */
static uint32_t thread_of(const struct rv_wait_graph *graph, const struct rv_lane *lane)
{
    return lane && lane->thread < graph->n_threads && graph->lane_of[lane->thread] ? lane->thread : RV_PATH_NONE;
}

static void find_waits(struct rv_wait_graph *graph, struct rv_waits *waits, struct rv_lanes *lanes)
{
    size_t n, n_kept = 0;
    graph->edges = rv_waits_take_edges(waits, lanes, &n, &graph->n_more);
    graph->waits = rv_alloc(n + 1, sizeof *graph->waits);
    for (size_t i = 0; i < n; i++) {
        const struct rv_wait_edge *edge = &graph->edges[i];
        const uint32_t thread = thread_of(graph, rv_lanes_get(lanes, edge->wait.lane));
        if (thread == RV_PATH_NONE)
            continue;
        if (edge->wait.start_ns < graph->threads[thread].begin_ns)
            graph->threads[thread].begin_ns = edge->wait.start_ns;
        if (edge->wait.kind == RV_WAIT_START && thread_of(graph, edge->waker) != RV_PATH_NONE)
            graph->threads[thread].parent = thread_of(graph, edge->waker);
        graph->edges[n_kept] = *edge;
        graph->waits[n_kept++] = (struct rv_path_wait){
            .start_ns = edge->wait.start_ns,
            .end_ns = edge->wait.end_ns,
            .woke_ns = edge->wait.woke_ns < edge->wait.end_ns ? edge->wait.woke_ns : edge->wait.end_ns,
            .thread = thread,
            .waker = thread_of(graph, edge->waker)};
    }
    graph->n_waits = n_kept;
    for (size_t i = 0; i < graph->n_threads; i++)
        if (graph->threads[i].begin_ns == UINT64_MAX)
            graph->threads[i].begin_ns = 0;
}

void rv_wait_graph_init(struct rv_wait_graph *graph, struct rv_waits *waits, struct rv_lanes *lanes)
{
    *graph = (struct rv_wait_graph){0};
    find_threads(graph, lanes);
    add_bare_threads(graph, lanes);
    find_parents(graph);
    find_waits(graph, waits, lanes);
}

void rv_wait_graph_fini(struct rv_wait_graph *graph)
{
    free(graph->edges);
    free(graph->waits);
    free(graph->threads);
    free(graph->lane_of);
}

uint32_t rv_wait_graph_last_thread(const struct rv_wait_graph *graph, uint64_t *to_ns)
{
    uint64_t first_ns, last_ns, best_ns = 0;
    uint32_t best = RV_PATH_NONE;
    for (uint32_t i = 0; i < graph->n_threads; i++) {
        if (!graph->lane_of[i] ||
            !rv_lane_bounds((struct rv_lane *)(uintptr_t)graph->lane_of[i], &first_ns, &last_ns) || first_ns >= *to_ns)
            continue;
        last_ns = last_ns < *to_ns ? last_ns : *to_ns;
        if (last_ns <= best_ns)
            continue;
        best_ns = last_ns;
        best = i;
    }
    *to_ns = best == RV_PATH_NONE ? *to_ns : best_ns;
    return best;
}
