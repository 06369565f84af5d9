#include "query/critical_path_job.h"

#include <stdlib.h>

#include "base/hash_index.h"
#include "base/vec.h"
#include "waits/critical_path_graph.h"

struct parts {
    struct rv_critical_path_part *parts;
    size_t n, capacity;
    struct rv_hash_index by_key; /* 1 + part */
};

/* Of the wait that a step is, or that it ended. */
static struct rv_critical_path_part part_of(const struct rv_critical_path_graph *graph,
                                            const struct rv_critical_path_step *step,
                                            const struct rv_critical_path_request *request)
{
    struct rv_critical_path_part part = {.kind = step->kind,
                                         .lane_idx = graph->lane_of[step->thread]->idx,
                                         .from_ns = step->from_ns,
                                         .to_ns = step->to_ns};
    part.call = step->wait == RV_CRITICAL_PATH_NONE ? request->call : 0;
    if (step->kind == RV_CRITICAL_PATH_WAKE || step->wait == RV_CRITICAL_PATH_NONE ||
        (step->kind == RV_CRITICAL_PATH_RUN &&
         graph->waits[step->wait].waker != step->thread)) /* it started the waker */
        return part;
    const struct rv_wait_edge *edge = &graph->edges[step->wait];
    part.has_wait = true;
    part.wait = edge->wait.kind;
    part.object = edge->wait.object;
    part.call = step->kind == RV_CRITICAL_PATH_RUN ? edge->waker_call : edge->wait.call;
    return part;
}

/* Threads that had been woken are alike. */
static uint64_t key_of(const struct rv_critical_path_part *part)
{
    uint64_t key = rv_hash_combine(part->kind, part->has_wait ? 1 + (uint64_t)part->wait : 0);
    if (part->kind == RV_CRITICAL_PATH_WAKE)
        return key;
    key = rv_hash_combine(key, part->lane_idx);
    return rv_hash_combine(rv_hash_combine(key, part->object), part->call);
}

static void add(struct parts *parts, const struct rv_critical_path_part *part)
{
    const uint64_t n_ns = part->to_ns - part->from_ns, key = key_of(part);
    uint32_t number = rv_hash_index_get(&parts->by_key, key);
    if (!number) {
        parts->parts = rv_vec_reserve(parts->parts, &parts->capacity, parts->n + 1, sizeof *parts->parts);
        parts->parts[parts->n++] = *part;
        number = (uint32_t)parts->n;
        rv_hash_index_add(&parts->by_key, key, number);
    }
    struct rv_critical_path_part *sum = &parts->parts[number - 1];
    if (n_ns > sum->to_ns - sum->from_ns) {
        sum->lane_idx = part->lane_idx;
        sum->from_ns = part->from_ns;
        sum->to_ns = part->to_ns;
    }
    sum->n_ns += n_ns;
}

static int by_time(const void *a, const void *b)
{
    const struct rv_critical_path_part *x = a, *y = b;
    if (x->n_ns != y->n_ns)
        return x->n_ns > y->n_ns ? -1 : 1;
    return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

static void sum_up(struct rv_critical_path_found *found, const struct rv_critical_path_graph *graph)
{
    struct parts parts = {0};
    for (size_t i = 0; i < found->path->n; i++) {
        const struct rv_critical_path_step *step = &found->path->steps[i];
        const struct rv_critical_path_part part = part_of(graph, step, &found->request);
        const uint64_t n_ns = step->to_ns - step->from_ns;
        add(&parts, &part);
        found->n_ns += n_ns;
        found->run_ns += step->kind == RV_CRITICAL_PATH_RUN ? n_ns : 0;
        found->wait_ns += step->kind == RV_CRITICAL_PATH_WAIT ? n_ns : 0;
        found->woken_ns += step->kind == RV_CRITICAL_PATH_WAKE ? n_ns : 0;
    }
    if (parts.n)
        qsort(parts.parts, parts.n, sizeof *parts.parts, by_time);
    rv_hash_index_fini(&parts.by_key);
    found->parts = parts.parts;
    found->n_parts = parts.n;
}

static bool is_wanted(void *context)
{
    return rv_job_thread_is_wanted(&((struct rv_critical_path_job *)context)->thread);
}

static bool goes_on(void *context, uint64_t at_ns)
{
    struct rv_critical_path_job *job = context;
    atomic_store_explicit(&job->at_ns, at_ns, memory_order_relaxed);
    return is_wanted(job);
}

static void find(struct rv_critical_path_job *job, struct rv_critical_path_graph *graph)
{
    struct rv_critical_path_found *found = &job->found;
    struct rv_critical_path_graph_path path = {.from_ns = found->request.from_ns,
                                               .to_ns = found->request.to_ns,
                                               .most_steps = RV_CRITICAL_PATH_MOST_STEPS,
                                               .goes_on = goes_on,
                                               .context = job};
    size_t n;
    path.thread = found->request.lane_idx == RV_CRITICAL_PATH_LAST
                      ? rv_critical_path_graph_last_thread(graph, &path.to_ns)
                      : rv_lanes_get(job->lanes, found->request.lane_idx)->thread;
    if (path.thread >= graph->n_threads || !graph->lane_of[path.thread] || !is_wanted(job))
        return;
    const struct rv_waits_state state = rv_waits_state(job->waits);
    path.from_ns = state.gone_ns > path.from_ns ? state.gone_ns : path.from_ns;
    struct rv_critical_path_step *steps = rv_critical_path_graph_take_path(graph, &path, &n);
    found->path = rv_lit_path_create(steps, n);
    found->n_waits = state.n;
    found->known_from_ns = path.from_ns > found->request.from_ns ? path.from_ns : 0;
    if (n >= RV_CRITICAL_PATH_MOST_STEPS)
        found->known_from_ns = steps[0].from_ns;
    found->has_missed = rv_wait_reader_has_missed(graph->reader);
    sum_up(found, graph);
}

static void work(void *context)
{
    struct rv_critical_path_job *job = context;
    struct rv_critical_path_graph graph;
    struct rv_wait_reader *reader = rv_wait_reader_open(job->waits, is_wanted, job);
    rv_critical_path_graph_init(&graph, job->lanes, reader);
    find(job, &graph);
    rv_critical_path_graph_fini(&graph);
    rv_wait_reader_close(reader);
}

void rv_critical_path_job_start(struct rv_critical_path_job *job, struct rv_lanes *lanes, struct rv_waits *waits,
                                const struct rv_critical_path_request *request)
{
    rv_critical_path_job_stop(job);
    job->lanes = lanes;
    job->waits = waits;
    job->found.request = *request;
    job->is_on = true;
    atomic_store_explicit(&job->at_ns, request->to_ns, memory_order_relaxed);
    rv_job_thread_start(&job->thread, work, job);
}

void rv_critical_path_job_stop(struct rv_critical_path_job *job)
{
    rv_job_thread_stop(&job->thread);
    rv_lit_path_release(job->found.path);
    free(job->found.parts);
    job->found = (struct rv_critical_path_found){.path = NULL};
    job->is_on = false;
}

void rv_critical_path_job_wait(struct rv_critical_path_job *job)
{
    rv_job_thread_wait(&job->thread);
}

unsigned rv_critical_path_job_percent(const struct rv_critical_path_job *job)
{
    const struct rv_critical_path_request *request = &job->found.request;
    const uint64_t at_ns = atomic_load_explicit(&job->at_ns, memory_order_relaxed);
    const uint64_t all_ns = request->to_ns > request->from_ns ? request->to_ns - request->from_ns : 0;
    const uint64_t left_ns = at_ns > request->from_ns ? at_ns - request->from_ns : 0;
    return all_ns && left_ns < all_ns ? (unsigned)(100.0 * (double)(all_ns - left_ns) / (double)all_ns) : 0;
}

bool rv_critical_path_job_poll(struct rv_critical_path_job *job)
{
    return job->is_on && rv_job_thread_poll(&job->thread, rv_critical_path_job_percent(job));
}

const struct rv_critical_path_found *rv_critical_path_job_found(const struct rv_critical_path_job *job)
{
    return job->is_on && !job->thread.is_running ? &job->found : NULL;
}
