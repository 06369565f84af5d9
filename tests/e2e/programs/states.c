/*
 * Threads that wait for each other and sleep, and say what the kernel counted: CPU time of a function, switches.
 *
 *     states each    also of each thread: its number, CPU time and switches
 *     states quiet   threads that make no call say the same of themselves
 *     states blocked threads that make no call are blocked for BLOCKED_MS: for a condition, in a pipe, and asleep
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    N_THREADS = 4,
    N_ROUNDS = 25,
    WORK_US = 1000,
    REST_US = 2000,
    N_NAPS = 400,
    NAP_NS = 2500000,
    BLOCKED_MS = 2000
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t sums = PTHREAD_MUTEX_INITIALIZER;
static long long cpu_ns, n_switches;
static int tells_each;

static long long thread_cpu_ns(void) __attribute__((no_instrument_function));
static long long thread_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long __attribute__((noinline)) work(void)
{
    long long begin = thread_cpu_ns(), now;
    do
        now = thread_cpu_ns();
    while (now - begin < WORK_US * 1000LL);
    return now - begin;
}

static long long __attribute__((noinline)) hold(void)
{
    pthread_mutex_lock(&lock);
    long long ns = work();
    pthread_mutex_unlock(&lock);
    return ns;
}

static int __attribute__((noinline)) rest(void)
{
    return nanosleep(&(struct timespec){.tv_nsec = REST_US * 1000L}, NULL);
}

static void *run(void *unused)
{
    long long ns = 0;
    pthread_setname_np(pthread_self(), "worker");
    for (int i = 0; i < N_ROUNDS; i++) {
        ns += hold();
        if (rest() != 0)
            return NULL;
    }
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    pthread_mutex_lock(&sums);
    cpu_ns += ns;
    n_switches += usage.ru_nvcsw + usage.ru_nivcsw;
    if (tells_each)
        printf("thread %d %lld %ld\n", gettid(), thread_cpu_ns(), usage.ru_nvcsw + usage.ru_nivcsw);
    pthread_mutex_unlock(&sums);
    return unused;
}

static void *be_quiet(void *unused) __attribute__((no_instrument_function));
static void *be_quiet(void *unused)
{
    pthread_setname_np(pthread_self(), "quiet");
    for (int i = 0; i < N_NAPS; i++)
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = NAP_NS}, NULL);
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    printf("thread %d %lld %ld\n", gettid(), thread_cpu_ns(), usage.ru_nvcsw + usage.ru_nivcsw);
    return unused;
}

static pthread_cond_t has_ended = PTHREAD_COND_INITIALIZER;
static int is_over, channel[2];

static void nap(int ms) __attribute__((no_instrument_function));
static void nap(int ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0)
        continue;
}

static void *wait_for_condition(void *unused) __attribute__((no_instrument_function));
static void *wait_for_condition(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_over)
        pthread_cond_wait(&has_ended, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *wait_for_byte(void *unused) __attribute__((no_instrument_function));
static void *wait_for_byte(void *unused)
{
    char byte;
    return read(channel[0], &byte, 1) == 1 ? unused : &channel;
}

static void *sleep_long(void *unused) __attribute__((no_instrument_function));
static void *sleep_long(void *unused)
{
    nap(BLOCKED_MS);
    return unused;
}

static int __attribute__((noinline)) keep_blocked(void)
{
    void *(*const all[])(void *) = {wait_for_condition, wait_for_byte, sleep_long};
    pthread_t threads[3];
    void *result;
    int n_wrong = pipe(channel) != 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, all[i], NULL);
    nap(BLOCKED_MS);
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_cond_signal(&has_ended);
    pthread_mutex_unlock(&lock);
    n_wrong += write(channel[1], "x", 1) != 1;
    for (int i = 0; i < 3; i++)
        n_wrong += pthread_join(threads[i], &result) != 0 || result;
    return n_wrong;
}

/* Sleeps without a reader of its switches, then with one. */
static int __attribute__((noinline)) burst(int n)
{
    int error = kill(getppid(), SIGSTOP);
    for (int i = 0; i < n && !error; i++)
        error = nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
    error |= kill(getppid(), SIGCONT);
    return error;
}

static int lose(int n)
{
    int error = 0;
    for (int i = 0; i < 2 * N_ROUNDS; i++) /* until the reader knows the thread: it keeps a second of others only */
        error |= rest();
    error |= burst(n);
    for (int i = 0; i < 8 * N_ROUNDS; i++) /* the first ones until the reader is up to date */
        error |= rest();
    return error;
}

int main(int argc, char **argv)
{
    const int is_quiet = argc > 1 && strcmp(argv[1], "quiet") == 0;
    tells_each = argc > 1 && strcmp(argv[1], "each") == 0;
    if (argc > 1 && strcmp(argv[1], "blocked") == 0)
        return keep_blocked();
    if (argc > 1 && !tells_each && !is_quiet)
        return lose(atoi(argv[1]));
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, is_quiet ? be_quiet : run, NULL);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("work %lld\nrest %lld\nswitches %lld\n", cpu_ns, N_THREADS * N_ROUNDS * REST_US * 1000LL, n_switches);
    return 0;
}
