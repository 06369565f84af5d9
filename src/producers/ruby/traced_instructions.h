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
#include "producers/ruby/ractors.h"
#include "producers/ruby/ruby_api.h"

#define RV_TRACED_INSTRUCTIONS_BITS 12u /* of a place's index */

/* Ruby's vm_trace(): calls hooks for the instruction that a frame is about to execute. */
typedef void rv_traced_instructions_fn(struct rv_execution_context *context, struct rv_control_frame *frame);

struct rv_traced_instruction { /* four in a cache line */
    const VALUE *instruction;
    uint32_t collection;   /* the last one before: code that one later finds unused may be freed */
    rb_event_flag_t event; /* 0: none */
};
_Static_assert(sizeof(struct rv_traced_instruction) == 16, "none lies in two lines");

struct rv_traced_instructions {
    rv_traced_instructions_fn *original; /* Ruby's function */
    rb_event_flag_t events;              /* that instructions made when these were remembered */
    const void *learnt;                  /* frame whose instruction's events are waited for, or NULL */
    bool has_called_hook;                /* ours, since then */
    struct rv_traced_instruction places[1u << RV_TRACED_INSTRUCTIONS_BITS]; /* by a hash of the address */
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
#endif

static inline struct rv_traced_instruction *rv_traced_instructions_place(const VALUE *instruction)
{
    const uint64_t hash = (uint64_t)(uintptr_t)instruction * 0x9e3779b97f4a7c15u;
    return &rv_traced_instructions.places[hash >> (64u - RV_TRACED_INSTRUCTIONS_BITS)];
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
static inline bool rv_traced_instructions_holds(const struct rv_execution_context *context,
                                                const struct rv_control_frame *frame)
{
    return !rv_fast_dispatch_is_in_hook(context) && !((const VALUE *)frame->code)[3] &&
           !(frame->environment[0] & 0x40u) && !rv_ractors_has_been_any &&
           rv_traced_instructions.events == rv_traced_instructions_events();
}

static inline bool rv_traced_instructions_is_of(const struct rv_traced_instruction *place, const VALUE *instruction)
{
    return place->instruction == instruction && place->collection == rv_collections_current();
}

#endif
