/*
 * A TracePoint for each target. Ruby 3.1 may free a code's list of TracePoints while it calls them: they are disabled
 * when no handler of ours is running, and no other Ractor, whose list it may be.
 *
 * Ractors run in parallel: what all threads share is guarded by a lock, under which no code of Ruby runs. A collection sees it
 * whole, as it waits for all Ractors.
 */
#include "producers/ruby/code_events.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "producers/ruby/ractors.h"

/* Exported by Ruby 3.1 to 3.4, for debuggers. The kind of an internal object is in its flags: 7 is code. */
extern VALUE rb_iseqw_new(VALUE code);
extern void rb_objspace_each_objects(int (*each)(void *begin, void *end, size_t stride, void *context), void *context);
#define KIND_BITS 15u
#define KIND_CODE 7u

/* One that has ended is used again, when nothing is its. */
struct rv_code_events_thread {
    uint32_t has_ended; /* [atomic] */
    struct rv_code_events_thread *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rv_code_events_thread *threads;
static _Thread_local struct rv_code_events_thread *own __attribute__((tls_model("initial-exec")));

struct target {
    struct rv_code_events_owner owner;
    rb_event_flag_t events;
    VALUE code; /* nil: of all code; or only an object to keep */
    unsigned long line;
    VALUE tracepoint; /* nil: only an object to keep */
    bool is_released;
};

static struct target *targets;
static size_t n_targets, capacity;
static unsigned n_running; /* [atomic] handlers */
static bool is_any_left;   /* [atomic, written under the lock] may something have to be taken back? */
static struct rv_code_events_handlers handlers;

static void mark(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < n_targets; i++) {
        rb_gc_mark(targets[i].code);
        rb_gc_mark(targets[i].tracepoint);
    }
}

static const rb_data_type_t keeper_type = {.wrap_struct_name = "ringviz targets", .function.dmark = mark};

/* ---- threads ---- */

bool rv_code_events_is_alive(struct rv_code_events_owner owner)
{
    return owner.thread && !__atomic_load_n(&owner.thread->has_ended, __ATOMIC_RELAXED);
}

static bool has_any(const struct rv_code_events_thread *thread)
{
    for (size_t i = 0; i < n_targets; i++)
        if (targets[i].owner.thread == thread)
            return true;
    return false;
}

void rv_code_events_begin_thread(void)
{
    pthread_mutex_lock(&lock);
    for (struct rv_code_events_thread *thread = threads; thread && !own; thread = thread->next)
        if (__atomic_load_n(&thread->has_ended, __ATOMIC_RELAXED) && !has_any(thread))
            own = thread;
    if (own) {
        own->has_ended = 0;
    } else if ((own = calloc(1, sizeof *own))) {
        own->next = threads;
        threads = own;
    }
    pthread_mutex_unlock(&lock);
}

void rv_code_events_end_thread(void)
{
    if (own) {
        pthread_mutex_lock(&lock);
        __atomic_store_n(&own->has_ended, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&is_any_left, true, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&lock);
    }
    own = NULL;
}

void rv_code_events_swap(struct rv_code_events_thread **other)
{
    struct rv_code_events_thread *before = own;
    own = *other;
    *other = before;
}

struct rv_code_events_owner rv_code_events_owner(unsigned number)
{
    return (struct rv_code_events_owner){own, number};
}

/* ---- taking back ---- */

static VALUE disable(VALUE tracepoint)
{
    return rb_tracepoint_disable(tracepoint);
}

/* Take one out that is nobody's any more. */
static bool take_out(struct target *out)
{
    bool is_any = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_targets && !is_any; i++)
        if (targets[i].is_released || !rv_code_events_is_alive(targets[i].owner)) {
            is_any = true;
            *out = targets[i];
            targets[i] = targets[--n_targets];
        }
    __atomic_store_n(&is_any_left, is_any, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return is_any;
}

static void take_back(void *unused)
{
    struct target target;
    (void)unused;
    while (__atomic_load_n(&n_running, __ATOMIC_RELAXED) == 0 && rv_ractors_is_single() && take_out(&target)) {
        int error = 0;
        if (!NIL_P(target.tracepoint))
            rb_protect(disable, target.tracepoint, &error);
        if (error)
            rb_set_errinfo(Qnil);
    }
}

static struct rv_job take_back_job = {.function = take_back};

static void take_back_later(void)
{
    if (__atomic_load_n(&is_any_left, __ATOMIC_RELAXED))
        rv_job_run(&take_back_job);
}

void rv_code_events_release(struct rv_code_events_owner owner)
{
    bool is_any = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; owner.thread && i < n_targets; i++) {
        bool is_owners = rv_code_events_is_owner(targets[i].owner, owner);
        is_any |= is_owners;
        targets[i].is_released |= is_owners;
    }
    if (is_any)
        __atomic_store_n(&is_any_left, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    take_back_later();
}

/* Another thread may have had the lock. */
void rv_code_events_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    for (struct rv_code_events_thread *thread = threads; thread; thread = thread->next)
        thread->has_ended |= thread != own;
    n_running = 0;
    is_any_left = true;
    take_back_later();
}

void rv_code_events_begin(void)
{
    __atomic_fetch_add(&n_running, 1, __ATOMIC_RELAXED);
}

void rv_code_events_end(void)
{
    if (__atomic_load_n(&n_running, __ATOMIC_RELAXED) > 0) /* not in a forked child */
        __atomic_fetch_sub(&n_running, 1, __ATOMIC_RELAXED);
    take_back_later();
}

/* ---- adding ---- */

/* The owner has it already: keep it. */
static bool is_kept(const struct target *wanted)
{
    bool is_kept = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_targets && !is_kept; i++)
        if (rv_code_events_is_owner(targets[i].owner, wanted->owner) && targets[i].events == wanted->events &&
            targets[i].code == wanted->code && targets[i].line == wanted->line) {
            is_kept = true;
            targets[i].is_released = false;
        }
    pthread_mutex_unlock(&lock);
    return is_kept;
}

bool rv_code_events_has(VALUE tracepoint)
{
    bool is_there = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_targets && !is_there; i++)
        is_there = targets[i].tracepoint == tracepoint;
    pthread_mutex_unlock(&lock);
    return is_there;
}

static bool make_room(void)
{
    if (n_targets < capacity)
        return true;
    size_t n = capacity ? 2 * capacity : 64;
    struct target *grown = realloc(targets, n * sizeof *grown);
    if (!grown)
        return false;
    targets = grown;
    capacity = n;
    return true;
}

/* False without memory. */
static bool insert(struct target target)
{
    pthread_mutex_lock(&lock);
    const bool has_room = make_room();
    if (has_room)
        targets[n_targets++] = target;
    pthread_mutex_unlock(&lock);
    return has_room;
}

VALUE rv_code_events_enable(VALUE tracepoint, VALUE code, unsigned long line)
{
    VALUE options = rb_hash_new();
    rb_hash_aset(options, RB_ID2SYM(rb_intern("target")), code);
    if (line)
        rb_hash_aset(options, RB_ID2SYM(rb_intern("target_line")), ULONG2NUM(line));
    return rb_funcallv_kw(tracepoint, rb_intern("enable"), 1, &options, RB_PASS_KEYWORDS);
}

static VALUE enable(VALUE wanted)
{
    const struct target *target = (const struct target *)wanted; /* NOLINT */
    return NIL_P(target->code) ? rb_tracepoint_enable(target->tracepoint)
                               : rv_code_events_enable(target->tracepoint, target->code, target->line);
}

/* Code without such events has no target. */
static void add(struct target wanted, rv_code_events_fn *handler)
{
    int error = 0;
    if (!wanted.owner.thread || is_kept(&wanted))
        return;
    wanted.tracepoint = rb_tracepoint_new(Qnil, wanted.events, handler, NULL);
    rb_protect(enable, (VALUE)&wanted, &error);
    if (error)
        rb_set_errinfo(Qnil);
    else if (!insert(wanted))
        (void)rb_tracepoint_disable(wanted.tracepoint);
}

void rv_code_events_add_lines(struct rv_code_events_owner owner, VALUE code, unsigned long line)
{
    add((struct target){.owner = owner, .events = RUBY_EVENT_LINE, .code = code, .line = line}, handlers.line);
}

void rv_code_events_add_entry(struct rv_code_events_owner owner, VALUE code)
{
    rb_event_flag_t event = rv_code_events_has_event(code, "call", 0) ? RUBY_EVENT_CALL : RUBY_EVENT_B_CALL;
    add((struct target){.owner = owner, .events = event, .code = code}, handlers.entry);
}

void rv_code_events_add_raise(struct rv_code_events_owner owner)
{
    add((struct target){.owner = owner, .events = RUBY_EVENT_RAISE, .code = Qnil}, handlers.raise);
}

void rv_code_events_add_loaded(struct rv_code_events_owner owner)
{
    add((struct target){.owner = owner, .events = RUBY_EVENT_SCRIPT_COMPILED, .code = Qnil}, handlers.loaded);
}

void rv_code_events_keep(struct rv_code_events_owner owner, VALUE object)
{
    if (owner.thread)
        (void)insert((struct target){.owner = owner, .code = object, .tracepoint = Qnil});
}

/* ---- what code there is ---- */

static int find_code(void *begin, void *end, size_t stride, void *context)
{
    const VALUE *codes = context;
    for (char *at = begin; at < (char *)end; at += stride) {
        VALUE object = (VALUE)at, flags = RBASIC(object)->flags;
        if ((flags & RUBY_T_MASK) == T_IMEMO && (flags >> RUBY_FL_USHIFT & KIND_BITS) == KIND_CODE)
            rb_ary_push(*codes, rb_iseqw_new(object));
    }
    return 0;
}

/* Without collections: one would leave code behind that is dead. */
void rv_code_events_each_code(rv_code_events_code_fn *each, void *context)
{
    VALUE codes = rb_ary_new(), was_off = rb_gc_disable();
    rb_objspace_each_objects(find_code, &codes);
    if (!RTEST(was_off))
        rb_gc_enable();
    for (long i = 0; i < RARRAY_LEN(codes); i++)
        each(rb_ary_entry(codes, i), context);
    RB_GC_GUARD(codes);
}

struct inner {
    rv_code_events_code_fn *each;
    void *context;
};

static VALUE visit_inner(RB_BLOCK_CALL_FUNC_ARGLIST(code, context))
{
    const struct inner *inner = (const struct inner *)context; /* NOLINT */
    (void)argc;
    (void)argv;
    (void)blockarg;
    rv_code_events_each_inner(code, inner->each, inner->context);
    return Qnil;
}

void rv_code_events_each_inner(VALUE code, rv_code_events_code_fn *each, void *context)
{
    struct inner inner = {each, context};
    each(code, context);
    rb_block_call(code, rb_intern("each_child"), 0, NULL, visit_inner, (VALUE)&inner);
}

bool rv_code_events_has_event(VALUE code, const char *kind, unsigned long line)
{
    VALUE events = rb_funcall(code, rb_intern("trace_points"), 0), wanted = RB_ID2SYM(rb_intern(kind));
    for (long i = 0; i < RARRAY_LEN(events); i++) {
        VALUE event = rb_ary_entry(events, i);
        if (rb_ary_entry(event, 1) == wanted && (!line || NUM2ULONG(rb_ary_entry(event, 0)) == line))
            return true;
    }
    return false;
}

void rv_code_events_start(const struct rv_code_events_handlers *given)
{
    handlers = *given;
    rv_job_prepare(&take_back_job);
    rb_gc_register_mark_object(rb_data_typed_object_wrap(0, &targets, &keeper_type));
}
