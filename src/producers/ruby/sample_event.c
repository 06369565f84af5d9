#include "producers/ruby/sample_event.h"

static void (*seeing)(const struct rv_raw_event *event);

static void on_event(VALUE unused, const struct rv_raw_event *event)
{
    (void)unused;
    seeing(event);
}

static VALUE evaluate(VALUE text)
{
    return rb_funcall(rb_mKernel, rb_intern("eval"), 1, text);
}

void rv_sample_event(void (*see)(const struct rv_raw_event *event))
{
    const rb_event_hook_func_t hook = (rb_event_hook_func_t)(void (*)(void))on_event;
    int error = 0;
    seeing = see;
    rb_add_event_hook2(hook, RUBY_EVENT_SCRIPT_COMPILED, Qnil, RUBY_EVENT_HOOK_FLAG_RAW_ARG);
    rb_protect(evaluate, rb_str_new_cstr("nil"), &error);
    rb_remove_event_hook(hook);
    if (error)
        rb_set_errinfo(Qnil);
}
