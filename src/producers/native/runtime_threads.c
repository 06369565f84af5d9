#include "producers/native/runtime_threads.h"

#include "producers/native/signal_guard.h"
#include "producers/native/thread_memory.h"
#include "producers/native/traced_thread.h"

/* A traced thread that no native thread runs; while one runs it, this is out of date. */
struct ringviz_thread {
    struct rv_pusher pusher;
    struct rv_shadow shadow;
    struct rv_traced_thread state;
    uint32_t n_files; /* at that time: a ring of an earlier file is gone */
};

/* While a native thread runs a runtime's thread: its own state, and that thread. */
static RV_THREAD_LOCAL struct {
    struct ringviz_thread *state, *used;
} native;

static struct rv_thread_memory threads = RV_THREAD_MEMORY(sizeof(struct ringviz_thread));
static uint32_t n_files; /* files left so far, also by fork */

struct ringviz_thread *rv_runtime_threads_create(void)
{
    static uint32_t n;
    struct ringviz_thread *made = rv_thread_memory_take(&threads);
    if (made)
        *made = (struct ringviz_thread){.state.tid = RV_WIRE_FIRST_TID + __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED),
                                        .n_files = n_files};
    return made;
}

static void put_down(struct ringviz_thread *to)
{
    *to = (struct ringviz_thread){rv_thread.pusher, rv_thread.shadow, rv_traced_thread, n_files};
}

/* In a forked child the thread has a ring and open calls of the parent's, which are dropped. */
static void take_up(const struct ringviz_thread *from)
{
    rv_thread.pusher = from->pusher;
    rv_thread.shadow = from->shadow;
    rv_traced_thread = from->state;
    if (from->n_files == n_files)
        return;
    rv_pusher_detach(&rv_thread.pusher);
    rv_shadow_clear(&rv_thread.shadow);
    rv_traced_thread.n_without_ring = 0;
}

struct ringviz_thread *rv_runtime_threads_use(struct ringviz_thread *next)
{
    struct rv_signal_guard guard;
    struct ringviz_thread *before = native.used;
    if (next == before || (!native.state && !(native.state = rv_thread_memory_take(&threads))))
        return before;
    rv_signal_guard_begin(&guard);
    const bool used_before = rv_thread_begin_use();
    put_down(before ? before : native.state);
    take_up(next ? next : native.state);
    native.used = next;
    rv_thread_end_use(used_before);
    rv_signal_guard_end(&guard);
    return before;
}

void rv_runtime_threads_destroy(struct ringviz_thread *ended)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    struct ringviz_thread *before = rv_runtime_threads_use(ended);
    if (native.used == ended) {
        const bool used_before = rv_thread_begin_use();
        rv_thread_end_traced();
        rv_thread_end_use(used_before);
        (void)rv_runtime_threads_use(before == ended ? NULL : before);
        rv_thread_memory_give(&threads, ended);
    }
    rv_signal_guard_end(&guard);
}

void rv_runtime_threads_leave_file(void)
{
    n_files++;
}

void rv_runtime_threads_end(void)
{
    if (native.state)
        rv_thread_memory_give(&threads, native.state);
    native.state = NULL;
}
