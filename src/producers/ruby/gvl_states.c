#include "producers/ruby/gvl_states.h"

#include "producers/ruby/object_counts.h"

static _Thread_local struct rv_gvl_thread thread;

void rv_gvl_change(enum ringviz_thread_state state)
{
    if (thread.last == state)
        return;
    thread.last = state;
    if (state == RINGVIZ_SUSPENDED)
        rv_object_counts_tell(); /* before another thread makes some */
    if (!thread.has_ended)
        ringviz_thread_state(state);
}

void rv_gvl_change_since(enum ringviz_thread_state state, uint64_t ticks)
{
    if (ticks && thread.last != state && !thread.has_ended) {
        thread.last = state;
        ringviz_thread_state_since(state, ticks);
    }
}

void rv_gvl_swap(struct rv_gvl_thread *other)
{
    const struct rv_gvl_thread before = thread;
    thread = *other;
    *other = before;
}

void rv_gvl_end_thread(void)
{
    rv_gvl_change(RINGVIZ_EXITED);
    thread.has_ended = true;
}

bool rv_gvl_has_ended(void)
{
    return thread.has_ended;
}

/* Of a Ractor's thread nothing may be known. */
void rv_gvl_begin_thread(void)
{
    if (!thread.has_ended)
        return;
    thread.has_ended = false;
    if (thread.last == RINGVIZ_RESUMED)
        ringviz_thread_state(RINGVIZ_RESUMED);
}
