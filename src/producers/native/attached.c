/*
 * What ringviz calls in a process that it attaches to (src/attach): each function on a thread that was stopped for it.
 *
 *     plan     others run: a thread of ours finds the functions and builds their stubs, then ends
 *     write    others stand still, none between the bytes of a jump: all jumps are written
 *     apply    others stand still: verdicts on functions take jumps out, or write them
 *     remove   others stand still: the original bytes and return addresses are put back, rings are left
 *
 * Stubs, trampolines and this library stay for ever: a thread may be in them, or about to return there.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/os.h"
#include "base/own_syscalls.h"
#include "producers/native/forking.h"
#include "producers/native/patcher.h"
#include "producers/native/modules.h"
#include "producers/native/loaded_objects.h"
#include "producers/native/process.h"
#include "producers/native/signal_guard.h"
#include "producers/native/thread.h"
#include "producers/native/wanted_lines.h"
#include "ring/attachment.h"
#include "ringviz/producer.h"

RV_EXPORT void ringviz_attach_plan(const char *path, const char *wanted);
RV_EXPORT void ringviz_attach_write(void);
RV_EXPORT void ringviz_attach_apply(uint64_t are_sites_clear);
RV_EXPORT void ringviz_attach_remove(void);

#define MOST_STALE 8u /* plans of a process that loads libraries all the time */
#define MOST_TRIES                                                                                                     \
    50u /* of a plan, each of which waits 100 ms for the process lock: a thread that forks may have it for long */

static char trace_path[4096], patches[RV_WANTED_LINES_BYTES];
static bool is_stale; /* a library was loaded before the plan's jumps could be written */
static unsigned n_stale;

/* ringviz reads it from outside: x86 lets stores be seen in their order. */
static void publish(uint32_t *word, uint32_t value)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static void *plan(void *unused)
{
    (void)unused;
    rv_os_begin_own(); /* to its end: it is none of the program's threads */
    rv_os_block_signals(NULL);
    (void)prctl(PR_SET_NAME, RINGVIZ_OWN_NAME);
    int error = -EAGAIN;
    for (unsigned i = 0; i < MOST_TRIES && error == -EAGAIN; i++)
        error = rv_patcher_plan(patches, trace_path, true);
    if (!error)
        error = rv_process_open(trace_path);
    ringviz_attachment.error = error;
    publish(&ringviz_attachment.state, error ? RV_ATTACHMENT_NONE : RV_ATTACHMENT_PLANNED);
    return NULL;
}

/* Signals are blocked, those that the C library uses to cancel threads, too: pthread_sigmask(3) would let them through, and
 * a thread that was cancelled before it was stopped for us would end in here. */
static int start_thread(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attributes, plan, NULL);
    pthread_attr_destroy(&attributes);
    return -error;
}

static int begin_planning(const char *path, const char *wanted)
{
    if (ringviz_attachment.state != RV_ATTACHMENT_NONE && !is_stale)
        return -EBUSY;
    n_stale = is_stale ? n_stale + 1 : 0;
    is_stale = false;
    if (strlen(path) >= sizeof trace_path || strlen(wanted) >= sizeof patches)
        return -E2BIG;
    strcpy(trace_path, path);
    strcpy(patches, wanted);
    ringviz_attachment.is_leaving = 0;
    ringviz_attachment.error = 0;
    ringviz_attachment.state = RV_ATTACHMENT_PLANNING;
    int error = start_thread();
    if (error)
        ringviz_attachment.state = RV_ATTACHMENT_NONE;
    return error;
}

static int write_patches(void)
{
    if (ringviz_attachment.state != RV_ATTACHMENT_PLANNED)
        return -EINVAL;
    if (rv_loaded_objects_are_changing())
        return -EAGAIN;
    is_stale = n_stale < MOST_STALE && !rv_patcher_is_current();
    if (is_stale)
        return -ESTALE;
    rv_patcher_write();
    ringviz_attachment.state = RV_ATTACHMENT_PATCHED;
    return 0;
}

static int apply_verdicts(bool are_sites_clear)
{
    const int result = rv_patcher_apply(are_sites_clear);
    return result == 1 ? RV_ATTACHMENT_TO_CLEAR : result;
}

static int remove_patches(void)
{
    bool has_push_left = false;
    const uint64_t own = (uint64_t)(uintptr_t)__builtin_thread_pointer();
    if (rv_process_is_locked() || ringviz_attachment.state == RV_ATTACHMENT_PLANNING)
        return -EAGAIN;
    for (uint64_t i = 0; i < ringviz_attachment.n_threads && i < RV_ATTACHMENT_THREADS; i++)
        if (ringviz_attachment.thread_pointers[i] && rv_thread_uses_ring(own, ringviz_attachment.thread_pointers[i]))
            return -EAGAIN;
    if (rv_patcher_remove() != 0)
        return -EAGAIN;
    rv_returns_restore();
    for (uint64_t i = 0; i < ringviz_attachment.n_threads && i < RV_ATTACHMENT_THREADS; i++)
        if (ringviz_attachment.thread_pointers[i])
            has_push_left |= rv_thread_leave_file(own, ringviz_attachment.thread_pointers[i]);
    rv_native_modules_forget();
    is_stale = false;
    int error = rv_process_leave_file(has_push_left);
    ringviz_attachment.state = RV_ATTACHMENT_NONE;
    return error;
}

void ringviz_attach_plan(const char *path, const char *wanted)
{
    struct rv_signal_guard guard; /* the thread may be cancellable where it was stopped */
    rv_signal_guard_begin(&guard);
    publish(&ringviz_attachment.result, (uint32_t)begin_planning(path, wanted));
    rv_signal_guard_end(&guard);
}

void ringviz_attach_write(void)
{
    struct rv_signal_guard guard; /* the thread may be cancellable where it was stopped */
    rv_signal_guard_begin(&guard);
    publish(&ringviz_attachment.result, (uint32_t)write_patches());
    rv_signal_guard_end(&guard);
}

void ringviz_attach_apply(uint64_t are_sites_clear)
{
    struct rv_signal_guard guard; /* the thread may be cancellable where it was stopped */
    rv_signal_guard_begin(&guard);
    publish(&ringviz_attachment.result, (uint32_t)apply_verdicts(are_sites_clear != 0));
    rv_signal_guard_end(&guard);
}

void ringviz_attach_remove(void)
{
    struct rv_signal_guard guard; /* the thread may be cancellable where it was stopped */
    rv_signal_guard_begin(&guard);
    publish(&ringviz_attachment.result, (uint32_t)remove_patches());
    rv_signal_guard_end(&guard);
}

/* The child has neither the thread that plans nor the one that was called. */
static void after_fork_in_child(void)
{
    if (ringviz_attachment.state == RV_ATTACHMENT_PLANNING)
        ringviz_attachment.state = RV_ATTACHMENT_NONE;
    if (ringviz_attachment.result == RV_ATTACHMENT_CALLED)
        ringviz_attachment.result = 0;
}

/* Runs after the constructors of the library's other files, which are linked before this one. */
__attribute__((constructor)) static void start(void)
{
    rv_forking_on_child(after_fork_in_child);
    publish(&ringviz_attachment.is_loaded, 1);
}
