#include "producers/ruby/methods.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producers/ruby/collections.h"
#include "producers/ruby/chosen_methods.h"
#include "producers/ruby/c_functions.h"
#include "ringviz/producer.h"

#define N_FIRST 1024u
#define CACHE_LINE_BYTES 64u

_Thread_local struct rv_method_table rv_method_table;
static pthread_key_t end_key;

static ID id_attached, id_attached_object, id_refined_class, id_defined_at;

static void end_thread(void *entries)
{
    rv_method_table = (struct rv_method_table){0};
    free(entries);
}

/* ---- names ---- */

/* In UTF-8, where Ruby knows how; no string: "". Who reads its bytes keeps it in a variable: a collection moves what is in none. */
static VALUE utf8(VALUE string)
{
    if (!RB_TYPE_P(string, T_STRING))
        return rb_utf8_str_new(NULL, 0);
    return rb_str_conv_enc(string, rb_enc_get(string), rb_utf8_encoding());
}

static void append(VALUE name, VALUE string)
{
    string = utf8(string);
    rb_str_cat(name, RSTRING_PTR(string), RSTRING_LEN(string));
    RB_GC_GUARD(string);
}

static bool is_module(VALUE object)
{
    return RB_TYPE_P(object, T_CLASS) || RB_TYPE_P(object, T_MODULE);
}

static bool is_singleton(VALUE owner)
{
    return RB_TYPE_P(owner, T_CLASS) && RB_FL_TEST_RAW(owner, RUBY_FL_SINGLETON);
}

static VALUE attached_to(VALUE singleton)
{
    VALUE object = rb_ivar_get(singleton, id_attached);
    return NIL_P(object) ? rb_check_funcall(singleton, id_attached_object, 0, NULL) : object;
}

/* "#<Class:0x00007f21a0>::Foo" without the address, which differs from run to run. */
static VALUE without_addresses(VALUE path)
{
    path = utf8(path);
    VALUE out = rb_utf8_str_new(NULL, 0);
    const char *text = RSTRING_PTR(path), *address;
    while ((address = strstr(text, ":0x"))) {
        rb_str_cat(out, text, address - text);
        text = address + 3 + strspn(address + 3, "0123456789abcdef");
    }
    rb_str_cat_cstr(out, text);
    RB_GC_GUARD(path);
    return out;
}

/* The name by Ruby, not by its own to_s; a refinement as "Integer@By". */
static VALUE module_name(VALUE module)
{
    VALUE refined = rb_ivar_get(module, id_refined_class);
    if (NIL_P(refined))
        return without_addresses(rb_class_path(module));
    VALUE name = module_name(refined), by = rb_ivar_get(module, id_defined_at);
    rb_str_cat_cstr(name, "@");
    return rb_str_append(name, is_module(by) ? module_name(by) : rb_utf8_str_new_cstr("?"));
}

/* Not what Ruby includes in its place. */
static VALUE module_of(VALUE owner)
{
    return RB_TYPE_P(owner, T_ICLASS) ? RBASIC_CLASS(owner) : owner;
}

/* The package, and how methods are joined to it. Singletons of objects share the name of the object's class. */
static VALUE owner_name(VALUE owner, uint32_t *form)
{
    *form = RINGVIZ_NAME_HASH;
    owner = module_of(owner);
    if (!is_module(owner))
        return rb_utf8_str_new(NULL, 0);
    if (!is_singleton(owner))
        return module_name(owner);
    VALUE object = attached_to(owner);
    *form = RINGVIZ_NAME_DOT;
    if (is_module(object))
        return module_name(object);
    VALUE name = rb_utf8_str_new_cstr("#<");
    rb_str_append(name, module_name(rb_obj_class(object)));
    return rb_str_cat_cstr(name, ">");
}

VALUE rv_methods_name(VALUE owner, ID id)
{
    uint32_t form;
    VALUE name = owner_name(owner, &form);
    rb_str_cat_cstr(name, form == RINGVIZ_NAME_HASH ? "#" : ".");
    append(name, rb_id2str(id));
    return name;
}

static uint32_t intern(VALUE owner, ID id, VALUE file, uint32_t line, uint32_t form)
{
    uint32_t joint;
    VALUE package = owner_name(owner, &joint);
    VALUE name = rb_utf8_str_new_cstr(form & RINGVIZ_NAME_BLOCK ? "block in " : "");
    append(name, rb_id2str(id));
    file = utf8(file);
    uint32_t interned =
        ringviz_intern_form(RSTRING_PTR(package), RSTRING_PTR(name), RSTRING_PTR(file), line, joint | form);
    RB_GC_GUARD(package);
    RB_GC_GUARD(name);
    RB_GC_GUARD(file);
    return interned;
}

/* ---- the table ---- */

static struct rv_method_entry *find(const struct rv_method_table *table, struct rv_method_key key)
{
    uint32_t i = rv_methods_slot(table, key);
    while (table->entries[i].key.object && !rv_methods_is_of(&table->entries[i], key))
        i = (i + 1) & table->mask;
    return &table->entries[i];
}

static bool make_room(void)
{
    uint32_t n_fresh = 0, n_slots = N_FIRST;
    for (uint32_t i = 0; rv_method_table.entries && i <= rv_method_table.mask; i++)
        n_fresh += rv_methods_is_fresh(&rv_method_table.entries[i]);
    while (n_slots / 4 < n_fresh)
        n_slots *= 2;
    const size_t n_bytes = n_slots * sizeof(struct rv_method_entry);
    struct rv_method_table grown = {.mask = n_slots - 1, .entries = aligned_alloc(CACHE_LINE_BYTES, n_bytes)};
    if (!grown.entries)
        return false;
    memset(grown.entries, 0, n_bytes);
    for (uint32_t i = 0; rv_method_table.entries && i <= rv_method_table.mask; i++)
        if (rv_methods_is_fresh(&rv_method_table.entries[i])) {
            *find(&grown, rv_method_table.entries[i].key) = rv_method_table.entries[i];
            grown.n++;
        }
    free(rv_method_table.entries);
    rv_method_table = grown;
    pthread_setspecific(end_key, rv_method_table.entries);
    return true;
}

/* Entry of a key: with the method, or empty; NULL without memory. */
static struct rv_method_entry *entry_of(struct rv_method_key key, uint32_t check)
{
    struct rv_method_entry *entry = rv_method_table.entries ? find(&rv_method_table, key) : NULL;
    if (!entry || (!entry->key.object && 2 * rv_method_table.n >= rv_method_table.mask)) {
        if (!make_room())
            return NULL;
        entry = find(&rv_method_table, key);
    }
    rv_method_table.n += !entry->key.object;
    if (entry->check != check)
        *entry = (struct rv_method_entry){.check = check};
    entry->key = key;
    entry->collection = rv_collections_current();
    return entry;
}

/* ---- methods and blocks ---- */

/* File, line and method of a frame. */
struct place {
    VALUE frame, file, owner;
    ID id;
    uint32_t line;
};

static struct place place_of(VALUE frame)
{
    struct place place = {.frame = frame, .file = rb_profile_frame_path(frame)};
    VALUE line = rb_profile_frame_first_lineno(frame);
    place.line = FIXNUM_P(line) ? (uint32_t)FIX2LONG(line) : 0;
    if (!rb_frame_method_id_and_class(&place.id, &place.owner))
        place.id = 0;
    return place;
}

/* The owner may have been freed, and its address be another's: its name tells, where it has one; it is not made. */
static uint64_t check_of_owner(VALUE owner)
{
    owner = module_of(owner);
    if (is_module(owner) && is_singleton(owner))
        owner = attached_to(owner);
    const VALUE name = rb_mod_name(is_module(owner) ? owner : rb_obj_class(owner));
    return rv_methods_mix(owner, NIL_P(name) ? 0 : rb_str_hash(name));
}

static uint64_t check_of(const struct place *place)
{
    return rv_methods_mix(rv_methods_mix(rv_methods_mix(check_of_owner(place->owner), place->id), place->file),
                          place->line);
}

static uint32_t short_check(uint64_t check)
{
    return (uint32_t)(check >> 32);
}

/* frame: as rb_profile_frames() has it; the code alone where the method is made of a block. */
static struct rv_method learn(struct rv_method_key key, VALUE frame)
{
    int saved = errno;
    struct place place = place_of(frame);
    const uint32_t check = short_check(check_of(&place));
    struct rv_method_entry *entry = entry_of(key, check);
    struct rv_method method = entry ? entry->method : (struct rv_method){0};
    if (!method.id) {
        method.id = intern(place.owner, place.id, place.file, place.line, 0);
        method.is_left_out = !rv_chosen_methods_has(place.owner, place.id);
        method.is_of_block = NIL_P(rb_profile_frame_classpath(frame));
        entry = entry_of(key, check); /* intern() may have collected garbage */
        if (entry)
            entry->method = method;
    }
    errno = saved;
    return method;
}

struct rv_method rv_methods_learn(const struct rv_control_frame *current)
{
    VALUE frame;
    if (rb_profile_frames(0, 1, &frame, NULL) != 1)
        return (struct rv_method){0};
    return learn((struct rv_method_key){rv_control_frame_method(current), 0}, frame);
}

/* A block that lies in no method has the name that Ruby gives it: "block in <main>". */
static uint32_t intern_block(const struct place *place, uint32_t line)
{
    if (place->id)
        return intern(place->owner, place->id, place->file, line, RINGVIZ_NAME_BLOCK);
    VALUE label = utf8(rb_profile_frame_label(place->frame)), file = utf8(place->file);
    uint32_t interned = ringviz_intern_form(NULL, RSTRING_PTR(label), RSTRING_PTR(file), line, RINGVIZ_NAME_BLOCK);
    RB_GC_GUARD(label);
    RB_GC_GUARD(file);
    return interned;
}

/* The blocks of a method are known by the method and their code. Where none is found, they are profiled as their method. */
static struct rv_method_key key_of_block(const struct rv_control_frame *block)
{
    struct rv_method_key key = {rv_control_frame_outer_method(block), block->code};
    return key.object || rb_profile_frames(0, 1, &key.object, NULL) == 1 ? key : (struct rv_method_key){0};
}

const struct rv_method *rv_methods_known_block(const struct rv_control_frame *block)
{
    return rv_methods_find(key_of_block(block));
}

struct rv_method rv_methods_learn_block(const struct rv_control_frame *block)
{
    const struct rv_method_key key = key_of_block(block);
    int saved = errno, line = 0;
    VALUE frame;
    if (rb_profile_frames(0, 1, &frame, &line) != 1)
        return (struct rv_method){0};
    struct place place = place_of(frame);
    const uint32_t check = short_check(rv_methods_mix(check_of(&place), (uint64_t)line));
    struct rv_method_entry *entry = entry_of(key, check);
    struct rv_method method = entry ? entry->method : (struct rv_method){0};
    if (!method.id) {
        method.id = intern_block(&place, (uint32_t)line);
        method.is_left_out = !rv_chosen_methods_has(place.owner, place.id);
        entry = entry_of(key, check);
        if (entry)
            entry->method = method;
    }
    errno = saved;
    return method;
}

static uint32_t intern_function(VALUE owner, ID id, const char *library)
{
    return intern(owner, id, rb_sprintf("<internal:%s>", library ? library : "c"), 0, RINGVIZ_NAME_C);
}

static bool is_look_into_array(const char *name)
{
    static const char *const names[] = {"[]", "at", "empty?", "first", "last", "length", "size"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool may_be_instant(VALUE owner, ID id)
{
    const char *name = rb_id2name(id);
    const bool is_number = owner == rb_cInteger || owner == rb_cFloat;
    if (!name)
        return false;
    if (strncmp(name, "to_", 3) == 0)
        return is_number || owner == rb_cString || owner == rb_cSymbol || owner == rb_cArray || owner == rb_cHash;
    return is_number ? name[strspn(name, "+-*/%&|^~<>=![]@")] == '\0' : owner == rb_cArray && is_look_into_array(name);
}

struct rv_method rv_methods_learn_function(VALUE owner, ID id)
{
    int saved = errno;
    const struct rv_method_key key = {owner, id};
    const uint32_t check = short_check(check_of_owner(owner));
    struct rv_method_entry *entry = entry_of(key, check);
    struct rv_method method = entry ? entry->method : (struct rv_method){0};
    if (!method.id) {
        const struct rv_function function = rv_functions_find(module_of(owner), id);
        method.id = intern_function(owner, id, function.library);
        method.is_reader = function.is_reader;
        method.may_be_instant = function.is_reader || may_be_instant(owner, id);
        entry = entry_of(key, check);
        if (entry)
            entry->method = method;
    }
    errno = saved;
    return method;
}

void rv_methods_start(void)
{
    id_attached = rb_intern("__attached__");
    id_attached_object = rb_intern("attached_object");
    id_refined_class = rb_intern("__refined_class__");
    id_defined_at = rb_intern("__defined_at__");
    pthread_key_create(&end_key, end_thread);
    rv_functions_start();
}
