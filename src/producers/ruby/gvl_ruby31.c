/*
 * Ruby 3.1 tells nobody who has the GVL: the mutex that guards it is watched. The word before it is the thread that has
 * the GVL, or NULL (rb_global_vm_lock_t). Each Ractor has a GVL of its own: only the main one's is found.
 */
#include <stddef.h>

#include "producers/ruby/gvl_states.h"
#include "producers/ruby/ruby_api.h"

static const void *owner_of(const void *mutex)
{
    return ((const void *const *)mutex)[-1];
}

/* The thread that changes the owner releases the mutex next. */
static void on_mutex(const void *mutex, bool is_waiting)
{
    if (is_waiting)
        rv_gvl_change(RINGVIZ_READY);
    else
        rv_gvl_change(owner_of(mutex) ? RINGVIZ_RESUMED : RINGVIZ_SUSPENDED);
}

/* ---- which mutex it is: the last one released before Ruby runs a function without the GVL ---- */

static _Thread_local bool is_learning;
static const void *last_released, *gvl;

static void learn(const void *mutex, bool is_waiting)
{
    if (is_learning && !is_waiting)
        last_released = mutex;
}

/* Another thread may have taken the GVL by now. */
static void *find(void *thread)
{
    is_learning = false;
    if (last_released && owner_of(last_released) == thread)
        last_released = NULL;
    return NULL;
}

static const void *find_mutex(void)
{
    void *thread = RTYPEDDATA_DATA(rb_thread_current());
    is_learning = true;
    if (!ringviz_watch_mutex(NULL, learn))
        return NULL;
    rb_thread_call_without_gvl(find, thread, NULL, NULL);
    ringviz_watch_mutex(NULL, NULL);
    return last_released && owner_of(last_released) == thread ? last_released : NULL;
}

/* Before other threads, which would see this one as asleep meanwhile. */
void rv_gvl_prepare(void)
{
    gvl = find_mutex();
}

void rv_gvl_start(void)
{
    if (gvl && ringviz_watch_mutex(gvl, on_mutex))
        rv_gvl_change(RINGVIZ_RESUMED);
}
