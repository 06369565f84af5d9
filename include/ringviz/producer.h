/*
 * Trace a program with ringviz: about ten calls, opaque, usable from C and C++.
 *
 * Link with libringviz (pkg-config ringviz). Outside of ringviz every call is cheap and does nothing. Each thread gets
 * its ring at its first event. Every function here may be called from any thread and from signal handlers, keeps errno,
 * never allocates, locks, prints or fails visibly: what cannot be traced is counted in the trace file.
 *
 *     uint32_t parse = ringviz_intern("Parser", "parse", __FILE__, __LINE__);
 *     ringviz_enter(parse);
 *     ...
 *     ringviz_leave(parse);
 */
#ifndef RINGVIZ_PRODUCER_H
#define RINGVIZ_PRODUCER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Attach to a trace file. Not needed under `ringviz -- COMMAND`, which passes its file in RINGVIZ_FILE and is found at
 * the first event.
 *   path     NULL: RINGVIZ_FILE
 *   returns  0; -ENOENT when there is no file to attach to; -EBADMSG, -EPROTONOSUPPORT, -EACCES for a file that is not
 * ours
 */
int ringviz_open(const char *path);

/* End tracing in this process; open calls are closed at this time. Also done at exit. */
void ringviz_close(void);

bool ringviz_is_active(void);

/* The id of a subroutine; the same strings always give the same id. NULL for what is unknown. 0 when not traced or
 * full. */
uint32_t ringviz_intern(const char *package, const char *name, const char *file, uint32_t line);

/*
 * Calls and returns of interned subroutines. They nest on each other and on the calls of hooked functions: what is
 * still open when the hooked function around it returns, or a call around it, ends there.
 */
void ringviz_enter(uint32_t id);
void ringviz_leave(uint32_t id);

/* An instant, and a value to be graphed. */
void ringviz_mark(uint32_t id);
void ringviz_value(uint32_t id, float value);

void ringviz_thread_name(const char *name);
void ringviz_gc_begin(void);
void ringviz_gc_end(void);

/* The calls that follow run on another stack (fiber, coroutine, alternate signal stack). 0 is the thread's own. */
void ringviz_stack_switch(uint32_t stack);

/*
 * For language runtimes, which know the depth of each frame (0: the outermost) and whose calls and returns come from
 * different functions. A thread keeps either to these or to ringviz_enter() and ringviz_leave().
 *   line     the caller's
 *   returns  when it was called, for ringviz_replay()
 */
uint64_t ringviz_call(uint32_t id, uint32_t depth, uint32_t line);
void ringviz_return(uint32_t id, uint32_t depth);

/* A statement of the innermost frame begins. */
void ringviz_line(uint32_t line);

/*
 * Whenever a thread has got its ring, `replay` is called on it to report the frames that are open by then, outermost
 * first, by ringviz_replay(): those of a forked child's parent, or of a thread that found no free ring before. Frames
 * of other stacks come after a ringviz_stack_switch() to each, those of the current one last, after a switch back. One
 * function for the whole process. It must not call anything else of this header.
 *   called   as ringviz_call() returned it
 */
typedef void ringviz_replay_fn(void);
void ringviz_on_ring(ringviz_replay_fn *replay);
void ringviz_replay(uint32_t id, uint32_t depth, uint64_t called);

/*
 * For this process, before its first call: show each thread's stack and lines in its ring's slots, too, for monitors
 * (ringviz/monitor.h) that look without draining.
 */
void ringviz_keep_stacks(void);

/* The program's own number for the calling thread, as monitors are told it; 0 until then. */
void ringviz_thread_number(uint32_t number);

/* Does a monitor want the calling thread traced: is single, or its ring's trace or signal, set? True without a ring. */
bool ringviz_is_wanted(void);

#ifdef __cplusplus
}
#endif

#endif
