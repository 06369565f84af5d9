/*
 * Threads that wait for each other. `truth`: after each lock the thread writes a value, "held before by", the tid of the
 * thread that had it before, so that what ringviz found out can be compared. Else the scene of that name, whose outcome
 * is in the exit status.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ringviz/producer.h"

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static struct timespec in_ms(clockid_t clock, long ms)
{
    struct timespec at;
    clock_gettime(clock, &at);
    at.tv_nsec += ms * 1000000L;
    at.tv_sec += at.tv_nsec / 1000000000L;
    at.tv_nsec %= 1000000000L;
    return at;
}

static void expect(int got, int wanted, const char *what)
{
    if (got == wanted)
        return;
    printf("%s: got %d, expected %d\n", what, got, wanted);
    exit(1);
}

/* ---- truth ---- */

enum { MOST_THREADS = 16 };

static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;
static uint32_t holder_before, held_by;
static int n_rounds;
static volatile unsigned work;

static void __attribute__((noinline)) hold(unsigned n_loops)
{
    for (unsigned i = 0; i < n_loops; i++)
        work++;
}

static void *contend(void *number)
{
    unsigned seed = 1 + (unsigned)(uintptr_t)number;
    for (int i = 0; i < n_rounds; i++) {
        pthread_mutex_lock(&contended);
        ringviz_value(held_by, (float)holder_before);
        hold((unsigned)rand_r(&seed) % 2000);
        if (rand_r(&seed) % 16 == 0)
            sched_yield(); /* others come to wait, on any number of CPUs */
        holder_before = (uint32_t)gettid();
        pthread_mutex_unlock(&contended);
        if (rand_r(&seed) % 8 == 0)
            hold((unsigned)rand_r(&seed) % 5000);
    }
    return NULL;
}

static void truth(int n_threads)
{
    pthread_t threads[MOST_THREADS];
    held_by = ringviz_intern("contention", "held before by", "", 0);
    for (int i = 0; i < n_threads; i++)
        pthread_create(&threads[i], NULL, contend, (void *)(uintptr_t)i);
    for (int i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
}

/* ---- scenes: main waits for another thread, 20 ms or more ---- */

enum { HOLD_MS = 20 };
static volatile bool is_about_to_wait;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore, ready;
static bool is_said;

static char main_state(void)
{
    char text[512] = "";
    FILE *file = fopen("/proc/self/stat", "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    const char *behind_name = n ? strrchr(text, ')') : NULL;
    return behind_name ? behind_name[2] : '?';
}

/* Main waits for the caller. */
static void keep_waiting(void)
{
    sem_post(&ready);
    while (!is_about_to_wait || main_state() != 'S')
        sleep_ms(1);
    is_about_to_wait = false;
    sleep_ms(HOLD_MS);
}

static void *__attribute__((noinline)) hold_mutex(void *mutex)
{
    pthread_mutex_lock(mutex);
    keep_waiting();
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void *__attribute__((noinline)) hold_for_writing(void *unused)
{
    pthread_rwlock_wrlock(&rwlock);
    keep_waiting();
    pthread_rwlock_unlock(&rwlock);
    return unused;
}

static void *__attribute__((noinline)) hold_for_reading(void *unused)
{
    pthread_rwlock_rdlock(&rwlock);
    keep_waiting();
    pthread_rwlock_unlock(&rwlock);
    return unused;
}

static void *__attribute__((noinline)) say(void *unused)
{
    keep_waiting();
    pthread_mutex_lock(&lock);
    is_said = true;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *__attribute__((noinline)) post(void *unused)
{
    keep_waiting();
    sem_post(&semaphore);
    return unused;
}

static void *__attribute__((noinline)) linger(void *unused)
{
    keep_waiting();
    return unused;
}

static void forget_lock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void *__attribute__((noinline)) wait_for_ever(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(forget_lock, &lock);
    sem_post(&ready);
    for (;;)
        pthread_cond_wait(&condition, &lock);
    pthread_cleanup_pop(1);
    return unused;
}

static pthread_t start(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    expect(pthread_create(&thread, NULL, run, argument), 0, "pthread_create");
    return thread;
}

static pthread_t start_holder(void *(*run)(void *), void *argument)
{
    pthread_t thread = start(run, argument);
    while (sem_trywait(&ready) != 0)
        sleep_ms(1);
    is_about_to_wait = true;
    return thread;
}

static pthread_mutex_t mutex_of(int kind)
{
    pthread_mutex_t mutex;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return mutex;
}

static void mutex_scene(void)
{
    pthread_t thread = start_holder(hold_mutex, &lock);
    expect(pthread_mutex_lock(&lock), 0, "lock");
    expect(pthread_mutex_unlock(&lock), 0, "unlock");
    pthread_join(thread, NULL);
}

static void timed_scene(void)
{
    pthread_t thread = start_holder(hold_mutex, &lock);
    struct timespec soon = in_ms(CLOCK_REALTIME, 2), wrong = {.tv_nsec = -1};
    expect(pthread_mutex_timedlock(&lock, &soon), ETIMEDOUT, "timedlock");
    expect(pthread_mutex_timedlock(&lock, &wrong), EINVAL, "timedlock with a wrong time");
    expect(pthread_mutex_trylock(&lock), EBUSY, "trylock");
    pthread_join(thread, NULL);
    expect(pthread_mutex_timedlock(&lock, &wrong), 0, "timedlock of a free mutex");
    pthread_mutex_unlock(&lock);
}

/* Locks of one's own are no waits. */
static void kinds_scene(void)
{
    pthread_mutex_t recursive = mutex_of(PTHREAD_MUTEX_RECURSIVE), checked = mutex_of(PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_lock(&recursive);
    expect(pthread_mutex_lock(&recursive), 0, "recursive lock");
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_lock(&checked);
    expect(pthread_mutex_lock(&checked), EDEADLK, "lock of one's own");
    pthread_mutex_unlock(&checked);
    expect(pthread_mutex_unlock(&checked), EPERM, "unlock of another's");
    errno = 77;
    expect(sem_post(&semaphore), 0, "sem_post");
    expect(sem_wait(&semaphore), 0, "sem_wait");
    expect(errno, 77, "errno");
}

/* The owner dies with the lock, in another process. */
static void robust_scene(void)
{
    pthread_mutex_t *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(shared, &attributes);
    int channel[2];
    char byte = 0;
    expect(pipe(channel), 0, "pipe");
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(shared);
        if (write(channel[1], "", 1) != 1)
            _exit(1);
        sleep_ms(HOLD_MS);
        _exit(0);
    }
    expect((int)read(channel[0], &byte, 1), 1, "the child has the lock");
    expect(pthread_mutex_lock(shared), EOWNERDEAD, "lock of one who died");
    expect(pthread_mutex_consistent(shared), 0, "pthread_mutex_consistent");
    expect(pthread_mutex_unlock(shared), 0, "unlock");
    waitpid(child, NULL, 0);
}

static void rwlock_scene(void)
{
    pthread_t thread = start_holder(hold_for_writing, NULL);
    expect(pthread_rwlock_rdlock(&rwlock), 0, "rdlock");
    pthread_rwlock_unlock(&rwlock);
    pthread_join(thread, NULL);
    thread = start_holder(hold_for_reading, NULL);
    expect(pthread_rwlock_wrlock(&rwlock), 0, "wrlock");
    expect(pthread_rwlock_wrlock(&rwlock), EDEADLK, "wrlock of one's own");
    pthread_rwlock_unlock(&rwlock);
    pthread_join(thread, NULL);
}

static void condition_scene(void)
{
    is_said = false;
    pthread_mutex_lock(&lock);
    pthread_t thread = start_holder(say, NULL);
    while (!is_said)
        expect(pthread_cond_wait(&condition, &lock), 0, "cond_wait");
    struct timespec soon = in_ms(CLOCK_MONOTONIC, 2);
    expect(pthread_cond_clockwait(&condition, &lock, CLOCK_MONOTONIC, &soon), ETIMEDOUT, "cond_clockwait");
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

static void semaphore_scene(void)
{
    pthread_t thread = start_holder(post, NULL);
    errno = 77;
    expect(sem_wait(&semaphore), 0, "sem_wait");
    expect(errno, 77, "errno");
    struct timespec soon = in_ms(CLOCK_REALTIME, 2);
    expect(sem_timedwait(&semaphore, &soon), -1, "sem_timedwait");
    expect(errno, ETIMEDOUT, "errno of sem_timedwait");
    pthread_join(thread, NULL);
}

/* Many readers wait for one writer. */
static void *__attribute__((noinline)) read_briefly(void *unused)
{
    pthread_rwlock_rdlock(&rwlock);
    hold(1000);
    pthread_rwlock_unlock(&rwlock);
    return unused;
}

static void readers_scene(void)
{
    enum { N_READERS = 8, N_ROUNDS = 5 };
    pthread_t readers[N_READERS];
    for (int round = 0; round < N_ROUNDS; round++) {
        pthread_rwlock_wrlock(&rwlock);
        for (int i = 0; i < N_READERS; i++)
            readers[i] = start(read_briefly, NULL);
        sleep_ms(HOLD_MS);
        pthread_rwlock_unlock(&rwlock);
        for (int i = 0; i < N_READERS; i++)
            pthread_join(readers[i], NULL);
    }
}

/* A handler jumps out of a wait; the thread's end must not come back to it. */
static sigjmp_buf before_wait;

static void jump(int signal)
{
    siglongjmp(before_wait, signal);
}

static void *__attribute__((noinline)) jump_away(void *unused)
{
    if (sigsetjmp(before_wait, 1) == 0) {
        signal(SIGALRM, jump);
        ualarm(HOLD_MS * 1000, 0);
        sem_wait(&semaphore);
    }
    volatile char other[4096] = {0}; /* where the wait's frame was */
    for (size_t i = 0; i < sizeof other; i++)
        other[i] = 1;
    pthread_exit(unused);
}

static void jump_scene(void)
{
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_t thread = start(jump_away, NULL);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    expect(pthread_join(thread, NULL), 0, "join");
}

/* What is refused is refused although the object is free; a pending cancellation comes first. */
static void *wait_cancelled(void *unused)
{
    pthread_cancel(pthread_self());
    sem_wait(&semaphore);
    return unused;
}

static void refused_scene(void)
{
    struct timespec wrong = {.tv_nsec = -1};
    void *result = NULL;
    sem_post(&semaphore);
    expect(sem_timedwait(&semaphore, &wrong), -1, "sem_timedwait with a wrong time");
    expect(errno, EINVAL, "errno");
    expect(pthread_rwlock_timedrdlock(&rwlock, &wrong), EINVAL, "timedrdlock with a wrong time");
    expect(pthread_rwlock_timedwrlock(&rwlock, &wrong), EINVAL, "timedwrlock with a wrong time");
    expect(pthread_mutex_clocklock(&lock, CLOCK_PROCESS_CPUTIME_ID, &wrong), EINVAL, "clocklock by a wrong clock");
    pthread_join(start(wait_cancelled, NULL), &result);
    expect(result == PTHREAD_CANCELED, 1, "cancelled");
    expect(sem_trywait(&semaphore), 0, "the semaphore is left");
}

/* A child of fork has none of its parent's waiters. */
static void fork_scene(void)
{
    pthread_t thread = start_holder(wait_for_ever, NULL);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 1000; i++) {
            pthread_cond_signal(&condition);
            hold(10);
        }
        _exit(0);
    }
    waitpid(child, NULL, 0);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

static void join_scene(void)
{
    void *result = NULL;
    expect(pthread_join(start_holder(linger, &result), &result), 0, "join");
    expect(result == (void *)&result, 1, "the thread's result");
}

static void cancel_scene(void)
{
    void *result = NULL;
    pthread_t thread = start_holder(wait_for_ever, NULL);
    pthread_mutex_lock(&lock); /* it waits now */
    pthread_mutex_unlock(&lock);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    expect(result == PTHREAD_CANCELED, 1, "cancelled");
    expect(pthread_mutex_trylock(&lock), 0, "the mutex that the cancelled thread had");
    pthread_mutex_unlock(&lock);
}

static pthread_mutex_t both[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *__attribute__((noinline)) lock_both(void *first)
{
    pthread_mutex_lock(&both[(uintptr_t)first]);
    sleep_ms(HOLD_MS);
    pthread_mutex_lock(&both[1 - (uintptr_t)first]);
    return NULL;
}

/* It stays one until the process ends. */
static void deadlock_scene(void)
{
    start(lock_both, (void *)0);
    start(lock_both, (void *)1);
    sleep_ms(5 * HOLD_MS);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*play)(void);
    } scenes[] = {{"mutex", mutex_scene},     {"timed", timed_scene},         {"kinds", kinds_scene},
                  {"robust", robust_scene},   {"rwlock", rwlock_scene},       {"condition", condition_scene},
                  {"readers", readers_scene}, {"jump", jump_scene},           {"refused", refused_scene},
                  {"fork", fork_scene},       {"semaphore", semaphore_scene}, {"join", join_scene},
                  {"cancel", cancel_scene},   {"deadlock", deadlock_scene}};
    sem_init(&semaphore, 0, 0);
    sem_init(&ready, 0, 0);
    if (argc == 4 && strcmp(argv[1], "truth") == 0) {
        int n_threads = atoi(argv[2]);
        n_rounds = atoi(argv[3]);
        truth(n_threads < MOST_THREADS ? n_threads : MOST_THREADS);
        return 0;
    }
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (argc == 2 && strcmp(argv[1], scenes[i].name) == 0) {
            scenes[i].play();
            return 0;
        }
    return 2;
}
