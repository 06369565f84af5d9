/* Ruby's debug inspector has the frames. It makes a binding for each, so it is for threads that are stopped. */
#include "producers/ruby/backtrace.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "producers/ruby/methods.h"
#include "producers/ruby/value_text.h"

#define MOST_FRAMES 10000u

/* Exported by Ruby 3.1 to 3.4, for debuggers. */
struct rb_iseq_struct;
extern const struct rb_iseq_struct *rb_iseqw_to_iseq(VALUE wrapper);
extern VALUE rb_iseq_parameters(const struct rb_iseq_struct *code, int is_proc);

struct frame {
    const rb_debug_inspector_t *inspector;
    long idx;
    VALUE location, code;
};

typedef bool visit_fn(const struct frame *frame, unsigned number, void *context); /* false: no further */

struct walk {
    visit_fn *visit;
    void *context;
};

static VALUE walk_frames(const rb_debug_inspector_t *inspector, void *context)
{
    const struct walk *walk = context;
    VALUE locations = rb_debug_inspector_backtrace_locations(inspector);
    unsigned number = 0;
    for (long i = 0; i < RARRAY_LEN(locations); i++) {
        struct frame frame = {inspector, i, rb_ary_entry(locations, i),
                              rb_debug_inspector_frame_iseq_get(inspector, i)};
        if (!NIL_P(frame.code) && !walk->visit(&frame, number++, walk->context))
            break;
    }
    return Qnil;
}

static void visit_frames(visit_fn *visit, void *context)
{
    struct walk walk = {visit, context};
    rb_debug_inspector_open(walk_frames, &walk);
}

/* ---- as text ---- */

static void show_arguments(struct rv_text *out, const struct frame *frame)
{
    VALUE binding = rb_debug_inspector_frame_binding_get(frame->inspector, frame->idx);
    VALUE parameters = rb_iseq_parameters(rb_iseqw_to_iseq(frame->code), 0);
    bool is_first = true;
    rv_text_addf(out, "(");
    for (long i = 0; i < RARRAY_LEN(parameters); i++) {
        VALUE name = rb_ary_entry(rb_ary_entry(parameters, i), 1);
        if (!RB_SYMBOL_P(name) || !rb_is_local_id(rb_sym2id(name)) ||
            !RTEST(rb_funcall(binding, rb_intern("local_variable_defined?"), 1, name)))
            continue;
        rv_text_addf(out, is_first ? "" : ", ");
        is_first = false;
        rv_value_text_plain(out, rb_sym2str(name));
        rv_text_addf(out, "=");
        rv_value_text(out, rb_funcall(binding, rb_intern("local_variable_get"), 1, name), 0);
    }
    rv_text_addf(out, ")");
}

/* "block in ", "rescue in block in ": what the label has before the method. */
static void show_part(struct rv_text *out, VALUE label)
{
    const char *text = StringValueCStr(label), *end = text;
    for (const char *in = text; (in = strstr(in, " in ")); in++)
        end = in + strlen(" in ");
    rv_text_add(out, text, (size_t)(end - text));
}

/* That a block was made by define_method is not in its label. */
static VALUE made_name(const struct frame *frame)
{
    VALUE binding = rb_debug_inspector_frame_binding_get(frame->inspector, frame->idx);
    return rb_funcall(binding, rb_intern("eval"), 1, rb_utf8_str_new_cstr("__method__"));
}

static void show_call(struct rv_text *out, const struct frame *frame)
{
    VALUE label = rb_funcall(frame->location, rb_intern("label"), 0);
    VALUE name = rb_funcall(frame->location, rb_intern("base_label"), 0);
    VALUE owner = rb_debug_inspector_frame_class_get(frame->inspector, frame->idx);
    if (strcmp(StringValueCStr(label), "<main>") == 0) {
        rv_text_addf(out, "main program");
        return;
    }
    bool is_labelled = *StringValueCStr(name) != '<';
    VALUE made = is_labelled || NIL_P(owner) ? Qnil : made_name(frame);
    if (NIL_P(owner) || (!is_labelled && NIL_P(made))) {
        rv_value_text_plain(out, label);
        if (strncmp(StringValueCStr(label), "block", strlen("block")) == 0)
            show_arguments(out, frame);
        return;
    }
    if (is_labelled)
        show_part(out, label);
    rv_value_text_plain(out, rv_methods_name(owner, is_labelled ? rb_intern_str(name) : rb_sym2id(made)));
    show_arguments(out, frame);
}

static bool show_frame(const struct frame *frame, unsigned number, void *out)
{
    rv_text_addf(out, "#%u ", number);
    show_call(out, frame);
    rv_text_addf(out, " at ");
    rv_value_text_plain(out, rb_funcall(frame->location, rb_intern("path"), 0));
    rv_text_addf(out, " line %ld\n", NUM2LONG(rb_funcall(frame->location, rb_intern("lineno"), 0)));
    return number < MOST_FRAMES;
}

void rv_backtrace_show(struct rv_text *out)
{
    visit_frames(show_frame, out);
}

/* ---- by number ---- */

struct search {
    unsigned number;
    VALUE found;
};

static bool find_frame(const struct frame *frame, unsigned number, void *context)
{
    struct search *search = context;
    if (number == search->number)
        search->found = rb_debug_inspector_frame_binding_get(frame->inspector, frame->idx);
    return number < search->number;
}

static VALUE binding_of_event(VALUE unused)
{
    return rb_tracearg_binding(rb_tracearg_from_tracepoint(unused));
}

/* An event has the innermost one at hand. */
VALUE rv_backtrace_binding(unsigned number)
{
    struct search search = {number, Qnil};
    int is_in_none = 0;
    VALUE binding = number == 0 ? rb_protect(binding_of_event, Qnil, &is_in_none) : Qnil;
    if (is_in_none)
        rb_set_errinfo(Qnil);
    if (!NIL_P(binding) && !is_in_none)
        return binding;
    visit_frames(find_frame, &search);
    return search.found;
}

static bool add_code(const struct frame *frame, unsigned number, void *all)
{
    (void)number;
    rb_ary_push(*(VALUE *)all, frame->code);
    return true;
}

VALUE rv_backtrace_code(void)
{
    VALUE all = rb_ary_new();
    visit_frames(add_code, &all);
    return all;
}
