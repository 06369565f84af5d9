/*
 * fork is bracketed: no signal handler runs between our fork handlers, and the forking thread's limits are 0, so that
 * what other libraries' fork handlers call there meets the slow path. In the child the first of these events restarts
 * the process, ahead of our handler. In the parent the process lock is held: a thread without a ring stashes its events
 * until it may claim one.
 */
#include "producers/native/forking.h"

#include <errno.h>
#include <pthread.h>

#include "base/own_syscalls.h"
#include "producers/native/creator.h"
#include "producers/native/modules.h"
#include "producers/native/process.h"
#include "producers/native/rejected_functions.h"
#include "producers/native/runtime_threads.h"
#include "producers/native/signal_guard.h"
#include "producers/native/traced_thread.h"

static RV_THREAD_LOCAL struct {
    bool is_under_way;            /* between our fork handlers, in the child until it is restarted */
    struct rv_signal_guard guard; /* while it is, */
    struct rv_creator child;      /* and the origin of its child */
} own;

bool rv_forking_has_mark;
static void (*in_child[3])(void);

static void set_mark(void)
{
    (void)rv_fork_mark_set(RV_FORK_MARK_THREAD);
    rv_forking_has_mark = true;
}

bool rv_forking_is_under_way(void)
{
    return own.is_under_way;
}

void rv_forking_on_child(void (*reset)(void))
{
    size_t i = 0;
    while (in_child[i])
        i++;
    in_child[i] = reset;
}

void rv_forking_push(uint64_t stack, uint64_t kind, uint64_t word)
{
    if (rv_thread_has_ring()) {
        rv_push_outer(&rv_thread.pusher, stack, kind, word);
    } else {
        rv_thread_make_stash(rv_thread.pusher.state);
        rv_push_stash(&rv_thread.pusher, kind, word);
    }
    rv_thread_look();
}

static void end_forking(void)
{
    own.guard.error = errno; /* fork's own */
    rv_signal_guard_end(&own.guard);
}

/* By an instruction of the program's own, or where nothing of ours is in front of the C library. */
static void begin_unannounced_fork(void)
{
    own.child = (struct rv_creator){0};
    rv_signal_guard_begin(&own.guard);
    own.is_under_way = true;
}

/*
 * A signal handler may fork while a push is under way. The child then finishes that push in the middle, with the parent's ring
 * in its registers. It keeps this ring for the push, as a copy that nobody reads.
 */
void rv_forking_restart(bool is_push_under_way)
{
    const bool was_announced = own.is_under_way;
    if (!was_announced)
        begin_unannounced_fork();
    rv_os_begin_own();
    int left_ring = is_push_under_way ? rv_thread_ring() : -ENOENT;
    rv_runtime_threads_leave_file();
    if (left_ring >= 0)
        rv_thread_leave_push(&rv_thread.pusher);
    else if (!rv_traced_thread.has_left_ring)
        rv_pusher_detach(&rv_thread.pusher);
    rv_traced_thread.has_left_ring |= left_ring >= 0;
    rv_native_modules_forget();
    rv_process_restart(left_ring, was_announced);
    for (size_t i = 0; i < sizeof in_child / sizeof *in_child && in_child[i]; i++)
        in_child[i]();
    rv_rejected_functions_inherit();
    set_mark();
    rv_traced_thread.n_without_ring = 0;
    own.is_under_way = false;
    rv_creator_begin(&own.child);
    end_forking();
}

void rv_forking_begin(void)
{
    if (rv_forking_is_child())
        rv_forking_restart(rv_push_is_under_way(&rv_thread.pusher));
    own.child = rv_creator_announce_process();
    rv_signal_guard_begin(&own.guard);
    set_mark();
    own.is_under_way = true;
    rv_thread_look();
    rv_process_lock();
    rv_os_end_own(); /* fork's own calls, and those of other handlers, are the program's */
}

/* What was stashed while no ring could be claimed. A push that is under way sees to it itself. */
static void write_stash(void)
{
    const struct rv_pusher_state *state = rv_thread.pusher.state;
    if (!state || !state->n_stash || rv_thread_has_ring() || rv_process_is_closed() ||
        rv_push_is_under_way(&rv_thread.pusher))
        return;
    if (rv_thread_get_ring())
        rv_pusher_flush(&rv_thread.pusher);
    else
        rv_thread_count_without_ring(0, true);
}

static void after_fork_in_parent(void)
{
    rv_os_begin_own();
    rv_process_unlock();
    own.is_under_way = false;
    write_stash();
    end_forking();
}

static void after_fork_in_child(void)
{
    if (rv_forking_is_child()) /* no event came before */
        rv_forking_restart(rv_push_is_under_way(&rv_thread.pusher));
}

void rv_forking_end(void)
{
    if (!own.is_under_way)
        return;
    if (rv_forking_is_child())
        after_fork_in_child();
    else
        after_fork_in_parent();
}

void rv_forking_start(void)
{
    set_mark();
    pthread_atfork(rv_forking_begin, after_fork_in_parent, after_fork_in_child);
}
