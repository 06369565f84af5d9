/*
 * Ruby 3.3 tells what happens to which thread, and has threads that run on one native thread after another
 * (RUBY_MN_THREADS=1, those of Ractors). What such a thread has in a native thread's storage is put away when it is
 * suspended and taken out when it is resumed.
 *
 *   W1 -> W2  the time at which another thread has woken it, before it is resumed
 */
#include "producers/ruby/gvl_states.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producers/ruby/debugger.h"
#include "producers/ruby/fiber_stacks.h"
#include "producers/ruby/ruby_api.h"

struct thread {
    struct ringviz_thread *ring;   /* NULL: it has a native thread to itself */
    struct rv_fiber_stacks stacks; /* while it does not run */
    struct rv_gvl_thread states;
    struct rv_debugger_put_away debugger;
    uint64_t woken; /* [atomic] when another thread has woken it; 0: none has */
};

static rb_internal_thread_specific_key_t key;
static _Thread_local struct thread *running; /* the thread that this native one runs, also without the GVL */
static bool has_started;

/* The stack of a native thread lies just below its thread pointer. */
static bool is_on_native_stack(void)
{
    const char *here = __builtin_frame_address(0), *end = (const char *)pthread_self();
    pthread_attr_t attributes;
    void *begin;
    size_t n_bytes;
    bool is_on = true;
    if (gettid() == getpid() || pthread_getattr_np(pthread_self(), &attributes) != 0)
        return true;
    if (pthread_attr_getstack(&attributes, &begin, &n_bytes) == 0)
        is_on = here >= (const char *)begin && here < end;
    pthread_attr_destroy(&attributes);
    return is_on;
}

/* Of a thread that runs for the first time. */
static struct thread *make(VALUE thread)
{
    struct thread *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    if (!is_on_native_stack())
        made->ring = ringviz_thread_attach();
    rb_internal_thread_specific_set(thread, key, made);
    return made;
}

/* From its native thread's storage to its own, or back. */
static void swap(struct thread *thread)
{
    rv_fiber_stacks_swap(&thread->stacks);
    rv_gvl_swap(&thread->states);
    rv_debugger_swap(&thread->debugger);
}

static void put_away(void)
{
    if (running && running->ring) {
        swap(running);
        (void)ringviz_thread_use(NULL);
    }
    running = NULL;
    rv_context_forget();
}

static void take_out(struct thread *thread)
{
    put_away();
    if (thread->ring) {
        (void)ringviz_thread_use(thread->ring);
        swap(thread);
    }
    running = thread;
}

static void resume(VALUE value)
{
    struct thread *thread = rb_internal_thread_specific_get(value, key);
    if (!thread && !(thread = make(value)))
        return;
    if (thread != running)
        take_out(thread);
    rv_gvl_change_since(RINGVIZ_READY, __atomic_exchange_n(&thread->woken, 0, __ATOMIC_ACQUIRE)); /* W2 <- W1 */
    rv_gvl_change(RINGVIZ_RESUMED);
}

/* Ruby does not tell that a thread goes on which was interrupted before it had slept. */
void rv_gvl_go_on(void)
{
    if (has_started && !running)
        resume(rb_thread_current());
}

/* It may have been suspended before. */
static void suspend(VALUE value)
{
    const struct thread *thread = rb_internal_thread_specific_get(value, key);
    if (!thread || thread != running)
        return;
    rv_gvl_change(RINGVIZ_SUSPENDED);
    if (thread->ring)
        put_away();
}

static void wake(VALUE value)
{
    struct thread *thread = rb_internal_thread_specific_get(value, key);
    if (thread && thread == running)
        rv_gvl_change(RINGVIZ_READY);
    else if (thread)
        __atomic_store_n(&thread->woken, ringviz_ticks(), __ATOMIC_RELEASE); /* W1 -> W2 */
}

static void end(VALUE value)
{
    struct thread *thread = rb_internal_thread_specific_get(value, key);
    if (!thread)
        return;
    rb_internal_thread_specific_set(value, key, NULL);
    if (thread->ring) {
        swap(thread);
        rv_fiber_stacks_end_thread();
        swap(thread);
        ringviz_thread_detach(thread->ring);
    } else {
        rv_fiber_stacks_give_back(); /* before the thread that joins it goes on */
    }
    running = NULL;
    free(thread);
}

/* By the thread that is meant but for READY, which is its waker's, and any thread's without the GVL. */
static void on_event(rb_event_flag_t event, const rb_internal_thread_event_data_t *data, void *unused)
{
    (void)unused;
    switch (event) {
    case RUBY_INTERNAL_THREAD_EVENT_READY:
        wake(data->thread);
        break;
    case RUBY_INTERNAL_THREAD_EVENT_RESUMED:
        resume(data->thread);
        break;
    case RUBY_INTERNAL_THREAD_EVENT_SUSPENDED:
        suspend(data->thread);
        break;
    case RUBY_INTERNAL_THREAD_EVENT_EXITED:
        end(data->thread);
        break;
    default:
        break;
    }
}

bool rv_gvl_has_own_ring(void)
{
    return running && running->ring;
}

void rv_gvl_prepare(void)
{
    key = rb_internal_thread_specific_key_create();
}

void rv_gvl_start(void)
{
    rb_internal_thread_add_event_hook(on_event,
                                      RUBY_INTERNAL_THREAD_EVENT_READY | RUBY_INTERNAL_THREAD_EVENT_RESUMED |
                                          RUBY_INTERNAL_THREAD_EVENT_SUSPENDED | RUBY_INTERNAL_THREAD_EVENT_EXITED,
                                      NULL);
    has_started = true;
    resume(rb_thread_current());
}
