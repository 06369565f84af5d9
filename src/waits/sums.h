/* Waits summed up by what they were for: exact for the first RV_WAITS_MOST_OBJECTS objects; the others share a row. */
#ifndef RV_WAITS_SUMS_H
#define RV_WAITS_SUMS_H

#include "base/hash_index.h"
#include "model/histogram.h"
#include "waits/wakers.h"

#define RV_WAITS_MOST_OBJECTS (1u << 16)
#define RV_WAITS_OTHER UINT32_MAX /* the object of the others' row */

struct rv_wait_side {           /* a thread, and a call of it */
    const struct rv_lane *lane; /* NULL: unknown, or not traced */
    uint32_t tid, call;         /* 0: unknown */
};

struct rv_wait_sums {       /* zeroed = none */
    struct rv_wait_sum_of { /* the waits of one kind for one object */
        uint32_t object;
        enum rv_wait_kind kind;
        uint64_t n, total_ns, passed_ns;
        uint64_t n_of_wake[RV_WAKE_COUNT];
        struct rv_wait longest;
        struct rv_histogram durations;
    } * sums;
    size_t n, capacity;
    struct rv_hash_index by_object; /* 1 + index */
    struct rv_wait_share { /* the part of a sum that one call of one thread waited, ended by one call of one thread */
        uint32_t sum;
        uint32_t lane, call; /* the waiter; RV_WAITS_OTHER: several, since there are many shares */
        struct rv_wait_side waker;
        uint64_t n, n_ns;
        uint64_t clients_ns;         /* part of n_ns: waits for clients */
        uint64_t longest_ns, end_ns; /* of the longest, and its end */
        uint64_t known_ns;           /* length of the longest wait whose release is known; */
        uint64_t released_ns;        /* and the time of that release; 0: none is known */
    } * shares;
    size_t n_shares, shares_capacity;
    struct rv_hash_index by_sides; /* 1 + index */
};

void rv_wait_sums_fini(struct rv_wait_sums *sums);
/* Add one wait, with the part in which who ended it waited for others, or all of another's sums. */
void rv_wait_sums_add(struct rv_wait_sums *sums, const struct rv_wait_edge *edge, uint64_t passed_ns);
void rv_wait_sums_merge(struct rv_wait_sums *into, const struct rv_wait_sums *from);

/* The waits of one kind for one object. */
struct rv_waits_row {
    uint32_t object; /* 0: none; RV_WAITS_OTHER: several */
    enum rv_wait_kind kind;
    uint64_t n_waits, total_ns, p99_ns, longest_ns;
    uint64_t idle_ns;   /* part of total_ns that held nobody up (waits/idle.h) */
    uint64_t passed_ns; /* part of it in which who ended the wait waited for others: their objects' waiting */
    uint64_t n_of_wake[RV_WAKE_COUNT]; /* what is known of the wakers */
    struct rv_wait_side waiter;        /* of the longest wait, */
    uint64_t waited_ns;                /* and its end */
    struct rv_wait_side holder;        /* who ended most of the waiting, */
    uint64_t held_ns;                  /* and how much of it; */
    uint64_t released_ns;              /* when it ended the longest of these waits, else when that began */
};

/*
 * Rows by object, most waiting first, where idle waits, waits for the end of a thread or process, and what is passed on
 * do not count; for the caller to free.
 */
struct rv_waits_row *rv_wait_sums_take_rows(const struct rv_wait_sums *sums, const struct rv_lanes *lanes, size_t *n);

/*
 * Likewise a row for each pair of calls, one that waited and one that ended the wait: an arc each, in order of their
 * waiting. p99_ns, n_of_wake, idle_ns and passed_ns are not set.
 */
struct rv_waits_row *rv_wait_sums_take_arcs(const struct rv_wait_sums *sums, const struct rv_lanes *lanes, size_t *n);

#endif
