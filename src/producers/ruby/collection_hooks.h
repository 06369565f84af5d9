/* Hooks on collections that leave allocations as fast as they are. */
#ifndef RV_PRODUCERS_RUBY_COLLECTION_HOOKS_H
#define RV_PRODUCERS_RUBY_COLLECTION_HOOKS_H

#include "producers/ruby/ruby_api.h"

#if RUBY_API_VERSION_CODE < 30200
/* Add a hook on events of the collector, once; not on objects. */
void rv_collection_hooks_add(rb_event_hook_func_t hook, rb_event_flag_t events);

/* At each collection, and after other hooks are added: then hooks may have changed. */
void rv_collection_hooks_spare(void);
#else
static inline void rv_collection_hooks_add(rb_event_hook_func_t hook, rb_event_flag_t events)
{
    rb_add_event_hook(hook, events, Qnil);
}

static inline void rv_collection_hooks_spare(void)
{
}
#endif

#endif
