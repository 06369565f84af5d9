/*
 * Debugging of a live trace file's threads without blocking the caller: a worker thread talks to them and publishes its
 * knowledge as a report, which callers copy. Sending orders and copying reports return at once.
 *
 * Until the first order it only observes; then it becomes a monitor, so that threads stay stopped. Threads that it
 * stopped resume when it ends. For one thread of the application.
 */
#ifndef RV_DEBUGGER_SESSION_H
#define RV_DEBUGGER_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debugger/source_lines.h"
#include "ring/map.h"

struct rv_debug_session; /* opaque */

/* The map must outlive it. */
struct rv_debug_session *rv_debug_session_start(struct rv_map *map);

/* Takes at most 50 ms, whatever the threads do. NULL-safe. */
void rv_debug_session_stop(struct rv_debug_session *debug_session);

struct rv_debug_session_who { /* a thread; zero = none */
    uint32_t pid, tid;
};

/* Choose the thread of the report. Pending orders for another thread are dropped. */
void rv_debug_session_choose(struct rv_debug_session *debug_session, struct rv_debug_session_who who);

/* Select the frame whose source lines the report has, by its index there (0: innermost); 0 again when the thread
 * stops. */
void rv_debug_session_look_at(struct rv_debug_session *debug_session, uint32_t frame);

enum rv_debug_session_order_kind {
    RV_DEBUG_SESSION_STOP,
    RV_DEBUG_SESSION_STEP,
    RV_DEBUG_SESSION_NEXT,
    RV_DEBUG_SESSION_FINISH,
    RV_DEBUG_SESSION_RUN,
    RV_DEBUG_SESSION_EVAL,    /* text: an expression, in the selected frame */
    RV_DEBUG_SESSION_WATCH,   /* text: an expression */
    RV_DEBUG_SESSION_UNWATCH, /* idx: of the watch */
    RV_DEBUG_SESSION_BREAK,   /* text: SUB, FILE:LINE or LINE, may end in if EXPR; LINE: in that frame's file */
    RV_DEBUG_SESSION_UNBREAK  /* idx: the breakpoint's number */
};

#define RV_DEBUG_SESSION_TEXT_BYTES 256u

struct rv_debug_session_order {
    enum rv_debug_session_order_kind kind;
    uint32_t idx;
    char text[RV_DEBUG_SESSION_TEXT_BYTES];
};

/* Queue an order for the chosen thread. False when the queue is full, or no thread is chosen. */
bool rv_debug_session_order(struct rv_debug_session *debug_session, const struct rv_debug_session_order *order);

#define RV_DEBUG_SESSION_NAME_BYTES 1024u

/* Have calls of the subroutine of this full name traced from now on, or not any more: whatever thread is chosen. False
 * when too much is pending, or the name is too long. */
bool rv_debug_session_trace(struct rv_debug_session *debug_session, const char *name, bool is_traced);

enum rv_debug_session_state {
    RV_DEBUG_SESSION_NOBODY,    /* no thread is chosen */
    RV_DEBUG_SESSION_UNKNOWN,   /* not queried yet */
    RV_DEBUG_SESSION_GONE,      /* it has ended, or has no ring */
    RV_DEBUG_SESSION_UNSTEERED, /* its producer answers no commands */
    RV_DEBUG_SESSION_RUNNING,
    RV_DEBUG_SESSION_STEPPING, /* running to its next stop */
    RV_DEBUG_SESSION_STOPPED
};

#define RV_DEBUG_SESSION_FRAMES 48u
#define RV_DEBUG_SESSION_BREAKS 12u
#define RV_DEBUG_SESSION_WATCHES RV_WIRE_WATCHES
#define RV_DEBUG_SESSION_STOPPED_MAX 128u

#define RV_DEBUG_SESSION_UNNUMBERED UINT32_MAX

struct rv_debug_session_frame {
    uint32_t number; /* as the thread counts its own; UNNUMBERED: a call of another language, without variables */
    char call[160];  /* with arguments, if known */
    char file[256];  /* "" = unknown */
    uint32_t line;
};

struct rv_debug_session_watch {
    char expression[RV_DEBUG_SESSION_TEXT_BYTES], value[512];
    bool is_used, has_value, is_error;
};

struct rv_debug_session_break {
    uint32_t number;
    char where[RV_DEBUG_SESSION_TEXT_BYTES];
};

struct rv_debug_session_report { /* texts are escaped UTF-8 */
    uint64_t version;            /* changes with the content */
    struct rv_debug_session_who stopped[RV_DEBUG_SESSION_STOPPED_MAX];
    uint32_t n_stopped, n_named;        /* number of stopped threads, and of those in the list */
    struct rv_debug_session_who chosen; /* the following is about this thread */
    enum rv_debug_session_state state;
    uint32_t ring, n_stops;
    bool is_stale;     /* it has moved: stack, watches and breakpoints are outdated */
    bool is_silent;    /* it did not answer: its stack is outdated or empty */
    bool is_asked;     /* an order is pending */
    uint32_t n_orders; /* orders finished so far, successful or not */
    struct rv_debug_session_frame frames[RV_DEBUG_SESSION_FRAMES]; /* innermost first */
    uint32_t n_frames;
    bool has_more_frames;
    uint32_t frame; /* the selected frame, with the lines around it */
    struct rv_source_lines listing;
    struct rv_debug_session_watch watches[RV_DEBUG_SESSION_WATCHES];
    struct rv_debug_session_break breaks[RV_DEBUG_SESSION_BREAKS];
    uint32_t n_breaks;
    char expression[RV_DEBUG_SESSION_TEXT_BYTES]; /* evaluated last; "" = none */
    char value[2048];
    bool is_value_error;
    bool has_other_monitor; /* of the same file */
    char reason[256];       /* reason of the last stop if it is more than a place, one per line; "" = none */
    char why[256];          /* why the last order failed; "" = it did not */
    char traced[256];       /* what became of the last rv_debug_session_trace(); "" = there was none */
};

/* Copy the report to out if it has changed. Returns whether it has. */
bool rv_debug_session_report(struct rv_debug_session *debug_session, struct rv_debug_session_report *out);

#endif
