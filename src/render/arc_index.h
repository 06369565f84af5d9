/*
 * Arcs from who ended waits to who waited, at levels of detail: at level 0 each wait's own, at the others those of the
 * same two lanes that ended in the same stretch of time, folded into one. No GL. Immutable and shared: the thread that
 * makes a picture and the window hold the same one.
 */
#ifndef RV_RENDER_ARC_INDEX_H
#define RV_RENDER_ARC_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "waits/waits.h"

enum rv_arc_kind { RV_ARC_LOCK, RV_ARC_OTHER }; /* locks; what is signalled, joined, or done by another thread */

struct rv_arc {
    uint64_t from_ns, to_ns;     /* of the longest wait: when its waker acted, and its end */
    uint32_t from_lane, to_lane; /* lane_idx */
    enum rv_arc_kind kind;
    uint32_t n;                    /* waits */
    uint64_t total_ns, longest_ns; /* how long they were */
    size_t longest;                /* the number of the longest one among the edges */
};

struct rv_arc_index; /* opaque */

/* edges: n, as of rv_waits_take_edges(). Those without a waker on another lane have no arc. Returns it held. */
const struct rv_arc_index *rv_arc_index_create(const struct rv_wait_edge *edges, size_t n);

/* Hold it, to be released. NULL-safe. Any thread. Returns it. */
const struct rv_arc_index *rv_arc_index_hold(const struct rv_arc_index *index);
void rv_arc_index_release(const struct rv_arc_index *index);

/* Number of levels; 0 = no arcs. */
size_t rv_arc_index_n_levels(const struct rv_arc_index *index);

/* The arcs of a level that ended in stretches of time which overlap the window, in order of these stretches; n of them. Borrowed. */
const struct rv_arc *rv_arc_index_window(const struct rv_arc_index *index, size_t level, uint64_t from_ns,
                                         uint64_t to_ns, size_t *n);

/* The finest level with at most this many arcs in the window; the coarsest if all have more. O(levels log waits). */
size_t rv_arc_index_choose(const struct rv_arc_index *index, uint64_t from_ns, uint64_t to_ns, size_t most);

#endif
