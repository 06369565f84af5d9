/* Ruby's events come to the hook by a shorter way, where that is known. */
#ifndef RV_PRODUCERS_RUBY_FAST_DISPATCH_H
#define RV_PRODUCERS_RUBY_FAST_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "producers/ruby/ruby_api.h"
#include "producers/ruby/sample_event.h"

/* Not in Ruby's headers; their first members in Ruby 3.1 to 3.4 (vm_core.h, vm_trace.c). */
struct rv_hook {
    rb_event_hook_flag_t flags;
    rb_event_flag_t events;
    rb_event_hook_func_t function;
    VALUE data;
    struct rv_hook *next;
};

struct rv_hook_list { /* of a Ractor */
    const struct rv_hook *first;
    rb_event_flag_t events; /* of all of them */
};

/* Ruby's function that calls the hooks of an event. */
typedef void rv_fast_dispatch_fn(struct rv_raw_event *event, struct rv_hook_list *hooks, int is_end);

/* For the replacement: set before it is called. */
struct rv_fast_dispatch {
    rv_fast_dispatch_fn *original; /* Ruby's function */
    rb_event_hook_func_t hook;
    VALUE unreported;                 /* an object whose calls are no events */
    size_t event_word;                /* of a context: the event whose hooks run; 0: not found */
    const struct rv_hook_list *hooks; /* of the main Ractor; NULL: not found */
    const struct rv_hook *alone;      /* the hook, if it was seen to be first in there and alone */
};

/*
 * Once, before the hook is added. Ruby then calls `replacement` instead of its function.
 *   returns  NULL, or in two words why it does not: all is as it was
 */
#ifdef RV_HAS_DISPATCH
extern struct rv_fast_dispatch rv_fast_dispatch;
const char *rv_fast_dispatch_start(rb_event_hook_func_t hook, rv_fast_dispatch_fn *replacement);

/* Is the hook the only one for that event? */
bool rv_fast_dispatch_look(rb_event_flag_t event, const struct rv_hook_list *hooks);
#else
static struct rv_fast_dispatch rv_fast_dispatch;
static inline const char *rv_fast_dispatch_start(rb_event_hook_func_t hook, rv_fast_dispatch_fn *replacement)
{
    (void)hook;
    (void)replacement;
    return NULL;
}
static inline bool rv_fast_dispatch_look(rb_event_flag_t event, const struct rv_hook_list *hooks)
{
    (void)event;
    (void)hooks;
    return false;
}
#endif

/* Before the hook is removed: its address may become another's. */
static inline void rv_fast_dispatch_forget(void)
{
    rv_fast_dispatch.alone = NULL;
}

/* Is an event of that context being told to hooks? It makes no other ones then. */
static inline bool rv_fast_dispatch_is_in_hook(const struct rv_execution_context *context)
{
    return ((const void *const *)context)[rv_fast_dispatch.event_word];
}

/* Was it seen to be the only one for all events? Later ones come before it. */
static inline bool rv_fast_dispatch_is_alone(const struct rv_hook_list *hooks)
{
    return __builtin_expect(hooks->first == rv_fast_dispatch.alone, 1);
}

/* Does Ruby's function do nothing for an event of that object but call the hook? Otherwise it has to be called. */
static inline bool rv_fast_dispatch_is_hook_alone(const struct rv_raw_event *event, const struct rv_hook_list *hooks)
{
    return !rv_fast_dispatch_is_in_hook(event->context) && event->self != rv_fast_dispatch.unreported &&
           (rv_fast_dispatch_is_alone(hooks) || rv_fast_dispatch_look(event->event, hooks));
}

#endif
