/* How Ruby gets from an event to our hook. */
#ifndef RV_PRODUCERS_RUBY_DISPATCH_H
#define RV_PRODUCERS_RUBY_DISPATCH_H

#include "producers/ruby/ruby_api.h"

/* Write the event; it must not call Ruby's code, raise or allocate. False: it has to be the hook. */
typedef bool rv_dispatch_fn(rb_event_flag_t event, ID id, VALUE owner);

#if RUBY_API_VERSION_CODE < 30200
/* From now on, where the hook is the only one for an event, `quick` is asked first. Once. */
void rv_dispatch_start(rb_event_hook_func_t hook, rv_dispatch_fn *quick);
#else
static inline void rv_dispatch_start(rb_event_hook_func_t hook, rv_dispatch_fn *quick)
{
    (void)hook;
    (void)quick;
}
#endif

#endif
