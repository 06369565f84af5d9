#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/ptrace.h"
#include "base/os.h"

#define LOOK_NS 1000000u

/* What the traced process tells the test, in shared memory. */
static struct shared {
    bool has_begun, has_ended; /* [atomic] the call into the process */
    bool may_end;              /* [atomic] ends a call that waits */
    unsigned n_rounds;         /* [atomic] of its own loop: grows while it runs its own code */
    pid_t child;               /* [atomic] of a traced process's parent */
} * shared;

static struct rv_ptrace tracee;

static _Noreturn void count_rounds(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        __atomic_add_fetch(&shared->n_rounds, 1, __ATOMIC_SEQ_CST);
}

/* The function called in the process: it stops its own process by a signal. */
static void stop_within(uint64_t waits)
{
    __atomic_store_n(&shared->has_begun, true, __ATOMIC_SEQ_CST);
    kill(getpid(), SIGSTOP);
    while (waits && !__atomic_load_n(&shared->may_end, __ATOMIC_SEQ_CST))
        ;
    __atomic_store_n(&shared->has_ended, true, __ATOMIC_SEQ_CST);
}

/* Without a deadline: the suite's timeout ends a wait in vain. */
static void await(const bool *is_so)
{
    while (!__atomic_load_n(is_so, __ATOMIC_SEQ_CST))
        rv_os_sleep_ns(LOOK_NS);
}

static void await_round(void)
{
    const unsigned n = __atomic_load_n(&shared->n_rounds, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&shared->n_rounds, __ATOMIC_SEQ_CST) == n)
        rv_os_sleep_ns(LOOK_NS);
}

static void await_signal_stop(void)
{
    while (!rv_ptrace_is_called_stopped(&tracee))
        rv_os_sleep_ns(LOOK_NS);
}

static void call(bool waits)
{
    const struct rv_ptrace_call call = {.function = (uint64_t)(uintptr_t)stop_within, .arguments = {waits}};
    cr_assert_eq(rv_ptrace_call(&tracee, 0, &call), 0);
}

static void begin(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(shared != MAP_FAILED);
    const pid_t pid = fork();
    if (pid == 0)
        count_rounds();
    cr_assert_eq(rv_ptrace_open(&tracee, pid), 0);
    await_round();
    cr_assert_eq(rv_ptrace_stop_any(&tracee, 0), 0);
}

static void end(void)
{
    kill(tracee.pid, SIGKILL);
    cr_expect_eq(waitpid(tracee.pid, NULL, 0), tracee.pid);
    rv_ptrace_close(&tracee);
    munmap(shared, sizeof *shared);
}

/* The process is stopped by the signal, as before the call; once continued, it runs its own loop again. */
static void expect_to_go_on(void)
{
    rv_ptrace_release(&tracee);
    await_signal_stop();
    kill(tracee.pid, SIGCONT);
    await_round();
}

TestSuite(ptrace, .init = begin, .fini = end, .timeout = 60);

Test(ptrace, a_call_within_which_a_signal_stops_the_process_ends_nevertheless)
{
    call(false);
    await_signal_stop();
    cr_expect(!shared->has_ended);
    cr_expect_eq(rv_ptrace_take_back(&tracee), -EALREADY);
    await(&shared->has_ended);
    expect_to_go_on();
}

Test(ptrace, a_call_is_not_lost_where_the_stop_ends_within_it)
{
    call(true);
    await_signal_stop();
    cr_expect_eq(rv_ptrace_take_back(&tracee), -EALREADY);
    kill(tracee.pid, SIGCONT);
    cr_expect_eq(rv_ptrace_take_back(&tracee), -EALREADY);
    __atomic_store_n(&shared->may_end, true, __ATOMIC_SEQ_CST);
    await(&shared->has_ended);
    await_round();
}

Test(ptrace, a_call_that_a_signal_prevents_is_undone)
{
    kill(tracee.pid, SIGSTOP);
    call(false);
    await_signal_stop();
    cr_expect_eq(rv_ptrace_take_back(&tracee), -ECANCELED);
    expect_to_go_on();
    cr_expect(!shared->has_begun);
}

static void *count_once(void *context)
{
    __atomic_add_fetch(&shared->n_rounds, 1, __ATOMIC_SEQ_CST);
    for (;;)
        pause();
    return context;
}

/* Begins a process with three threads, and waits for it. */
static _Noreturn void run_parent(void)
{
    const pid_t pid = fork();
    if (pid == 0) {
        pthread_t thread;
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        pthread_create(&thread, NULL, count_once, NULL);
        pthread_create(&thread, NULL, count_once, NULL);
        (void)count_once(NULL);
    }
    __atomic_store_n(&shared->child, pid, __ATOMIC_SEQ_CST);
    _exit(waitpid(pid, NULL, 0) == pid ? 0 : 1);
}

static int kill_while_stopped(void *context)
{
    struct rv_ptrace killed;
    const pid_t *pid = context;
    int error = rv_ptrace_open(&killed, *pid);
    if (!error)
        error = rv_ptrace_stop_all(&killed);
    kill(*pid, SIGKILL);
    rv_ptrace_close(&killed);
    return error;
}

/* Its threads, which ended while they were stopped, are given back. */
Test(ptrace_own_thread, the_parent_of_a_process_that_was_killed_while_stopped_hears_of_it, .timeout = 60)
{
    int status;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(shared != MAP_FAILED);
    const pid_t parent = fork();
    if (parent == 0)
        run_parent();
    while (__atomic_load_n(&shared->n_rounds, __ATOMIC_SEQ_CST) < 3 || !__atomic_load_n(&shared->child, __ATOMIC_SEQ_CST))
        rv_os_sleep_ns(LOOK_NS);
    cr_expect_eq(rv_ptrace_on_own_thread(kill_while_stopped, &shared->child), 0);
    cr_assert_eq(waitpid(parent, &status, 0), parent);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    munmap(shared, sizeof *shared);
}
