/* When threads have Ruby's lock (GVL), wait for it, and go on or sleep without it: their states in the trace. */
#ifndef RV_PRODUCERS_RUBY_GVL_STATES_H
#define RV_PRODUCERS_RUBY_GVL_STATES_H

#include <stdbool.h>

#include "producers/ruby/ruby_api.h"
#include "ringviz/producer.h"

/* Of a thread. */
struct rv_gvl_thread {
    enum ringviz_thread_state last; /* RINGVIZ_STARTED: none yet */
    bool has_ended;
};

/* Write states from now on. By a thread that has the GVL. */
void rv_gvl_start(void);

/* Write the state of the calling thread, if it differs from the last one. */
void rv_gvl_change(enum ringviz_thread_state state);

/* The same, for a state since these ticks: see ringviz_thread_state_since(). */
void rv_gvl_change_since(enum ringviz_thread_state state, uint64_t ticks);

/* The native thread continues with another thread: exchange the states for that one's. */
void rv_gvl_swap(struct rv_gvl_thread *other);

/*
 * The calling thread has ended: later states on its native thread are another thread's, and are written once that
 * begins.
 */
void rv_gvl_end_thread(void);
bool rv_gvl_has_ended(void);
void rv_gvl_begin_thread(void);

/* Once, by the first thread, before there are others and Ractors. */
#if RUBY_API_VERSION_CODE >= 30200 && RUBY_API_VERSION_CODE < 30300
static inline void rv_gvl_prepare(void)
{
}
#else
void rv_gvl_prepare(void);
#endif

/* From Ruby 3.3 on threads change native threads: is the calling thread such a one, whose name the kernel does not
 * know? */
#if RUBY_API_VERSION_CODE >= 30300
bool rv_gvl_has_own_ring(void);
void rv_gvl_go_on(void); /* The calling thread runs. GVL */
#else
static inline bool rv_gvl_has_own_ring(void)
{
    return false;
}
#endif

#endif
