/* Ruby's headers, which do not compile with our warnings, and the frame that a fiber executes. */
#ifndef RV_PRODUCERS_RUBY_RUBY_API_H
#define RV_PRODUCERS_RUBY_RUBY_API_H

#include <stdbool.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wundef"
#include <ruby.h>
#include <ruby/debug.h>
#include <ruby/encoding.h>
#include <ruby/ractor.h>
#include <ruby/thread.h>
#include <ruby/version.h>
#pragma GCC diagnostic pop

/*
 * Not in the headers; with these first members in Ruby 2.5 to 3.4 (vm_core.h). Each fiber has a context of
 * its own, whose address another one may get once it was collected. Its control frames lie in an array that grows
 * downwards: the innermost has the lowest address.
 */
struct rv_control_frame {
    const VALUE *next_instruction;
    VALUE *top;
    VALUE code; /* instruction sequence */
    VALUE self;
    const VALUE *environment;
};

struct rv_execution_context {
    VALUE *stack;
    size_t stack_size;
    const struct rv_control_frame *frame;
};

/* The one that the calling thread executes; with the GVL. */
#if RUBY_API_VERSION_CODE < 30300
extern _Thread_local struct rv_execution_context *ruby_current_ec __attribute__((tls_model("initial-exec")));
static inline struct rv_execution_context *rv_context(void)
{
    return ruby_current_ec;
}
#else
/* Where Ruby's thread that this native one runs has the pointer to it; NULL: to be found (context.c). */
extern _Thread_local struct rv_execution_context **rv_context_place __attribute__((tls_model("initial-exec")));
void rv_context_find(void);

static inline struct rv_execution_context *rv_context(void)
{
    if (__builtin_expect(!rv_context_place, 0))
        rv_context_find();
    return *rv_context_place;
}

/* The native thread goes on with another of Ruby's. */
static inline void rv_context_forget(void)
{
    rv_context_place = NULL;
}
#endif

/* Once, before the first call of rv_context(). False: it cannot be found in this Ruby. */
bool rv_context_start(void);

/* The method entry in a frame's environment at its begin; a block's frame has none. */
static inline VALUE rv_control_frame_method(const struct rv_control_frame *frame)
{
    return frame->environment[-2];
}

/* The method entry of the method that a block is in, or is made of; 0: none, or the method's environment has what the
 * program matched last in its place. The kind of an internal object is in its flags: 6 is a method entry. */
static inline VALUE rv_control_frame_outer_method(const struct rv_control_frame *block)
{
    for (const VALUE *environment = block->environment;;) {
        const VALUE method = environment[-2];
        if (method && (RBASIC(method)->flags >> RUBY_FL_USHIFT & 15u) == 6u)
            return method;
        if (environment[0] & 2u) /* a method's own */
            return 0;
        environment = (const VALUE *)(environment[-1] & ~(VALUE)3); /* NOLINT */
    }
}

/* Does the frame run a rescue or ensure clause of the frame with that environment? */
static inline bool rv_control_frame_rescues(const struct rv_control_frame *frame, const VALUE *environment)
{
    bool is_rescue = (frame->environment[0] & 0x7fff0001u) == 0x78880001u;
    return is_rescue && (frame->environment[-1] & ~(VALUE)3) == (VALUE)environment;
}

#if RUBY_API_VERSION_CODE < 30300 /* data of objects lies elsewhere */
#define RTYPEDDATA_GET_DATA(object) RTYPEDDATA_DATA(object)
#endif

/* A function that soon runs in the Ruby thread that has the GVL; rv_job_run() may be called by any thread. */
struct rv_job {
    void (*function)(void *unused);
    unsigned handle; /* from Ruby 3.3 on */
};

#if RUBY_API_VERSION_CODE >= 30300
static inline void rv_job_prepare(struct rv_job *job)
{
    job->handle = rb_postponed_job_preregister(0, job->function, NULL);
}

static inline void rv_job_run(const struct rv_job *job)
{
    rb_postponed_job_trigger(job->handle);
}
#else
static inline void rv_job_prepare(struct rv_job *job)
{
    (void)job;
}

static inline void rv_job_run(const struct rv_job *job)
{
    rb_postponed_job_register_one(0, job->function, NULL);
}
#endif

#endif
