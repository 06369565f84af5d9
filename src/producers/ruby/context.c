/*
 * Up to Ruby 3.2 it exports a pointer to the context that a thread executes; later Rubies have it in their thread. An event
 * tells the context, too: where the thread has the same pointer is looked for once.
 */
#include "producers/ruby/gvl.h"
#include "producers/ruby/ruby_api.h"

#if RUBY_API_VERSION_CODE < 30300
bool rv_context_start(void)
{
    return true;
}
#else
#define THREAD_WORDS 32u

_Thread_local struct rv_execution_context **rv_context_place;
static size_t offset; /* in Ruby's thread */

/* Its first members, as Ruby 3.3 and 3.4 pass it (struct rb_trace_arg_struct, vm_core.h). */
struct raw_event {
    rb_event_flag_t event;
    const struct rv_execution_context *context;
};

static const struct rv_execution_context *found;

static void find(VALUE unused, const struct raw_event *event)
{
    (void)unused;
    found = event->context;
}

void rv_context_find(void)
{
    char *thread = RTYPEDDATA_GET_DATA(rb_thread_current());
    rv_gvl_go_on();
    rv_context_place = (struct rv_execution_context **)(void *)(thread + offset);
}

static VALUE evaluate(VALUE text)
{
    return rb_funcall(rb_mKernel, rb_intern("eval"), 1, text);
}

/* Loading code is an event for which no code is changed. */
bool rv_context_start(void)
{
    const rb_event_hook_func_t hook = (rb_event_hook_func_t)(void (*)(void))find;
    const struct rv_execution_context *const *words = RTYPEDDATA_GET_DATA(rb_thread_current());
    int error = 0;
    rb_add_event_hook2(hook, RUBY_EVENT_SCRIPT_COMPILED, Qnil, RUBY_EVENT_HOOK_FLAG_RAW_ARG);
    rb_protect(evaluate, rb_str_new_cstr("nil"), &error);
    rb_remove_event_hook(hook);
    if (error)
        rb_set_errinfo(Qnil);
    for (size_t i = 0; found && i < THREAD_WORDS; i++)
        if (words[i] == found) {
            offset = i * sizeof *words;
            return true;
        }
    return false;
}
#endif
