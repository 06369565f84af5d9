/*
 * The stacks of a stream or of a page: the frames that are carried from block to block, and a track for each stack. One
 * thread at a time: the delivery.
 */
#ifndef RV_PIPELINE_TRACKS_H
#define RV_PIPELINE_TRACKS_H

#include "base/hash_index.h"
#include "model/lanes.h"
#include "model/moments.h"
#include "model/stats.h"
#include "scan/block_join.h"
#include "stream/block_summary.h"
#include "tasks/flows.h"
#include "waits/open_waits.h"

struct rv_track {
    uint32_t stack;
    struct rv_lane *lane;
    struct rv_stats_lane *stats; /* of a stream */
    struct rv_timeline *calls;   /* of a page: what its lane will get */
    size_t first, n;             /* scratch of one join: its spans in the worker's buffer */
    /* of a stream, where the kernel's switches are known */
    bool has_switches, is_off_cpu, is_blocked, is_unknown; /* is_off_cpu: as far as known */
    uint64_t off_cpu_since_ns, ran_ns;                     /* the last stretch off the CPU, and its end, */
    uint32_t ran_call;                                     /* the call in which it was, once found */
    /* of a stream, where a runtime tells its threads' states */
    uint32_t state; /* enum rv_thread_state */
    uint64_t state_since_ns;
    bool is_away; /* of a stream: another stack of its thread is current, */
    uint64_t away_since_ns;
    struct rv_open_waits follower; /* of a stream */
    uint64_t open_wait_ns; /* begin of the open wait for a lock that rv_waits_set_open() was last given; 0: none */
    size_t task_step;      /* of a stream: number of the step that made its thread's task current */
    /* of the job being joined */
    struct rv_moment *moments;
    struct rv_wait *waits; /* that ended */
    struct rv_flow_step *steps;
    size_t n_moments, moments_capacity, n_waits, waits_capacity, n_steps, steps_capacity;
};

struct rv_tracks {
    struct rv_block_join *carry;
    uint32_t depth_shift; /* added to the carry's depths, so that its lowest base is 0 */
    struct rv_track *all;
    size_t n, capacity;
    struct rv_hash_index by_stack; /* index + 1 */
    void (*begin)(void *context, struct rv_track *track);
    void *context;
};

/* begin: called for a new track, to set what it needs besides its stack. */
void rv_tracks_init(struct rv_tracks *tracks, void (*begin)(void *context, struct rv_track *track), void *context);
void rv_tracks_fini(struct rv_tracks *tracks); /* leaves it zeroed */

/* A stack's track, new if need be. Stacks beyond 65,536, as many as the carry tells apart, share the first. */
struct rv_track *rv_tracks_at(struct rv_tracks *tracks, uint32_t stack);

/* A moment of the job being joined, which the caller sets. */
struct rv_moment *rv_track_add_moment(struct rv_track *track);

/* A moment before all others of the job. */
void rv_track_add_first_moment(struct rv_track *track, struct rv_moment moment);

/* Forget the moments of a job, waits that ended and steps. */
void rv_track_clear(struct rv_track *track);

/* When a frame below the first one seen returns, all open frames are deeper than assumed. Returns by how much. */
uint32_t rv_tracks_follow_base(struct rv_tracks *tracks);

/* Set the state of a stack at the beginning of a block, before the first one is applied. */
void rv_tracks_resume(struct rv_tracks *tracks, const struct rv_page_stack *stack);

/* Group spans by stack, keeping each stack's order: sets the tracks' first and n. */
struct rv_span_buffer {
    struct rv_span *spans, *sorted;
    size_t capacity, sorted_capacity;
};
struct rv_span *rv_tracks_group(struct rv_tracks *tracks, struct rv_span_buffer *buffer, size_t n);

#endif
