/* Threads that wait for each other, in children of a process that kills them once all have waited for HANG_MS: two, three, one
 * that waits for itself, two of two processes, a reader and a writer, two with a recursive lock, two with a lock that
 * was taken by trylock. Two scenes are no deadlock: a thread gives up after a time, or has passed its lock on. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "thread_state.h"

enum { MOST = 3, MOST_S = 90, HANG_MS = 300 };

/* Threads of any process, each from right before it waits for its last lock. */
struct waiters {
    int n;            /* [atomic] */
    pid_t tids[MOST]; /* [atomic] */
};
static struct waiters *waiters;

static void add_waiter(void)
{
    static __thread int is_added;
    if (is_added)
        return;
    is_added = 1;
    const int i = __atomic_fetch_add(&waiters->n, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&waiters->tids[i], gettid(), __ATOMIC_RELEASE);
}

/* Wait until the first n waiters are blocked. */
static void await_waiters(int n)
{
    for (int i = 0; i < n; i++)
        await_blocked(&waiters->tids[i]);
}

struct locks {
    pthread_mutex_t mutexes[MOST];
    pthread_barrier_t all_have_one;
};
static struct locks own, *locks = &own;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static uintptr_t n_threads;
static int gives_up, takes_again, is_passed, has_taken;

static void __attribute__((noinline)) take_second(uintptr_t which)
{
    const struct timespec late = {.tv_sec = UINT32_MAX};
    add_waiter();
    if (gives_up && which == 0)
        pthread_mutex_timedlock(&locks->mutexes[which], &late);
    else
        pthread_mutex_lock(&locks->mutexes[which]);
}

/* Lock a recursive mutex again while another thread waits for it. */
static void take_again(pthread_mutex_t *mutex)
{
    await_waiters(1);
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
}

static void *take_both(void *first)
{
    const uintptr_t which = (uintptr_t)first;
    pthread_mutex_lock(&locks->mutexes[which]);
    pthread_barrier_wait(&locks->all_have_one);
    if (takes_again && which == 0)
        take_again(&locks->mutexes[0]);
    take_second((which + 1) % n_threads);
    return NULL;
}

static void begin(uintptr_t n, int is_shared)
{
    pthread_mutexattr_t mutex;
    pthread_barrierattr_t barrier;
    n_threads = n;
    pthread_mutexattr_init(&mutex);
    pthread_barrierattr_init(&barrier);
    if (takes_again)
        pthread_mutexattr_settype(&mutex, PTHREAD_MUTEX_RECURSIVE);
    if (is_shared) {
        locks = mmap(NULL, sizeof *locks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
        pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
    }
    for (int i = 0; i < MOST; i++)
        pthread_mutex_init(&locks->mutexes[i], &mutex);
    pthread_barrier_init(&locks->all_have_one, &barrier, (unsigned)n);
}

static void hang(uintptr_t n)
{
    pthread_t threads[MOST];
    begin(n, 0);
    for (uintptr_t i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, take_both, (void *)i);
    for (uintptr_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

static void two(void)
{
    hang(2);
}

static void three(void)
{
    hang(3);
}

static void time_out(void)
{
    gives_up = 1;
    hang(2);
}

static void lock_again(void)
{
    takes_again = 1;
    hang(2);
}

static void share(void)
{
    begin(2, 1);
    const pid_t child = fork();
    alarm(MOST_S);
    take_both((void *)(uintptr_t)(child != 0));
}

static void *take_first(void *unused)
{
    while (pthread_mutex_trylock(&locks->mutexes[0]))
        continue;
    __atomic_store_n(&is_passed, 1, __ATOMIC_RELAXED);
    pause();
    return unused;
}

/* The parent waits for a lock that the child gives to another thread of its own. */
static void __attribute__((noinline)) pass(void)
{
    pthread_t other;
    pthread_mutex_lock(&locks->mutexes[0]);
    pthread_barrier_wait(&locks->all_have_one);
    await_waiters(1);
    pthread_create(&other, NULL, take_first, NULL);
    kill(getppid(), SIGSTOP);
    pthread_mutex_unlock(&locks->mutexes[0]);
    while (!__atomic_load_n(&is_passed, __ATOMIC_RELAXED))
        usleep(1000);
    kill(getppid(), SIGCONT);
    take_second(1);
}

static void share_and_pass(void)
{
    begin(2, 1);
    const pid_t child = fork();
    alarm(MOST_S);
    if (child)
        take_both((void *)1);
    else
        pass();
}

/* Waits for the second lock until it is overtaken. */
static void *wait_again(void *unused)
{
    pthread_mutex_lock(&locks->mutexes[0]);
    pthread_barrier_wait(&locks->all_have_one);
    for (;;) {
        take_second(1);
        has_taken = 1;
        pthread_mutex_unlock(&locks->mutexes[1]);
        pthread_barrier_wait(&locks->all_have_one);
        pthread_barrier_wait(&locks->all_have_one); /* the other has it */
    }
    return unused;
}

/* Takes a lock that it has just released, for which another waits, without waiting itself. */
static void overtake(void)
{
    pthread_t other;
    begin(2, 0);
    pthread_mutex_lock(&locks->mutexes[1]);
    pthread_create(&other, NULL, wait_again, NULL);
    pthread_barrier_wait(&locks->all_have_one);
    for (;;) {
        await_waiters(1);
        pthread_mutex_unlock(&locks->mutexes[1]);
        const int has_it = !pthread_mutex_trylock(&locks->mutexes[1]);
        if (has_it && !has_taken)
            break;
        pthread_barrier_wait(&locks->all_have_one); /* the other has had it */
        if (!has_it)
            pthread_mutex_lock(&locks->mutexes[1]);
        has_taken = 0;
        pthread_barrier_wait(&locks->all_have_one);
    }
    take_second(0);
}

static void *read_table(void *unused)
{
    pthread_mutex_lock(&locks->mutexes[0]);
    pthread_barrier_wait(&locks->all_have_one);
    add_waiter();
    pthread_rwlock_rdlock(&table);
    return unused;
}

static void write_table(void)
{
    pthread_t reader;
    begin(2, 0);
    pthread_rwlock_wrlock(&table);
    pthread_create(&reader, NULL, read_table, NULL);
    pthread_barrier_wait(&locks->all_have_one);
    take_second(0);
}

static void self(void)
{
    begin(1, 0);
    pthread_mutex_lock(&locks->mutexes[0]);
    take_second(0);
}

static const struct scene {
    const char *name;
    void (*play)(void);
    int n_waiters;
} SCENES[] = {{"two", two, 2},
              {"three", three, 3},
              {"self", self, 1},
              {"shared", share, 2},
              {"rwlock", write_table, 2},
              {"again", lock_again, 2},
              {"overtaken", overtake, 2},
              {"timed", time_out, 2},
              {"passed", share_and_pass, 2}};

static void watch(const struct scene *scene)
{
    const struct timespec hang_time = {.tv_nsec = HANG_MS * 1000000};
    waiters = mmap(NULL, sizeof *waiters, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t child = fork();
    alarm(MOST_S);
    if (child == 0) {
        scene->play();
        _exit(1); /* nobody comes here */
    }
    await_waiters(scene->n_waiters);
    nanosleep(&hang_time, NULL);
    for (int i = 0; i < scene->n_waiters; i++)
        kill(waiters->tids[i], SIGKILL);
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof SCENES / sizeof *SCENES && argc > 1; i++)
        if (!strcmp(argv[1], SCENES[i].name)) {
            watch(&SCENES[i]);
            return 0;
        }
    return 2;
}
