#include "base/os.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

TestSuite(os, .timeout = 100);

Test(os, a_futex_wait_ends_by_value_and_by_time)
{
    uint32_t word = 1;
    errno = EDOM;
    cr_assert_eq(rv_os_futex_wait(&word, 0, 1000000000), -EAGAIN);
    uint64_t before = rv_clock_mono_ns();
    cr_assert_eq(rv_os_futex_wait(&word, 1, 5000000), -ETIMEDOUT);
    cr_assert_geq(rv_clock_mono_ns() - before, 5000000);
    rv_os_futex_wake(&word);
    cr_assert_eq(errno, EDOM);
}

Test(os, a_wait_for_a_condition_ends_by_time)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    rv_os_init_condition(&condition);
    uint64_t end_ns = rv_clock_mono_ns() + 5000000;
    pthread_mutex_lock(&lock);
    while (rv_os_wait_until(&condition, &lock, end_ns))
        continue; /* it may wake up for nothing */
    pthread_mutex_unlock(&lock);
    cr_assert_geq(rv_clock_mono_ns(), end_ns);
    pthread_cond_destroy(&condition);
}

static _Atomic uint32_t turn;

static void *wake_up(void *unused)
{
    atomic_store_explicit(&turn, 1, memory_order_relaxed);
    rv_os_futex_wake((uint32_t *)&turn);
    return unused;
}

Test(os, a_futex_wake_ends_a_wait)
{
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, wake_up, NULL), 0);
    while (atomic_load_explicit(&turn, memory_order_relaxed) == 0)
        cr_assert_neq(rv_os_futex_wait((uint32_t *)&turn, 0, 60000000000), -ETIMEDOUT);
    pthread_join(thread, NULL);
}

/* The oracle: reads the same field of /proc/PID/stat by stdio. */
static unsigned long long start_by_stdio(pid_t pid)
{
    char path[64], text[1024];
    unsigned long long start = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    cr_assert_not_null(fgets(text, sizeof text, file));
    fclose(file);
    cr_assert_eq(sscanf(strrchr(text, ')') + 1,
                        " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &start),
                 1);
    return start;
}

Test(os, a_process_is_known_by_its_start)
{
    cr_assert_eq(rv_os_process_start(getpid()), start_by_stdio(getpid()));
    cr_assert_eq(rv_os_process_start(1), start_by_stdio(1));
}

Test(os, a_name_with_parentheses_does_not_confuse)
{
    unsigned long long start = start_by_stdio(getpid());
    prctl(PR_SET_NAME, "a) 4 5 (b) R");
    cr_assert_eq(rv_os_process_start(getpid()), start);
}

Test(os, a_process_that_is_gone_has_no_start)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    errno = EDOM;
    cr_assert_eq(rv_os_process_start(child), 0);
    cr_assert_eq(rv_os_process_start(0), 0);
    cr_assert_eq(rv_os_process_start(-1), 0);
    cr_assert_eq(errno, EDOM);
}

static void ignore(int signal_number)
{
    (void)signal_number;
}

Test(os, a_sleep_lasts_across_signals)
{
    struct sigaction action = {.sa_handler = ignore};
    sigaction(SIGALRM, &action, NULL);
    uint64_t before = rv_clock_mono_ns();
    ualarm(3000, 3000);
    rv_os_sleep_ns(30000000);
    ualarm(0, 0);
    cr_assert_geq(rv_clock_mono_ns() - before, 30000000);
}

static void *run_bulk(void *context)
{
    struct sched_param param;
    rv_os_schedule_bulk();
    cr_assert_eq(pthread_getschedparam(pthread_self(), context, &param), 0);
    return NULL;
}

Test(os, bulk_work_is_one_thread_s_own)
{
    struct sched_param param;
    pthread_t thread;
    int theirs, before, ours;
    cr_assert_eq(pthread_getschedparam(pthread_self(), &before, &param), 0);
    rv_os_start_thread(&thread, run_bulk, &theirs);
    pthread_join(thread, NULL);
    cr_assert_eq(theirs, SCHED_BATCH);
    cr_assert_eq(pthread_getschedparam(pthread_self(), &ours, &param), 0);
    cr_assert_eq(ours, before);
}

Test(os, knows_the_machine)
{
    cr_assert_geq(rv_os_n_cpus(), 1);
    cr_assert_leq((long)rv_os_n_cpus(), sysconf(_SC_NPROCESSORS_CONF));
    cr_assert_gt(rv_os_ram_bytes(), 16u << 20);
    cr_assert_eq(rv_os_tid(), getpid());
}

Test(os, blocks_all_signals_but_those_of_instructions)
{
    sigset_t before, blocked;
    rv_os_block_signals(&before);
    pthread_sigmask(SIG_SETMASK, &before, &blocked);
    cr_assert(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGCHLD) && sigismember(&blocked, SIGRTMAX));
    cr_assert(!sigismember(&blocked, SIGBUS) && !sigismember(&blocked, SIGSEGV));
}
