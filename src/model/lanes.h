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

#include "model/timeline.h"

#define RV_LANE_NAME_BYTES 64

struct rv_lane_frame { /* an open call */
    uint64_t start_ns;
    uint32_t id;
    uint32_t depth;
};

enum rv_note_kind { RV_NOTE_GC, RV_NOTE_LOST, RV_NOTE_MARK, RV_NOTE_VALUE, RV_NOTE_STATE, RV_NOTE_KIND_COUNT };

struct rv_lane_note {          /* something beside the calls */
    uint64_t start_ns, end_ns; /* equal for an instant; GC still open: end_ns = UINT64_MAX */
    uint32_t kind;             /* enum rv_note_kind */
    uint32_t id;               /* LOST: how many; MARK, VALUE: name; STATE: enum rv_thread_state */
    float value;
};

struct rv_lane {
    pthread_mutex_t lock; /* covers everything below but the identity */
    /* identity: set at creation */
    uint32_t idx; /* slot */
    uint32_t pid, parent_pid, tid, stack;
    uint64_t process_key;
    /* content */
    char name[RV_LANE_NAME_BYTES]; /* thread name, or "PROCESS TID" */
    char process_name[RV_LANE_NAME_BYTES];
    struct rv_timeline *timeline;
    struct rv_lane_frame *open; /* outermost first */
    size_t n_open, open_capacity;
    struct rv_lane_note *notes; /* rising start */
    size_t n_notes, notes_capacity;
    uint64_t last_ns; /* time of the latest event: open frames reach to it */
    uint64_t n_events, n_lost;
    uint32_t max_depth; /* greatest number of frames open at once */
    bool has_ended;
};

struct rv_lanes; /* the table */

struct rv_lanes *rv_lanes_create(void);
void rv_lanes_destroy(struct rv_lanes *lanes);

struct rv_lane_identity {
    uint32_t pid, parent_pid, tid, stack;
    uint64_t process_key;
    const char *name, *process_name;
};

/* Append a lane. Any thread. The pointer is valid until destroy. */
struct rv_lane *rv_lanes_add(struct rv_lanes *lanes, const struct rv_lane_identity *identity);
size_t rv_lanes_n(const struct rv_lanes *lanes);
struct rv_lane *rv_lanes_get(const struct rv_lanes *lanes, size_t idx); /* any thread */

/* Span of time covered by all lanes; false when nothing was seen. Takes each lane's lock in turn. */
bool rv_lanes_bounds(struct rv_lanes *lanes, uint64_t *first_ns, uint64_t *last_ns);

/* Keep the sum of all timelines within n_bytes: evict oldest exact spans of the largest first. Any one thread. */
void rv_lanes_limit_memory(struct rv_lanes *lanes, size_t n_bytes);

#endif
