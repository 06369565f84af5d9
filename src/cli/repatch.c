#include "cli/repatch.h"

#ifdef RV_CLI_ATTACH

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/os.h"
#include "base/vec.h"
#include "launch/launch.h"
#include "ring/attachment.h"
#include "ring/ownership.h"
#include "ring/process_liveness.h"
#include "ring/verdict_section.h"

#define N_LIBRARIES 2
#define MOST_TRIES 20u
/* Verdicts come as functions are first called: those that come within a moment of the last stop are followed together. */
static const uint64_t GATHER_NS = 10000000;

struct done { /* of a process */
    uint32_t n_verdicts, n_tries;
};

struct rv_repatch {
    struct rv_map *map;
    pthread_t thread;
    char libraries[N_LIBRARIES][PATH_MAX];
    struct done *done; /* by process; the thread's, as all above */
    size_t n_done;
    bool is_refusal_said;
    pthread_mutex_t lock; /* protects the following */
    pthread_cond_t news;
    bool has_news, is_to_stop; /* is_to_stop: written by one thread, which alone reads it without the lock */
};

static int apply(const struct rv_repatch *repatch, pid_t pid)
{
    int error = -ENOENT;
    for (size_t i = 0; i < N_LIBRARIES && error == -ENOENT; i++)
        error = *repatch->libraries[i] ? rv_attach_apply(pid, repatch->libraries[i]) : -ENOENT;
    return error;
}

static void say_refusal(struct rv_repatch *repatch, uint32_t pid, int error)
{
    if (!repatch->is_refusal_said)
        rv_note("process %u: functions that are left out stay patched, and look it up at each call: %s", pid,
                strerror(-error));
    repatch->is_refusal_said = true;
}

/* Returns whether the process is to be tried again. */
static bool follow(struct rv_repatch *repatch, uint32_t idx)
{
    const struct rv_wire_process *process = rv_map_process(repatch->map, idx);
    struct done *done = &repatch->done[idx];
    const uint32_t n = rv_verdicts_of_process(repatch->map, idx);
    if (n == done->n_verdicts || __atomic_load_n(&process->state, __ATOMIC_ACQUIRE) != RV_PROCESS_LIVE) /* D2 <- D1 */
        return false;
    const int error =
        rv_process_liveness_is_running(process->pid, process->start) ? apply(repatch, (pid_t)process->pid) : -ESRCH;
    if (error == -EAGAIN && ++done->n_tries < MOST_TRIES)
        return true;
    if (error && error != -ESRCH)
        say_refusal(repatch, process->pid, error);
    *done = (struct done){.n_verdicts = n};
    return false;
}

static bool follow_all(struct rv_repatch *repatch)
{
    bool is_again = false;
    const uint32_t n = rv_ownership_n_processes(repatch->map);
    if (n > repatch->n_done)
        repatch->done = rv_vec_extend(repatch->done, &repatch->n_done, n, sizeof *repatch->done);
    for (uint32_t i = 0; i < n; i++)
        is_again |= follow(repatch, i);
    return is_again;
}

/* Returns whether the thread continues. */
static bool wait_for_news(struct rv_repatch *repatch)
{
    pthread_mutex_lock(&repatch->lock);
    while (!repatch->has_news && !repatch->is_to_stop)
        pthread_cond_wait(&repatch->news, &repatch->lock);
    repatch->has_news = false;
    const bool goes_on = !repatch->is_to_stop;
    pthread_mutex_unlock(&repatch->lock);
    return goes_on;
}

static void sleep_until(uint64_t end_ns)
{
    const uint64_t now_ns = rv_clock_mono_ns();
    if (now_ns < end_ns)
        rv_os_sleep_ns(end_ns - now_ns);
}

static void *run(void *context)
{
    struct rv_repatch *repatch = context;
    uint64_t next_ns = 0;
    while (wait_for_news(repatch)) {
        sleep_until(next_ns);
        if (follow_all(repatch))
            rv_repatch_wake(repatch);
        next_ns = rv_clock_mono_ns() + GATHER_NS;
    }
    return NULL;
}

struct rv_repatch *rv_repatch_start(struct rv_map *map)
{
    static const char *const LIBRARIES[N_LIBRARIES] = {"libringviz-cyg.so", RV_ATTACHMENT_LIBRARY};
    struct rv_repatch *repatch = rv_alloc(1, sizeof *repatch);
    sigset_t before;
    repatch->map = map;
    for (size_t i = 0; i < N_LIBRARIES; i++)
        if (rv_launch_find_file(LIBRARIES[i], repatch->libraries[i], PATH_MAX) != 0)
            *repatch->libraries[i] = '\0';
    pthread_mutex_init(&repatch->lock, NULL);
    pthread_cond_init(&repatch->news, NULL);
    rv_os_block_signals(&before);
    rv_os_start_thread(&repatch->thread, run, repatch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return repatch;
}

static void notify(struct rv_repatch *repatch, bool is_to_stop)
{
    pthread_mutex_lock(&repatch->lock);
    repatch->has_news = true;
    repatch->is_to_stop |= is_to_stop;
    pthread_cond_signal(&repatch->news);
    pthread_mutex_unlock(&repatch->lock);
}

void rv_repatch_wake(struct rv_repatch *repatch)
{
    if (repatch)
        notify(repatch, false);
}

void rv_repatch_stop(struct rv_repatch *repatch)
{
    if (!repatch || repatch->is_to_stop)
        return;
    notify(repatch, true);
    pthread_join(repatch->thread, NULL);
}

void rv_repatch_destroy(struct rv_repatch *repatch)
{
    if (!repatch)
        return;
    rv_repatch_stop(repatch);
    pthread_cond_destroy(&repatch->news);
    pthread_mutex_destroy(&repatch->lock);
    free(repatch->done);
    free(repatch);
}

#else

struct rv_repatch *rv_repatch_start(struct rv_map *map)
{
    (void)map;
    return NULL;
}

void rv_repatch_wake(struct rv_repatch *repatch)
{
    (void)repatch;
}

void rv_repatch_stop(struct rv_repatch *repatch)
{
    (void)repatch;
}

void rv_repatch_destroy(struct rv_repatch *repatch)
{
    (void)repatch;
}

#endif
