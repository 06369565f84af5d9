/*
 * Common output of all importers: calls and returns of many threads, in time order per thread, become streams, tagged
 * events and batches.
 *
 * Each thread has a stack of open calls, from which events get their depth tags, and a small buffer. Buffers are
 * submitted when full, when all together hold RV_EVENT_BUILDER_BUFFERED events, and at the end. So memory only grows
 * with names, threads and open calls.
 */
#ifndef RV_IMPORT_EVENT_BUILDER_H
#define RV_IMPORT_EVENT_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/capture_filter.h"
#include "source/source.h"
#include "symbols/symbolizer.h"

#define RV_EVENT_BUILDER_BUFFERED (1u << 19)
#define RV_EVENT_BUILDER_THREADS 65536u
#define RV_EVENT_BUILDER_DEPTH (1u << 20) /* deeper calls are dropped */
#define RV_EVENT_BUILDER_NONE UINT32_MAX

struct rv_event_builder; /* opaque; one thread at a time */

/* The filter is borrowed, or NULL. */
struct rv_event_builder *rv_event_builder_create(struct rv_capture_filter *filter);
void rv_event_builder_destroy(struct rv_event_builder *builder);

/* ---- names, processes, threads ---- */

/* Intern the name of a subroutine, mark or value. Returns its id, never 0. Names are untrusted and escaped; strings
 * need no NUL. */
struct rv_event_builder_text {
    const char *bytes;
    size_t n;
};
uint32_t rv_event_builder_intern(struct rv_event_builder *builder, struct rv_event_builder_text package,
                                 struct rv_event_builder_text name, struct rv_event_builder_text file, uint32_t line);

/* The same of a statement, for a row beside that of its subroutine. */
uint32_t rv_event_builder_intern_statement(struct rv_event_builder *builder, struct rv_event_builder_text package,
                                           struct rv_event_builder_text name, struct rv_event_builder_text file,
                                           uint32_t line);

/* The name of an id. Valid until destroy. */
struct rv_event_builder_text rv_event_builder_name(struct rv_event_builder *builder, uint32_t id);

/* A process or thread by its number in the trace, created if new. Processes may be named until a stream opens,
 * threads at any time. NONE beyond RV_EVENT_BUILDER_THREADS. */
uint32_t rv_event_builder_process(struct rv_event_builder *builder, uint64_t pid);
uint32_t rv_event_builder_thread(struct rv_event_builder *builder, uint32_t process, uint64_t tid, uint32_t row);
/* An additional row of a thread, named by the thread's name and `word`. */
uint32_t rv_event_builder_row(struct rv_event_builder *builder, uint32_t thread, uint32_t row, const char *word);
uint32_t rv_event_builder_thread_process(const struct rv_event_builder *builder, uint32_t thread);
void rv_event_builder_name_process(struct rv_event_builder *builder, uint32_t process,
                                   struct rv_event_builder_text name);
/* The process's name so far; "" = none. Valid until it is named anew. */
const char *rv_event_builder_process_name(const struct rv_event_builder *builder, uint32_t process);
void rv_event_builder_name_thread(struct rv_event_builder *builder, uint32_t thread, struct rv_event_builder_text name);
/* What of the process is seen, and how; borrowed until destroy. Until a stream of it opens. */
void rv_event_builder_set_runtime(struct rv_event_builder *builder, uint32_t process, const char *runtime);
void rv_event_builder_set_parent(struct rv_event_builder *builder, uint32_t process, uint32_t parent_pid);

/* Move the thread to another process; ignored once its stream is open. */
void rv_event_builder_move_thread(struct rv_event_builder *builder, uint32_t thread, uint32_t process);

/* ---- events; times in ns, per thread never falling (those that do are raised) ---- */

/*
 * Times near 2^60 ns do not fit an event. So the first time seen determines the origin: 0 if times fit, else 2^58 ns
 * before it; then they are times of CLOCK_REALTIME. Call before the session starts.
 */
void rv_event_builder_see_time(struct rv_event_builder *builder, int64_t ns);
bool rv_event_builder_has_time(const struct rv_event_builder *builder);

/* Set the source's origin of times. */
void rv_event_builder_date(const struct rv_event_builder *builder, struct rv_source *source);

/* Events of a thread; the subroutine is rv_event_builder_intern()'s. */
void rv_event_builder_call(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t id);
void rv_event_builder_return(struct rv_event_builder *builder, uint32_t thread,
                             int64_t ns); /* return from the innermost open call, if any */
/* A return of a call that was not seen: makes no call. */
void rv_event_builder_return_alone(struct rv_event_builder *builder, uint32_t thread, int64_t ns);
/* Return from the call at this depth, from 0; calls open inside it are cut. */
void rv_event_builder_return_from(struct rv_event_builder *builder, uint32_t thread, int64_t ns, size_t depth);
/* The same, from the innermost open call of a subroutine. False: it is not among the innermost most_frames calls. */
bool rv_event_builder_return_of(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t id,
                                size_t most_frames);
void rv_event_builder_mark(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t id);
/* A step of a flow, of 60 bits of its id. */
void rv_event_builder_step(struct rv_event_builder *builder, uint32_t thread, int64_t ns, enum rv_step_kind kind,
                           uint64_t flow, uint32_t id);
void rv_event_builder_value(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t id, float value);
/* cpu: of a state that the kernel's scheduler tells. */
void rv_event_builder_state(struct rv_event_builder *builder, uint32_t thread, int64_t ns, enum rv_thread_state state,
                            uint16_t cpu);
void rv_event_builder_gc(struct rv_event_builder *builder, uint32_t thread, int64_t ns, bool is_start);
void rv_event_builder_lost(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t n);

/* Open calls, outermost first; valid until the next event of the thread. */
size_t rv_event_builder_depth(const struct rv_event_builder *builder, uint32_t thread);
const uint32_t *rv_event_builder_stack(const struct rv_event_builder *builder, uint32_t thread);

/*
 * Add a sample: the thread's open calls become ids[0 .. n), outermost first. The outer calls that are the same stay
 * open.
 */
void rv_event_builder_sample(struct rv_event_builder *builder, uint32_t thread, int64_t ns, const uint32_t *ids,
                             size_t n);

/*
 * The same for a sample that tells at which line each of its calls is, in the file of its subroutine; 0 = unknown. A
 * hit of the innermost line is a sample. A call whose caller is at another line than before is another call.
 */
void rv_event_builder_sample_lines(struct rv_event_builder *builder, uint32_t thread, int64_t ns, const uint32_t *ids,
                                   const uint32_t *lines, size_t n);

/* The last sample with lines came again: a hit of the innermost line, if that is known. */
void rv_event_builder_sample_again(struct rv_event_builder *builder, uint32_t thread, int64_t ns);

/* The same for a sample that leaves out its n_outer outermost calls: as many of the open ones stay. */
void rv_event_builder_sample_inner(struct rv_event_builder *builder, uint32_t thread, int64_t ns, size_t n_outer,
                                   const uint32_t *ids, size_t n);

/* End the thread: close its stream; a later event with its number opens a new one. */
void rv_event_builder_end_thread(struct rv_event_builder *builder, uint32_t thread, int64_t ns);

/* ---- output ---- */

/* Between begin and end, full buffers are submitted; outside events are only buffered. */
void rv_event_builder_begin(struct rv_event_builder *builder, const struct rv_intake *intake);
void rv_event_builder_end(struct rv_event_builder *builder);

/* Submit all buffered events, and define all names so far. Between begin and end. */
void rv_event_builder_flush(struct rv_event_builder *builder);

/* Flush, then close every stream at its last time. */
void rv_event_builder_close(struct rv_event_builder *builder);

/* Has it received no event at all, not even one that was filtered out? */
bool rv_event_builder_is_empty(const struct rv_event_builder *builder);

/* Count an event that the importer drops itself, because its thread is NONE. */
void rv_event_builder_leave_out(struct rv_event_builder *builder);

/* Number of events dropped at a limit. */
uint64_t rv_event_builder_n_left_out(const struct rv_event_builder *builder);

#endif
