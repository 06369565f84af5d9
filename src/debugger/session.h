/*
 * Threads of a live trace file, steered by somebody who must not wait: a thread of its own asks them, and what is known
 * of them is a report that is copied out. Who asks sends orders and looks at reports; both return at once.
 *
 * As long as no order was given it only looks: it becomes a monitor, for which threads stay stopped, with the first.
 * Those that it stopped go on when it ends. One thread of the application.
 */
#ifndef RV_DEBUGGER_SESSION_H
#define RV_DEBUGGER_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debugger/source_lines.h"
#include "ring/map.h"

struct rv_debug_session; /* opaque */

/* The map outlives it. */
struct rv_debug_session *rv_debug_session_start(struct rv_map *map);

/* Not longer than 50 ms, whatever the threads do. NULL is fine. */
void rv_debug_session_stop(struct rv_debug_session *debug_session);

struct rv_debug_session_who { /* a thread; zero = none */
    uint32_t pid, tid;
};

/* Whom the report is about. What was ordered of another and is not done is dropped. */
void rv_debug_session_choose(struct rv_debug_session *debug_session, struct rv_debug_session_who who);

/* Which frame's lines the report has: from the innermost, 0, on; the innermost's again when its thread has stopped. */
void rv_debug_session_look_at(struct rv_debug_session *debug_session, uint32_t frame);

enum rv_debug_session_order_kind {
    RV_DEBUG_SESSION_STOP,
    RV_DEBUG_SESSION_STEP,
    RV_DEBUG_SESSION_NEXT,
    RV_DEBUG_SESSION_FINISH,
    RV_DEBUG_SESSION_RUN,
    RV_DEBUG_SESSION_EVAL,    /* text: an expression, of the frame that is looked at */
    RV_DEBUG_SESSION_WATCH,   /* text: an expression */
    RV_DEBUG_SESSION_UNWATCH, /* idx: of the watch */
    RV_DEBUG_SESSION_BREAK, /* text: SUB, FILE:LINE or LINE, and if EXPR behind it; a line alone is of that frame's file */
    RV_DEBUG_SESSION_UNBREAK /* idx: the breakpoint's number */
};

#define RV_DEBUG_SESSION_TEXT_BYTES 256u

struct rv_debug_session_order {
    enum rv_debug_session_order_kind kind;
    uint32_t idx;
    char text[RV_DEBUG_SESSION_TEXT_BYTES];
};

/* Of the chosen thread, after those before. False when too many wait, or no thread is chosen. */
bool rv_debug_session_order(struct rv_debug_session *debug_session, const struct rv_debug_session_order *order);

enum rv_debug_session_state {
    RV_DEBUG_SESSION_NOBODY,    /* no thread is chosen */
    RV_DEBUG_SESSION_UNKNOWN,   /* it was not looked at yet */
    RV_DEBUG_SESSION_GONE,      /* it has ended, or has no ring */
    RV_DEBUG_SESSION_UNSTEERED, /* its producer answers no commands */
    RV_DEBUG_SESSION_RUNNING,
    RV_DEBUG_SESSION_STEPPING, /* until it has come where it was told to stop */
    RV_DEBUG_SESSION_STOPPED
};

#define RV_DEBUG_SESSION_FRAMES 48u
#define RV_DEBUG_SESSION_BREAKS 12u
#define RV_DEBUG_SESSION_WATCHES RV_WIRE_WATCHES
#define RV_DEBUG_SESSION_STOPPED_MAX 128u

struct rv_debug_session_frame {
    char call[160]; /* with its arguments, where they are known */
    char file[256]; /* "" = not known */
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

struct rv_debug_session_report { /* texts are UTF-8 fit to be shown */
    uint64_t version;            /* differs from that of any other content */
    struct rv_debug_session_who stopped[RV_DEBUG_SESSION_STOPPED_MAX];
    uint32_t n_stopped, n_named;        /* all threads that are stopped, and those in the list */
    struct rv_debug_session_who chosen; /* what follows is about it */
    enum rv_debug_session_state state;
    uint32_t ring, n_stops;
    bool is_stale;     /* it has moved: stack, watches and breakpoints are of before */
    bool is_silent;    /* it did not say where it is: its stack is of before, or empty */
    bool is_asked;     /* an order is being done, or waits */
    uint32_t n_orders; /* done until now, well or not */
    struct rv_debug_session_frame frames[RV_DEBUG_SESSION_FRAMES]; /* innermost first */
    uint32_t n_frames;
    bool has_more_frames;
    uint32_t frame; /* that is looked at, with the lines around it */
    struct rv_source_lines listing;
    struct rv_debug_session_watch watches[RV_DEBUG_SESSION_WATCHES];
    struct rv_debug_session_break breaks[RV_DEBUG_SESSION_BREAKS];
    uint32_t n_breaks;
    char expression[RV_DEBUG_SESSION_TEXT_BYTES]; /* evaluated last; "" = none */
    char value[2048];
    bool is_value_error;
    bool has_other_monitor; /* of the same file */
    char reason[256];       /* what it stopped for last, where that is more than a place, a line each; "" = nothing */
    char why[256];          /* the last order was not done; "" = it was */
};

/* Copy it out when it is another than `out` has. Returns whether it was. */
bool rv_debug_session_report(struct rv_debug_session *debug_session, struct rv_debug_session_report *out);

#endif
