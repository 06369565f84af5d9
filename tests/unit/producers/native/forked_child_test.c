/* What a child can do when it is forked without fork handlers, as by _Fork(), while another thread held our lock. */
#include "producers/native/forking.h"
#include "producers/native/patcher.h"
#include "producers/native/replaced_returns.h"
#include "producers/native/thread.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_TAKEN (4 * RV_RETURNS_PER_PAGE)

TestSuite(forked_child, .timeout = 60);

/* Where the other thread stops while it holds the lock of entries. */
static enum { NOWHERE, BEFORE_CHANGE, AFTER_CHANGE } stops;
static sem_t has_stopped;

static void stand_still(void)
{
    sem_post(&has_stopped);
    for (;;)
        pause();
}

/* Replaces the C library's, which makes new trampolines executable. */
int mprotect(void *address, size_t n_bytes, int protection)
{
    const bool is_other = syscall(SYS_gettid) != getpid();
    if (is_other && stops == BEFORE_CHANGE)
        stand_still();
    const int result = (int)syscall(SYS_mprotect, address, n_bytes, protection);
    if (is_other && stops == AFTER_CHANGE)
        stand_still();
    return result;
}

static void take_entries(void)
{
    static uint64_t slot;
    for (unsigned i = 0; i < N_TAKEN; i++)
        if (rv_returns_take(&slot) == 0)
            _exit(2);
}

static void *take_in_thread(void *unused)
{
    take_entries();
    return unused;
}

static void plan(void)
{
    (void)rv_patcher_plan("off", "", false);
}

static void look_at_attachment(void)
{
    if (ringviz_attachment.state != RV_ATTACHMENT_NONE || ringviz_attachment.result != 0)
        _exit(2);
}

static void do_nothing(void)
{
}

/* in_handler: what another library's fork handler does in the child before ours runs; act: what the child does then */
static void expect_of_child(void (*in_handler)(void), void (*act)(void))
{
    int status = -1;
    rv_forking_begin();
    const pid_t child = _Fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        in_handler();
    }
    rv_forking_end();
    if (child == 0) {
        act();
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %#x", status);
}

static void expect_entries_while_another_stops(int where, void (*in_handler)(void))
{
    pthread_t other;
    cr_assert_eq(rv_returns_init(), 0);
    sem_init(&has_stopped, 0, 0);
    stops = where;
    cr_assert_eq(pthread_create(&other, NULL, take_in_thread, NULL), 0);
    sem_wait(&has_stopped);
    expect_of_child(in_handler, take_entries);
}

Test(forked_child, takes_entries_though_another_thread_was_about_to_make_more)
{
    expect_entries_while_another_stops(BEFORE_CHANGE, do_nothing);
}

Test(forked_child, takes_entries_though_another_thread_had_made_more_executable)
{
    expect_entries_while_another_stops(AFTER_CHANGE, do_nothing);
}

Test(forked_child, takes_entries_in_a_fork_handler_that_runs_before_ours)
{
    expect_entries_while_another_stops(BEFORE_CHANGE, take_entries);
}

Test(forked_child, plans_though_another_thread_was_planning)
{
    ringviz_attachment.n_changes = 1;
    expect_of_child(do_nothing, plan);
}

Test(forked_child, is_not_attached_to_though_its_parent_was_planned_for)
{
    ringviz_attachment.state = RV_ATTACHMENT_PLANNING;
    ringviz_attachment.result = RV_ATTACHMENT_CALLED;
    expect_of_child(do_nothing, look_at_attachment);
}
