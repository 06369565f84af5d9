/*
 * Before Ruby calls a hook it saves what the hook may change and gets ready for an exception: that takes longer than to
 * write an event, which does neither. So the function that does it gets a jump to one that tries the quick way first.
 *
 * That function has no name in a stripped library. But it is called with an event that lies in its caller's frame: its
 * return address is on the stack between our hook's frame and the event. What the call before that address leads to is
 * tried where it begins as that function does: it is the one if it calls hooks for the event that it is given.
 */
#include "producers/ruby/fast_dispatch.h"

#include "producers/ruby/entry_jump.h"
#include "producers/ruby/machine_code.h"
#include "producers/ruby/ractors.h"
#include "producers/ruby/sample_event.h"

#define ENTRY_BYTES 64u     /* of the function: those compared */
#define EVENTS_MASK 0xffffu /* of those that are not internal */
#define CONTEXT_WORDS 32u

extern const VALUE rb_mRubyVMFrozenCore;

static const uint8_t *entry;
static bool is_ambiguous;
static struct rv_entry_jump jump;

struct rv_fast_dispatch rv_fast_dispatch;

/* ---- where the function is ---- */

/* mov 8(%rdi), a register: its first argument's context */
static bool loads_context(const uint8_t *at)
{
    return (at[0] & 0xf9u) == 0x48 && at[1] == 0x8b && (at[2] & 0xc7u) == 0x47 && at[3] == 8;
}

/* Does it look whether the event is one of Ruby's internal ones? */
static bool is_like_it(const uint8_t *function)
{
    if (!rv_machine_code_has_constant(function, ENTRY_BYTES, EVENTS_MASK) || !rv_entry_jump_fits(function))
        return false;
    for (size_t i = 0; i + 4 <= ENTRY_BYTES; i++)
        if (loads_context(function + i))
            return true;
    return false;
}

static void see_word(uintptr_t word)
{
    const uint8_t *function = rv_machine_code_called(word);
    if (!function || !is_like_it(function))
        return;
    is_ambiguous = is_ambiguous || (entry && entry != function);
    entry = function;
}

static void see(const struct rv_raw_event *event)
{
    const void *const *context = (const void *const *)event->context;
    for (size_t i = 0; i < CONTEXT_WORDS && !rv_fast_dispatch.event_word; i++)
        if (context[i] == event)
            rv_fast_dispatch.event_word = i;
    for (const uintptr_t *at = __builtin_frame_address(0); at < (const uintptr_t *)event; at++)
        see_word(*at);
}

static bool find(void)
{
    if (!rv_machine_code_find())
        return false;
    rv_sample_event(see);
    return entry && !is_ambiguous && rv_fast_dispatch.event_word;
}

/* ---- whether it is the right one ---- */

static struct {
    const struct rv_raw_event *event;
    const struct rv_hook_list *hooks;
    bool is_right;
} trial;

static void try(struct rv_raw_event *event, struct rv_hook_list *hooks, int is_end)
{
    trial.event = event;
    trial.hooks = hooks;
    rv_fast_dispatch.original(event, hooks, is_end);
    trial.event = NULL;
}

static void see_trial(const struct rv_raw_event *event)
{
    if (trial.event != event)
        return;
    for (const struct rv_hook *hook = trial.hooks->first; hook; hook = hook->next)
        if (hook->flags == RUBY_EVENT_HOOK_FLAG_RAW_ARG && hook->events == event->event)
            trial.is_right = true;
}

static bool write_jump(rv_fast_dispatch_fn *replacement)
{
    const bool is_written = rv_entry_jump_write(&jump, (uint8_t *)(uintptr_t)entry, (void (*)(void))replacement);
    rv_fast_dispatch.original = (rv_fast_dispatch_fn *)(uintptr_t)jump.original;
    return is_written;
}

const char *rv_fast_dispatch_start(rb_event_hook_func_t hook, rv_fast_dispatch_fn *replacement)
{
    rv_fast_dispatch.hook = hook;
    rv_fast_dispatch.unreported = rb_mRubyVMFrozenCore;
    if (!rv_ractors_is_single()) /* whose threads wait for no GVL while code is written that they may execute */
        return "Ractors";
    if (!find())
        return "other code";
    if (!write_jump(try))
        return "no jump";
    rv_sample_event(see_trial);
    rv_entry_jump_undo(&jump);
    if (!trial.is_right)
        return "other code";
    rv_fast_dispatch.hooks = trial.hooks;
    return write_jump(replacement) ? NULL : "no jump";
}

/* ---- whether the hook is alone ---- */

static bool is_ours(const struct rv_hook *hook)
{
    return hook->function == rv_fast_dispatch.hook && !(hook->flags & RUBY_EVENT_HOOK_FLAG_DELETED);
}

static bool has_other(const struct rv_hook_list *hooks, rb_event_flag_t events)
{
    for (const struct rv_hook *hook = hooks->first; hook; hook = hook->next)
        if (hook->events & events && !is_ours(hook))
            return true;
    return false;
}

static bool has_ours(const struct rv_hook_list *hooks, rb_event_flag_t event)
{
    for (const struct rv_hook *hook = hooks->first; hook; hook = hook->next)
        if (hook->events & event && is_ours(hook))
            return true;
    return false;
}

bool rv_fast_dispatch_look(rb_event_flag_t event, const struct rv_hook_list *hooks)
{
    const struct rv_hook *first = hooks->first;
    if (hooks == rv_fast_dispatch.hooks && first && is_ours(first) && !has_other(hooks, ~RUBY_INTERNAL_EVENT_MASK))
        rv_fast_dispatch.alone = first;
    return has_ours(hooks, event) && !has_other(hooks, event);
}
