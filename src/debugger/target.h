/*
 * The threads of a trace file, as their monitor: who there is, whether they run, and what they answer when asked. While
 * it is open, threads may stay stopped; those that it stopped go on when it is closed, or dies.
 *
 * All functions are for one thread at a time.
 */
#ifndef RV_DEBUGGER_TARGET_H
#define RV_DEBUGGER_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"
#include "ring/steering.h"
#include "ring/watches.h"

struct rv_target; /* opaque */

/* NULL, with one line printed where the file cannot be used. */
struct rv_target *rv_target_open(const char *path);

/* Of a file that is open already; the map outlives it. It lets threads stay stopped from rv_target_attach() on. */
struct rv_target *rv_target_over(struct rv_map *map);

/* 0; -EAGAIN where its file system has no locks. Again is fine. */
int rv_target_attach(struct rv_target *target);
void rv_target_close(struct rv_target *target); /* NULL is fine */

struct rv_target_limits {               /* zero = none */
    size_t answer_bytes;                /* what is longer is cut between its messages */
    bool (*is_given_up)(void *context); /* asked every 50 ms at least while something is waited for: -ECANCELED */
    void *context;
};
void rv_target_limit(struct rv_target *target, const struct rv_target_limits *limits);
bool rv_target_is_given_up(const struct rv_target *target);

struct rv_target_thread {
    uint32_t ring, generation; /* a ring is used again: together they name the thread */
    uint32_t pid, tid;
    char name[64];
    struct rv_steering steering;
    bool is_muted;
};

/* One of them. -ENOENT when its ring has no owner that lives; -EINVAL when no thread has had such a ring. */
int rv_target_thread(struct rv_target *target, uint32_t ring, struct rv_target_thread *out);

/* Rings below this may have an owner. */
uint32_t rv_target_n_rings(struct rv_target *target);

/* Threads and processes that begin from now on stop at once. */
void rv_target_stop_new(struct rv_target *target, bool is_to_stop);

void rv_target_mute(struct rv_target *target, uint32_t ring, bool is_muted);

/* Devel::RingBuffer's words, a ring's signal and the file's single: what they mean is the program's. Those that set
 * return what was; the ring is one that there is. */
int32_t rv_target_signal(struct rv_target *target, uint32_t ring);
int32_t rv_target_set_signal(struct rv_target *target, uint32_t ring, int32_t value);
int32_t rv_target_single(struct rv_target *target);
int32_t rv_target_set_single(struct rv_target *target, int32_t value);

struct rv_answer {
    bool is_fine;  /* false: text says why not */
    char code[17]; /* as the thread sent it; both are made fit to be shown */
    char *text;    /* UTF-8, NUL-terminated; newlines stay */
    size_t n_bytes;
};
void rv_answer_fini(struct rv_answer *answer); /* also one that was never filled */

/*
 * Ask a thread. A command that is not answered in time is withdrawn.
 *   code      up to 4 characters; see src/producers/perl/debugger.c for those of Perl threads
 *   answer    filled when 0 is returned
 *   returns   0; -E2BIG for an argument longer than a message; -EOPNOTSUPP: its producer answers no commands;
 *             -ENOENT: it has ended; -ETIMEDOUT; -EBUSY: another monitor asks it all the time; -ECANCELED
 */
int rv_target_ask(struct rv_target *target, uint32_t ring, const char *code, const char *argument, uint64_t timeout_ns,
                  struct rv_answer *answer);

#define RV_TARGET_LEVELS 3u

struct rv_target_expression {
    const char *text;
    uint32_t frame;  /* of its stack, from the innermost, 0, on */
    uint32_t levels; /* of references that are followed into its values: RV_TARGET_LEVELS where a user says nothing */
};

/* Evaluate it where the thread is. As rv_target_ask(). */
int rv_target_eval(struct rv_target *target, uint32_t ring, const struct rv_target_expression *expression,
                   uint64_t timeout_ns, struct rv_answer *answer);

/*
 * The file's global message, in whatever language the programs on it speak. What is sent stays there until one of them
 * takes it.
 *   answer   what waited to be taken, if anything did
 *   returns  0; -EBUSY: another one does the same; -ETIMEDOUT: nobody took the message before, or the parts of this
 *            one; -ENOENT: none is there; -EPIPE: its sender died; -EBADMSG: it is none
 */
int rv_target_send_message(struct rv_target *target, const char *text, uint64_t timeout_ns);
int rv_target_take_message(struct rv_target *target, uint64_t timeout_ns, struct rv_answer *answer);

/*
 * The frames of any thread, a line each, innermost first: as it says itself, with the lines that they are in; of a
 * producer that answers no commands by the calls in its ring, with the lines that the functions begin at.
 *   returns  as rv_target_ask()
 */
int rv_target_stack(struct rv_target *target, uint32_t ring, uint64_t timeout_ns, struct rv_answer *answer);

/* Until the thread has stopped more often than n_stops. 0, -ETIMEDOUT, -ENOENT: it has ended;
 * -ECANCELED. */
int rv_target_wait_stop(struct rv_target *target, const struct rv_target_thread *thread, uint32_t n_stops,
                        uint64_t timeout_ns);

/* Its index; -ENOSPC, -E2BIG, -EOPNOTSUPP, -ENOENT. */
int rv_target_watch(struct rv_target *target, uint32_t ring, const char *expression);

/* 0; -ENOENT. */
int rv_target_unwatch(struct rv_target *target, uint32_t ring, unsigned watch);

struct rv_target_value {
    char expression[RV_WIRE_WATCH_EXPRESSION * 4 + 1]; /* these two made fit to be shown */
    char text[RV_WIRE_WATCH_RESULT * 4 + 1];
    bool is_error;
};

/*
 * A watch's value, evaluated after this call.
 *   timeout_ns  0: only one that is there already, which asks for the next
 *   returns     0; -ENOENT: it watches nothing; -EAGAIN, -ETIMEDOUT, with the expression filled in
 */
int rv_target_value(struct rv_target *target, uint32_t ring, unsigned watch, uint64_t timeout_ns,
                    struct rv_target_value *out);

/* What a negative errno of these means to a user, in a few words. */
const char *rv_target_error(int error);

#endif
