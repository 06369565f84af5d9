/*
 * The near end of every importer: calls and returns of many threads, in time order per thread, become streams, tagged
 * events and batches.
 *
 * Each thread has a stack of its open calls here, which gives its events their depth tags, and a small buffer; buffers
 * go out when they are full, when all of them together hold RV_EVENT_BUILDER_BUFFERED events, and at the end. So memory does
 * not grow with what is read, but for names, threads and open calls.
 */
#ifndef RV_IMPORT_EVENT_BUILDER_H
#define RV_IMPORT_EVENT_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/capture_filter.h"
#include "source/source.h"
#include "symbols/catalog.h"

#define RV_EVENT_BUILDER_BUFFERED (1u << 19)
#define RV_EVENT_BUILDER_THREADS 65536u
#define RV_EVENT_BUILDER_DEPTH (1u << 20) /* calls deeper than this are left out */
#define RV_EVENT_BUILDER_NONE UINT32_MAX

struct rv_event_builder; /* opaque; one thread at a time */

/* The filter is borrowed, or NULL. */
struct rv_event_builder *rv_event_builder_create(struct rv_capture_filter *filter);
void rv_event_builder_destroy(struct rv_event_builder *builder);

/* ---- what there is ---- */

/* The id of a subroutine, a mark or a value, never 0. Text is input: what cannot be shown is escaped. Strings need not
 * be terminated. */
struct rv_event_builder_text {
    const char *bytes;
    size_t n;
};
uint32_t rv_event_builder_intern(struct rv_event_builder *builder, struct rv_event_builder_text package,
                                 struct rv_event_builder_text name, struct rv_event_builder_text file, uint32_t line);

/* What an id was interned as: its name. Valid until destroy. */
struct rv_event_builder_text rv_event_builder_name(struct rv_event_builder *builder, uint32_t id);

/* A process or thread by the number that the trace gives it, at first sight made. Their names may come at any time
 * before the stream opens; a thread's later too. NONE where there are RV_EVENT_BUILDER_THREADS already. */
uint32_t rv_event_builder_process(struct rv_event_builder *builder, uint64_t pid);
uint32_t rv_event_builder_thread(struct rv_event_builder *builder, uint32_t process, uint64_t tid, uint32_t row);
/* Another row of a thread, with the thread's name and a word after it. */
uint32_t rv_event_builder_row(struct rv_event_builder *builder, uint32_t thread, uint32_t row, const char *word);
uint32_t rv_event_builder_thread_process(const struct rv_event_builder *builder, uint32_t thread);
void rv_event_builder_name_process(struct rv_event_builder *builder, uint32_t process,
                                   struct rv_event_builder_text name);
void rv_event_builder_name_thread(struct rv_event_builder *builder, uint32_t thread, struct rv_event_builder_text name);
void rv_event_builder_set_parent(struct rv_event_builder *builder, uint32_t process, uint32_t parent_pid);

/* The thread turned out to be of another process: heeded while its stream has not been opened. */
void rv_event_builder_move_thread(struct rv_event_builder *builder, uint32_t thread, uint32_t process);

/* ---- what happens; times in ns, per thread never falling (those that do are raised) ---- */

/*
 * Times near 2^60 ns do not fit an event. The first one seen decides what all are counted from: 0 where that fits,
 * else 2^58 ns before it, and then they are those of CLOCK_REALTIME. Before the session starts.
 */
void rv_event_builder_see_time(struct rv_event_builder *builder, int64_t ns);
bool rv_event_builder_has_time(const struct rv_event_builder *builder);

/* Say of the source what its times count from. */
void rv_event_builder_date(const struct rv_event_builder *builder, struct rv_source *source);

void rv_event_builder_call(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t id);
void rv_event_builder_return(struct rv_event_builder *builder, uint32_t thread,
                             int64_t ns); /* of the innermost open call, if any */
/* Of a call that was not seen: an event like others, of which no call is made. */
void rv_event_builder_return_alone(struct rv_event_builder *builder, uint32_t thread, int64_t ns);
/* Of the call at this depth, from 0; what is open inside of it is cut. */
void rv_event_builder_return_from(struct rv_event_builder *builder, uint32_t thread, int64_t ns, size_t depth);
void rv_event_builder_mark(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t id);
void rv_event_builder_value(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t id, float value);
void rv_event_builder_state(struct rv_event_builder *builder, uint32_t thread, int64_t ns, enum rv_thread_state state);
void rv_event_builder_gc(struct rv_event_builder *builder, uint32_t thread, int64_t ns, bool is_start);
void rv_event_builder_lost(struct rv_event_builder *builder, uint32_t thread, int64_t ns, uint32_t n);

/* Open calls, outermost first; valid until the next event of the thread. */
size_t rv_event_builder_depth(const struct rv_event_builder *builder, uint32_t thread);
const uint32_t *rv_event_builder_stack(const struct rv_event_builder *builder, uint32_t thread);

/*
 * A sample: the thread's open calls are ids[0 .. n) from now on, outermost first. What they have in common with what is
 * open goes on.
 */
void rv_event_builder_sample(struct rv_event_builder *builder, uint32_t thread, int64_t ns, const uint32_t *ids,
                             size_t n);

/* The thread has ended: its stream closes, and a later event of the same number opens a new one. */
void rv_event_builder_end_thread(struct rv_event_builder *builder, uint32_t thread, int64_t ns);

/* ---- out ---- */

/* Between begin and end, events may go out by themselves; outside they are kept. */
void rv_event_builder_begin(struct rv_event_builder *builder, const struct rv_intake *intake);
void rv_event_builder_end(struct rv_event_builder *builder);

/* Everything out that is kept, and the definitions of all names so far. Between begin and end. */
void rv_event_builder_flush(struct rv_event_builder *builder);

/* Flush, then close every stream at its last time. */
void rv_event_builder_close(struct rv_event_builder *builder);

/* Has it been given nothing at all? What a filter leaves out was given. */
bool rv_event_builder_is_empty(const struct rv_event_builder *builder);

/* An event that the importer drops itself, its thread being NONE. */
void rv_event_builder_leave_out(struct rv_event_builder *builder);

/* Events that had no room, for the importer's last word. */
uint64_t rv_event_builder_n_left_out(const struct rv_event_builder *builder);

#endif
