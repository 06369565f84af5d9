/* Threads of a language runtime, which native threads run in turns: each has a ring and a stack of its own. */
#ifndef RV_PRODUCERS_NATIVE_RUNTIME_THREADS_H
#define RV_PRODUCERS_NATIVE_RUNTIME_THREADS_H

#include "producers/native/visibility.h"

/* As ringviz_thread_attach(), ringviz_thread_use() and ringviz_thread_detach(). */
RV_HIDDEN struct ringviz_thread *rv_runtime_threads_create(void);
RV_HIDDEN struct ringviz_thread *rv_runtime_threads_use(struct ringviz_thread *next);
RV_HIDDEN void rv_runtime_threads_destroy(struct ringviz_thread *ended);

/* The rings that threads have are another file's, or a parent's: none is used once its thread runs again. */
RV_HIDDEN void rv_runtime_threads_leave_file(void);

/* The calling native thread is about to end, and runs none. */
RV_HIDDEN void rv_runtime_threads_end(void);

#endif
