/* Hooks of internal events, which must not allocate. Names come from symbols that Ruby has already. */
#include "producers/ruby/collections.h"

#include <stdbool.h>
#include <stdio.h>

#include "producers/ruby/collection_hooks.h"
#include "producers/ruby/fiber_stacks.h"
#include "ringviz/producer.h"

#define N_REASONS 64u
#define FILE_NAME "<internal:gc>"
#define EVENTS                                                                                                         \
    (RUBY_INTERNAL_EVENT_GC_ENTER | RUBY_INTERNAL_EVENT_GC_EXIT | RUBY_INTERNAL_EVENT_GC_START |                       \
     RUBY_INTERNAL_EVENT_GC_END_SWEEP)

uint32_t rv_n_collections = 1;

static struct reason { /* Ruby's symbols, or nil */
    VALUE major_by, begun_by;
    uint32_t id;
} reasons[N_REASONS];

static VALUE state_key, major_key, begun_key, none, sweeping, live_key, malloc_key;
static uint32_t live_id, malloc_id, sweep_id, mark_id;
static uint32_t n_between, n_since; /* [atomic] interval of objects that are written, and objects since the last one */

static const char *text_of(VALUE symbol)
{
    return RB_SYMBOL_P(symbol) ? rb_id2name(RB_SYM2ID(symbol)) : "?";
}

static uint32_t intern(const char *name)
{
    return ringviz_intern_form("GC", name, FILE_NAME, 0, RINGVIZ_NAME_DOT | RINGVIZ_NAME_LIBRARY);
}

static uint32_t intern_reason(VALUE major_by, VALUE begun_by)
{
    char name[96];
    if (RB_NIL_P(major_by))
        snprintf(name, sizeof name, "minor (%s)", text_of(begun_by));
    else
        snprintf(name, sizeof name, "major (%s, %s)", text_of(major_by), text_of(begun_by));
    return intern(name);
}

/* Of a collection that begins. One thread collects at a time. */
static uint32_t reason(void)
{
    struct reason now = {rb_gc_latest_gc_info(major_key), rb_gc_latest_gc_info(begun_key), 0}, *known = reasons;
    while (known < &reasons[N_REASONS - 1] && known->id &&
           (known->major_by != now.major_by || known->begun_by != now.begun_by))
        known++;
    if (known->major_by != now.major_by || known->begun_by != now.begun_by || !known->id) {
        *known = now;
        known->id = intern_reason(now.major_by, now.begun_by);
    }
    return known->id;
}

static bool is_on_stack(void)
{
    return rv_fiber_stack && rv_fiber_stack->context == rv_context();
}

/* A collection is a call by what the fiber executes. */
static void open_call(uint32_t id)
{
    if (is_on_stack())
        rv_fiber_stacks_open(&(const struct rv_method){.id = id}, (const char *)rv_context()->frame - 1, true);
}

static void close_call(void)
{
    const struct rv_open_call *top = rv_fiber_stacks_top();
    if (is_on_stack() && top && top->is_function && top->frame == (const char *)rv_context()->frame - 1)
        rv_fiber_stacks_close_top();
}

static void write_heap(void)
{
    ringviz_value(live_id, (float)rb_gc_stat(live_key));
    ringviz_value(malloc_id, (float)rb_gc_stat(malloc_key));
}

/* A collection begins, with its reason not known yet, or one that began before goes on. */
static void enter(void)
{
    VALUE state = rb_gc_latest_gc_info(state_key);
    ringviz_gc_begin();
    if (state == none)
        write_heap();
    else
        open_call(state == sweeping ? sweep_id : mark_id);
}

static void on_collection(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    (void)data;
    (void)self;
    (void)id;
    (void)owner;
    (void)rv_context(); /* gives a thread its ring again that went on without an event */
    switch (event) {
    case RUBY_INTERNAL_EVENT_GC_ENTER:
        enter();
        break;
    case RUBY_INTERNAL_EVENT_GC_START:
        close_call();
        open_call(reason());
        break;
    case RUBY_INTERNAL_EVENT_GC_END_SWEEP:
        write_heap();
        break;
    case RUBY_INTERNAL_EVENT_GC_EXIT:
        close_call();
        ringviz_gc_end();
        rv_collection_hooks_spare();
        break;
    default:
        break;
    }
}

/* ---- objects ---- */

/* Of the statement that makes objects of the class. */
static uint32_t intern_allocate(const char *class)
{
    const char *file = rb_sourcefile();
    const uint32_t line = file ? (uint32_t)rb_sourceline() : 0;
    return ringviz_intern_form(class, "allocate", file ? file : FILE_NAME, line, RINGVIZ_NAME_DOT | RINGVIZ_NAME_C);
}

static uint32_t intern_class(VALUE object)
{
    int type = RB_BUILTIN_TYPE(object);
    VALUE class = type == T_IMEMO || type == T_NODE ? 0 : RBASIC_CLASS(object);
    class = class ? rb_class_real(class) : 0;
    if (!class)
        return intern_allocate("(internal)");
    VALUE path = rb_class_path_cached(class);
    return intern_allocate(RB_TYPE_P(path, T_STRING) ? RSTRING_PTR(path) : "#<Class>");
}

static void on_object(VALUE point, void *unused)
{
    (void)unused;
    if (__atomic_add_fetch(&n_since, 1, __ATOMIC_RELAXED) < n_between || !is_on_stack())
        return;
    uint32_t allocate = intern_class(rb_tracearg_object(rb_tracearg_from_tracepoint(point)));
    __atomic_store_n(&n_since, 0, __ATOMIC_RELAXED);
    ringviz_call(allocate, rv_fiber_stack->n, 0);
    ringviz_return(allocate, rv_fiber_stack->n);
}

static void start_allocations(void)
{
    rb_tracepoint_enable(rb_tracepoint_new(Qnil, RUBY_INTERNAL_EVENT_NEWOBJ, on_object, NULL));
}

static VALUE symbol(const char *name)
{
    return RB_ID2SYM(rb_intern(name));
}

/* ---- count ---- */

/*
 * An object without write barriers is marked in every collection, and if that takes several steps, in the last one again: unmarked
 * objects are freed from then on. There is no event of a collection that begins inside another internal event's hook, such as that
 * of a program that traces its allocations.
 */
static void count(void *n)
{
    __atomic_fetch_add((uint32_t *)n, 1, __ATOMIC_RELAXED);
}

static const rb_data_type_t counter_type = {.wrap_struct_name = "ringviz", .function.dmark = count};

void rv_collections_prepare(void)
{
    static VALUE counter;
    rb_gc_register_address(&counter);
    counter = rb_data_typed_object_wrap(0, &rv_n_collections, &counter_type);
    state_key = symbol("state");
    (void)rb_gc_latest_gc_info(state_key); /* creates symbols the first time, as rb_gc_stat() does */
}

void rv_collections_start(uint32_t allocations)
{
    major_key = symbol("major_by");
    begun_key = symbol("gc_by");
    none = symbol("none");
    sweeping = symbol("sweeping");
    live_key = symbol("heap_live_slots");
    malloc_key = symbol("malloc_increase_bytes");
    live_id = ringviz_intern(NULL, "heap live slots", NULL, 0);
    malloc_id = ringviz_intern(NULL, "malloc increase bytes", NULL, 0);
    sweep_id = intern("sweep");
    mark_id = intern("mark");
    (void)rb_gc_stat(live_key);
    rv_collection_hooks_add(on_collection, EVENTS);
    n_between = allocations;
    if (allocations)
        start_allocations();
}

void rv_collections_begin_ractor(void)
{
    rb_add_event_hook(on_collection, EVENTS, Qnil);
    if (n_between)
        start_allocations();
}
