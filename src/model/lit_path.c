/* Holders are counted; the last one to release it frees it: LR1 -> LA1. */
#include "model/lit_path.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"

static void index_threads(struct rv_lit_path *path)
{
    for (size_t i = 0; i < path->n; i++)
        if (path->steps[i].thread >= path->n_threads)
            path->n_threads = (size_t)path->steps[i].thread + 1;
    path->first = rv_alloc(path->n_threads + 2, sizeof *path->first);
    path->by_thread = rv_alloc(path->n + 1, sizeof *path->by_thread);
    size_t *next = path->first + 1; /* where a thread's next step goes: at the end, where the next thread's begin */
    for (size_t i = 0; i < path->n; i++)
        next[path->steps[i].thread + 1]++;
    for (size_t i = 0; i < path->n_threads; i++)
        next[i + 1] += next[i];
    for (size_t i = 0; i < path->n; i++)
        path->by_thread[next[path->steps[i].thread]++] = path->steps[i];
}

static void sum_up(struct rv_lit_path *path)
{
    path->before_ns = rv_alloc(path->n + 1, sizeof *path->before_ns);
    for (size_t i = 1; i < path->n; i++) {
        const struct rv_critical_path_step *before = &path->by_thread[i - 1];
        if (path->by_thread[i].thread == before->thread)
            path->before_ns[i] = path->before_ns[i - 1] + before->to_ns - before->from_ns;
    }
}

const struct rv_lit_path *rv_lit_path_create(struct rv_critical_path_step *steps, size_t n)
{
    struct rv_lit_path *path = rv_alloc(1, sizeof *path);
    path->steps = steps;
    path->n = n;
    atomic_store_explicit(&path->n_holders, 1, memory_order_relaxed);
    index_threads(path);
    sum_up(path);
    return path;
}

const struct rv_lit_path *rv_lit_path_hold(const struct rv_lit_path *path)
{
    if (path)
        (void)atomic_fetch_add_explicit(&((struct rv_lit_path *)(uintptr_t)path)->n_holders, 1, memory_order_relaxed);
    return path;
}

void rv_lit_path_release(const struct rv_lit_path *path)
{
    struct rv_lit_path *held = (struct rv_lit_path *)(uintptr_t)path;
    if (!held || atomic_fetch_sub_explicit(&held->n_holders, 1, memory_order_acq_rel) != 1) /* LR1 -> LA1, LA1 <- LR1 */
        return;
    free(held->steps);
    free(held->by_thread);
    free(held->before_ns);
    free(held->first);
    free(held);
}

/* How long the thread was on the path until a time. */
static uint64_t covered_ns(const struct rv_lit_path *path, uint32_t thread, uint64_t until_ns)
{
    const struct rv_critical_path_step *steps = &path->by_thread[path->first[thread]];
    const size_t n = path->first[thread + 1] - path->first[thread];
    const size_t i =
        rv_bisect_count(steps, n, sizeof *steps, offsetof(struct rv_critical_path_step, from_ns), until_ns);
    if (i == 0)
        return 0;
    const struct rv_critical_path_step *last = &steps[i - 1];
    const uint64_t end_ns = last->to_ns < until_ns ? last->to_ns : until_ns;
    return path->before_ns[path->first[thread] + i - 1] + end_ns - last->from_ns;
}

/* A moment is on the path if it is in a step. */
static bool has_moment(const struct rv_lit_path *path, uint32_t thread, uint64_t at_ns)
{
    const struct rv_critical_path_step *steps = &path->by_thread[path->first[thread]];
    const size_t n = path->first[thread + 1] - path->first[thread];
    const size_t i = rv_bisect_below(steps, n, sizeof *steps, offsetof(struct rv_critical_path_step, to_ns), at_ns);
    return i < n && steps[i].from_ns <= at_ns;
}

bool rv_lit_path_has(const struct rv_lit_path *path, uint32_t thread, uint64_t from_ns, uint64_t to_ns)
{
    if (thread >= path->n_threads)
        return false;
    from_ns = from_ns > path->steps[0].from_ns ? from_ns : path->steps[0].from_ns;
    to_ns = to_ns < path->steps[path->n - 1].to_ns ? to_ns : path->steps[path->n - 1].to_ns;
    if (from_ns >= to_ns)
        return from_ns == to_ns && has_moment(path, thread, from_ns);
    return 2 * (covered_ns(path, thread, to_ns) - covered_ns(path, thread, from_ns)) >= to_ns - from_ns;
}

size_t rv_lit_path_after(const struct rv_lit_path *path, uint64_t at_ns)
{
    return rv_bisect_count(path->steps, path->n, sizeof *path->steps, offsetof(struct rv_critical_path_step, to_ns),
                           at_ns);
}

size_t rv_lit_path_next(const struct rv_lit_path *path, size_t drawn, uint64_t pixel_ns)
{
    const struct rv_critical_path_step *step = &path->steps[drawn];
    const bool is_short = step->to_ns - step->from_ns < pixel_ns;
    const size_t next = is_short ? rv_lit_path_after(path, step->to_ns + pixel_ns - 1) : drawn + 1;
    return next > drawn ? next : drawn + 1;
}
