/*
 * Lanes: one per stack of a thread, in stable slots, with everything that is drawn on them.
 *
 * Writers are the pipeline's workers, the reader is the main thread; each lane has its own lock. A lane never moves
 * to another slot and is never removed.
 */
#ifndef RV_MODEL_LANES_H
#define RV_MODEL_LANES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/notes.h"
#include "model/timeline.h"

#define RV_LANE_NAME_BYTES 64
#define RV_LANE_NOTES_MAX 65536u
#define RV_LANE_NOTES_LEFT 256u /* as many where no calls are kept */

struct rv_lane_frame { /* an open call */
    uint64_t start_ns;
    uint32_t id;
    uint32_t depth;
};

struct rv_lane {
    pthread_mutex_t lock; /* covers everything below but the identity */
    /* identity: set at creation */
    uint32_t idx; /* slot */
    uint32_t pid, parent_pid, tid, stack;
    uint32_t thread; /* in the order in which threads were met; its stacks share it */
    uint64_t process_key;
    /* content */
    char name[RV_LANE_NAME_BYTES]; /* thread name, or "PROCESS TID" */
    char process_name[RV_LANE_NAME_BYTES];
    struct rv_timeline *timeline;
    struct rv_lane_frame *open; /* outermost first */
    size_t n_open, open_capacity;
    struct rv_lane_note *notes; /* rising start; added to by rv_lane_add_note() */
    size_t n_notes, notes_capacity;
    uint32_t notes_max;
    uint64_t last_ns; /* time of the latest event: open frames reach to it */
    uint64_t n_events, n_lost;
    uint32_t max_depth; /* greatest number of frames open at once */
    uint32_t last_line; /* of the latest statement that was told; 0: none */
    bool has_ended;
};

struct rv_lanes; /* the table */

struct rv_lanes *rv_lanes_create(void);
void rv_lanes_destroy(struct rv_lanes *lanes);

struct rv_lane_identity {
    uint32_t pid, parent_pid, tid, stack, thread;
    uint64_t process_key;
    const char *name, *process_name;
};

/* Append a lane. Any thread. The pointer is valid until destroy. */
struct rv_lane *rv_lanes_add(struct rv_lanes *lanes, const struct rv_lane_identity *identity);
size_t rv_lanes_n(const struct rv_lanes *lanes);
struct rv_lane *rv_lanes_get(const struct rv_lanes *lanes, size_t idx); /* any thread */

/*
 * Slots are taken as workers come by a thread's stacks: another run may give them otherwise. The order that is the same
 * is that of threads, each with its stacks behind it by their numbers.
 */
int rv_lane_compare(const struct rv_lane *a, const struct rv_lane *b);

/* All that there are, in that order: n of them. Any thread; the caller frees the table. */
struct rv_lane **rv_lanes_take_by_thread(const struct rv_lanes *lanes, size_t *n);

/* What is told begins then, though calls that were open began before; 0: with the first of them. Before all else. */
void rv_lanes_set_begin(struct rv_lanes *lanes, uint64_t begin_ns);

/* No lane keeps calls: see rv_timeline_create_from(). Nor many notes. Before all else. */
void rv_lanes_leave_calls(struct rv_lanes *lanes);

/* Span of time covered by all lanes; false when nothing was seen. Takes each lane's lock in turn. */
bool rv_lanes_bounds(struct rv_lanes *lanes, uint64_t *first_ns, uint64_t *last_ns);

/* Is any of them summarized? Takes each lane's lock in turn. */
bool rv_lanes_have_sums(struct rv_lanes *lanes);

/* One more note, not before the last. The oldest are merged when there are notes_max. The lane's lock is held. */
void rv_lane_add_note(struct rv_lane *lane, const struct rv_lane_note *note);

/* Its thread has: nothing more comes, and nothing is open. The lane's lock is held. */
void rv_lane_end(struct rv_lane *lane);

/* The last note of this kind ends now if it has not. The lane's lock is held. */
void rv_lane_end_note(struct rv_lane *lane, enum rv_note_kind kind, uint64_t now_ns);

/* The sum of all timelines and notes. Any thread. */
size_t rv_lanes_bytes(const struct rv_lanes *lanes);

/* Keep the sum of all timelines and notes within n_bytes: of the largest lanes first, evict the oldest exact spans and
 * merge the oldest notes. Any one thread. */
void rv_lanes_limit_memory(struct rv_lanes *lanes, size_t n_bytes);

#endif
