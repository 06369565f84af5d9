/*
 * Threads that wait for each other. In these scenes the thread writes a value, "held before by", right after each wait:
 * the tid of the thread that it waited for, to be compared with the waker that ringviz finds.
 *
 *   truth                        a lock; the tid of its previous holder
 *   storm_truth, fork_truth      the same amid signals whose handlers lock, and amid forks
 *   prefork                      the same among processes
 *   barrier_truth, once_truth    the tid of the thread that all others waited for
 *
 * Any other argument is the name of a scene whose outcome is in the exit status.
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
#include <sys/prctl.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "ringviz/producer.h"
#include "thread_state.h"

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

static mtx_t contended; /* in glibc both kinds of mutex */
static uint32_t holder_before, held_by;
static int n_rounds;
static int n_left; /* [atomic] threads that have rounds left */
static volatile unsigned work;
static volatile bool is_storm_over;

static void __attribute__((noinline)) hold(unsigned n_loops)
{
    for (unsigned i = 0; i < n_loops; i++)
        work++;
}

/* No call of it comes between the wait and the value. */
__attribute__((no_instrument_function)) static void lock_contended(int way)
{
    const struct timespec never = {.tv_sec = 1ll << 40};
    pthread_mutex_t *mutex = (pthread_mutex_t *)&contended;
    int error = way == 0   ? pthread_mutex_lock(mutex)
                : way == 1 ? pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &never)
                : way == 2 ? mtx_lock(&contended)
                           : mtx_timedlock(&contended, &never);
    if (error)
        abort();
}

/* Wait until another thread waits for the lock, even if it seldom gets a CPU: the lock word of glibc is 2 then. */
static void await_waiter(void)
{
    const pthread_mutex_t *mutex = (const pthread_mutex_t *)&contended;
    while (__atomic_load_n(&n_left, __ATOMIC_RELAXED) > 1 &&
           __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) < 2)
        sched_yield();
}

/* Wait until another thread has got the lock, so that the caller does not take it again first. */
static void await_next_holder(void)
{
    while (__atomic_load_n(&n_left, __ATOMIC_RELAXED) > 1 &&
           __atomic_load_n(&holder_before, __ATOMIC_RELAXED) == (uint32_t)gettid())
        sched_yield();
}

static void *contend(void *number)
{
    unsigned seed = 1 + (unsigned)(uintptr_t)number;
    for (int i = 0; i < n_rounds; i++) {
        lock_contended(i % 4);
        ringviz_value(held_by, (float)holder_before);
        __atomic_store_n(&holder_before, (uint32_t)gettid(), __ATOMIC_RELAXED);
        hold((unsigned)rand_r(&seed) % 2000);
        const bool hands_over = rand_r(&seed) % 16 == 0;
        if (hands_over)
            await_waiter();
        if (i % 2)
            pthread_mutex_unlock((pthread_mutex_t *)&contended);
        else
            mtx_unlock(&contended);
        if (hands_over)
            await_next_holder();
        if (rand_r(&seed) % 8 == 0)
            hold((unsigned)rand_r(&seed) % 5000);
    }
    __atomic_fetch_sub(&n_left, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Rounds in which all threads but one wait for that one. */
static pthread_barrier_t barrier, round_end;
static pthread_once_t *controls; /* one a round */
static int n_contenders;
static pid_t waiting[MOST_THREADS]; /* [atomic] tids; 0: not yet */

static void await_others(int number)
{
    for (int i = 0; i < n_contenders; i++)
        if (i != number)
            await_blocked(&waiting[i]);
    for (int i = 0; i < n_contenders; i++)
        __atomic_store_n(&waiting[i], 0, __ATOMIC_RELAXED);
    holder_before = (uint32_t)gettid();
}

static void *meet(void *context)
{
    const int number = (int)(uintptr_t)context;
    for (int i = 0; i < n_rounds; i++) {
        if (i % n_contenders == number)
            await_others(number);
        else
            __atomic_store_n(&waiting[number], gettid(), __ATOMIC_RELEASE);
        pthread_barrier_wait(&barrier);
        ringviz_value(held_by, (float)holder_before);
    }
    return NULL;
}

static __thread int own_number;

static void initialize(void)
{
    await_others(own_number);
}

/* The first thread runs the once-function, which ends once the others wait; the others begin once it runs. */
static void *do_once(void *context)
{
    own_number = (int)(uintptr_t)context;
    for (int i = 0; i < n_rounds; i++) {
        while (own_number && !__atomic_load_n((int *)&controls[i], __ATOMIC_RELAXED))
            sched_yield();
        if (own_number)
            __atomic_store_n(&waiting[own_number], gettid(), __ATOMIC_RELEASE);
        if (i % 2)
            pthread_once(&controls[i], initialize);
        else
            call_once((once_flag *)&controls[i], initialize);
        ringviz_value(held_by, (float)holder_before);
        pthread_barrier_wait(&round_end);
    }
    return NULL;
}

/* Signals interrupt threads that wait for the lock, hold it, or have just got it; the handlers take another lock. */
static pthread_mutex_t handlers_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t handler_before;

static void __attribute__((noinline)) lock_in_handler(int signal)
{
    const int saved = errno;
    (void)signal;
    pthread_mutex_lock(&handlers_lock);
    ringviz_value(held_by, (float)handler_before);
    hold(500);
    handler_before = (uint32_t)gettid();
    pthread_mutex_unlock(&handlers_lock);
    errno = saved;
}

static void *send_signals(void *unused)
{
    while (!is_storm_over) {
        kill(getpid(), SIGUSR1); /* to the threads in turns */
        hold(200);
    }
    return unused;
}

static void *contend_in_storm(void *number)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    if (!number)
        return send_signals(number);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    contend(number);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    is_storm_over = true;
    return NULL;
}

/* Before other threads start. */
static void prepare_storm(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGUSR1, lock_in_handler);
}

/* Children that are forked while others wait for the lock, in which threads wait for theirs. */
static void run_child(void)
{
    pthread_t threads[2];
    mtx_init(&contended, mtx_timed);
    holder_before = 0;
    n_rounds = n_rounds / 4 + 1;
    n_left = 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, contend, (void *)(uintptr_t)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

static void *contend_amid_forks(void *number)
{
    if (number)
        return contend(number);
    for (int i = 0; i < 8; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0)
            run_child();
        if (waitpid(child, &status, 0) != child || status != 0)
            abort();
    }
    return NULL;
}

static void tell_truth(void *(*run)(void *), int n_threads)
{
    pthread_t threads[MOST_THREADS];
    held_by = ringviz_intern("contention", "held before by", "", 0);
    n_contenders = n_threads;
    n_left = run == contend ? n_threads : n_threads - 1; /* else one sends signals, or forks */
    prepare_storm();
    mtx_init(&contended, mtx_timed);
    pthread_barrier_init(&barrier, NULL, (unsigned)n_threads);
    pthread_barrier_init(&round_end, NULL, (unsigned)n_threads);
    controls = calloc((size_t)n_rounds, sizeof *controls);
    for (int i = 0; i < n_threads; i++)
        pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i);
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

/* Main waits for the caller. */
static void keep_waiting(void)
{
    sem_post(&ready);
    while (!is_about_to_wait || state_of(getpid()) != 'S')
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
        sched_yield();
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

static void *hold_until_told(void *mutex)
{
    pthread_mutex_lock(mutex);
    sem_post(&ready);
    sem_wait(&semaphore);
    pthread_mutex_unlock(mutex);
    return NULL;
}

/* Wait for a lock on the heap, which has no symbol and so gets its name from the program. */
extern void ringviz_name_object(const void *object, const char *name) __attribute__((weak));
static void __attribute__((noinline)) lock_allocated(const char *name)
{
    pthread_mutex_t *allocated = malloc(sizeof *allocated);
    pthread_mutex_init(allocated, NULL);
    if (ringviz_name_object)
        ringviz_name_object(allocated, name);
    pthread_t thread = start_holder(hold_mutex, allocated);
    expect(pthread_mutex_lock(allocated), 0, "lock");
    pthread_mutex_unlock(allocated);
    pthread_join(thread, NULL);
    pthread_mutex_destroy(allocated);
    if (ringviz_name_object)
        ringviz_name_object(allocated, NULL);
    free(allocated);
}

static void named_scene(void)
{
    lock_allocated("orders");
    lock_allocated(NULL);
}

static void timed_scene(void)
{
    pthread_t thread = start(hold_until_told, &lock);
    sem_wait(&ready);
    struct timespec soon = in_ms(CLOCK_REALTIME, 2), wrong = {.tv_nsec = -1};
    expect(pthread_mutex_timedlock(&lock, &soon), ETIMEDOUT, "timedlock");
    expect(pthread_mutex_timedlock(&lock, &wrong), EINVAL, "timedlock with a wrong time");
    expect(pthread_mutex_trylock(&lock), EBUSY, "trylock");
    sem_post(&semaphore);
    pthread_join(thread, NULL);
    expect(pthread_mutex_timedlock(&lock, &wrong), 0, "timedlock of a free mutex");
    pthread_mutex_unlock(&lock);
}

/* Taking a lock that the thread already has is no wait. */
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
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        pthread_mutex_lock(shared);
        if (write(channel[1], "", 1) != 1)
            _exit(1);
        await_blocked(&parent);
        sleep_ms(HOLD_MS);
        _exit(0);
    }
    expect((int)read(channel[0], &byte, 1), 1, "the child has the lock");
    expect(pthread_mutex_lock(shared), EOWNERDEAD, "lock of one who died");
    expect(pthread_mutex_consistent(shared), 0, "pthread_mutex_consistent");
    expect(pthread_mutex_unlock(shared), 0, "unlock");
    waitpid(child, NULL, 0);
}

/* Objects in shared memory, which the child maps at another address. */
struct shared {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    pthread_cond_t condition;
    sem_t semaphore;
    pthread_barrier_t barrier;
    bool is_said;
    pid_t holder; /* [atomic] tid, once it has both locks */
};

static struct shared *map_shared(int memory)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    expect(shared != MAP_FAILED, 1, "mmap");
    return shared;
}

static struct shared *make_shared(int memory)
{
    pthread_mutexattr_t of_mutex;
    pthread_rwlockattr_t of_rwlock;
    pthread_condattr_t of_condition;
    pthread_barrierattr_t of_barrier;
    expect(ftruncate(memory, sizeof(struct shared)), 0, "ftruncate");
    struct shared *shared = map_shared(memory);
    pthread_mutexattr_init(&of_mutex);
    pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &of_mutex);
    pthread_rwlockattr_init(&of_rwlock);
    pthread_rwlockattr_setpshared(&of_rwlock, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&shared->rwlock, &of_rwlock);
    pthread_condattr_init(&of_condition);
    pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->condition, &of_condition);
    pthread_barrierattr_init(&of_barrier);
    pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &of_barrier, 2);
    sem_init(&shared->semaphore, 1, 0);
    return shared;
}

/* After each, the parent waits for the next. */
static void __attribute__((noinline)) end_shared_waits(struct shared *shared, pid_t parent)
{
    pthread_mutex_lock(&shared->mutex);
    pthread_rwlock_rdlock(&shared->rwlock);
    __atomic_store_n(&shared->holder, gettid(), __ATOMIC_RELEASE);
    await_blocked(&parent);
    sleep_ms(HOLD_MS);
    pthread_mutex_unlock(&shared->mutex);
    await_blocked(&parent);
    sleep_ms(HOLD_MS);
    pthread_rwlock_unlock(&shared->rwlock);
    await_blocked(&parent);
    sleep_ms(HOLD_MS);
    sem_post(&shared->semaphore);
    await_blocked(&parent);
    sleep_ms(HOLD_MS);
    pthread_mutex_lock(&shared->mutex);
    shared->is_said = true;
    pthread_cond_signal(&shared->condition);
    pthread_mutex_unlock(&shared->mutex);
    await_blocked(&parent);
    sleep_ms(HOLD_MS);
    pthread_barrier_wait(&shared->barrier);
}

static void shared_scene(void)
{
    const int memory = memfd_create("shared", 0);
    struct shared *shared = make_shared(memory);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        struct shared *other = map_shared(memory);
        munmap(shared, sizeof *shared);
        end_shared_waits(other, parent);
        _exit(0);
    }
    while (!__atomic_load_n(&shared->holder, __ATOMIC_ACQUIRE))
        sched_yield();
    expect(pthread_mutex_lock(&shared->mutex), 0, "lock");
    expect(pthread_rwlock_wrlock(&shared->rwlock), 0, "wrlock");
    pthread_rwlock_unlock(&shared->rwlock);
    expect(sem_wait(&shared->semaphore), 0, "sem_wait");
    while (!shared->is_said)
        expect(pthread_cond_wait(&shared->condition, &shared->mutex), 0, "cond_wait");
    pthread_mutex_unlock(&shared->mutex);
    pthread_barrier_wait(&shared->barrier);
    waitpid(child, NULL, 0);
    printf("child %d\n", child);
}

static struct shared *posted;

__attribute__((no_instrument_function)) static void post_shared(int signal)
{
    (void)signal;
    sem_post(&posted->semaphore);
}

/* From a handler on a stack with little room beyond what the kernel takes, and nothing below. */
static void handler_scene(void)
{
    enum { PAGE = 4096, ROOM = 3584 };
    const size_t n_bytes = (size_t)sysconf(_SC_MINSIGSTKSZ) + ROOM;
    char *guard = mmap(NULL, PAGE + n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t stack = {.ss_sp = guard + PAGE, .ss_size = n_bytes};
    const struct sigaction action = {.sa_handler = post_shared, .sa_flags = SA_ONSTACK};
    expect(mprotect(guard, PAGE, PROT_NONE), 0, "mprotect");
    posted = make_shared(memfd_create("shared", 0));
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sem_wait(&posted->semaphore);
        _exit(0);
    }
    expect(sigaltstack(&stack, NULL), 0, "sigaltstack");
    expect(sigaction(SIGUSR2, &action, NULL), 0, "sigaction");
    await_blocked(&child);
    raise(SIGUSR2);
    waitpid(child, NULL, 0);
}

/* A preforked server: of the idle processes one has the lock, and waits for a client. */
static void __attribute__((noinline)) serve(struct shared *shared, int requests, int answers)
{
    char request = 0;
    const struct timespec soon = in_ms(CLOCK_REALTIME, 1);
    expect(pthread_mutex_timedlock(&shared->mutex, &soon), ETIMEDOUT, "lock of the parent");
    expect((int)write(answers, &request, 1), 1, "the mutex is known");
    for (;;) {
        pthread_mutex_lock(&shared->mutex);
        ringviz_value(held_by, (float)shared->holder);
        shared->holder = getpid();
        const bool is_over = read(requests, &request, 1) != 1;
        pthread_mutex_unlock(&shared->mutex);
        if (is_over)
            _exit(0);
        hold(1000);
        if (write(answers, &request, 1) != 1)
            _exit(1);
        hold(1); /* a call between what that waited for and the next value */
    }
}

static void prefork_scene(void)
{
    enum { N_CHILDREN = 4, N_REQUESTS = 400 };
    int requests[2], answers[2];
    char byte = 0;
    struct shared *shared = make_shared(memfd_create("shared", 0));
    held_by = ringviz_intern("contention", "held before by", "", 0);
    expect(pipe(requests) | pipe(answers), 0, "pipe");
    pthread_mutex_lock(&shared->mutex);
    shared->holder = getpid();
    for (int i = 0; i < N_CHILDREN; i++)
        if (fork() == 0) {
            close(requests[1]);
            serve(shared, requests[0], answers[1]);
        }
    for (int i = 0; i < N_CHILDREN; i++)
        expect((int)read(answers[0], &byte, 1), 1, "beginning");
    pthread_mutex_unlock(&shared->mutex);
    for (int i = 0; i < N_REQUESTS; i++) {
        expect((int)write(requests[1], "", 1), 1, "request");
        expect((int)read(answers[0], &byte, 1), 1, "answer");
    }
    close(requests[1]);
    while (wait(NULL) > 0)
        continue;
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

/* Spurious wakes: the waiters wait on. */
enum { N_NAGS = 10 };
static volatile int n_wakes;

static void *__attribute__((noinline)) nag(void *unused)
{
    for (int i = 0; i <= N_NAGS; i++) {
        while (n_wakes < i)
            sleep_ms(1);
        is_about_to_wait = true;
        keep_waiting();
        pthread_mutex_lock(&lock);
        is_said = i == N_NAGS;
        pthread_cond_broadcast(&condition);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void spurious_scene(void)
{
    pthread_mutex_lock(&lock);
    pthread_t thread = start_holder(nag, NULL);
    for (; !is_said; n_wakes++)
        expect(pthread_cond_wait(&condition, &lock), 0, "cond_wait");
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    expect(n_wakes, N_NAGS + 1, "wakes");
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
static void *__attribute__((noinline)) read_briefly(void *own_tid)
{
    __atomic_store_n((pid_t *)own_tid, gettid(), __ATOMIC_RELEASE);
    pthread_rwlock_rdlock(&rwlock);
    hold(1000);
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static void readers_scene(void)
{
    enum { N_READERS = 8, N_ROUNDS = 5 };
    pthread_t readers[N_READERS];
    for (int round = 0; round < N_ROUNDS; round++) {
        pid_t tids[N_READERS] = {0}; /* [atomic] */
        pthread_rwlock_wrlock(&rwlock);
        for (int i = 0; i < N_READERS; i++)
            readers[i] = start(read_briefly, &tids[i]);
        for (int i = 0; i < N_READERS; i++)
            await_blocked(&tids[i]);
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

/* A wrong argument is refused although the object is free; a pending cancellation comes first. */
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

static cnd_t c11_condition;
static mtx_t c11_lock;

static int __attribute__((noinline)) say_c11(void *unused)
{
    keep_waiting();
    mtx_lock(&c11_lock);
    is_said = true;
    if (unused)
        cnd_broadcast(&c11_condition);
    else
        cnd_signal(&c11_condition);
    mtx_unlock(&c11_lock);
    sem_post(&ready);
    keep_waiting();
    return 7;
}

static void c11_scene(void)
{
    thrd_t thread;
    int result = 0;
    cnd_init(&c11_condition);
    mtx_init(&c11_lock, mtx_timed);
    mtx_lock(&c11_lock);
    expect(thrd_create(&thread, say_c11, NULL), thrd_success, "thrd_create");
    sem_wait(&ready);
    is_about_to_wait = true;
    while (!is_said)
        expect(cnd_wait(&c11_condition, &c11_lock), thrd_success, "cnd_wait");
    struct timespec soon = in_ms(CLOCK_REALTIME, 2);
    expect(cnd_timedwait(&c11_condition, &c11_lock, &soon), thrd_timedout, "cnd_timedwait");
    expect(mtx_timedlock(&c11_lock, &soon), thrd_timedout, "mtx_timedlock of one's own");
    mtx_unlock(&c11_lock);
    sem_wait(&ready);
    is_about_to_wait = true;
    expect(thrd_join(thread, &result), thrd_success, "thrd_join");
    expect(result, 7, "the thread's result");
}

/* Until a time by the other clock. */
static void clocks_scene(void)
{
    const struct timespec later = in_ms(CLOCK_MONOTONIC, 60000);
    pthread_t thread = start_holder(hold_for_writing, NULL);
    expect(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &later), 0, "clockrdlock");
    pthread_rwlock_unlock(&rwlock);
    pthread_join(thread, NULL);
    thread = start_holder(hold_for_reading, NULL);
    expect(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &later), 0, "clockwrlock");
    pthread_rwlock_unlock(&rwlock);
    pthread_join(thread, NULL);
    thread = start_holder(post, NULL);
    expect(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &later), 0, "sem_clockwait");
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    thread = start_holder(say, NULL);
    while (!is_said)
        expect(pthread_cond_clockwait(&condition, &lock, CLOCK_MONOTONIC, &later), 0, "cond_clockwait");
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
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
    pthread_barrier_wait(&barrier);
    __atomic_store_n(&waiting[(uintptr_t)first], gettid(), __ATOMIC_RELEASE);
    pthread_mutex_lock(&both[1 - (uintptr_t)first]);
    return NULL;
}

/* It stays one until the process ends. */
static void deadlock_scene(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    for (uintptr_t i = 0; i < 2; i++)
        start(lock_both, (void *)i);
    for (int i = 0; i < 2; i++)
        await_blocked(&waiting[i]);
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
                  {"cancel", cancel_scene},   {"deadlock", deadlock_scene},   {"c11", c11_scene},
                  {"clocks", clocks_scene},   {"named", named_scene},         {"spurious", spurious_scene},
                  {"shared", shared_scene},   {"handler", handler_scene},     {"prefork", prefork_scene}};
    static const struct {
        const char *name;
        void *(*run)(void *);
    } truths[] = {{"truth", contend},
                  {"storm_truth", contend_in_storm},
                  {"fork_truth", contend_amid_forks},
                  {"barrier_truth", meet},
                  {"once_truth", do_once}};
    sem_init(&semaphore, 0, 0);
    sem_init(&ready, 0, 0);
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
        if (argc == 4 && strcmp(argv[1], truths[i].name) == 0) {
            int n_threads = atoi(argv[2]);
            n_rounds = atoi(argv[3]);
            tell_truth(truths[i].run, n_threads < MOST_THREADS ? n_threads : MOST_THREADS);
            return 0;
        }
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (argc == 2 && strcmp(argv[1], scenes[i].name) == 0) {
            scenes[i].play();
            return 0;
        }
    return 2;
}
