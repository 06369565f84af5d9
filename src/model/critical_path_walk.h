/*
 * The critical path: what a thread's progress depended on, backwards from a moment of it. A thread runs back to its
 * last wait; that wait ended because another thread acted, where the path goes on. So the path has one step for each
 * moment between its ends, and what is not on it could have been slower without any delay.
 *
 * What is assumed: a thread whose creator is not known was started by the first thread of its process; a waker that
 * acted at an unknown moment of a wait did so at its end. A wait without a known waker stays a wait of its thread. A
 * thread that still waits where the path ends depends on what its waker has done until then.
 */
#ifndef RV_MODEL_CRITICAL_PATH_WALK_H
#define RV_MODEL_CRITICAL_PATH_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_CRITICAL_PATH_NONE UINT32_MAX

struct rv_critical_path_thread {
    uint64_t begin_ns;
    uint32_t parent; /* the thread that started it; RV_CRITICAL_PATH_NONE: unknown, or none */
};

struct rv_critical_path_wait {
    uint64_t start_ns, end_ns;
    uint64_t woke_ns;       /* when the waker acted; 0: unknown */
    uint32_t thread, waker; /* RV_CRITICAL_PATH_NONE: unknown */
};

enum rv_critical_path_step_kind {
    RV_CRITICAL_PATH_RUN,  /* the thread ran, or no wait of it is known */
    RV_CRITICAL_PATH_WAIT, /* it waited, its waker is not known */
    RV_CRITICAL_PATH_WAKE  /* it had been woken, and did not run yet */
};

struct rv_critical_path_step {
    uint64_t from_ns, to_ns;
    uint32_t thread;
    uint32_t
        wait; /* of WAIT and WAKE: index; of RUN: of the wait that this ended, or RV_CRITICAL_PATH_NONE at the path's
                 end */
    enum rv_critical_path_step_kind kind;
};

/*
 * Where a walk finds the waits of threads, those of a thread in the order of their ends; they do not overlap. Their
 * numbers are the source's.
 */
struct rv_critical_path_source {
    /* Take the last wait of a thread that ended at at_ns or before and is earlier than those taken.
     * RV_CRITICAL_PATH_NONE: there is none. */
    uint32_t (*take_last)(void *context, uint32_t thread, uint64_t at_ns);
    /* The wait that began before at_ns and ends after it, if it is earlier than those taken; likewise. */
    uint32_t (*find_present)(void *context, uint32_t thread, uint64_t at_ns);
    /* Take all waits of a thread. */
    void (*take_all)(void *context, uint32_t thread);
    const struct rv_critical_path_wait *(*get)(void *context, uint32_t wait);
    /* Asked at each step whether to continue; NULL: always. */
    bool (*goes_on)(void *context, size_t n_steps);
    void *context;
};

struct rv_critical_path_walk {
    const struct rv_critical_path_thread *threads;
    size_t n_threads;
    uint32_t thread; /* the thread whose progress is explained */
    uint64_t from_ns, to_ns;
};

/*
 * The path, from its begin to its end: steps without gaps between from_ns, or where no cause is known before, and
 * to_ns. Steps of no length are left out. Each wait is on the path once at most, whatever the clocks say.
 *   returns  the steps, for the caller to free
 */
struct rv_critical_path_step *rv_critical_path_walk(const struct rv_critical_path_walk *walk,
                                                    const struct rv_critical_path_source *source, size_t *n);

struct rv_critical_path_params {
    const struct rv_critical_path_thread *threads;
    size_t n_threads;
    const struct rv_critical_path_wait *waits; /* in any order; those of a thread do not overlap */
    size_t n_waits;
    uint32_t thread;
    uint64_t from_ns, to_ns;
};

/* The same among waits that are all in memory; their numbers are indices. O(waits log waits). */
struct rv_critical_path_step *rv_critical_path_take(const struct rv_critical_path_params *params, size_t *n);

#endif
