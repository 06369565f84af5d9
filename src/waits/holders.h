/*
 * Who had the objects that threads waited for, and who waited for them, over time. Of locks it is known who had them
 * while others waited, from what threads told that they took and released meanwhile; of other objects only who waited.
 * Immutable and shared: the window and the threads that work for it hold the same one.
 */
#ifndef RV_WAITS_HOLDERS_H
#define RV_WAITS_HOLDERS_H

#include "waits/wakers.h"

#define RV_HOLDERS_ROWS_MOST 16u /* of an object's waits, and by default of its holds; more share the last one */

struct rv_hold { /* a thread had an object, or waited for it */
    uint64_t from_ns, to_ns;
    uint32_t lane; /* its index */
    uint32_t call; /* id of the innermost call that released the object, or that waited; 0: unknown */
    uint32_t row;  /* holds and waits at the same time are in different rows */
    bool is_wait;
    bool is_cut; /* the thread had the object at from_ns, perhaps before, too */
};

struct rv_held_object {
    uint32_t object;
    enum rv_wait_kind kind;       /* of its longest wait */
    uint32_t n_held_rows, n_rows; /* rows of holders come first; one at least */
    uint64_t n_waits, waited_ns, held_ns;
    uint64_t longest_ns; /* of its holds and waits */
    size_t first, n;     /* of these, in order of their begins */
};

struct rv_holders {
    struct rv_held_object *objects; /* locks first, then most waiting first */
    size_t n_objects;
    struct rv_hold *holds;
    size_t n_holds;
    uint64_t n_left_out; /* waits, releases and takings beyond the limit */
};

struct rv_holder_collector { /* zeroed = none so far */
    struct rv_wait_edge *edges;
    struct rv_release *releases;
    size_t n_edges, edges_capacity, n_releases, releases_capacity;
    size_t most;             /* of each to be kept; 0: all */
    uint32_t most_held_rows; /* of an object; 0: RV_HOLDERS_ROWS_MOST */
    uint64_t n_left_out;
    /*
     * These objects come first, with their sums and with room for their rows, so that a part looks like the whole.
     * NULL: none. Borrowed until the holders are made.
     */
    const struct rv_holders *like;
};

/* Add a copy of a wait, or of a release; one beyond the most is counted only. */
void rv_holder_collector_add(struct rv_holder_collector *collector, const struct rv_wait_edge *edge);
void rv_holder_collector_add_release(struct rv_holder_collector *collector, const struct rv_release *release);

/* Takes what was collected. Returns it held. */
const struct rv_holders *rv_holders_create(struct rv_holder_collector *collector);

/* Hold it, to be released. NULL-safe. Any thread. Returns it. */
const struct rv_holders *rv_holders_hold(const struct rv_holders *holders);
void rv_holders_release(const struct rv_holders *holders);

/* The first of an object's holds and waits that may reach into a window that begins then. */
size_t rv_holders_first(const struct rv_holders *holders, const struct rv_held_object *object, uint64_t from_ns);

/* Of an object's holds and waits, the one in a row at a time; NULL: there is none. */
const struct rv_hold *rv_holders_at(const struct rv_holders *holders, const struct rv_held_object *object, uint32_t row,
                                    uint64_t at_ns);

/* How many waited for an object at a time. */
size_t rv_holders_n_waiting(const struct rv_holders *holders, const struct rv_held_object *object, uint64_t at_ns);

#endif
