/*
 * The threads of a trace file, seen by a monitor: their states, and commands with answers. While it is open, threads
 * may stay stopped; those that it stopped resume when it is closed or dies.
 *
 * All functions are for one thread at a time.
 */
#ifndef RV_DEBUGGER_TARGET_H
#define RV_DEBUGGER_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"
#include "ring/run_state.h"
#include "ring/watches.h"
#include "source/capture_control.h"

struct rv_target; /* opaque */

/* NULL, with one line printed where the file cannot be used. */
struct rv_target *rv_target_open(const char *path);

/* Use an open file; the map must outlive it. Threads can stay stopped after rv_target_attach(). */
struct rv_target *rv_target_over(struct rv_map *map);

/* Become a monitor. 0; -EAGAIN if its file system has no locks. Idempotent. */
int rv_target_attach(struct rv_target *target);
void rv_target_close(struct rv_target *target); /* NULL is fine */

struct rv_target_limits {               /* zero = none */
    size_t answer_bytes;                /* longer ones are truncated between messages */
    bool (*is_given_up)(void *context); /* called at least every 50 ms during waits; true: -ECANCELED */
    void *context;
};
/* Set the limits, copied; and ask whether the caller has given up. */
void rv_target_limit(struct rv_target *target, const struct rv_target_limits *limits);
bool rv_target_is_given_up(const struct rv_target *target);

struct rv_target_thread {
    uint32_t ring, generation; /* rings are reused: together they identify the thread */
    uint32_t pid, tid;
    char name[64];
    struct rv_run_status run;
    bool is_muted;
};

/* Get a ring's thread. -ENOENT when the ring has no live owner; -EINVAL when it was never claimed. */
int rv_target_thread(struct rv_target *target, uint32_t ring, struct rv_target_thread *out);

/* Rings below this may have an owner. */
uint32_t rv_target_n_rings(struct rv_target *target);

/* Should threads and processes that begin later stop at once? */
void rv_target_stop_new(struct rv_target *target, bool is_to_stop);

/* Stop or resume the writing of events by a thread. */
void rv_target_mute(struct rv_target *target, uint32_t ring, bool is_muted);

/* Devel::RingBuffer's words, a ring's signal and the file's single: the program defines their meaning. Setters
 * return the previous value; the ring must exist. */
int32_t rv_target_signal(struct rv_target *target, uint32_t ring);
int32_t rv_target_set_signal(struct rv_target *target, uint32_t ring, int32_t value);
int32_t rv_target_single(struct rv_target *target);
int32_t rv_target_set_single(struct rv_target *target, int32_t value);

struct rv_answer {
    bool is_fine;  /* false: text has the reason */
    char code[17]; /* as the thread sent it; code and text are escaped */
    char *text;    /* UTF-8, NUL-terminated; newlines stay */
    size_t n_bytes;
};
void rv_answer_fini(struct rv_answer *answer); /* zeroed ones too */

/*
 * Ask the ringviz that drains the file to change what is captured (source/capture_control.h).
 *   text      a regular expression, or a name
 *   answer    filled when 0 is returned
 *   returns   0; -E2BIG; -ENOTCONN: nobody drains the file, or it does not answer; -EBUSY: another monitor asks
 */
int rv_target_capture(struct rv_target *target, enum rv_capture_rule rule, const char *text, uint64_t timeout_ns,
                      struct rv_answer *answer);

/*
 * Send a command to a thread and wait for the answer. On a timeout the command is withdrawn.
 *   code      up to 4 characters; see src/producers/commands/commands.h
 *   answer    filled when 0 is returned
 *   returns   0; -E2BIG for an argument longer than a message; -EOPNOTSUPP: its producer answers no commands;
 *             -ENOENT: it has ended; -ETIMEDOUT; -EBUSY: another monitor uses it all the time; -ECANCELED
 */
int rv_target_ask(struct rv_target *target, uint32_t ring, const char *code, const char *argument, uint64_t timeout_ns,
                  struct rv_answer *answer);

#define RV_TARGET_LEVELS 3u

struct rv_target_expression {
    const char *text;
    uint32_t frame;  /* 0 is the innermost */
    uint32_t levels; /* levels of references to expand; default RV_TARGET_LEVELS */
};

/* Evaluate an expression in the thread. As rv_target_ask(). */
int rv_target_eval(struct rv_target *target, uint32_t ring, const struct rv_target_expression *expression,
                   uint64_t timeout_ns, struct rv_answer *answer);

/*
 * The file's global message, with any contents that its programs understand. A sent message stays until a program
 * receives it.
 *   answer   the waiting message, if any
 *   returns  0; -EBUSY: another process does the same; -ETIMEDOUT: the previous message, or a part of this one, was not
 *            received; -ENOENT: no message; -EPIPE: its sender died; -EBADMSG: invalid
 */
int rv_target_send_message(struct rv_target *target, const char *text, uint64_t timeout_ns);
int rv_target_take_message(struct rv_target *target, uint64_t timeout_ns, struct rv_answer *answer);

/*
 * The stack of any thread, one frame per line, innermost first: from the thread itself, with current lines, and without
 * numbers between them the calls of other languages that its ring has (debugger/interleaved_stack.h); or if its
 * producer answers no commands, from the calls in its ring alone. Of these the lines are those where functions begin.
 *   returns  as rv_target_ask()
 */
int rv_target_stack(struct rv_target *target, uint32_t ring, uint64_t timeout_ns, struct rv_answer *answer);

/* The calls in a ring that exists, for a thread that does not answer now, as when it is in a C function. */
void rv_target_open_calls(struct rv_target *target, uint32_t ring, struct rv_answer *answer);

/* Wait until the thread has more than n_stops stops. 0, -ETIMEDOUT, -ENOENT: it has ended;
 * -ECANCELED. */
int rv_target_wait_stop(struct rv_target *target, const struct rv_target_thread *thread, uint32_t n_stops,
                        uint64_t timeout_ns);

/* Add a watch. Returns its index; -ENOSPC, -E2BIG, -EOPNOTSUPP, -ENOENT. */
int rv_target_watch(struct rv_target *target, uint32_t ring, const char *expression);

/* Remove a watch. 0; -ENOENT. */
int rv_target_unwatch(struct rv_target *target, uint32_t ring, unsigned watch);

struct rv_target_value {
    char expression[RV_WIRE_WATCH_EXPRESSION * 4 + 1]; /* these two are escaped */
    char text[RV_WIRE_WATCH_RESULT * 4 + 1];
    bool is_error;
};

/*
 * A watch's value, evaluated after this call.
 *   timeout_ns  0: only a value that is there already, and request the next
 *   returns     0; -ENOENT: no such watch; -EAGAIN, -ETIMEDOUT, with the expression filled in
 */
int rv_target_value(struct rv_target *target, uint32_t ring, unsigned watch, uint64_t timeout_ns,
                    struct rv_target_value *out);

/* Describe a negative errno of these functions to a user. */
const char *rv_target_error(int error);

#endif
