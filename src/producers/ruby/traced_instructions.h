/*
 * The event of each traced instruction, if any, remembered. Ruby looks it up whenever the instruction is executed, in
 * its vm_trace(), which takes longer than to write the event.
 */
#ifndef RV_PRODUCERS_RUBY_TRACED_INSTRUCTIONS_H
#define RV_PRODUCERS_RUBY_TRACED_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/ruby/collections.h"
#include "producers/ruby/fast_dispatch.h"
#include "producers/ruby/methods.h"
#include "producers/ruby/ruby_api.h"

#define RV_TRACED_INSTRUCTIONS_STOPPED (~(rb_event_flag_t)0) /* instead of events: nothing is remembered */
#define RV_TRACED_INSTRUCTIONS 4096u                         /* that are remembered at most */

/* Ruby's vm_trace(): calls hooks for the instruction that a frame is about to execute. */
typedef void rv_traced_instructions_fn(struct rv_execution_context *context, struct rv_control_frame *frame);

struct rv_traced_instruction { /* two in a cache line */
    const VALUE *instruction;
    uint32_t collection;     /* the last one before: code that one later finds unused may be freed */
    rb_event_flag_t event;   /* 0: none */
    VALUE entry;             /* of the method that it began last; 0: none */
    struct rv_method method; /* that one */
};
_Static_assert(sizeof(struct rv_traced_instruction) == 32, "none lies in two lines");

struct rv_traced_instructions {
    struct rv_traced_instruction places[RV_TRACED_INSTRUCTIONS]; /* by address */
    rv_traced_instructions_fn *original;                         /* Ruby's function */
    rb_event_flag_t events;                                      /* that instructions made when these were remembered */
    const void *learnt;   /* frame whose instruction's events are waited for, or NULL */
    bool has_called_hook; /* ours, since then */
};

#ifdef RV_HAS_DISPATCH
extern struct rv_traced_instructions rv_traced_instructions;

/*
 * At a method's call: from the first one on Ruby calls `replacement` instead of its function, if that is found.
 *   returner  where in Ruby's code the function returns to that calls hooks
 *   thread    the one that has the GVL
 */
void rv_traced_instructions_start(const struct rv_raw_event *event, const void *returner,
                                  rv_traced_instructions_fn *replacement);

/* Call Ruby's function, and remember to what the instruction leads, if it does so each time. */
void rv_traced_instructions_learn(struct rv_execution_context *context, struct rv_control_frame *frame);

/* From now on nothing is remembered: other Ractors have hooks of their own. */
void rv_traced_instructions_stop(void);

void rv_traced_instructions_see_learnt(rb_event_flag_t event, const struct rv_hook_list *hooks);

/* Hooks are called for an event. */
static inline void rv_traced_instructions_see(const struct rv_raw_event *event, const struct rv_hook_list *hooks)
{
    if (__builtin_expect(rv_traced_instructions.learnt == event->frame, 0))
        rv_traced_instructions_see_learnt(event->event, hooks);
}
#else
static struct rv_traced_instructions rv_traced_instructions;
static inline void rv_traced_instructions_start(const struct rv_raw_event *event, const void *returner,
                                                rv_traced_instructions_fn *replacement)
{
    (void)event;
    (void)returner;
    (void)replacement;
}
static inline void rv_traced_instructions_learn(struct rv_execution_context *context, struct rv_control_frame *frame)
{
    (void)context;
    (void)frame;
}
static inline void rv_traced_instructions_see(const struct rv_raw_event *event, const struct rv_hook_list *hooks)
{
    (void)event;
    (void)hooks;
}
static inline void rv_traced_instructions_stop(void)
{
}
#endif

static inline struct rv_traced_instruction *rv_traced_instructions_place(const VALUE *instruction)
{
    return &rv_traced_instructions.places[(uintptr_t)instruction / sizeof *instruction % RV_TRACED_INSTRUCTIONS];
}

/* What instructions make events of. Ruby 3.1 makes none, whatever its list of hooks says, once a TracePoint of a method
 * made of a block was disabled, until other hooks change. */
static inline rb_event_flag_t rv_traced_instructions_events(void)
{
#if RUBY_API_VERSION_CODE < 30200
    extern rb_event_flag_t ruby_vm_event_flags;
    return ruby_vm_event_flags;
#else
    return rv_fast_dispatch.hooks->events;
#endif
}

/* Does what is remembered hold for that frame? Not where its code has hooks of its own (fourth word), nor for a method
 * made of a block, where an instruction has two events. */
static inline bool rv_traced_instructions_holds(const struct rv_control_frame *frame)
{
    return !((const VALUE *)frame->code)[3] && !(frame->environment[0] & 0x40u) &&
           rv_traced_instructions.events == rv_traced_instructions_events();
}

static inline bool rv_traced_instructions_is_of(const struct rv_traced_instruction *place, const VALUE *instruction)
{
    return place->instruction == instruction && place->collection == rv_collections_current();
}

/* The method that begins in that frame, at the instruction; NULL: not known. */
static inline const struct rv_method *rv_traced_instructions_method(struct rv_traced_instruction *place,
                                                                    const struct rv_control_frame *frame)
{
    const VALUE entry = rv_control_frame_method(frame);
    if (__builtin_expect(place->entry != entry, 0)) {
        const struct rv_method *known = rv_methods_known(frame);
        if (!known)
            return NULL;
        place->entry = entry;
        place->method = *known;
    }
    return &place->method;
}

#endif
