/*
 * Waits of threads for locks, conditions, semaphores and other threads, and the releases that ended them.
 *
 * Writers are the pipeline's workers; readers any thread. Those that come one by one are kept in memory, up to a number
 * of bytes: then the oldest are discarded, and counted by object before. Of a recording that is opened by its index
 * there are sums of stretches, of which a reader (waits/reader.h) loads what it needs.
 */
#ifndef RV_WAITS_WAITS_H
#define RV_WAITS_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/lanes.h"
#include "waits/wait.h"

#define RV_WAITS_MOST_BYTES ((size_t)96 << 20) /* by default */

struct rv_waits;

/*
 * lanes       that the waits are of; outlive them
 * most_bytes  of single waits and releases in memory; 0: RV_WAITS_MOST_BYTES
 */
struct rv_waits *rv_waits_create(struct rv_lanes *lanes, size_t most_bytes);
void rv_waits_destroy(struct rv_waits *waits); /* NULL-safe */

/* Those of a lane come in the order of their ends; its releases in that of their times. */
void rv_waits_add(struct rv_waits *waits, const struct rv_wait *wait);
void rv_waits_add_release(struct rv_waits *waits, const struct rv_release *release);

/* The lane's wait that has not ended; NULL: there is none. */
void rv_waits_set_open(struct rv_waits *waits, uint32_t lane_idx, const struct rv_wait *wait);

/* How many lanes have one. Does not wait for writers. */
size_t rv_waits_n_open(const struct rv_waits *waits);

struct rv_waits_state {
    uint64_t n, n_releases;
    uint64_t n_gone;  /* waits and releases that were discarded, and cannot be loaded */
    uint64_t gone_ns; /* all of these were at this time or before; 0: there are none */
};
/* The state at this moment. */
struct rv_waits_state rv_waits_state(struct rv_waits *waits);

/* How many waits there were so far. Does not wait for writers. */
size_t rv_waits_n(const struct rv_waits *waits);

/* ---- waits that are loaded ---- */

struct rv_wait_stretch {              /* of a lane's waits and releases, in order in a page */
    uint64_t page;                    /* the page's number */
    size_t first_wait, first_release; /* their places in the page */
    uint32_t lane;
    uint32_t n_waits, n_releases;
    uint32_t longest;           /* index of the longest wait in the stretch */
    uint64_t begin_ns;          /* the least begin of the waits */
    uint64_t first_ns, last_ns; /* the ends of the first and the last one */
    uint64_t total_ns, longest_ns;
    uint64_t first_release_ns, last_release_ns;
};

struct rv_wait_page { /* calls are innermost ones; lanes are those of the stretches, not set here */
    struct rv_wait *waits;
    struct rv_release *releases;
    size_t n_waits, n_releases;
};

/* Load a page, whose arrays the caller frees. False: it cannot be read, or is gone. Any thread. */
typedef bool (*rv_wait_page_load_fn)(void *context, uint64_t page, struct rv_wait_page *out);

/* Before all stretches. has_copies: they are of waits that are added, too, and replace those that were discarded. */
void rv_waits_set_loader(struct rv_waits *waits, rv_wait_page_load_fn load, void *context, bool has_copies);

/* Those of a lane come in order of time. */
void rv_waits_add_stretch(struct rv_waits *waits, const struct rv_wait_stretch *stretch);

#endif
