/*
 * Code that a breakpoint is about may be loaded later, by any thread: what is waited for is in a list of all threads.
 * A method is found by its name in the code; whose it is, is seen when it is called.
 */
#include "producers/ruby/breakpoints.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "producers/commands/commands.h"
#include "producers/ruby/backtrace.h"
#include "producers/ruby/code_events.h"
#include "producers/ruby/evaluate.h"
#include "producers/ruby/methods.h"
#include "producers/ruby/ractors.h"
#include "producers/ruby/value_text.h"

static const char RAISE[] = "raise", OBJECT[] = "Object#";

/* Breakpoints of all threads whose code may still be loaded. Others may look at the list in their Ractors: only one alone takes
 * what is over out of it. */
static struct awaited {
    struct rv_code_events_owner owner;
    struct rv_breakpoint point; /* with a text of its own */
    bool is_over;               /* [atomic] */
    struct awaited *next;
} * all_awaited; /* [atomic]  A1 -> A2  what is at its head */

/* ---- what a user writes ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* "bar", "bar?", "bar=" or an operator. */
static bool is_method_name(const char *text, size_t n)
{
    size_t n_word = 0;
    while (n_word < n && is_word(text[n_word]))
        n_word++;
    if (n_word > 0)
        return !isdigit((unsigned char)text[0]) && (n_word == n || (n_word + 1 == n && strchr("?!=", text[n_word])));
    while (n_word < n && strchr("+-*/%<=>!~^&|[]@`", text[n_word]))
        n_word++;
    return n > 0 && n_word == n;
}

/* "Foo::Bar", "Integer@Refines", "#<Class>", "#<Foo>". */
static bool is_package(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_word(text[i]) && !strchr(":@#<>", text[i]))
            return false;
    return n > 0 && (isupper((unsigned char)text[0]) || text[0] == '#' || (unsigned char)text[0] >= 0x80);
}

static bool parse_raise(struct rv_breakpoint *point, const char *text, size_t n)
{
    size_t n_raise = strlen(RAISE), at = n > n_raise ? n_raise + 1 : n;
    if (n < n_raise || memcmp(text, RAISE, n_raise) != 0 || (n > n_raise && text[n_raise] != ' '))
        return false;
    point->kind = RV_BREAKPOINT_RAISE;
    point->sub_at = at;
    point->sub_bytes = n - at;
    return at == n || is_package(text + at, n - at);
}

/* A method without a package is one of Object. */
static bool parse_name(struct rv_breakpoint *point, const char *text, size_t n)
{
    if (parse_raise(point, text, n))
        return true;
    size_t at = 1;
    while (at < n && text[at] != '#' && text[at] != '.')
        at++;
    bool has_package = at + 1 < n;
    point->kind = RV_BREAKPOINT_SUB;
    point->prefix = has_package ? NULL : OBJECT;
    point->package_bytes = has_package ? at : strlen(OBJECT) - 1;
    point->sub_at = point->package_bytes + 1;
    point->sub_bytes = has_package ? n - at - 1 : n;
    return (!has_package || is_package(text, at)) && is_method_name(text + n - point->sub_bytes, point->sub_bytes);
}

/* ---- code ---- */

static bool is_text(VALUE string, const char *text, size_t n_bytes)
{
    return RB_TYPE_P(string, T_STRING) && (size_t)RSTRING_LEN(string) == n_bytes &&
           memcmp(RSTRING_PTR(string), text, n_bytes) == 0;
}

static bool is_of_file(const struct rv_breakpoint *point, VALUE code)
{
    VALUE path = rb_funcall(code, rb_intern("path"), 0);
    return RB_TYPE_P(path, T_STRING) && rv_breakpoint_list_is_file(point, StringValueCStr(path));
}

static bool is_of_method(const struct rv_breakpoint *point, VALUE code)
{
    return is_text(rb_funcall(code, rb_intern("base_label"), 0), point->text + point->sub_at, point->sub_bytes) &&
           rv_code_events_has_event(code, "call", 0);
}

struct search {
    const struct rv_breakpoint *point;
    VALUE found; /* array of code */
    bool has_file;
    unsigned long next; /* line with a statement; 0: none */
};

static void look_at_lines(struct search *search, VALUE code)
{
    VALUE events = rb_funcall(code, rb_intern("trace_points"), 0), wanted = RB_ID2SYM(rb_intern("line"));
    bool is_there = false;
    for (long i = 0; i < RARRAY_LEN(events); i++) {
        VALUE event = rb_ary_entry(events, i);
        unsigned long line = NUM2ULONG(rb_ary_entry(event, 0));
        if (rb_ary_entry(event, 1) != wanted)
            continue;
        is_there |= line == search->point->line;
        if (line > search->point->line && (!search->next || line < search->next))
            search->next = line;
    }
    if (is_there)
        rb_ary_push(search->found, code);
}

static void look_at(VALUE code, void *context)
{
    struct search *search = context;
    if (search->point->kind == RV_BREAKPOINT_SUB) {
        if (is_of_method(search->point, code))
            rb_ary_push(search->found, code);
    } else if (is_of_file(search->point, code)) {
        search->has_file = true;
        look_at_lines(search, code);
    }
}

static void make_targets(struct rv_code_events_owner owner, const struct search *search)
{
    for (long i = 0; i < RARRAY_LEN(search->found); i++) {
        if (search->point->kind == RV_BREAKPOINT_SUB)
            rv_code_events_add_entry(owner, rb_ary_entry(search->found, i));
        else
            rv_code_events_add_lines(owner, rb_ary_entry(search->found, i), search->point->line);
    }
}

/* ---- methods ---- */

/* The class or module of that name, without loading anything; nil: there is none. */
static VALUE find_package(const char *text, size_t n_bytes)
{
    VALUE package = rb_cObject;
    for (size_t begin = 0, end; begin < n_bytes; begin = end + 2) {
        for (end = begin; end < n_bytes && text[end] != ':'; end++) {
        }
        ID name = rb_intern2(text + begin, (long)(end - begin));
        if (!rb_is_const_id(name) || !rb_const_defined_from(package, name) || RTEST(rb_autoload_p(package, name)))
            return Qnil;
        package = rb_const_get_from(package, name);
        if (!RB_TYPE_P(package, T_CLASS) && !RB_TYPE_P(package, T_MODULE))
            return Qnil;
    }
    return package;
}

/* The method, or nil; may raise. */
static VALUE find_method(VALUE wanted)
{
    const struct rv_breakpoint *point = (const struct rv_breakpoint *)wanted; /* NOLINT */
    VALUE package = find_package(point->text, point->package_bytes);
    VALUE name = rb_utf8_str_new(point->text + point->sub_at, (long)point->sub_bytes);
    if (NIL_P(package))
        return Qnil;
    if (point->text[point->package_bytes] == '.')
        package = rb_singleton_class(package);
    return rb_funcall(package, rb_intern("instance_method"), 1, rb_str_intern(name));
}

/* Its code, also if its name is not in it; nil: it is not written in Ruby. */
static VALUE code_of(VALUE method)
{
    return rb_funcall(rb_path2class("RubyVM::InstructionSequence"), rb_intern("of"), 1, method);
}

/* Of a method that is there, and what is wrong with it; false: it cannot be met. */
static bool look_at_method(struct search *search, bool *is_there, struct rv_text *out)
{
    int error = 0;
    const struct rv_breakpoint *point = search->point;
    VALUE method = rb_protect(find_method, (VALUE)point, &error);
    *is_there = !error && !NIL_P(method);
    if (error)
        rb_set_errinfo(Qnil);
    if (!*is_there)
        return true;
    VALUE code = code_of(method), name = rb_funcall(method, rb_intern("name"), 0);
    VALUE full = rv_methods_name(rb_funcall(method, rb_intern("owner"), 0), rb_sym2id(name));
    if (!is_text(full, point->text, point->sub_at + point->sub_bytes))
        rv_text_addf(out, "it is %s", StringValueCStr(full));
    else if (NIL_P(code))
        rv_text_addf(out, "%s is not written in Ruby", StringValueCStr(full));
    else if (!RTEST(rb_ary_includes(search->found, code)))
        rb_ary_push(search->found, code);
    return !out->n_bytes;
}

static bool can_be_met(struct search *search, bool *is_there, struct rv_text *out)
{
    if (search->point->kind == RV_BREAKPOINT_SUB)
        return look_at_method(search, is_there, out);
    *is_there = RARRAY_LEN(search->found) > 0;
    if (*is_there || !search->has_file)
        return true;
    rv_text_addf(out, "line %lu has no statement", search->point->line);
    if (search->next)
        rv_text_addf(out, "; the next statement is on line %lu", search->next);
    return false;
}

/* ---- what is loaded later ---- */

static void await(struct rv_code_events_owner owner, const struct rv_breakpoint *point)
{
    struct awaited *awaited = calloc(1, sizeof *awaited);
    if (!awaited)
        return;
    awaited->owner = owner;
    awaited->point = *point;
    awaited->point.text = strdup(point->text);
    awaited->point.condition = NULL;
    awaited->next = __atomic_load_n(&all_awaited, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all_awaited, &awaited->next, awaited, true, __ATOMIC_RELEASE, /* A1 -> A2 */
                                        __ATOMIC_RELAXED)) {
    }
    rv_code_events_add_loaded(owner);
}

static struct awaited *first_awaited(void)
{
    return __atomic_load_n(&all_awaited, __ATOMIC_ACQUIRE); /* A2 <- A1 */
}

static bool is_over(const struct awaited *awaited)
{
    return __atomic_load_n(&awaited->is_over, __ATOMIC_RELAXED) || !rv_code_events_is_alive(awaited->owner);
}

static void free_those_over(void)
{
    for (struct awaited **place = &all_awaited, *awaited; (awaited = *place);) {
        if (!is_over(awaited)) {
            place = &awaited->next;
            continue;
        }
        *place = awaited->next;
        free(awaited->point.text);
        free(awaited);
    }
}

static void await_no_more(struct rv_code_events_owner owner)
{
    for (struct awaited *awaited = first_awaited(); awaited; awaited = awaited->next)
        if (rv_code_events_is_owner(awaited->owner, owner))
            __atomic_store_n(&awaited->is_over, true, __ATOMIC_RELAXED);
    if (rv_ractors_is_single())
        free_those_over();
}

void rv_breakpoints_load(VALUE code)
{
    for (const struct awaited *awaited = first_awaited(); awaited; awaited = awaited->next) {
        struct search search = {.point = &awaited->point, .found = rb_ary_new()};
        if (is_over(awaited) || !awaited->point.text)
            continue;
        rv_code_events_each_inner(code, look_at, &search);
        make_targets(awaited->owner, &search);
    }
}

/* ---- adding and removing ---- */

static void add_found(struct rv_breakpoint *point, struct search *search, struct rv_text *out)
{
    rv_breakpoint_list_keep(point, out);
    struct rv_code_events_owner owner = rv_code_events_owner(point->number);
    if (point->kind == RV_BREAKPOINT_RAISE) {
        rv_code_events_add_raise(owner);
        return;
    }
    make_targets(owner, search);
    await(owner, point);
}

bool rv_breakpoints_add(const char *text, struct rv_text *out)
{
    struct rv_breakpoint point = {.text = NULL};
    struct search search = {.point = &point, .found = rb_ary_new()};
    bool is_there = true;
    if (!rv_breakpoint_list_has_room(out))
        return false;
    if (!rv_breakpoint_list_parse(&point, text, parse_name)) {
        rv_text_addf(out, "give METHOD, raise or FILE:LINE, optionally with if EXPR");
        return false;
    }
    rv_code_events_begin_thread();
    if (point.kind != RV_BREAKPOINT_RAISE)
        rv_code_events_each_code(look_at, &search);
    if (point.kind != RV_BREAKPOINT_RAISE && !can_be_met(&search, &is_there, out)) {
        rv_breakpoint_list_free(&point);
        return false;
    }
    add_found(&point, &search, out);
    if (!is_there)
        rv_text_addf(out, " (not loaded yet)");
    RB_GC_GUARD(search.found);
    return true;
}

static void change(struct rv_breakpoint *point, bool is_removed)
{
    struct rv_code_events_owner owner = rv_code_events_owner(point->number);
    if (!is_removed || !owner.thread)
        return;
    rv_code_events_release(owner);
    await_no_more(owner);
}

/* A local or instance variable: to read it prints nothing, raises nothing and runs no code of the program. */
static bool is_variable(VALUE binding, const char *text)
{
    const char *name = text + (*text == '@');
    size_t n_word = 0;
    while (is_word(name[n_word]))
        n_word++;
    if (!n_word || name[n_word] || isdigit((unsigned char)*name))
        return false;
    const ID id = rb_intern(text);
    return *text == '@' ||
           (rb_is_local_id(id) && RTEST(rb_funcall(binding, rb_intern("local_variable_defined?"), 1, RB_ID2SYM(id))));
}

/* The binding stays the frame's, wherever the thread is. */
bool rv_breakpoints_watch(const char *text, unsigned frame, struct rv_text *out)
{
    VALUE binding = rv_backtrace_binding(frame);
    if (!rv_breakpoint_list_has_room(out))
        return false;
    if (NIL_P(binding)) {
        rv_text_addf(out, "no frame %u", frame);
        return false;
    }
    VALUE compiled = rv_evaluate_compile(binding, text);
    struct rv_breakpoint point = {.owner = (const void *)compiled, .last = RUBY_Qundef}; /* NOLINT */
    point.is_variable = RTEST(rb_obj_is_proc(compiled)) && is_variable(binding, text);
    rv_code_events_begin_thread();
    bool is_fine = rv_breakpoint_list_watch(&point, text, frame, out);
    if (is_fine)
        rv_code_events_keep(rv_code_events_owner(point.number), compiled);
    RB_GC_GUARD(compiled);
    return is_fine;
}

/* ---- at a place ---- */

static bool is_class_of(const struct rv_breakpoint *point, VALUE exception)
{
    if (!point->sub_bytes)
        return true;
    for (VALUE class = rb_obj_class(exception); !NIL_P(class); class = rb_class_superclass(class))
        if (is_text(rb_class_path(class), point->text + point->sub_at, point->sub_bytes))
            return true;
    return false;
}

/* The method that runs, "Foo#bar"; nil where there is none. */
static VALUE current_name(void)
{
    ID id = 0;
    VALUE owner = Qnil;
    return rb_frame_method_id_and_class(&id, &owner) ? rv_methods_name(owner, id) : Qnil;
}

static bool is_met(const struct rv_breakpoint *point, const struct rv_breakpoints_place *place)
{
    if (point->kind == RV_BREAKPOINT_WATCH)
        return place->kind == RV_BREAKPOINT_LINE;
    if (point->kind != place->kind)
        return false;
    switch (point->kind) {
    case RV_BREAKPOINT_SUB:
        return is_text(current_name(), point->text, point->sub_at + point->sub_bytes);
    case RV_BREAKPOINT_LINE:
        return point->line == (unsigned long)rb_sourceline() && rv_breakpoint_list_is_file(point, rb_sourcefile());
    case RV_BREAKPOINT_RAISE:
        return is_class_of(point, place->exception);
    case RV_BREAKPOINT_WATCH:
        break;
    }
    return false;
}

static VALUE read_variable(VALUE compiled)
{
    return rb_proc_call_with_block(compiled, 0, NULL, Qnil);
}

/* What the program raises in this thread meanwhile is passed on. */
static VALUE value_of_variable(VALUE compiled)
{
    int state = 0;
    rv_commands.is_serving = true;
    rv_code_events_begin();
    const VALUE value = rb_protect(read_variable, compiled, &state);
    rv_code_events_end();
    rv_commands.is_serving = false;
    if (state)
        rb_jump_tag(state);
    return value;
}

/* Of a watched variable that had and has the same value, which is no object, nothing else need be asked. */
static bool may_have_changed(struct rv_breakpoint *point)
{
    if (!point->is_variable)
        return true;
    const VALUE last = point->last;
    point->last = value_of_variable((VALUE)point->owner);
    return point->last != last || !RB_SPECIAL_CONST_P(last);
}

bool rv_breakpoints_is_any_met(const struct rv_breakpoints_place *place)
{
    for (unsigned i = 0; i < rv_breakpoint_list.n; i++) {
        struct rv_breakpoint *point = &rv_breakpoint_list.points[i];
        if (is_met(point, place) && (point->kind != RV_BREAKPOINT_WATCH || may_have_changed(point)))
            return true;
    }
    return false;
}

static bool holds(const struct rv_breakpoint *point, const struct rv_breakpoints_place *place, struct rv_text *why)
{
    bool holds = rv_breakpoint_list_holds(point, why);
    if (holds && point->kind == RV_BREAKPOINT_RAISE) {
        rv_breakpoint_list_show(point, why);
        rv_text_addf(why, ": ");
        rv_value_text(why, place->exception, 0);
        rv_text_addf(why, "\n");
    }
    return holds;
}

bool rv_breakpoints_are_due(const struct rv_breakpoints_place *place, struct rv_text *why)
{
    bool are_due = false;
    for (unsigned i = 0; i < rv_breakpoint_list.n; i++) {
        struct rv_breakpoint *point = &rv_breakpoint_list.points[i];
        if (is_met(point, place))
            are_due |= point->kind == RV_BREAKPOINT_WATCH ? rv_breakpoint_list_has_changed(point, 0, why)
                                                          : holds(point, place, why);
    }
    return are_due;
}

void rv_breakpoints_start(void)
{
    rv_breakpoint_list_start(change);
}
