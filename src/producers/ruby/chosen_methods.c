#include "producers/ruby/chosen_methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "producers/ruby/code_events.h"
#include "producers/ruby/methods.h"

struct pattern {
    const char *text;  /* "Foo::Baz#bar" */
    const char *name;  /* "bar" */
    const char *class; /* "Baz"; "*" where there is no package */
    bool has_package;
    bool was_called;
};

static struct pattern *patterns;
static size_t n_patterns;
static rb_event_flag_t events;
static rv_chosen_methods_fn *handler;
static VALUE tracepoints; /* kept */
static pid_t pid;

/* `*` is any text. */
static bool fits(const char *pattern, const char *text)
{
    for (; *pattern != '*'; pattern++, text++)
        if (*pattern != *text)
            return false;
        else if (!*pattern)
            return true;
    for (pattern++;; text++)
        if (fits(pattern, text))
            return true;
        else if (!*text)
            return false;
}

/* ---- the names ---- */

/* Where the method begins: behind the # or, without one, the last dot. A text without either has no package. */
static const char *find_name(const char *text)
{
    const char *hash = strchr(text, '#'), *dot = strrchr(text, '.');
    return hash ? hash + 1 : dot ? dot + 1 : text;
}

/* "Baz" of "Foo::Baz#". */
static const char *class_of(const char *text, const char *name)
{
    size_t n = name > text ? (size_t)(name - 1 - text) : 0, first = n;
    while (first > 0 && text[first - 1] != ':')
        first--;
    return n > first ? strndup(text + first, n - first) : "*";
}

static void add_pattern(const char *text)
{
    struct pattern *grown = realloc(patterns, (n_patterns + 1) * sizeof *grown);
    const char *name = find_name(text);
    if (!*name)
        fprintf(stderr, "ringviz: RINGVIZ_RUBY_TARGETS: no method is named in \"%s\"\n", text);
    if (!grown)
        return;
    patterns = grown;
    patterns[n_patterns++] =
        (struct pattern){.text = text, .name = name, .class = class_of(text, name), .has_package = name > text};
}

static void read_names(const char *names)
{
    char *copy = strdup(names), *rest = NULL;
    for (char *text = strtok_r(copy, ", ", &rest); text; text = strtok_r(NULL, ", ", &rest))
        add_pattern(text);
}

bool rv_chosen_methods_has(VALUE owner, ID id)
{
    VALUE full;
    bool has = !handler;
    if (has)
        return true;
    full = rv_methods_name(owner, id);
    for (size_t i = 0; i < n_patterns; i++) {
        bool is_meant = patterns[i].has_package ? fits(patterns[i].text, RSTRING_PTR(full))
                                                : fits(patterns[i].name, find_name(RSTRING_PTR(full)));
        patterns[i].was_called |= is_meant;
        has |= is_meant;
    }
    RB_GC_GUARD(full);
    return has;
}

/* At the end of the program, but not of its children. */
static void say_uncalled(VALUE unused)
{
    (void)unused;
    for (size_t i = 0; i < n_patterns && getpid() == pid; i++)
        if (*patterns[i].name && !patterns[i].was_called)
            fprintf(stderr, "ringviz: RINGVIZ_RUBY_TARGETS: process %d called no method \"%s\"\n", (int)pid,
                    patterns[i].text);
}

/* ---- code that is loaded ---- */

static void on_tracepoint(VALUE tracepoint, void *unused)
{
    (void)unused;
    handler(rb_tracearg_event_flag(rb_tracearg_from_tracepoint(tracepoint)));
}

/* A method of any name is looked for in its class's text only. */
static bool may_be_chosen(const char *label, const char *class)
{
    for (size_t i = 0; i < n_patterns; i++)
        if (fits(patterns[i].name, label) && (strcmp(patterns[i].name, "*") != 0 || fits(patterns[i].class, class)))
            return true;
    return false;
}

/* With the code in it. */
static void choose(VALUE code)
{
    VALUE tracepoint = rb_tracepoint_new(Qnil, events, on_tracepoint, NULL);
    rv_code_events_enable(tracepoint, code, 0);
    rb_ary_push(tracepoints, tracepoint);
}

/* "Foo" of "<class:Foo>", the class around it else. */
static VALUE class_in(VALUE label, VALUE around)
{
    const char *text = RSTRING_PTR(label), *colon = strchr(text, ':');
    bool is_class = strncmp(text, "<class:", 7) == 0 || strncmp(text, "<module:", 8) == 0;
    return is_class ? rb_str_new(colon + 1, (long)strlen(colon + 1) - 1) : around;
}

static void look(VALUE code, VALUE around);

static VALUE look_inside(RB_BLOCK_CALL_FUNC_ARGLIST(code, class))
{
    (void)argc;
    (void)argv;
    (void)blockarg;
    look(code, class);
    return Qnil;
}

static void look(VALUE code, VALUE around)
{
    VALUE label = rb_funcall(code, rb_intern("base_label"), 0), class = class_in(label, around);
    if (may_be_chosen(StringValueCStr(label), StringValueCStr(class)) && rv_code_events_has_event(code, "call", 0))
        choose(code);
    else
        rb_block_call(code, rb_intern("each_child"), 0, NULL, look_inside, class);
}

static VALUE look_at_loaded(VALUE tracepoint)
{
    look(rb_funcall(tracepoint, rb_intern("instruction_sequence"), 0), rb_str_new_cstr(""));
    return Qnil;
}

/* What fails here is no failure of the program. */
static void on_loaded(VALUE tracepoint, void *unused)
{
    int error = 0;
    (void)unused;
    rb_protect(look_at_loaded, tracepoint, &error);
    if (error)
        rb_set_errinfo(Qnil);
}

void rv_chosen_methods_start(const char *names, rb_event_flag_t wanted, rv_chosen_methods_fn *given)
{
    VALUE loaded = rb_tracepoint_new(Qnil, RUBY_EVENT_SCRIPT_COMPILED, on_loaded, NULL);
    read_names(names);
    events = wanted;
    handler = given;
    pid = getpid();
    rb_set_end_proc(say_uncalled, Qnil);
    tracepoints = rb_ary_new_from_args(1, loaded);
    rb_gc_register_mark_object(tracepoints);
    rb_tracepoint_enable(loaded);
}
