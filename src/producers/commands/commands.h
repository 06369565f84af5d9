/*
 * Commands of monitors (ringviz/monitor.h) to threads of a language runtime, and their messages:
 *
 *   stop               stop here; the following need a stopped thread: step, next, fin, strt (the main program), run
 *   eval FRAME LEVELS EXPRESSION   evaluate in a frame of stck, following this many levels of references
 *   stck               the stack, a line per frame
 *   brk WHERE [if EXPRESSION], wtch FRAME EXPRESSION, brkd NUMBER, brkl   breakpoints: add, watch, remove ("": all),
 *                                                                         list
 *   why                the reason of the stop if it is more than a place; a line each
 *   more               the next part of an answer longer than a message
 *
 * Answers are "ok" or "err", or "ok+" and "err+" if more of the answer follows.
 *
 * A stopped thread waits for its next command. Without a monitor it resumes and forgets pending steps. An expression
 * that does not end is aborted when its command is withdrawn or no monitor is left; a watched one, or a condition, also
 * after half a second.
 *
 * The runtime's library polls the attention flag of each thread that it reports calls of, decides where a pace ends and
 * which breakpoints are met, and does for the commands what only the language can.
 */
#ifndef RV_PRODUCERS_COMMANDS_COMMANDS_H
#define RV_PRODUCERS_COMMANDS_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "producers/commands/breakpoint_list.h"
#include "producers/commands/text.h"

enum rv_commands_pace {
    RV_COMMANDS_RUN,
    RV_COMMANDS_STEP,
    RV_COMMANDS_NEXT,
    RV_COMMANDS_FINISH,
    RV_COMMANDS_START /* of the main program */
};

#define RV_COMMANDS_LEVELS 3u /* default levels of references */

struct rv_expression {
    const char *text;
    size_t n_bytes;
    unsigned frame;    /* number in the stack that the runtime shows */
    unsigned levels;   /* levels of references to show */
    const void *owner; /* that of a watch; NULL: it is none */
};

/* What the language does, for the calling thread. Texts are appended; false means that the text is an error. */
struct rv_commands_runtime {
    /* Its output, then its value or error. */
    bool (*evaluate)(const struct rv_expression *expression, struct rv_text *out);

    /* "#0 main::f(1, "a") at FILE line N", a line for each frame, innermost first. */
    void (*show_stack)(struct rv_text *out);

    /* Why a stopped thread cannot go on at that pace; NULL: it can. */
    const char *(*why_not)(enum rv_commands_pace pace);

    /* The thread goes on at rv_commands.pace, from where it is; or its breakpoints have changed. */
    void (*go_on)(void);
    void (*want)(void);

    bool (*add_breakpoint)(const char *text, struct rv_text *out);
    bool (*watch)(const char *text, unsigned frame, struct rv_text *out);

    /* Call body(context), and then rv_commands_end(), also where an exception leaves the body. */
    void (*protect)(void (*body)(const void *context), const void *context);

    /* As ringviz_attention_wait(), which is called where this is NULL. */
    void (*wait)(uint64_t timeout_ns);
};

struct rv_commands {           /* of the calling thread */
    const uint32_t *attention; /* its ring's attention flag; without a ring, a constant 0 */
    bool is_serving;           /* a monitor's request is running, possibly calling code of the program */
    enum rv_commands_pace pace;
    unsigned n_stops; /* so far */
};

extern _Thread_local struct rv_commands rv_commands __attribute__((tls_model("initial-exec")));

/*
 * Serve monitors' requests; call it when *rv_commands.attention is set.
 *   returns  true: the expression that runs is no longer wanted; raise an error
 */
bool rv_commands_serve(void);

/* A request, or a stop, has ended. */
void rv_commands_end(void);

/* Is it set? To be asked often: at each call. */
static inline bool rv_commands_are_there(void)
{
    return __builtin_expect(__atomic_load_n(rv_commands.attention, __ATOMIC_RELAXED) != 0, 0);
}

/* Serve no more, until this thread gets a ring. */
void rv_commands_mute(void);

/* The thread is at a place to stop at: wait there for commands. Without a monitor it goes on. */
void rv_commands_stop(void);

/*
 * Evaluate the conditions of breakpoints that are met. Breakpoints are for monitors: without one they are dropped.
 *   are_due  is given `context`, and appends the reason of the stop if it is more than a place
 *   returns  whether the thread must stop
 */
bool rv_commands_look_at_breakpoints(bool (*are_due)(const void *context, struct rv_text *why), const void *context);

/* Evaluate a condition or a watched expression, for a limited time. */
bool rv_commands_evaluate(const struct rv_expression *expression, struct rv_text *out);

/* For runtimes that cannot call while an expression runs: the calling thread's expression, and whether it is wanted no
 * more, which any thread may ask while it runs. */
const struct rv_commands_request *rv_commands_current(void);
bool rv_commands_is_unwanted(const struct rv_commands_request *request);

/* What a runtime's thread has here that no native thread runs. Zeroes: nothing yet. */
struct rv_commands_put_away {
    struct rv_commands commands;
    struct rv_breakpoint_list points;
    struct rv_commands_thread *thread;
};

/* The native thread continues with another of the runtime's threads: exchange what it has for that one's. Any
 * thread. */
void rv_commands_swap(struct rv_commands_put_away *other);

/* The calling thread has got a ring: it takes commands from now on. A forked child keeps breakpoints but no steps. */
void rv_commands_on_ring(void);

/* The thread takes no more commands, and forgets all; done at its end. */
void rv_commands_end_thread(void);

/* Once, before any thread is served. `end_thread`, or NULL, is called at the end of each thread that was. */
void rv_commands_start(const struct rv_commands_runtime *runtime, void (*end_thread)(void));

#endif
