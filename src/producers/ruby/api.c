#include "producers/ruby/api.h"

#include "producers/ruby/hooks.h"
#include "producers/ruby/stacks.h"
#include "ringviz/producer.h"

static uint32_t intern(VALUE name)
{
    VALUE text = rb_str_export_to_enc(rb_obj_as_string(name), rb_utf8_encoding());
    uint32_t id = ringviz_intern(NULL, StringValueCStr(text), NULL, 0);
    RB_GC_GUARD(text);
    return id;
}

static VALUE is_traced(VALUE module)
{
    (void)module;
    return Qtrue;
}

/* frame: this function's own; the calls in the block lie below it. */
static VALUE close_span(VALUE frame)
{
    rv_stacks_close((const char *)frame);
    return Qnil;
}

static VALUE span(VALUE module, VALUE name)
{
    (void)module;
    rb_need_block();
    uint32_t id = intern(name);
    const char *frame = (const char *)rv_context()->frame;
    rv_stacks_open((struct rv_method){.id = id}, frame, false);
    if (rv_stacks_top())
        rv_stacks_top()->is_span = true;
    return rb_ensure(rb_yield, Qnil, close_span, (VALUE)frame);
}

static VALUE mark(VALUE module, VALUE name)
{
    (void)module;
    ringviz_mark(intern(name));
    return Qnil;
}

static VALUE value(VALUE module, VALUE name, VALUE number)
{
    (void)module;
    ringviz_value(intern(name), (float)NUM2DBL(number));
    return Qnil;
}

static VALUE start(VALUE module)
{
    (void)module;
    rv_hooks_resume();
    return Qnil;
}

static VALUE stop(VALUE module)
{
    (void)module;
    rv_hooks_pause();
    return Qnil;
}

static VALUE trace(VALUE module)
{
    rb_need_block();
    start(module);
    return rb_ensure(rb_yield, Qnil, stop, module);
}

void rv_api_start(void)
{
    VALUE module = rb_define_module("RingViz");
    rb_define_module_function(module, "traced?", is_traced, 0);
    rb_define_module_function(module, "span", span, 1);
    rb_define_module_function(module, "mark", mark, 1);
    rb_define_module_function(module, "value", value, 2);
    rb_define_module_function(module, "start", start, 0);
    rb_define_module_function(module, "stop", stop, 0);
    rb_define_module_function(module, "trace", trace, 0);
}
