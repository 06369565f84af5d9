#include "producers/ruby/gvl.h"

static _Thread_local struct {
    enum ringviz_thread_state last; /* RINGVIZ_STARTED: none yet */
    bool has_ended;
} thread;

void rv_gvl_change(enum ringviz_thread_state state)
{
    if (thread.last == state)
        return;
    thread.last = state;
    if (!thread.has_ended)
        ringviz_thread_state(state);
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
