#include "producers/ruby/api.h"

#include <string.h>

#include "producers/ruby/hooks.h"
#include "producers/ruby/object_counts.h"
#include "producers/ruby/fiber_stacks.h"
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
    rv_fiber_stacks_close((const char *)frame);
    return Qnil;
}

static VALUE span(VALUE module, VALUE name)
{
    (void)module;
    rb_need_block();
    rv_object_counts_tell();
    uint32_t id = intern(name);
    rv_object_counts_skip();
    const char *frame = (const char *)rv_context()->frame;
    rv_fiber_stacks_open(&(const struct rv_method){.id = id}, frame, false);
    if (rv_fiber_stacks_top())
        rv_fiber_stacks_top()->is_span = true;
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

static VALUE flow(VALUE module, VALUE id, VALUE name, VALUE phase)
{
    (void)module;
    static const char *const phases[] = {"begin", "step", "end"};
    const VALUE text = rb_sym2str(rb_to_symbol(phase));
    for (unsigned i = 0; i < sizeof phases / sizeof *phases; i++)
        if (strcmp(RSTRING_PTR(text), phases[i]) == 0) {
            ringviz_flow(NUM2ULL(id), intern(name), (enum ringviz_flow_phase)i);
            return Qnil;
        }
    rb_raise(rb_eArgError, "%" PRIsVALUE " is not :begin, :step or :end", text);
}

static VALUE task_begin(VALUE module, VALUE id, VALUE name)
{
    (void)module;
    ringviz_task_begin(NUM2ULL(id), intern(name));
    return Qnil;
}

static VALUE task_switch(VALUE module, VALUE id)
{
    (void)module;
    ringviz_task_switch(NUM2ULL(id));
    return Qnil;
}

static VALUE task_end(VALUE module, VALUE id)
{
    (void)module;
    ringviz_task_end(NUM2ULL(id));
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
    rb_define_module_function(module, "flow", flow, 3);
    rb_define_module_function(module, "task_begin", task_begin, 2);
    rb_define_module_function(module, "task_switch", task_switch, 1);
    rb_define_module_function(module, "task_end", task_end, 1);
    rb_define_module_function(module, "start", start, 0);
    rb_define_module_function(module, "stop", stop, 0);
    rb_define_module_function(module, "trace", trace, 0);
}
