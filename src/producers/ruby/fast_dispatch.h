/* Ruby's events come to the hook by a shorter way, where that is known. */
#ifndef RV_PRODUCERS_RUBY_FAST_DISPATCH_H
#define RV_PRODUCERS_RUBY_FAST_DISPATCH_H

#include "producers/ruby/ruby_api.h"

/* Write the event; it must not call Ruby's code, raise or allocate. False: it has to be the hook. */
typedef bool rv_fast_dispatch_fn(rb_event_flag_t event, ID id, VALUE owner);

/*
 * Where the hook is the only one for an event, `quick` is asked first. Once, before the hook is added.
 *   returns  NULL, or in two words why it is not: all is as it was
 */
#ifdef RV_HAS_DISPATCH
const char *rv_fast_dispatch_start(rb_event_hook_func_t hook, rv_fast_dispatch_fn *quick);
#else
static inline const char *rv_fast_dispatch_start(rb_event_hook_func_t hook, rv_fast_dispatch_fn *quick)
{
    (void)hook;
    (void)quick;
    return NULL;
}
#endif

#endif
