/*
 * Waits of threads for locks, conditions, semaphores and other threads, and the releases that ended them.
 *
 * Writers are the pipeline's workers; readers any thread. Sums are exact, by object for the first RV_WAITS_MOST_OBJECTS;
 * the others share a row. Of single waits and releases the first RV_WAITS_MOST each are kept, those beyond are counted.
 */
#ifndef RV_WAITS_WAITS_H
#define RV_WAITS_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/lanes.h"
#include "ringviz/wire.h"

#define RV_WAITS_MOST (1u << 20)
#define RV_WAITS_MOST_OBJECTS (1u << 16)
#define RV_WAITS_OTHER UINT32_MAX /* the object of the others' row */

struct rv_wait {
    uint64_t start_ns, end_ns;
    uint64_t woke_ns; /* when the waker acted; 0: unknown */
    uint32_t lane;    /* its index, as rv_lanes_get() takes it */
    uint32_t object;  /* id of its name; 0: none, of a join or a start */
    uint32_t call;    /* id of the innermost call that waited; 0: none */
    uint32_t waker;   /* tid, in the lane's process; of a start, perhaps in its parent; of a child, its pid;
                         0: unknown */
    enum rv_wait_kind kind;
    enum rv_wake wake;
};

struct rv_release { /* a thread released an object that others waited for */
    uint64_t at_ns;
    uint32_t lane, tid, object, call;
};

/* As reports and the window call it; static. */
const char *rv_wait_kind_name(enum rv_wait_kind kind);

struct rv_waits;
struct rv_waits *rv_waits_create(void);
void rv_waits_destroy(struct rv_waits *waits);

void rv_waits_add(struct rv_waits *waits, const struct rv_wait *wait);
void rv_waits_add_release(struct rv_waits *waits, const struct rv_release *release);

struct rv_wait_side {           /* who, and in which call */
    const struct rv_lane *lane; /* NULL: unknown, or not traced */
    uint32_t tid, call;         /* 0: unknown */
};

/* The waits of one kind for one object. */
struct rv_waits_row {
    uint32_t object; /* 0: none; RV_WAITS_OTHER: several */
    enum rv_wait_kind kind;
    uint64_t n_waits, total_ns, p99_ns, longest_ns;
    uint64_t n_of_wake[RV_WAKE_COUNT]; /* what is known of the wakers */
    struct rv_wait_side waiter;        /* of the longest wait */
    struct rv_wait_side holder;        /* who ended most of the waiting, */
    uint64_t held_ns;                  /* and how much of it */
};

/*
 * The waits so far, by object, most waiting first.
 *   lanes    that the waits are of
 *   n        rows
 *   n_more   waits and releases that were not kept: holders are known of the others only
 *   returns  the rows, for the caller to free
 */
struct rv_waits_row *rv_waits_take_rows(struct rv_waits *waits, const struct rv_lanes *lanes, size_t *n,
                                        uint64_t *n_more);

struct rv_wait_edge { /* from a wait to what ended it */
    struct rv_wait wait;
    const struct rv_lane *waker; /* NULL: unknown, or not traced */
    uint32_t waker_call;         /* id of the innermost call that released the object; 0: unknown */
    uint64_t released_ns;        /* when it did; 0: unknown */
};

/*
 * The single waits that were kept, in the order in which they came.
 *   n        edges
 *   n_more   waits and releases that were not kept
 *   returns  the edges, for the caller to free
 */
struct rv_wait_edge *rv_waits_take_edges(struct rv_waits *waits, const struct rv_lanes *lanes, size_t *n,
                                         uint64_t *n_more);

/* The number-th of them, by the releases that have come so far; false: there is none. */
bool rv_waits_find_edge(struct rv_waits *waits, const struct rv_lanes *lanes, size_t number, struct rv_wait_edge *edge);

/* How many were kept so far. */
size_t rv_waits_n(struct rv_waits *waits);

/* The same waits without who ended them, from the first-th on, for the caller to free; NULL: none. */
struct rv_wait *rv_waits_take(struct rv_waits *waits, size_t first, size_t *n);

#endif
