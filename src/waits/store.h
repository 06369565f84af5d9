/* Inside of this room: how waits are kept. */
#ifndef RV_WAITS_STORE_H
#define RV_WAITS_STORE_H

#include <pthread.h>
#include <stdatomic.h>

#include "waits/sums.h"
#include "waits/waits.h"

struct rv_waits_lane {     /* each array in order of time */
    struct rv_wait *waits; /* in memory */
    struct rv_release *releases;
    size_t n_waits, waits_capacity, n_releases, releases_capacity;
    uint64_t n_gone;   /* discarded waits, which came before them */
    uint64_t begin_ns; /* the least begin of all waits; with has_begun */
    bool has_begun;
    struct rv_wait open; /* with has_open: the one that has not ended */
    uint64_t told_ns;    /* when that was set, by the clock: while all threads wait, no event comes */
    bool has_open;
    struct rv_waits_stretch { /* that can be loaded: those with waits, and those with releases */
        struct rv_wait_stretch of;
        uint64_t first; /* waits of earlier ones */
    } * stretches, *releasing;
    size_t n_stretches, stretches_capacity, n_releasing, releasing_capacity;
};

struct rv_waits {
    struct rv_lanes *lanes;
    size_t most_bytes;
    atomic_size_t n, n_open;        /* for rv_waits_n() and rv_waits_n_open(). No ordering needed */
    pthread_mutex_t lock;           /* covers the rest */
    struct rv_waits_lane *on_lanes; /* by lane_idx */
    size_t n_lanes;
    size_t n_bytes; /* of waits and releases in memory */
    struct rv_waits_state state;
    struct rv_wait_sums gone;
    rv_wait_page_load_fn load;
    bool has_copies;         /* loaded waits were added, too, */
    uint64_t memory_from_ns; /* and are read from pages until this time: all later ones are in memory */
    void *load_context;
};

#endif
