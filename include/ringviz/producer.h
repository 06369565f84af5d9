/*
 * Trace a program with ringviz: about ten calls, opaque, usable from C and C++.
 *
 * Link with libringviz (pkg-config ringviz). When the program is not run by ringviz, every call is cheap and does
 * nothing. Each thread gets its ring at its first event. Every function here may be called from any thread and from
 * signal handlers, keeps errno, never allocates, locks, prints or fails visibly: events that cannot be traced are
 * counted in the trace file.
 *
 *     uint32_t parse = ringviz_intern("Parser", "parse", __FILE__, __LINE__); ringviz_enter(parse); ...
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
 * Attach to a trace file. Not needed under `ringviz -- COMMAND`, which passes its file in RINGVIZ_FILE, opened at the
 * first event.
 *   path     NULL: RINGVIZ_FILE
 *   returns  0; -ENOENT when there is no file to attach to; -EBADMSG, -EPROTONOSUPPORT, -EACCES for an invalid or
 *            foreign
 * file
 */
int ringviz_open(const char *path);

/* End tracing in this process; open calls are closed at this time. Also done at exit. */
void ringviz_close(void);

/* Are events of this process written to a trace file? Opens it first, as ringviz_open(NULL), unless it was closed. */
bool ringviz_is_active(void);

/* Will no monitor (ringviz/monitor.h) open that file? Then no thread has to be there to look for requests of one. */
bool ringviz_is_private(void);

/*
 * The id of a subroutine; equal strings give the same id. NULL = unknown. Returns 0 when not traced or when the name
 * table is full. It is shown as "package::name". Lines below 16,777,216 are known.
 */
uint32_t ringviz_intern(const char *package, const char *name, const char *file, uint32_t line);

/* The same of a name with a form: how it is shown and what it is, or'ed. */
enum ringviz_name_form {
    RINGVIZ_NAME_HASH = 1, /* "package#name" */
    RINGVIZ_NAME_DOT = 2,  /* "package.name" */
    RINGVIZ_NAME_BLOCK =
        4,              /* the package stands after the first " in ": "block in name" of Set is "block in Set#name" */
    RINGVIZ_NAME_C = 8, /* written in C, called by a program in another language */
    RINGVIZ_NAME_LIBRARY = 16, /* not the program's own */
    RINGVIZ_NAME_STATE = 32    /* no subroutine: what a thread does, such as waiting; coloured by the package */
};
uint32_t ringviz_intern_form(const char *package, const char *name, const char *file, uint32_t line, uint32_t form);

/*
 * Call and return of interned subroutines. They nest with each other and with hooked functions: calls still open when
 * an enclosing call or hooked function returns end there.
 */
void ringviz_enter(uint32_t id);
void ringviz_leave(uint32_t id);

/* A mark (an instant), and a value to draw as a graph. */
void ringviz_mark(uint32_t id);
void ringviz_value(uint32_t id, float value);

/*
 * A flow: what leads from call to call, across threads and processes of a host, such as a request or a message. The
 * same id and name in each of its steps, each told by the call that is its next place. An id may be used again after
 * its end. Of ids, here and below, 60 bits count.
 */
enum ringviz_flow_phase { RINGVIZ_FLOW_BEGIN, RINGVIZ_FLOW_STEP, RINGVIZ_FLOW_END };
void ringviz_flow(uint64_t id, uint32_t name, enum ringviz_flow_phase phase);

/*
 * A task: what threads of a process work for in turns, such as a request of a server or a coroutine. What the calling
 * thread calls from now on is the task's: of a new one, of one that has begun (0: of none), or of none if it was this
 * one that ended. Ids as of flows, of the process.
 */
void ringviz_task_begin(uint64_t id, uint32_t name);
void ringviz_task_switch(uint64_t id);
void ringviz_task_end(uint64_t id);

/* Name an object that threads wait for, such as a lock in memory that was allocated, as reports and the viewer show its
 * waits from now on; copied. A variable has a name without. NULL takes the name away: before the memory is used
 * otherwise. Of one process, some thousands. */
void ringviz_name_object(const void *object, const char *name);

/* What this process is traced by, for reports, recordings and the list of threads: "Python 3.11: functions". 63 bytes
 * at most; before the process's first event. */
void ringviz_runtime(const char *text);

/* Name the calling thread, as the viewer shows it; copied. */
void ringviz_thread_name(const char *name);

/* The system's name (prctl(2), PR_SET_NAME) of threads and children that a producer begins for itself in a traced
 * process: reports do not list them among the program's. */
#define RINGVIZ_OWN_NAME "ringviz set-up"

/* The calling thread's calls end here, on its stack 0: its ring is given back, and what it calls next is another
 * thread's. For runtimes that run one thread of theirs after another on a native thread. */
void ringviz_thread_end(void);

/*
 * Threads of a runtime that change native threads: each has a ring, stacks and a name of its own, whichever native
 * thread runs it.
 *   attach   makes one; NULL without memory
 *   use      what the calling native thread writes from now on is that thread's; NULL: its own. Returns whose it was.
 *            One native thread at a time uses it, and none that ends
 *   detach   it ends: its open calls do, and its ring is given back. Used by the calling thread or by none
 */
struct ringviz_thread;
struct ringviz_thread *ringviz_thread_attach(void);
struct ringviz_thread *ringviz_thread_use(struct ringviz_thread *thread);
void ringviz_thread_detach(struct ringviz_thread *thread);

/* What the calling thread does from now on, where threads take turns by a lock of their runtime, such as Ruby's GVL. */
enum ringviz_thread_state {
    RINGVIZ_STARTED,
    RINGVIZ_READY,     /* waits for the lock */
    RINGVIZ_SUSPENDED, /* goes on without it, or sleeps */
    RINGVIZ_RESUMED,   /* has it */
    RINGVIZ_EXITED
};
void ringviz_thread_state(enum ringviz_thread_state state);

/*
 * The same from an earlier time on, after the thread's last event: what another thread has done to it meanwhile, as one
 * that wakes it. It is written by the thread itself, once it runs again.
 *   ticks    what ringviz_ticks() was then; 0: not known, and nothing is written
 */
void ringviz_thread_state_since(enum ringviz_thread_state state, uint64_t ticks);

/* The innermost call of the calling thread has made n objects since the last call of this function: columns of
 * reports. */
void ringviz_objects(uint32_t n);

/* Now, by the trace file's clock; 0 without one. */
uint64_t ringviz_ticks(void);

/*
 * For runtimes that do not tell when their threads take turns. `watch` is called by each thread that is about to wait
 * for a condition with that mutex, or to release it, which is locked then; it must neither lock nor wait.
 *   mutex    a pthread_mutex_t; NULL: any
 *   watch    NULL: none any more; a thread may still be in it
 *   returns  false: mutexes are not seen, since ringviz has not started the process
 */
typedef void ringviz_mutex_fn(const void *mutex, bool is_waiting);
bool ringviz_watch_mutex(const void *mutex, ringviz_mutex_fn *watch);

void ringviz_gc_begin(void);
void ringviz_gc_end(void);

/* Later calls of this thread run on another stack (fiber, coroutine, alternate signal stack). 0 is the thread's own.
 * Stacks of makecontext() are seen without it, unless the process has called it. */
void ringviz_stack_switch(uint32_t stack);

/*
 * For language runtimes, which know the depth of each frame (0: the outermost), and call and return from different
 * functions. They nest with hooked and patched functions that the runtime calls, and that call it. A thread uses either
 * these or ringviz_enter() and ringviz_leave().
 *   line     line of the caller
 *   returns  time of the call, for ringviz_replay()
 */
uint64_t ringviz_call(uint32_t id, uint32_t depth, uint32_t line);
void ringviz_return(uint32_t id, uint32_t depth);

/* The return of a call that has done less than it takes to read a clock, as an addition: if the thread has written
 * nothing since, it is written without another read, at the time of the call, which `ringviz_call()` returned. */
void ringviz_return_at_once(uint32_t id, uint32_t depth, uint64_t called);

/* A statement of the innermost frame begins, in the file of its ringviz_intern(). */
void ringviz_line(uint32_t line);

/* The same of a statement in another file, or outside of all frames. */
void ringviz_line_in(const char *file, uint32_t line);

/*
 * When a thread gets its ring late, `replay` is called to report the frames open by then, outermost first, with
 * ringviz_replay(): in a forked child, or in a thread that found no free ring before. Frames of other stacks come after
 * a ringviz_stack_switch() to each; those of the current stack come last, after a switch back. One function per
 * process; it must call nothing else of this header.
 *   called   the value returned by ringviz_call()
 */
typedef void ringviz_replay_fn(void);
void ringviz_on_ring(ringviz_replay_fn *replay);
void ringviz_replay(uint32_t id, uint32_t depth, uint64_t called);

/*
 * Before the process's first call: also mirror each thread's stack and lines in its ring's slots, for monitors
 * (ringviz/monitor.h) that observe without draining.
 */
void ringviz_keep_stacks(void);

/* Set the program's own number of the calling thread, shown to monitors; 0 by default. */
void ringviz_thread_number(uint32_t number);

/* Has a monitor set `single`, or the calling thread's `trace` or `signal`? True without a ring. */
bool ringviz_is_wanted(void);

#ifdef __cplusplus
}
#endif

#endif
