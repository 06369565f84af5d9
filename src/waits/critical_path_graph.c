#include "waits/critical_path_graph.h"

#include <stdlib.h>

#include "base/hash_index.h"
#include "base/vec.h"

#define DYING_NS 1000000 /* most time that a thread runs before an exit of its process ends it */

static void find_threads(struct rv_critical_path_graph *graph, struct rv_lanes *lanes)
{
    const size_t n = rv_lanes_n(lanes);
    for (size_t i = 0; i < n; i++)
        if (rv_lanes_get(lanes, i)->thread >= graph->n_threads)
            graph->n_threads = (size_t)rv_lanes_get(lanes, i)->thread + 1;
    graph->threads = rv_alloc(graph->n_threads + 1, sizeof *graph->threads);
    graph->lane_of = rv_alloc(graph->n_threads + 1, sizeof *graph->lane_of);
    for (size_t i = 0; i < n; i++) {
        struct rv_lane *lane = rv_lanes_get(lanes, i);
        struct rv_critical_path_thread *thread = &graph->threads[lane->thread];
        uint64_t first_ns, last_ns;
        if (!rv_lane_bounds(lane, &first_ns, &last_ns))
            continue;
        if (!graph->lane_of[lane->thread] || first_ns < thread->begin_ns)
            thread->begin_ns = first_ns;
        if (!graph->lane_of[lane->thread] || lane->stack < graph->lane_of[lane->thread]->stack)
            graph->lane_of[lane->thread] = lane;
    }
}

/* Add the threads without calls, of which only waits and releases are known. */
static void add_bare_threads(struct rv_critical_path_graph *graph, struct rv_lanes *lanes)
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

/* Set the first thread of a key, if it has none yet. Returns 1 + that thread. */
static uint32_t first_of(struct rv_hash_index *threads, uint64_t key, uint32_t thread)
{
    const uint32_t number = rv_hash_index_get(threads, key);
    if (!number)
        rv_hash_index_add(threads, key, thread + 1);
    return number;
}

static void find_parents(struct rv_critical_path_graph *graph)
{
    struct rv_hash_index of_process = {0}, of_pid = {0}; /* 1 + first thread */
    for (uint32_t i = 0; i < graph->n_threads; i++) {
        const struct rv_lane *lane = graph->lane_of[i];
        graph->threads[i].parent = RV_CRITICAL_PATH_NONE;
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
static uint32_t thread_of(const struct rv_critical_path_graph *graph, const struct rv_lane *lane)
{
    return lane && lane->thread < graph->n_threads && graph->lane_of[lane->thread] ? lane->thread
                                                                                   : RV_CRITICAL_PATH_NONE;
}

/* A thread of which only waits are known begins with the first of them. */
static void begin_with_waits(struct rv_critical_path_graph *graph, struct rv_lanes *lanes, size_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t thread = thread_of(graph, rv_lanes_get(lanes, i));
        const uint64_t begin_ns = rv_wait_reader_begin(graph->reader, i);
        if (thread != RV_CRITICAL_PATH_NONE && begin_ns < graph->threads[thread].begin_ns)
            graph->threads[thread].begin_ns = begin_ns;
    }
    for (size_t i = 0; i < graph->n_threads; i++)
        if (graph->threads[i].begin_ns == UINT64_MAX)
            graph->threads[i].begin_ns = 0;
}

void rv_critical_path_graph_init(struct rv_critical_path_graph *graph, struct rv_lanes *lanes,
                                 struct rv_wait_reader *reader)
{
    *graph = (struct rv_critical_path_graph){.reader = reader, .lanes = lanes};
    find_threads(graph, lanes);
    add_bare_threads(graph, lanes);
    find_parents(graph);
    begin_with_waits(graph, lanes, rv_lanes_n(lanes));
}

void rv_critical_path_graph_fini(struct rv_critical_path_graph *graph)
{
    free(graph->edges);
    free(graph->waits);
    free(graph->threads);
    free(graph->lane_of);
}

/* ---- waits ---- */

/* Of a thread that the graph has. */
static uint32_t add_wait(struct rv_critical_path_graph *graph, uint32_t thread, const struct rv_wait *wait)
{
    const struct rv_wait_edge edge = rv_wait_reader_edge(graph->reader, wait);
    graph->edges = rv_vec_reserve(graph->edges, &graph->edges_capacity, graph->n_waits + 1, sizeof *graph->edges);
    graph->waits = rv_vec_reserve(graph->waits, &graph->waits_capacity, graph->n_waits + 1, sizeof *graph->waits);
    if (wait->kind == RV_WAIT_START && thread_of(graph, edge.waker) != RV_CRITICAL_PATH_NONE)
        graph->threads[thread].parent = thread_of(graph, edge.waker);
    graph->edges[graph->n_waits] = edge;
    graph->waits[graph->n_waits] = (struct rv_critical_path_wait){
        .start_ns = wait->start_ns,
        .end_ns = wait->end_ns,
        .woke_ns = wait->woke_ns < wait->end_ns ? wait->woke_ns : wait->end_ns,
        .thread = thread,
        .waker = wait->wake == RV_WAKE_UNKNOWN ? RV_CRITICAL_PATH_NONE : thread_of(graph, edge.waker)};
    return (uint32_t)graph->n_waits++;
}

struct adding {
    struct rv_critical_path_graph *graph;
    uint64_t to_ns;
    size_t most;
    bool has_more;
};

static bool add_some(void *context, const struct rv_wait *wait, rv_wait_place place)
{
    struct adding *adding = context;
    (void)place;
    const uint32_t thread = thread_of(adding->graph, rv_lanes_get(adding->graph->lanes, wait->lane));
    if (thread == RV_CRITICAL_PATH_NONE || wait->start_ns >= adding->to_ns)
        return true;
    adding->has_more = adding->graph->n_waits >= adding->most;
    if (!adding->has_more)
        (void)add_wait(adding->graph, thread, wait);
    return !adding->has_more;
}

bool rv_critical_path_graph_add_waits(struct rv_critical_path_graph *graph, uint64_t from_ns, uint64_t to_ns,
                                      size_t most)
{
    struct adding adding = {.graph = graph, .to_ns = to_ns, .most = most};
    rv_wait_reader_each(graph->reader, from_ns, UINT64_MAX, add_some, &adding);
    return !adding.has_more;
}

/* ---- paths ---- */

enum { STEPS_A_LOOK = 4096 };

struct walking {
    struct rv_critical_path_graph *graph;
    const struct rv_critical_path_graph_path *path;
    uint32_t *first_lane, *next_lane; /* first lane of each thread, next one of each lane: 1 + lane_idx; 0: no more */
    rv_wait_place *before;            /* of each lane: waits at lower places were not met yet */
    uint64_t at_ns;
    size_t n_asked;
};

static void list_lanes(struct walking *walking)
{
    const struct rv_critical_path_graph *graph = walking->graph;
    const size_t n = rv_lanes_n(graph->lanes);
    walking->first_lane = rv_alloc(graph->n_threads + 1, sizeof *walking->first_lane);
    walking->next_lane = rv_alloc(n + 1, sizeof *walking->next_lane);
    walking->before = rv_alloc_scratch(n + 1, sizeof *walking->before);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t thread = thread_of(graph, rv_lanes_get(graph->lanes, i));
        walking->before[i] = RV_WAIT_PLACE_END;
        if (thread == RV_CRITICAL_PATH_NONE)
            continue;
        walking->next_lane[i] = walking->first_lane[thread];
        walking->first_lane[thread] = i + 1;
    }
}

static uint32_t take_last(void *context, uint32_t thread, uint64_t at_ns)
{
    struct walking *walking = context;
    struct rv_wait wait, last = {.end_ns = 0};
    rv_wait_place place, at = 0;
    bool is_found = false;
    walking->at_ns = at_ns;
    for (uint32_t i = walking->first_lane[thread]; i; i = walking->next_lane[i - 1])
        if (rv_wait_reader_last(walking->graph->reader, i - 1, at_ns, walking->before[i - 1], &wait, &place) &&
            (!is_found || wait.end_ns > last.end_ns)) {
            last = wait;
            at = place;
            is_found = true;
        }
    if (!is_found)
        return RV_CRITICAL_PATH_NONE;
    walking->before[last.lane] = at;
    return add_wait(walking->graph, thread, &last);
}

/* Called at the path's end only, where no wait was met yet. */
static uint32_t find_present(void *context, uint32_t thread, uint64_t at_ns)
{
    struct walking *walking = context;
    struct rv_wait wait;
    rv_wait_place place;
    for (uint32_t i = walking->first_lane[thread]; i; i = walking->next_lane[i - 1])
        if (rv_wait_reader_present(walking->graph->reader, i - 1, at_ns, &wait, &place))
            return add_wait(walking->graph, thread, &wait);
    return RV_CRITICAL_PATH_NONE;
}

static void take_all(void *context, uint32_t thread)
{
    struct walking *walking = context;
    for (uint32_t i = walking->first_lane[thread]; i; i = walking->next_lane[i - 1])
        walking->before[i - 1] = 0;
}

static const struct rv_critical_path_wait *get(void *context, uint32_t wait)
{
    const struct walking *walking = context;
    return &walking->graph->waits[wait];
}

/* Writers continue between looks. */
static bool goes_on(void *context, size_t n_steps)
{
    struct walking *walking = context;
    const struct rv_critical_path_graph_path *path = walking->path;
    if (path->most_steps && n_steps >= path->most_steps)
        return false;
    if (++walking->n_asked % STEPS_A_LOOK)
        return true;
    rv_wait_reader_let_go(walking->graph->reader);
    const bool is_wanted = !path->goes_on || path->goes_on(path->context, walking->at_ns);
    rv_wait_reader_hold(walking->graph->reader);
    return is_wanted;
}

struct rv_critical_path_step *rv_critical_path_graph_take_path(struct rv_critical_path_graph *graph,
                                                               const struct rv_critical_path_graph_path *path,
                                                               size_t *n)
{
    struct walking walking = {.graph = graph, .path = path};
    const struct rv_critical_path_source source = {.take_last = take_last,
                                                   .find_present = find_present,
                                                   .take_all = take_all,
                                                   .get = get,
                                                   .goes_on = goes_on,
                                                   .context = &walking};
    list_lanes(&walking);
    rv_wait_reader_hold(graph->reader);
    struct rv_critical_path_step *steps = rv_critical_path_walk(
        &(struct rv_critical_path_walk){graph->threads, graph->n_threads, path->thread, path->from_ns, path->to_ns},
        &source, n);
    rv_wait_reader_let_go(graph->reader);
    free(walking.first_lane);
    free(walking.next_lane);
    free(walking.before);
    return steps;
}

/* ---- the end ---- */

/* The time at which a thread has ended. False: it has not begun before to_ns. */
static bool find_end(const struct rv_lane *lane, uint64_t to_ns, uint64_t *end_ns)
{
    uint64_t first_ns, last_ns;
    if (!lane || !rv_lane_bounds((struct rv_lane *)(uintptr_t)lane, &first_ns, &last_ns) || first_ns >= to_ns)
        return false;
    *end_ns = last_ns < to_ns ? last_ns : to_ns;
    return true;
}

static uint64_t off_cpu_since(const struct rv_lane *lane, enum rv_note_kind kind, uint64_t from_ns, uint64_t end_ns)
{
    return rv_lane_off_cpu_since((struct rv_lane *)(uintptr_t)lane, kind, from_ns, end_ns);
}

static bool ends_in_wait(const struct rv_critical_path_graph *graph, const struct rv_lane *lane, uint64_t end_ns,
                         struct rv_wait *wait)
{
    rv_wait_place place;
    return rv_wait_reader_last(graph->reader, lane->idx, end_ns, RV_WAIT_PLACE_END, wait, &place) &&
           wait->end_ns == end_ns;
}

/* A worker that still waits for work when the program ends, or is blocked for what is not known, counts as ended with its
 * last work. */
static uint64_t end_of_work(const struct rv_critical_path_graph *graph, const struct rv_lane *lane, uint64_t end_ns)
{
    struct rv_wait wait;
    if (ends_in_wait(graph, lane, end_ns, &wait))
        return wait.wake == RV_WAKE_UNKNOWN && !wait.waker ? wait.start_ns : end_ns;
    return off_cpu_since(lane, RV_NOTE_BLOCKED, end_ns, end_ns);
}

static bool runs_at_end(const struct rv_critical_path_graph *graph, const struct rv_lane *lane, uint64_t end_ns)
{
    struct rv_wait wait;
    if (ends_in_wait(graph, lane, end_ns, &wait))
        return wait.wake != RV_WAKE_UNKNOWN;
    return off_cpu_since(lane, RV_NOTE_BLOCKED, end_ns, end_ns) == end_ns;
}

struct ending { /* of a thread */
    uint64_t end_ns;
    uint32_t thread;
};

/* False: the first thread of the lane's process has not ended before to_ns. */
static bool find_first_of_process(const struct rv_critical_path_graph *graph, const struct rv_lane *lane,
                                  uint64_t to_ns, struct ending *found)
{
    for (uint32_t i = 0; i < graph->n_threads; i++) {
        const struct rv_lane *first = graph->lane_of[i];
        found->thread = i;
        if (first && first->tid == lane->pid && first->process_key == lane->process_key)
            return rv_lane_has_ended((struct rv_lane *)(uintptr_t)first) && find_end(first, to_ns, &found->end_ns);
    }
    return false;
}

/* An exit ends the other threads in the midst of what they do; one that waits for a CPU gets it once more, to end. */
static bool is_ended_by_exit(const struct rv_lane *lane, uint64_t end_ns, uint64_t exit_ns)
{
    return end_ns > exit_ns && off_cpu_since(lane, RV_NOTE_PREEMPTED, end_ns - DYING_NS, end_ns) < exit_ns + DYING_NS;
}

/* A thread that is ended by an exit of its process's first thread had no part in the end: that is the first's. */
static struct ending work_of(const struct rv_critical_path_graph *graph, struct ending ending, uint64_t to_ns)
{
    struct ending first;
    const struct rv_lane *lane = graph->lane_of[ending.thread];
    if (lane->tid == lane->pid)
        return ending;
    if (find_first_of_process(graph, lane, to_ns, &first) && is_ended_by_exit(lane, ending.end_ns, first.end_ns) &&
        runs_at_end(graph, graph->lane_of[first.thread], first.end_ns))
        return first;
    return (struct ending){end_of_work(graph, lane, ending.end_ns), ending.thread};
}

/* The last one first. */
static int by_end_backward(const void *a, const void *b)
{
    const struct ending *x = a, *y = b;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static struct ending *list_endings(const struct rv_critical_path_graph *graph, uint64_t to_ns, size_t *n)
{
    struct ending *endings = rv_alloc(graph->n_threads + 1, sizeof *endings);
    *n = 0;
    for (uint32_t i = 0; i < graph->n_threads; i++) {
        endings[*n].thread = i;
        *n += find_end(graph->lane_of[i], to_ns, &endings[*n].end_ns);
    }
    qsort(endings, *n, sizeof *endings, by_end_backward);
    return endings;
}

/* Work ends no later than its thread: those that end before the last work are not looked at. */
uint32_t rv_critical_path_graph_last_thread(const struct rv_critical_path_graph *graph, uint64_t *to_ns)
{
    size_t n;
    struct ending *endings = list_endings(graph, *to_ns, &n), last = {0, RV_CRITICAL_PATH_NONE};
    for (size_t i = 0; i < n && endings[i].end_ns >= last.end_ns; i++) {
        const struct ending work = work_of(graph, endings[i], *to_ns);
        if (by_end_backward(&work, &last) < 0)
            last = work;
    }
    *to_ns = n ? last.end_ns : *to_ns;
    free(endings);
    return last.thread;
}
