/* When threads have Ruby's lock (GVL), wait for it, and go on or sleep without it: their states in the trace. */
#ifndef RV_PRODUCERS_RUBY_GVL_H
#define RV_PRODUCERS_RUBY_GVL_H

#include <stdbool.h>

#include "ringviz/producer.h"

/* Write states from now on. By a thread that has the GVL. */
void rv_gvl_start(void);

/* The state of the calling thread, written if it differs from the last one. */
void rv_gvl_change(enum ringviz_thread_state state);

/* The calling thread has ended: what follows on its native thread is of another one, and written once that begins. */
void rv_gvl_end_thread(void);
bool rv_gvl_has_ended(void);
void rv_gvl_begin_thread(void);

#endif
