/*
 * Lanes: one per stack of a thread, in stable slots, with all data drawn for it.
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

#include "model/arguments.h"
#include "model/box.h"
#include "model/disk_vec.h"
#include "model/made_objects.h"
#include "model/notes.h"
#include "model/state_times.h"
#include "model/timeline.h"
#include "ringviz/wire.h"

#define RV_LANE_NAME_BYTES 64
#define RV_LANE_NOTES_MAX 65536u
#define RV_LANE_NOTES_LEFT 256u /* kept notes per lane where no calls are kept */

struct rv_lane_frame { /* an open call */
    uint64_t start_ns;
    uint32_t id;
    uint32_t depth;
};

/* As a box that ends at end_ns. */
struct rv_box rv_lane_frame_box(const struct rv_lane_frame *frame, uint64_t end_ns);

struct rv_lane {
    pthread_rwlock_t
        lock; /* covers everything below but the identity; ranges and views are read by several at a time */
    /* identity: set at creation */
    uint32_t idx; /* slot */
    uint32_t pid, parent_pid, tid, stack;
    uint32_t thread; /* number of the thread in order of appearance; shared by its stacks */
    uint64_t process_key;
    struct rv_wire_instrumentation instrumentation; /* of its process, as its thread began */
    /* content */
    char name[RV_LANE_NAME_BYTES]; /* thread name, or "PROCESS TID"; of further stacks, with "/STACK" */
    char process_name[RV_LANE_NAME_BYTES];
    struct rv_timeline *timeline;
    struct rv_lane_frame *open; /* outermost first */
    size_t n_open, open_capacity;
    struct rv_lane_note *notes; /* sorted by start; appended by rv_lane_add_note() */
    size_t n_notes, notes_capacity;
    size_t until_last[RV_NOTE_KIND_COUNT]; /* number of notes up to the last of each kind; 0: there is none */
    struct rv_disk_vec notes_disk;         /* where they are, if they are kept without a limit */
    uint32_t notes_max;
    struct rv_argument_texts texts; /* of its calls */
    uint64_t last_ns;               /* until then calls are known: of the latest event, if frames are open, which are
                                       drawn up to it; else the end of the last call */
    uint64_t n_events;
    struct rv_state_times times;
    uint64_t full_ring_ns;    /* in which its thread waited for room in its ring */
    uint64_t n_switches_lost; /* lost changes of thread states, by the lane's events: the kernel had no room for them */
    struct rv_state_times_sums stretches; /* times off the CPU; only with keeps_stretches */
    bool keeps_stretches;
    struct rv_made_objects made; /* only with keeps_objects */
    bool keeps_objects;
    uint32_t max_depth; /* greatest number of frames open at once */
    uint32_t last_line; /* of the latest reported statement; 0: none */
    bool has_ended;
};

struct rv_lanes; /* the table */

struct rv_lanes *rv_lanes_create(void);
void rv_lanes_destroy(struct rv_lanes *lanes);

struct rv_lane_identity {
    uint32_t pid, parent_pid, tid, stack, thread;
    uint64_t process_key;
    const char *name, *process_name;
    struct rv_wire_instrumentation instrumentation;
};

/* Append a lane. Any thread. The pointer is valid until destroy. */
struct rv_lane *rv_lanes_add(struct rv_lanes *lanes, const struct rv_lane_identity *identity);
size_t rv_lanes_n(const struct rv_lanes *lanes);
struct rv_lane *rv_lanes_get(const struct rv_lanes *lanes, size_t idx); /* any thread */

/*
 * Order of lanes by thread, then by stack number. Slots depend on the timing of workers and differ between runs, this
 * order does not.
 */
int rv_lane_compare(const struct rv_lane *a, const struct rv_lane *b);

/* All n lanes in that order. Any thread; the caller frees the array. */
struct rv_lane **rv_lanes_take_by_thread(const struct rv_lanes *lanes, size_t *n);

/* The last lane of each process, by rising process_key. Any thread; the caller frees the array. */
struct rv_lane **rv_lanes_take_by_process(const struct rv_lanes *lanes, size_t *n);

/* Set the begin of the capture; calls open at that time began before. 0: the first call. Call before any other. */
void rv_lanes_set_begin(struct rv_lanes *lanes, uint64_t begin_ns);

/* Let lanes keep no calls (see rv_timeline_create_from()) and few notes. Call before any other. */
void rv_lanes_leave_calls(struct rv_lanes *lanes);

/* Let lanes keep each stretch in which their threads did not run, for exact times of single calls: many are on disk.
 * Call before any other. */
void rv_lanes_keep_stretches(struct rv_lanes *lanes);

/* Let lanes keep each note, without a limit: many are on disk. Call before any other. */
void rv_lanes_keep_notes(struct rv_lanes *lanes);

/* Does any lane have such stretches by the kernel? For lanes that nothing is added to any more. */
bool rv_lanes_have_stretches(const struct rv_lanes *lanes);

/* Let lanes keep how many objects were made when, 16 bytes each time. Call before any other. */
void rv_lanes_keep_objects(struct rv_lanes *lanes);

/*
 * Add a stretch off the CPU that ends now, or objects made until now. The lane's lock is held. Inline: there
 * are tens of thousands a second, and a struct is not copied before the stores of its fields, and all stores before
 * those, have reached the cache.
 */
static inline void rv_lane_add_stretch(struct rv_lane *lane, uint64_t now_ns, const struct rv_state_times *times)
{
    rv_state_times_add(&lane->times, times);
    if (lane->keeps_stretches)
        rv_state_times_sums_add(&lane->stretches, now_ns, times);
    if (lane->keeps_objects && times->n_objects)
        rv_made_objects_add(&lane->made, now_ns, times->n_objects);
}

/* Count the last n_ns of the stretch that ended at end_ns as runnable instead of blocked. The lane's lock is held. */
void rv_lane_split_stretch(struct rv_lane *lane, uint64_t end_ns, uint64_t n_ns);

/* Declare that evicted spans can be read back later: see rv_timeline_back_from(). Call before any other. */
void rv_lanes_back(struct rv_lanes *lanes);

struct rv_outside_thread { /* a thread outside of what is traced, which has woken threads */
    uint32_t tid;
    char name[RV_LANE_NAME_BYTES];
};

/* Name such a thread; a later name of a tid replaces an earlier one. Any thread, as the next two. */
void rv_lanes_name_outside(struct rv_lanes *lanes, uint32_t tid, const char *name);

/* All of them, for the caller to free; NULL: none. */
struct rv_outside_thread *rv_lanes_take_outside(struct rv_lanes *lanes, size_t *n);

/*
 * Find the name of a waker that has no lane, given as waits have it: "interrupt", or "postgres", or "postgres 1234"
 * where the number is wanted. False: it has none.
 */
bool rv_lanes_outside_name(const struct rv_lanes *lanes, uint32_t waker, bool is_number_wanted,
                           char name[RV_LANE_NAME_BYTES]);

/* The lane of a thread's stack, or NULL; of several the last one. Any thread. */
struct rv_lane *rv_lanes_find(struct rv_lanes *lanes, uint32_t thread, uint32_t stack);

/* Of a capture that goes on: the lanes have all events up to this time. Any thread. */
void rv_lanes_know_until(struct rv_lanes *lanes, uint64_t ns);

/* Span of time covered by all lanes; false when nothing was seen. Takes each lane's lock in turn. */
bool rv_lanes_bounds(struct rv_lanes *lanes, uint64_t *first_ns, uint64_t *last_ns);

/* Time of the newest event of all lanes, or until when events are known while a call is open; 0: there is none. Takes
 * each lane's lock in turn. */
uint64_t rv_lanes_newest_ns(const struct rv_lanes *lanes);

/* rv_lanes_bounds() of one lane. */
bool rv_lane_bounds(struct rv_lane *lane, uint64_t *first_ns, uint64_t *last_ns);

/* Does any lane lack calls that blocks have? Takes each lane's lock in turn. */
bool rv_lanes_have_sums(struct rv_lanes *lanes);

/* Until when anything is known of it; and until when its open calls last, where the newest event of all lanes is at
 * newest_ns. The lane's lock is held. */
uint64_t rv_lane_known_ns(const struct rv_lane *lane);
uint64_t rv_lane_open_end_ns(const struct rv_lane *lane, uint64_t newest_ns);

/* Name it anew, after its thread. Takes the lane's lock. */
void rv_lanes_rename(struct rv_lanes *lanes, struct rv_lane *lane, const char *thread_name);

/* How often that was done. Any thread. */
uint64_t rv_lanes_n_renamed(const struct rv_lanes *lanes);

/* Copy its name. Takes the lane's lock. */
void rv_lane_copy_name(struct rv_lane *lane, char name[RV_LANE_NAME_BYTES]);

/* Copy its thread's name, which is without a stack's number. The lane's lock is held. */
void rv_lane_copy_thread_name(const struct rv_lane *lane, char name[RV_LANE_NAME_BYTES]);

/* Its name and its thread's number, which tells it from threads of the same name, unless that is in the name: "worker
 * 3769". The second takes the lane's lock. */
void rv_lane_label(const char *name, uint32_t tid, char *label, size_t label_bytes);
void rv_lane_copy_label(struct rv_lane *lane, char label[RV_LANE_NAME_BYTES]);

/* Append a note, which does not begin before the last. The oldest are merged when there are notes_max. The lane's lock
 * is held. */
void rv_lane_add_note(struct rv_lane *lane, const struct rv_lane_note *note);

#define RV_LANE_REST_EVERY (1u << 16) /* notes or spans of a lane that are read between two rests */

/* Those of its notes and stretches that are on disk leave memory, until they are used again. Of a lane that is added
 * to: its lock is held. */
void rv_lane_rest(const struct rv_lane *lane);

/* An open call as a box that ends at the lane's last event. The lane's lock is held. */
struct rv_box rv_lane_open_box(const struct rv_lane *lane, size_t idx);

/* The lane's thread has ended: no frame is open, nothing is added any more. The lane's lock is held. */
void rv_lane_end(struct rv_lane *lane);

/* Has it? Any thread. */
bool rv_lane_has_ended(struct rv_lane *lane);

/* End the last note of this kind if it has not ended. The lane's lock is held. */
void rv_lane_end_note(struct rv_lane *lane, enum rv_note_kind kind, uint64_t now_ns);

/* Since when the thread was off the CPU, RV_NOTE_BLOCKED or PREEMPTED, until from_ns or later; end_ns, the end of all
 * that is known of it: it was not. Any thread. */
uint64_t rv_lane_off_cpu_since(struct rv_lane *lane, enum rv_note_kind kind, uint64_t from_ns, uint64_t end_ns);

/*
 * Let the last note of this kind end at a time inside of it, where one of another kind begins that lasts as long as it
 * did. False, with nothing changed: there is none, or it was merged with others. The lane's lock is held.
 */
bool rv_lane_split_note(struct rv_lane *lane, enum rv_note_kind kind, uint64_t at_ns, enum rv_note_kind rest);

/* Memory of all timelines and notes. Any thread. */
size_t rv_lanes_bytes(const struct rv_lanes *lanes);

/* Limit the memory of all timelines and notes to n_bytes: in the largest lanes first, evict the oldest exact spans and
 * merge the oldest notes. Any one thread. */
void rv_lanes_limit_memory(struct rv_lanes *lanes, size_t n_bytes);

#endif
