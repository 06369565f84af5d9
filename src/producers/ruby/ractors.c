/*
 * Replaces Ractor.new: it passes a block of ours, with the program's block as its first argument. It is a C function,
 * so that Ractor#inspect still shows the program's line.
 */
#include "producers/ruby/ractors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producers/commands/commands.h"
#include "producers/ruby/fiber_stacks.h"
#include "producers/ruby/thread_names.h"

/* Exported by Ruby 3.0 to 3.4: what Ractor.new does to its block; raises where that uses outer variables. */
extern VALUE rb_proc_isolate(VALUE block);

static void (*prepare)(void), (*begin)(void);
static VALUE make, body;

/* self: the block's Ractor. Its lane is "Ractor 2", with its name if it has one. */
static VALUE enter(VALUE module, VALUE ractor)
{
    VALUE name = rb_funcall(ractor, rb_intern("name"), 0), text = rb_inspect(ractor);
    const char *number = strchr(RSTRING_PTR(text), '#');
    char lane[64];
    number = number ? strchr(number + 1, '#') : NULL; /* "#<Ractor:#2 ..." */
    snprintf(lane, sizeof lane, "Ractor %lu%s%s", number ? strtoul(number + 1, NULL, 10) : 0,
             RB_TYPE_P(name, T_STRING) ? " " : "", RB_TYPE_P(name, T_STRING) ? RSTRING_PTR(name) : "");
    rv_fiber_stacks_begin_thread();
    rv_thread_names_begin_ractor(lane);
    begin();
    return module;
}

static VALUE make_ractor(int n, VALUE *arguments, VALUE class)
{
    int has_keywords = rb_keyword_given_p();
    (void)class;
    if (!rb_block_given_p())
        return rb_method_call_with_block_kw(n, arguments, make, Qnil, has_keywords);
    VALUE block = rb_proc_isolate(rb_block_proc()), all = rb_ary_new_from_args(1, block);
    RB_FL_SET_RAW(block, RUBY_FL_SHAREABLE); /* runs with the Ractor as self */
    rb_ary_cat(all, arguments, n);
    prepare();
    VALUE ractor = rb_method_call_with_block_kw(n + 1, RARRAY_CONST_PTR(all), make, body, has_keywords);
    RB_GC_GUARD(all);
    return ractor;
}

/* It is not the program that calls. */
bool rv_ractors_is_single(void)
{
    const bool was_serving = rv_commands.is_serving;
    rv_commands.is_serving = true;
    const bool is_single = rb_funcall(rb_cRactor, rb_intern("count"), 0) == INT2FIX(1);
    rv_commands.is_serving = was_serving;
    return is_single;
}

/* Ruby 3.3 evaluates no text at the begin of a thread. */
void rv_ractors_prepare(void)
{
    rb_gc_register_address(&body);
    body = rb_ractor_make_shareable(rb_eval_string(
        "nil.instance_exec { proc { |block, *values| ::RingViz.enter(self); instance_exec(*values, &block) } }"));
}

void rv_ractors_start(void (*before)(void), void (*inside)(void))
{
    if (begin)
        return;
    VALUE in_front = rb_module_new();
    prepare = before;
    begin = inside;
    rb_gc_register_address(&make);
    make = rb_obj_method(rb_cRactor, RB_ID2SYM(rb_intern("new")));
    rb_define_module_function(rb_path2class("RingViz"), "enter", enter, 1);
    rb_define_method(in_front, "new", make_ractor, -1);
    rb_prepend_module(rb_singleton_class(rb_cRactor), in_front);
    if (!rv_ractors_is_single())
        prepare();
}
