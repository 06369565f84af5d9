/*
 * While expressions run, $stdout and $stderr are objects that pass on what other threads write. An expression that is
 * no longer wanted gets an exception from a thread of ours.
 */
#include "producers/ruby/evaluate.h"

#include <stdlib.h>

#include "producers/ruby/backtrace.h"
#include "producers/ruby/request_poller.h"
#include "producers/ruby/value_text.h"

/* Of a Ractor. */
struct streams {
    VALUE out_keeper, err_keeper; /* the objects that $stdout and $stderr are */
    VALUE program_out, program_err;
    unsigned n_running; /* expressions, in all of its threads */
};

static rb_ractor_local_key_t key;
static VALUE keeper_class;
static _Thread_local struct rv_text *output __attribute__((tls_model("initial-exec")));

/* ---- output ---- */

static void mark_streams(void *given)
{
    const struct streams *streams = given;
    rb_gc_mark(streams->out_keeper);
    rb_gc_mark(streams->err_keeper);
    rb_gc_mark(streams->program_out);
    rb_gc_mark(streams->program_err);
}

static const struct rb_ractor_local_storage_type streams_type = {mark_streams, ruby_xfree};

static struct streams *own_streams(void)
{
    struct streams *streams = rb_ractor_local_storage_ptr(key);
    if (streams)
        return streams;
    streams = RB_ZALLOC(struct streams);
    rb_ractor_local_storage_ptr_set(key, streams);
    streams->out_keeper = rb_obj_alloc(keeper_class);
    streams->err_keeper = rb_obj_alloc(keeper_class);
    return streams;
}

static VALUE stream_of(VALUE keeper)
{
    const struct streams *streams = own_streams();
    return keeper == streams->out_keeper ? streams->program_out : streams->program_err;
}

static VALUE keep_output(int n, VALUE *texts, VALUE keeper)
{
    size_t n_bytes = 0;
    if (!output)
        return rb_funcallv(stream_of(keeper), rb_intern("write"), n, texts);
    for (int i = 0; i < n; i++) {
        VALUE text = rb_obj_as_string(texts[i]);
        rv_value_text_plain(output, text);
        n_bytes += (size_t)RSTRING_LEN(text);
    }
    return SIZET2NUM(n_bytes);
}

/* Anything but writing is the program's stream's. */
static VALUE pass_on(int n, VALUE *arguments, VALUE keeper)
{
    VALUE stream = stream_of(keeper);
    return rb_funcall_with_block_kw(stream, rb_sym2id(arguments[0]), n - 1, arguments + 1,
                                    rb_block_given_p() ? rb_block_proc() : Qnil,
                                    rb_keyword_given_p() ? RB_PASS_KEYWORDS : RB_NO_KEYWORDS);
}

static VALUE responds(VALUE keeper, VALUE name, VALUE has_all)
{
    (void)has_all;
    return rb_obj_respond_to(stream_of(keeper), rb_sym2id(name), 0) ? Qtrue : Qfalse;
}

static void begin_output(struct rv_text *out)
{
    struct streams *streams = own_streams();
    output = out;
    if (streams->n_running++ > 0)
        return;
    streams->program_out = rb_gv_get("$stdout");
    streams->program_err = rb_gv_get("$stderr");
    rb_gv_set("$stdout", streams->out_keeper);
    rb_gv_set("$stderr", streams->err_keeper);
}

/* An expression may have set them itself. */
static void end_output(void)
{
    struct streams *streams = own_streams();
    output = NULL;
    if (--streams->n_running > 0)
        return;
    if (rb_gv_get("$stdout") == streams->out_keeper)
        rb_gv_set("$stdout", streams->program_out);
    if (rb_gv_get("$stderr") == streams->err_keeper)
        rb_gv_set("$stderr", streams->program_err);
}

/* ---- expressions ---- */

static VALUE eval_in(VALUE binding, VALUE text)
{
    return rb_funcall(binding, rb_intern("eval"), 3, text, rb_utf8_str_new_cstr("expression"), INT2FIX(1));
}

static VALUE compile(VALUE given)
{
    const VALUE *arguments = (const VALUE *)given; /* NOLINT */
    return eval_in(arguments[0], rb_sprintf("proc { (%" PRIsVALUE "\n) }", arguments[1]));
}

VALUE rv_evaluate_compile(VALUE binding, const char *text)
{
    VALUE arguments[] = {binding, rb_utf8_str_new_cstr(text)};
    const VALUE raised = rb_errinfo();
    int error = 0;
    const VALUE compiled = rb_protect(compile, (VALUE)arguments, &error);
    if (!error)
        return compiled;
    if (!RTEST(rb_obj_is_kind_of(rb_errinfo(), rb_eScriptError)))
        rb_jump_tag(error);
    rb_set_errinfo(raised);
    return binding;
}

static VALUE eval(VALUE given)
{
    const VALUE *arguments = (const VALUE *)given; /* NOLINT */
    rv_request_poller_begin();
    return RTEST(rb_obj_is_proc(arguments[0])) ? rb_proc_call(arguments[0], rb_ary_new())
                                               : eval_in(arguments[0], arguments[1]);
}

static VALUE message_of(VALUE error)
{
    return rb_obj_as_string(error);
}

static void show_error(struct rv_text *out, VALUE error)
{
    int has_failed = 0;
    VALUE message = rb_protect(message_of, error, &has_failed);
    if (has_failed)
        rb_set_errinfo(Qnil);
    rv_value_text_plain(out, rb_class_path(rb_obj_class(error)));
    if (!has_failed && RSTRING_LEN(message)) {
        rv_text_addf(out, ": ");
        rv_value_text_plain(out, message);
    }
    while (out->n_bytes && out->bytes[out->n_bytes - 1] == '\n')
        rv_text_cut(out, out->n_bytes - 1);
}

static bool is_error(VALUE error)
{
    return rb_obj_is_kind_of(error, rb_eException) && !rb_obj_is_kind_of(error, rb_eSystemExit);
}

static void append_output(struct rv_text *out, struct rv_text *said)
{
    rv_text_add(out, rv_text_bytes(said), said->n_bytes);
    if (said->n_bytes && said->bytes[said->n_bytes - 1] != '\n')
        rv_text_addf(out, "\n");
    rv_text_fini(said);
}

/* Appends the value or error; gives what must be passed on. */
static int run(VALUE binding, const struct rv_expression *expression, struct rv_text *out, bool *is_fine)
{
    struct rv_text said = {0};
    VALUE text = rb_utf8_str_new(expression->text, (long)expression->n_bytes), arguments[] = {binding, text};
    int state = 0;
    begin_output(&said);
    VALUE value = rb_protect(eval, (VALUE)arguments, &state);
    bool is_given_up = rv_request_poller_end();
    end_output();
    append_output(out, &said);
    VALUE error = state ? rb_errinfo() : Qnil;
    *is_fine = !state && !is_given_up;
    if (state && !is_given_up && !is_error(error))
        return state;
    if (state)
        rb_set_errinfo(Qnil);
    if (is_given_up)
        rv_text_addf(out, "given up");
    else if (state)
        show_error(out, error);
    else
        rv_value_text(out, value, expression->levels);
    RB_GC_GUARD(text);
    return 0;
}

bool rv_evaluate(const struct rv_expression *expression, struct rv_text *out)
{
    VALUE binding = expression->owner ? (VALUE)expression->owner : rv_backtrace_binding(expression->frame);
    bool is_fine = false;
    if (NIL_P(binding)) {
        rv_text_addf(out, "no frame %u", expression->frame);
        return false;
    }
    int state = run(binding, expression, out, &is_fine);
    RB_GC_GUARD(binding);
    if (state)
        rb_jump_tag(state);
    return is_fine;
}

void rv_evaluate_swap(struct rv_text **other)
{
    struct rv_text *before = output;
    output = *other;
    *other = before;
}

void rv_evaluate_start(void)
{
    VALUE class = keeper_class = rb_class_new(rb_cObject);
    rb_gc_register_mark_object(class);
    key = rb_ractor_local_storage_ptr_newkey(&streams_type);
    rb_define_method(class, "write", keep_output, -1);
    rb_define_method(class, "puts", rb_io_puts, -1);
    rb_define_method(class, "print", rb_io_print, -1);
    rb_define_method(class, "printf", rb_io_printf, -1);
    rb_define_method(class, "<<", rb_io_addstr, 1);
    rb_define_method(class, "method_missing", pass_on, -1);
    rb_define_method(class, "respond_to_missing?", responds, 2);
}
