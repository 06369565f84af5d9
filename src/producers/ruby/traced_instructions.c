/*
 * Ruby's function has no name in a stripped library. It is the one that is called for a method's first instruction, that calls hooks for
 * it, and that begins with a look at which events there are.
 */
#include "producers/ruby/traced_instructions.h"

#include <string.h>

#include "producers/ruby/entry_jump.h"
#include "producers/ruby/machine_code.h"

#define LOOK_BYTES 96u   /* from its begin */
#define MOST_BYTES 4096u /* of a function */
#define N_WORDS 96u      /* of the stack: of two frames */

/* Those that instructions have, of Ruby 3.1 to 3.4 (ISEQ_TRACE_EVENTS, iseq.h); two of them, for coverage, are internal. */
#ifdef RUBY_EVENT_RESCUE
#define INSTRUCTION_EVENTS (0x30000u | 0x37fu | RUBY_EVENT_RESCUE)
#else
#define INSTRUCTION_EVENTS (0x30000u | 0x37fu)
#endif

struct rv_traced_instructions rv_traced_instructions;

/* ---- what instructions lead to ---- */

static rb_event_flag_t event_learnt; /* the last one of them */
static unsigned n_learnt;

void rv_traced_instructions_see_learnt(rb_event_flag_t event, const struct rv_hook_list *hooks)
{
    event_learnt = event;
    n_learnt += hooks == rv_fast_dispatch.hooks ? 1 : 2;
}

/* A compiler may have Ruby call hooks without the function that is replaced: such an event was not seen. */
static bool is_rememberable(void)
{
    const rb_event_flag_t fast = RUBY_EVENT_CALL | RUBY_EVENT_RETURN | RUBY_EVENT_B_CALL | RUBY_EVENT_B_RETURN;
    return n_learnt == 0 ? !rv_traced_instructions.has_called_hook : n_learnt == 1 && (event_learnt & fast);
}

/* What was remembered for other hooks is forgotten. */
static void follow_hooks(void)
{
    const rb_event_flag_t events = rv_traced_instructions_events();
    if (rv_traced_instructions.events != events) {
        memset(rv_traced_instructions.places, 0, sizeof rv_traced_instructions.places);
        rv_traced_instructions.events = events;
    }
}

void rv_traced_instructions_stop(void)
{
    rv_traced_instructions.events = RV_TRACED_INSTRUCTIONS_STOPPED;
}

static bool is_stopped(void)
{
    return rv_traced_instructions.events == RV_TRACED_INSTRUCTIONS_STOPPED;
}

static bool can_learn(const struct rv_execution_context *context, const struct rv_control_frame *frame)
{
    if (is_stopped() || rv_fast_dispatch_is_in_hook(context) || frame->self == rv_fast_dispatch.unreported)
        return false;
    follow_hooks();
    return rv_traced_instructions_holds(frame);
}

/* While hooks are called, another thread may run, and learn. */
void rv_traced_instructions_learn(struct rv_execution_context *context, struct rv_control_frame *frame)
{
    struct rv_traced_instruction learnt = {.instruction = frame->next_instruction,
                                           .collection = rv_collections_current()};
    const bool is_learning = can_learn(context, frame);
    if (is_learning) {
        rv_traced_instructions.learnt = frame;
        rv_traced_instructions.has_called_hook = false;
        n_learnt = 0;
    }
    rv_traced_instructions.original(context, frame);
    if (!is_learning || rv_traced_instructions.learnt != frame)
        return;
    rv_traced_instructions.learnt = NULL;
    if (!is_rememberable() || !rv_traced_instructions_holds(frame))
        return;
    learnt.event = n_learnt ? event_learnt : 0;
    *rv_traced_instructions_place(learnt.instruction) = learnt;
}

/* ---- Ruby's function ---- */

/* Does it look which events there are of those that instructions have? */
static bool is_like_it(const uint8_t *function)
{
    return rv_machine_code_has_constant(function, LOOK_BYTES, INSTRUCTION_EVENTS) && rv_entry_jump_fits(function);
}

/* From call to call: the event lies in the frame of the function that calls hooks, which that one calls, or is. */
static const uint8_t *find(const struct rv_raw_event *event, uintptr_t inside)
{
    const uintptr_t *words = (const uintptr_t *)event;
    for (size_t i = 0; i < N_WORDS; i++) {
        const uint8_t *function = rv_machine_code_called(words[i]);
        if (!function || inside - (uintptr_t)function >= MOST_BYTES)
            continue;
        if (is_like_it(function))
            return function;
        inside = words[i];
    }
    return NULL;
}

void rv_traced_instructions_start(const struct rv_raw_event *event, const void *returner,
                                  rv_traced_instructions_fn *replacement)
{
    static bool has_looked;
    struct rv_entry_jump jump;
    if (has_looked || !rv_fast_dispatch.hooks || is_stopped())
        return;
    has_looked = true;
    const uint8_t *function = find(event, (uintptr_t)returner);
    if (function && rv_entry_jump_write(&jump, (uint8_t *)(uintptr_t)function, (void (*)(void))replacement))
        rv_traced_instructions.original = (rv_traced_instructions_fn *)(uintptr_t)jump.original;
}
