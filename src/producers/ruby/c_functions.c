/*
 * An UnboundMethod leads to its method entry, and that to the address of its function. Neither is in the headers: a word is
 * taken for an entry only if it leads to an entry of that name.
 */
#include "producers/ruby/c_functions.h"

#include <dlfcn.h>
#include <string.h>

#define METHOD_WORDS 5u
#define ENTRY_FLAGS (T_IMEMO | 6u << RUBY_FL_USHIFT)
#define ENTRY_MASK (T_MASK | 15u << RUBY_FL_USHIFT)
#define KIND_MASK 15u
enum { KIND_FUNCTION = 1, KIND_ATTRIBUTE_READER = 3, KIND_OPTIMIZED = 9 };
enum { OPTIMIZED_STRUCT_READER = 3 };

struct definition { /* its first members, in Ruby 2.7 to 3.4 (method.h) */
    uint32_t kind;
    union {
        void *function;
        uint32_t optimized;
    };
};

struct method_entry {
    VALUE flags, defined_class;
    const struct definition *definition;
    ID called;
};

struct query {
    VALUE owner;
    ID name;
};

static VALUE find_method; /* Module#instance_method, whatever the program makes of it */
static const void *own_base;

static VALUE take_method(VALUE query)
{
    const struct query *asked = (const struct query *)query;
    return rb_funcall(find_method, rb_intern("bind_call"), 2, asked->owner, RB_ID2SYM(asked->name));
}

/* Nil where the owner has no such method any more; exceptions that other threads raise in this one are raised. */
static VALUE method_of(const struct query *query)
{
    const VALUE raised = rb_errinfo();
    int error = 0;
    const VALUE method = rb_protect(take_method, (VALUE)query, &error);
    if (!error)
        return method;
    if (!RTEST(rb_obj_is_kind_of(rb_errinfo(), rb_eNameError)))
        rb_jump_tag(error);
    rb_set_errinfo(raised);
    return Qnil;
}

static const struct method_entry *entry_in(VALUE method, ID name)
{
    const VALUE *words = RTYPEDDATA_GET_DATA(method);
    for (unsigned i = 0; i < METHOD_WORDS; i++) {
        const struct method_entry *entry = (const struct method_entry *)words[i];
        if (!RB_SPECIAL_CONST_P(words[i]) && (entry->flags & ENTRY_MASK) == ENTRY_FLAGS)
            return entry->called == name ? entry : NULL;
    }
    return NULL;
}

static const char *library_of(const void *function)
{
    Dl_info info;
    if (!dladdr(function, &info) || info.dli_fbase == own_base)
        return NULL;
    const char *folder = strrchr(info.dli_fname, '/');
    return folder ? folder + 1 : info.dli_fname;
}

struct rv_function rv_functions_find(VALUE owner, ID name)
{
    const struct query query = {owner, name};
    const VALUE method = method_of(&query);
    const struct method_entry *entry = NIL_P(method) ? NULL : entry_in(method, name);
    if (!entry)
        return (struct rv_function){0};
    const struct definition *definition = entry->definition;
    const uint32_t kind = definition->kind & KIND_MASK;
    return (struct rv_function){
        .library = kind == KIND_FUNCTION ? library_of(definition->function) : NULL,
        .is_reader = kind == KIND_ATTRIBUTE_READER ||
                     (kind == KIND_OPTIMIZED && definition->optimized == OPTIMIZED_STRUCT_READER),
    };
}

void rv_functions_start(void)
{
    Dl_info info;
    rb_gc_register_address(&find_method);
    find_method = rb_funcall(rb_cModule, rb_intern("instance_method"), 1, RB_ID2SYM(rb_intern("instance_method")));
    own_base = dladdr((void *)(uintptr_t)rb_funcall, &info) ? info.dli_fbase : NULL;
}
