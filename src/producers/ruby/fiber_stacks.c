/*
 * A stack belongs to its thread and to its fiber: the last one that releases it frees it.
 *   S1 -> S2  what was done with a stack before it is freed
 * A fiber that is collected only counts: its thread closes what it left open, at its own next change of fibers.
 */
#include "producers/ruby/fiber_stacks.h"

#include <pthread.h>
#include <stdlib.h>

#include "producers/ruby/collections.h"
#include "producers/ruby/gvl_states.h"

#define N_FIRST 64u
#define N_MOST (1u << 30)
#define N_KNOWN 256u

_Thread_local struct rv_fiber_stack *rv_fiber_stack;

/* The stack of a fiber's context, until the next collection. */
struct rv_known_stack {
    const struct rv_execution_context *context;
    struct rv_fiber_stack *stack;
    uint32_t collection;
};

static _Thread_local struct rv_fiber_stacks stacks; /* known: N_KNOWN, by their contexts' addresses */

static pthread_key_t end_key;
static uint32_t n_collected; /* fibers */
static ID id_stack;

static void release(struct rv_fiber_stack *stack)
{
    if (__atomic_add_fetch(&stack->n_left, 1, __ATOMIC_ACQ_REL) < 2 && stack->has_fiber) /* S1 -> S2, S2 <- S1 */
        return;
    free(stack->calls);
    free(stack);
}

static void release_all(struct rv_fiber_stack *stack)
{
    while (stack) {
        struct rv_fiber_stack *next = stack->next;
        release(stack);
        stack = next;
    }
}

void rv_fiber_stacks_end_thread(void)
{
    release_all(stacks.all);
    release_all(stacks.free);
    free(stacks.known);
    stacks = (struct rv_fiber_stacks){0};
    rv_fiber_stack = NULL;
}

static void end_native_thread(void *unused)
{
    (void)unused;
    rv_fiber_stacks_end_thread();
}

static struct rv_fiber_stack *make_stack(void)
{
    struct rv_fiber_stack *stack = stacks.free;
    if (stack)
        stacks.free = stack->next;
    else if ((stack = calloc(1, sizeof *stack)))
        stack->number = stacks.n++;
    else
        return NULL;
    stack->next = stacks.all;
    return stacks.all = stack;
}

static bool make_first(void)
{
    if (!stacks.known && !(stacks.known = calloc(N_KNOWN, sizeof *stacks.known)))
        return false;
    stacks.first = rv_fiber_stack = make_stack();
    if (rv_fiber_stack)
        rv_fiber_stack->context = rv_context();
    pthread_setspecific(end_key, stacks.first);
    return rv_fiber_stack;
}

/* Make the thread's first stack, or room for one more call; false without memory. */
static bool grow(void)
{
    if (!rv_fiber_stack && !make_first())
        return false;
    if (rv_fiber_stack->n < rv_fiber_stack->capacity)
        return true;
    uint32_t capacity = rv_fiber_stack->capacity ? 2 * rv_fiber_stack->capacity : N_FIRST;
    struct rv_open_call *grown = capacity < N_MOST ? realloc(rv_fiber_stack->calls, capacity * sizeof *grown) : NULL;
    if (!grown)
        return false;
    rv_fiber_stack->calls = grown;
    rv_fiber_stack->capacity = capacity;
    return true;
}

struct rv_open_call *rv_fiber_stacks_close_below(const char *frame)
{
    struct rv_open_call *top;
    while ((top = rv_fiber_stacks_top()) && top->frame < frame)
        rv_fiber_stacks_close_top();
    return top;
}

void rv_fiber_stacks_close_late(const char *frame)
{
    const struct rv_open_call *top = rv_fiber_stacks_close_below(frame);
    if (top && top->frame == frame)
        rv_fiber_stacks_close_top();
}

void rv_fiber_stacks_push_late(const struct rv_method *method, const char *frame, bool is_function)
{
    (void)rv_fiber_stacks_close_below(frame + 1);
    if (grow())
        rv_fiber_stacks_push(rv_fiber_stack, method, frame, is_function);
}

/* ---- fibers ---- */

static void collect_fiber(void *stack)
{
    release(stack);
    __atomic_fetch_add(&n_collected, 1, __ATOMIC_RELAXED);
}

static const rb_data_type_t stack_type = {
    .wrap_struct_name = "ringviz", .function.dfree = collect_fiber, .flags = RUBY_TYPED_FREE_IMMEDIATELY};

/* A frozen fiber takes no value: its next run has another stack. */
static void attach(VALUE fiber, struct rv_fiber_stack *stack)
{
    if (RB_OBJ_FROZEN(fiber))
        return;
    VALUE value = rb_data_typed_object_wrap(0, NULL, &stack_type);
    stack->has_fiber = true;
    stack->n_left = 0;
    RTYPEDDATA_DATA(value) = stack;
    rb_ivar_set(fiber, id_stack, value);
}

/* A fiber that begins has no frame yet. */
static bool has_begun(void)
{
    VALUE frame;
    return rb_profile_frames(0, 1, &frame, NULL) > 0;
}

static struct rv_fiber_stack *find_current(void)
{
    VALUE fiber = rb_fiber_current(), value = rb_ivar_get(fiber, id_stack);
    if (!NIL_P(value))
        return RTYPEDDATA_DATA(value);
    bool is_first = !stacks.first->has_fiber && has_begun();
    struct rv_fiber_stack *stack = is_first ? stacks.first : make_stack();
    if (stack)
        attach(fiber, stack);
    return stack;
}

static void close_all(void)
{
    while (rv_fiber_stacks_top())
        rv_fiber_stacks_close_top();
}

void rv_fiber_stacks_close_to_span(void)
{
    while (rv_fiber_stacks_top() && !rv_fiber_stacks_top()->is_span)
        rv_fiber_stacks_close_top();
}

static bool is_collected(const struct rv_fiber_stack *stack)
{
    return stack->has_fiber && __atomic_load_n(&stack->n_left, __ATOMIC_RELAXED) > 0;
}

/* End the open calls of collected fibers, and free their stacks for others. */
static void reuse_collected(void)
{
    stacks.n_collected_seen = __atomic_load_n(&n_collected, __ATOMIC_RELAXED);
    for (struct rv_fiber_stack **place = &stacks.all, *stack; (stack = *place);) {
        if (!is_collected(stack) || stack == stacks.first) {
            place = &stack->next;
            continue;
        }
        rv_fiber_stack = stack;
        if (stack->n > 0)
            ringviz_stack_switch(stack->number);
        close_all();
        *place = stack->next;
        stack->next = stacks.free;
        stack->has_fiber = false;
        stack->n_left = 0;
        stacks.free = stack;
    }
}

static struct rv_known_stack *known_of(const struct rv_execution_context *context)
{
    return &stacks.known[((uintptr_t)context * 0x9e3779b97f4a7c15u >> 32) % N_KNOWN];
}

void rv_fiber_stacks_switch(const struct rv_execution_context *context)
{
    if (!rv_fiber_stack && !make_first())
        return;
    if (stacks.n_collected_seen != __atomic_load_n(&n_collected, __ATOMIC_RELAXED))
        reuse_collected();
    struct rv_known_stack *known = known_of(context);
    if (known->context != context || known->collection != rv_collections_current()) {
        struct rv_fiber_stack *stack = find_current();
        *known = (struct rv_known_stack){.context = context, .collection = rv_collections_current()};
        known->stack = stack ? stack : stacks.first; /* without memory its calls nest on those of the thread */
    }
    rv_fiber_stack = known->stack;
    rv_fiber_stack->context = context;
    rv_fiber_stack->collection = known->collection;
    ringviz_stack_switch(rv_fiber_stack->number);
}

void rv_fiber_stacks_know_first(void)
{
    if (rv_fiber_stack || !make_first())
        return;
    attach(rb_fiber_current(), stacks.first);
    rv_fiber_stack->collection = rv_collections_current();
}

void rv_fiber_stacks_follow(void)
{
    const struct rv_execution_context *context = rv_context();
    if (!rv_fiber_stack || rv_fiber_stack->context != context || rv_fiber_stack->collection != rv_collections_current())
        rv_fiber_stacks_switch(context);
}

/* ---- threads, processes ---- */

void rv_fiber_stacks_give_back(void)
{
    if (rv_fiber_stack && rv_fiber_stack->number > 0)
        ringviz_stack_switch(0);
    rv_fiber_stacks_end_thread();
    ringviz_thread_end();
}

void rv_fiber_stacks_begin_thread(void)
{
    if (rv_fiber_stack || rv_gvl_has_ended())
        rv_fiber_stacks_give_back();
}

void rv_fiber_stacks_swap(struct rv_fiber_stacks *other)
{
    const struct rv_fiber_stacks before = stacks;
    stacks = *other;
    *other = before;
    other->current = rv_fiber_stack;
    rv_fiber_stack = stacks.current;
}

static void replay(const struct rv_fiber_stack *stack)
{
    for (uint32_t i = 0; i < stack->n; i++)
        ringviz_replay(stack->calls[i].method.id, i, stack->calls[i].called);
}

void rv_fiber_stacks_replay(void)
{
    bool has_others = false;
    for (const struct rv_fiber_stack *stack = stacks.all; stack; stack = stack->next)
        if (stack != rv_fiber_stack && stack->n > 0) {
            ringviz_stack_switch(stack->number);
            replay(stack);
            has_others = true;
        }
    if (!rv_fiber_stack)
        return;
    if (has_others || rv_fiber_stack->number > 0)
        ringviz_stack_switch(rv_fiber_stack->number);
    replay(rv_fiber_stack);
}

void rv_fiber_stacks_start(void)
{
    id_stack = rb_intern("__ringviz_stack");
    pthread_key_create(&end_key, end_native_thread);
}
