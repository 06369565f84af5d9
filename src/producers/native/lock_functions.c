/*
 * The C library's functions of locks, conditions, semaphores and barriers, and those that wait for the end of a thread, in
 * front of it: what was waited for, and who ended the wait (wait_records.h).
 *
 * An object that is free costs a call of trylock instead of lock. Sanitizers and valgrind learn the order of locks from
 * lock, so that under them mutexes are only looked at first, and read-write locks not at all.
 *
 * The functions of C11 do what those of POSIX do, under other names and with other results.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "base/own_syscalls.h"
#include "producers/native/next_function.h"
#include "producers/native/process.h"
#include "producers/native/process_shared_locks.h"
#include "producers/native/single_threaded.h"
#include "producers/native/wait_records.h"
#include "producers/native/watched_mutex.h"

/* ---- the intercepted functions ---- */

/* clang-format off */
#define FUNCTIONS(one)                                                                                                 \
    one(pthread_mutex_lock) one(pthread_mutex_trylock) one(pthread_mutex_timedlock) one(pthread_mutex_clocklock)       \
    one(pthread_mutex_unlock)                                                                                          \
    one(pthread_rwlock_rdlock) one(pthread_rwlock_tryrdlock) one(pthread_rwlock_timedrdlock)                           \
    one(pthread_rwlock_clockrdlock) one(pthread_rwlock_wrlock) one(pthread_rwlock_trywrlock)                           \
    one(pthread_rwlock_timedwrlock) one(pthread_rwlock_clockwrlock) one(pthread_rwlock_unlock)                         \
    one(pthread_cond_wait) one(pthread_cond_timedwait) one(pthread_cond_clockwait) one(pthread_cond_signal)            \
    one(pthread_cond_broadcast)                                                                                        \
    one(sem_wait) one(sem_trywait) one(sem_timedwait) one(sem_clockwait) one(sem_post)                                 \
    one(pthread_barrier_wait) one(pthread_once)                                                                        \
    one(pthread_join) one(pthread_timedjoin_np) one(pthread_clockjoin_np) one(munmap) one(shmdt)
/* clang-format on */

#define AS_INDEX(function) I_##function,
#define AS_ENTRY(function) {.name = #function},

enum { FUNCTIONS(AS_INDEX) N_FUNCTIONS };
static struct rv_next_function next_functions[N_FUNCTIONS] = {FUNCTIONS(AS_ENTRY)};

/* Of what is done seldom: the function that calls it saves few registers. */
#define APART static __attribute__((noinline))

#define NEXT(function) ((__typeof__(&function))(uintptr_t)rv_next_function(&next_functions[I_##function]))

/* Does the intercepted function refuse this time or clock, even where it need not wait? */
static inline bool is_refused(clockid_t clock, const struct timespec *until)
{
    return (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || (unsigned long)until->tv_nsec >= 1000000000ul;
}

/* ---- locks ---- */

/* Of a sanitizer's runtime, where there is one. */
extern void __tsan_init(void) __attribute__((weak));

/* Does a tool watch the order in which locks are taken? */
static bool is_order_watched(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return __tsan_init || (preloaded && strstr(preloaded, "vgpreload"));
}

/* Try to lock a mutex; ENOSYS: it seems to be free, and is to be locked. */
typedef int mutex_trier_fn(pthread_mutex_t *mutex);
static mutex_trier_fn choose_trier;
static mutex_trier_fn *mutex_trier = choose_trier; /* [atomic] */

static int look_at_mutex(pthread_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) ? EBUSY : ENOSYS;
}

static mutex_trier_fn *choose(void)
{
    mutex_trier_fn *chosen = is_order_watched() ? look_at_mutex : NEXT(pthread_mutex_trylock);
    __atomic_store_n(&mutex_trier, chosen, __ATOMIC_RELAXED);
    return chosen;
}

/* Constructors of other libraries may lock before ours has run. */
static int choose_trier(pthread_mutex_t *mutex)
{
    return choose()(mutex);
}

/* Later, dlsym() might wait for a lock of the loader, or be called by a signal handler. */
__attribute__((constructor)) static void start(void)
{
    for (unsigned i = 0; i < N_FUNCTIONS; i++)
        (void)rv_next_function(&next_functions[i]);
    (void)choose();
    rv_watched_mutex_is_seen = true;
    rv_wait_init();
    rv_process_use_instrument(RV_INSTRUMENT_WAITS);
}

/* Is it a mutex of this process that no dead thread can leave locked? Without other threads, its lock needs no atomic
 * operation, but trylock does. */
static inline bool is_for_thread_alone(const pthread_mutex_t *mutex)
{
    return rv_is_single_threaded() && mutex->__data.__kind <= PTHREAD_MUTEX_ADAPTIVE_NP;
}

static inline int try_mutex(pthread_mutex_t *mutex)
{
    return is_for_thread_alone(mutex) ? look_at_mutex(mutex) : __atomic_load_n(&mutex_trier, __ATOMIC_RELAXED)(mutex);
}

/* Would locking the mutex find that the caller has it already? Then nothing is waited for. */
static bool is_own_mutex(const pthread_mutex_t *mutex)
{
    const int kind = mutex->__data.__kind & 3;
    return (kind == PTHREAD_MUTEX_ERRORCHECK_NP || kind == PTHREAD_MUTEX_RECURSIVE_NP) &&
           (pid_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) == rv_os_own_tid();
}

/*
 * An object that processes share knows itself of those that sleep until it is released (glibc's words): where it is, is learned
 * before. From then on those that have announced themselves are known, too.
 */
static bool learn_where(bool has_sleepers, const void *object)
{
    if (has_sleepers)
        rv_process_shared_locks_learn(object);
    return has_sleepers || rv_wait_has_shared_waiters(object);
}

enum { IS_ROBUST = 16, HAS_PRIORITY = 32, IS_SHARED = 128 }; /* kinds. Shared ones have slots in other tables */

static void announce_mutex(struct rv_wait *outer, pthread_mutex_t *mutex, uint64_t stack)
{
    rv_wait_announce(outer, mutex, RV_WAIT_MUTEX, mutex->__data.__kind & IS_SHARED, stack);
    rv_wait.owner = (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_SEQ_CST); /* W4 <- W1 */
}

/* A tool watches locks. */
static inline bool are_rwlocks_left(void)
{
    return __atomic_load_n(&mutex_trier, __ATOMIC_RELAXED) == look_at_mutex;
}

static inline int try_reading(pthread_rwlock_t *lock)
{
    return are_rwlocks_left() ? ENOSYS : NEXT(pthread_rwlock_tryrdlock)(lock);
}

static inline int try_writing(pthread_rwlock_t *lock)
{
    return are_rwlocks_left() ? ENOSYS : NEXT(pthread_rwlock_trywrlock)(lock);
}

static bool is_own_writing(const pthread_rwlock_t *lock)
{
    return (pid_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) == rv_os_own_tid();
}
#define is_own_reading is_own_writing /* one's own lock for writing */

static void announce_rwlock(struct rv_wait *outer, pthread_rwlock_t *lock, enum rv_wait_kind kind, uint64_t stack)
{
    rv_wait_announce(outer, lock, kind, lock->__data.__shared, stack);
    rv_wait.owner = (uint32_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_SEQ_CST); /* W4 <- W1 */
}

static void announce_reading(struct rv_wait *outer, pthread_rwlock_t *lock, uint64_t stack)
{
    announce_rwlock(outer, lock, RV_WAIT_READ_LOCK, stack);
}

static void announce_writing(struct rv_wait *outer, pthread_rwlock_t *lock, uint64_t stack)
{
    announce_rwlock(outer, lock, RV_WAIT_WRITE_LOCK, stack);
}

/* Readers share the lock: none of them has it. */
static inline int took_mutex(pthread_mutex_t *mutex, int result)
{
    return rv_wait_take(mutex, RV_WAIT_MUTEX, result);
}

static inline int took_writing(pthread_rwlock_t *lock, int result)
{
    return rv_wait_take(lock, RV_WAIT_WRITE_LOCK, result);
}
#define took_reading(lock, result) (result)

/* Take a lock that is free, or wait. way: mutex, reading or writing. refused: even where it is free. call: of the function
 * that waits; it comes from the program, for tools. wait: WAIT_FOR_LOCK() of the same, apart. */
#define LOCK(object, way, refused, call, wait)                                                                         \
    do {                                                                                                               \
        const int tried = (refused) ? ENOSYS : try_##way(object);                                                      \
        if (tried == ENOSYS)                                                                                           \
            return call;                                                                                               \
        return __builtin_expect(tried != EBUSY, 1) ? took_##way(object, tried) : wait;                                 \
    } while (0)

/* gives_up: after a time. stack: RV_ENTRY_STACK() of the intercepting function. */
#define WAIT_FOR_LOCK(object, way, gives_up, stack, call)                                                              \
    do {                                                                                                               \
        if (!rv_wait_is_traced() || is_own_##way(object))                                                              \
            return call;                                                                                               \
        struct rv_wait outer;                                                                                          \
        int tried;                                                                                                     \
        announce_##way(&outer, object, stack);                                                                         \
        if (!rv_wait.owner && (tried = try_##way(object)) != EBUSY) {                                                  \
            rv_wait_withdraw(&outer);                                                                                  \
            return took_##way(object, tried == ENOSYS ? call : tried);                                                 \
        }                                                                                                              \
        rv_wait_write(gives_up);                                                                                       \
        int result = call;                                                                                             \
        rv_wait_end(&outer, result);                                                                                   \
        return took_##way(object, result);                                                                             \
    } while (0)

APART int wait_for_mutex(pthread_mutex_t *mutex, uint64_t stack)
{
    WAIT_FOR_LOCK(mutex, mutex, false, stack, NEXT(pthread_mutex_lock)(mutex));
}

static inline int lock_mutex(pthread_mutex_t *mutex)
{
    LOCK(mutex, mutex, false, NEXT(pthread_mutex_lock)(mutex), wait_for_mutex(mutex, RV_ENTRY_STACK()));
}

APART int wait_for_mutex_until(pthread_mutex_t *mutex, const struct timespec *until, uint64_t stack)
{
    WAIT_FOR_LOCK(mutex, mutex, true, stack, NEXT(pthread_mutex_timedlock)(mutex, until));
}

static inline int lock_mutex_until(pthread_mutex_t *mutex, const struct timespec *until)
{
    LOCK(mutex, mutex, false, NEXT(pthread_mutex_timedlock)(mutex, until),
         wait_for_mutex_until(mutex, until, RV_ENTRY_STACK()));
}

/* It has a bit for waiters, or counts to 2. */
APART bool is_contended(const pthread_mutex_t *mutex)
{
    const int lock = __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED);
    return learn_where(mutex->__data.__kind & (IS_ROBUST | HAS_PRIORITY) ? lock < 0 : lock > 1, mutex);
}

static inline bool has_waiters(const pthread_mutex_t *mutex)
{
    return __builtin_expect(mutex->__data.__kind & IS_SHARED, 0) ? is_contended(mutex) : rv_wait_has_waiters(mutex);
}

/* A mutex that its owner has taken several times is not released yet. */
static void write_mutex_release(const pthread_mutex_t *mutex)
{
    if ((mutex->__data.__kind & 3) != PTHREAD_MUTEX_RECURSIVE_NP || mutex->__data.__count <= 1)
        rv_wait_write_release(mutex, RV_WAIT_MUTEX, false);
}

/* Of one that is watched, or waited for. */
APART int unlock_contended_mutex(pthread_mutex_t *mutex)
{
    rv_watched_mutex_tell(mutex, false);
    if (has_waiters(mutex))
        write_mutex_release(mutex);
    return NEXT(pthread_mutex_unlock)(mutex);
}

static inline int unlock_mutex(pthread_mutex_t *mutex)
{
    const bool is_contended = rv_watched_mutex_is(mutex) || has_waiters(mutex);
    return __builtin_expect(is_contended, 0) ? unlock_contended_mutex(mutex) : NEXT(pthread_mutex_unlock)(mutex);
}

RV_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return lock_mutex(mutex);
}

RV_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    return lock_mutex_until(mutex, until);
}

APART int wait_for_mutex_by(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until, uint64_t stack)
{
    WAIT_FOR_LOCK(mutex, mutex, true, stack, NEXT(pthread_mutex_clocklock)(mutex, clock, until));
}

RV_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    LOCK(mutex, mutex, is_refused(clock, until), NEXT(pthread_mutex_clocklock)(mutex, clock, until),
         wait_for_mutex_by(mutex, clock, until, RV_ENTRY_STACK()));
}

/* A trylock does not wait, but may come before threads that do. */
static inline int try_to_lock_mutex(pthread_mutex_t *mutex)
{
    return took_mutex(mutex, NEXT(pthread_mutex_trylock)(mutex));
}

RV_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return try_to_lock_mutex(mutex);
}

RV_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return unlock_mutex(mutex);
}

APART int wait_for_reading(pthread_rwlock_t *lock, uint64_t stack)
{
    WAIT_FOR_LOCK(lock, reading, false, stack, NEXT(pthread_rwlock_rdlock)(lock));
}

RV_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    LOCK(lock, reading, false, NEXT(pthread_rwlock_rdlock)(lock), wait_for_reading(lock, RV_ENTRY_STACK()));
}

APART int wait_for_reading_until(pthread_rwlock_t *lock, const struct timespec *until, uint64_t stack)
{
    WAIT_FOR_LOCK(lock, reading, true, stack, NEXT(pthread_rwlock_timedrdlock)(lock, until));
}

RV_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    LOCK(lock, reading, is_refused(CLOCK_REALTIME, until), NEXT(pthread_rwlock_timedrdlock)(lock, until),
         wait_for_reading_until(lock, until, RV_ENTRY_STACK()));
}

APART int wait_for_reading_by(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until, uint64_t stack)
{
    WAIT_FOR_LOCK(lock, reading, true, stack, NEXT(pthread_rwlock_clockrdlock)(lock, clock, until));
}

RV_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    LOCK(lock, reading, is_refused(clock, until), NEXT(pthread_rwlock_clockrdlock)(lock, clock, until),
         wait_for_reading_by(lock, clock, until, RV_ENTRY_STACK()));
}

APART int wait_for_writing(pthread_rwlock_t *lock, uint64_t stack)
{
    WAIT_FOR_LOCK(lock, writing, false, stack, NEXT(pthread_rwlock_wrlock)(lock));
}

RV_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    LOCK(lock, writing, false, NEXT(pthread_rwlock_wrlock)(lock), wait_for_writing(lock, RV_ENTRY_STACK()));
}

APART int wait_for_writing_until(pthread_rwlock_t *lock, const struct timespec *until, uint64_t stack)
{
    WAIT_FOR_LOCK(lock, writing, true, stack, NEXT(pthread_rwlock_timedwrlock)(lock, until));
}

RV_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    LOCK(lock, writing, is_refused(CLOCK_REALTIME, until), NEXT(pthread_rwlock_timedwrlock)(lock, until),
         wait_for_writing_until(lock, until, RV_ENTRY_STACK()));
}

APART int wait_for_writing_by(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until, uint64_t stack)
{
    WAIT_FOR_LOCK(lock, writing, true, stack, NEXT(pthread_rwlock_clockwrlock)(lock, clock, until));
}

RV_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    LOCK(lock, writing, is_refused(clock, until), NEXT(pthread_rwlock_clockwrlock)(lock, clock, until),
         wait_for_writing_by(lock, clock, until, RV_ENTRY_STACK()));
}

RV_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return took_writing(lock, NEXT(pthread_rwlock_trywrlock)(lock));
}

/* Of several readers, the last to leave lets writers in. */
APART void write_rwlock_release(pthread_rwlock_t *lock)
{
    enum { READER_SHIFT = 3 }; /* of the number of readers */
    if (is_own_writing(lock))
        rv_wait_write_release(lock, RV_WAIT_WRITE_LOCK, false);
    else if (__atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED) >> READER_SHIFT == 1)
        rv_wait_write_release(lock, RV_WAIT_WRITE_LOCK, true);
}

APART bool is_rwlock_contended(const pthread_rwlock_t *lock)
{
    enum { HAS_WAITERS = 2 }; /* of a futex */
    const unsigned futexes = __atomic_load_n(&lock->__data.__wrphase_futex, __ATOMIC_RELAXED) |
                             __atomic_load_n(&lock->__data.__writers_futex, __ATOMIC_RELAXED);
    return learn_where(futexes & HAS_WAITERS, lock);
}

RV_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    if (__builtin_expect(lock->__data.__shared, 0) ? is_rwlock_contended(lock) : rv_wait_has_waiters(lock))
        write_rwlock_release(lock);
    return NEXT(pthread_rwlock_unlock)(lock);
}

/* ---- conditions and semaphores ---- */

static inline bool is_shared_condition(const pthread_cond_t *condition)
{
    return __builtin_expect(condition->__data.__wrefs & 1, 0);
}

APART bool has_shared_waiters(const pthread_cond_t *condition)
{
    enum { WAITERS_SHIFT = 3 };
    return learn_where(__atomic_load_n(&condition->__data.__wrefs, __ATOMIC_RELAXED) >> WAITERS_SHIFT, condition);
}

/* A thread that is cancelled here does not come back. */
#define WAIT_CONDITION(condition, mutex, call)                                                                         \
    do {                                                                                                               \
        rv_watched_mutex_tell(mutex, true);                                                                            \
        if (has_waiters(mutex))                                                                                        \
            rv_wait_write_release(mutex, RV_WAIT_MUTEX, false);                                                        \
        if (!rv_wait_is_traced())                                                                                      \
            return call;                                                                                               \
        struct rv_wait outer;                                                                                          \
        rv_wait_begin(&outer, condition, RV_WAIT_CONDITION, is_shared_condition(condition), RV_ENTRY_STACK());         \
        int result = call;                                                                                             \
        rv_wait_end(&outer, result);                                                                                   \
        (void)took_mutex(mutex, 0);                                                                                    \
        return result;                                                                                                 \
    } while (0)

static inline int wait_condition(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    WAIT_CONDITION(condition, mutex, NEXT(pthread_cond_wait)(condition, mutex));
}

static inline int wait_condition_until(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    WAIT_CONDITION(condition, mutex, NEXT(pthread_cond_timedwait)(condition, mutex, until));
}

static inline void release_condition(const pthread_cond_t *condition)
{
    if (is_shared_condition(condition) ? has_shared_waiters(condition) : rv_wait_has_waiters(condition))
        rv_wait_write_release(condition, RV_WAIT_CONDITION, false);
}

static inline int signal_condition(pthread_cond_t *condition)
{
    release_condition(condition);
    return NEXT(pthread_cond_signal)(condition);
}

static inline int broadcast_condition(pthread_cond_t *condition)
{
    release_condition(condition);
    return NEXT(pthread_cond_broadcast)(condition);
}

RV_EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wait_condition(condition, mutex);
}

RV_EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    return wait_condition_until(condition, mutex, until);
}

RV_EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                     const struct timespec *until)
{
    WAIT_CONDITION(condition, mutex, NEXT(pthread_cond_clockwait)(condition, mutex, clock, until));
}

RV_EXPORT int pthread_cond_signal(pthread_cond_t *condition)
{
    return signal_condition(condition);
}

RV_EXPORT int pthread_cond_broadcast(pthread_cond_t *condition)
{
    return broadcast_condition(condition);
}

/* Words of glibc's struct new_sem. */
enum { SEM_WAITERS = 1, SEM_SHARED = 2 };

static inline bool is_shared_semaphore(const sem_t *semaphore)
{
    return __builtin_expect(((const unsigned *)(const void *)semaphore)[SEM_SHARED] != 0, 0);
}

APART bool has_semaphore_waiters(const sem_t *semaphore)
{
    const unsigned *words = (const void *)semaphore;
    return learn_where(__atomic_load_n(&words[SEM_WAITERS], __ATOMIC_RELAXED), semaphore);
}

/* Semaphores return -1 and set errno. A pending cancellation comes before a free semaphore. */
#define WAIT_SEMAPHORE(semaphore, refused, call)                                                                       \
    do {                                                                                                               \
        const int saved = errno;                                                                                       \
        if (refused)                                                                                                   \
            return call;                                                                                               \
        pthread_testcancel();                                                                                          \
        int result = NEXT(sem_trywait)(semaphore);                                                                     \
        if (result == 0 || errno != EAGAIN)                                                                            \
            return result;                                                                                             \
        errno = saved;                                                                                                 \
        if (!rv_wait_is_traced())                                                                                      \
            return call;                                                                                               \
        struct rv_wait outer;                                                                                          \
        rv_wait_begin(&outer, semaphore, RV_WAIT_SEMAPHORE, is_shared_semaphore(semaphore), RV_ENTRY_STACK());         \
        result = call;                                                                                                 \
        rv_wait_end(&outer, result ? errno : 0);                                                                       \
        return result;                                                                                                 \
    } while (0)

RV_EXPORT int sem_wait(sem_t *semaphore)
{
    WAIT_SEMAPHORE(semaphore, false, NEXT(sem_wait)(semaphore));
}

RV_EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    WAIT_SEMAPHORE(semaphore, is_refused(CLOCK_REALTIME, until), NEXT(sem_timedwait)(semaphore, until));
}

RV_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    WAIT_SEMAPHORE(semaphore, is_refused(clock, until), NEXT(sem_clockwait)(semaphore, clock, until));
}

RV_EXPORT int sem_post(sem_t *semaphore)
{
    if (is_shared_semaphore(semaphore) ? has_semaphore_waiters(semaphore) : rv_wait_has_waiters(semaphore))
        rv_wait_write_release(semaphore, RV_WAIT_SEMAPHORE, false);
    return NEXT(sem_post)(semaphore);
}

/* ---- barriers ---- */

/* All others have come: the caller ends their wait. Not seen where the last two come within some 100 ns. Where more threads
 * use a barrier than it counts, another may come between this and the end of the wait. */
enum { BARRIER_COME = 0, BARRIER_COUNTED = 2, BARRIER_SHARED = 3 }; /* words of glibc's struct pthread_barrier */

static bool is_last(const unsigned *words)
{
    const unsigned n = __atomic_load_n(&words[BARRIER_COUNTED], __ATOMIC_RELAXED);
    return n && __atomic_load_n(&words[BARRIER_COME], __ATOMIC_RELAXED) % n == n - 1;
}

RV_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    const unsigned *words = (const void *)barrier;
    const bool ends_wait = is_last(words), is_shared = words[BARRIER_SHARED];
    if (ends_wait && (is_shared ? learn_where(words[BARRIER_COUNTED] > 1, barrier) : rv_wait_has_waiters(barrier)))
        rv_wait_write_release(barrier, RV_WAIT_BARRIER, false);
    if (ends_wait || !rv_wait_is_traced())
        return NEXT(pthread_barrier_wait)(barrier);
    struct rv_wait outer;
    rv_wait_begin(&outer, barrier, RV_WAIT_BARRIER, is_shared, RV_ENTRY_STACK());
    const int result = NEXT(pthread_barrier_wait)(barrier);
    rv_wait_end(&outer, result == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : result);
    return result;
}

/* ---- what is done once ---- */

/* What the calling thread has given pthread_once() to run. */
static RV_THREAD_LOCAL struct once {
    const pthread_once_t *control;
    void (*run)(void);
} once;

/*
 * Runs within pthread_once(): its last act, before other threads continue, is to give them the thread that ran it. A
 * thread that waited for one that left by an exception no longer waits.
 */
static void run_once(void)
{
    const struct once mine = once;
    if (rv_wait.object == mine.control && rv_wait.kind == RV_WAIT_ONCE)
        rv_wait_end(&(struct rv_wait){0}, ECANCELED);
    mine.run();
    rv_wait_release(mine.control, RV_WAIT_ONCE);
}

/* A signal handler may come between, with another. */
static int call_once_next(pthread_once_t *control, void (*run)(void))
{
    const struct once outer = once;
    once = (struct once){control, run};
    const int result = NEXT(pthread_once)(control, run_once);
    once = outer;
    return result;
}

static int do_once(pthread_once_t *control, void (*run)(void))
{
    enum { IS_RUNNING = 1, IS_DONE = 2 };
    const int state = __atomic_load_n(control, __ATOMIC_RELAXED);
    if (__builtin_expect(state & IS_DONE, IS_DONE))
        return NEXT(pthread_once)(control, run);
    if (!(state & IS_RUNNING) || !rv_wait_is_traced())
        return call_once_next(control, run);
    struct rv_wait outer;
    rv_wait_begin(&outer, control, RV_WAIT_ONCE, false, RV_ENTRY_STACK());
    const int result = call_once_next(control, run);
    if (rv_wait.object == control)
        rv_wait_end(&outer, result);
    rv_wait = outer;
    return result;
}

RV_EXPORT int pthread_once(pthread_once_t *control, void (*run)(void))
{
    return do_once(control, run);
}

/* ---- ends of threads ---- */

/* The tid is in the number of the thread's CPU clock (CLOCK_THREAD_CPUTIME_ID of another thread). 0: it has ended. */
static uint32_t tid_of(pthread_t thread)
{
    clockid_t clock;
    return pthread_getcpuclockid(thread, &clock) == 0 ? (uint32_t) ~(clock >> 3) : 0;
}

#define JOIN(thread, call)                                                                                             \
    do {                                                                                                               \
        const uint32_t tid = rv_wait_is_traced() ? tid_of(thread) : 0;                                                 \
        if (!tid)                                                                                                      \
            return call;                                                                                               \
        rv_wait_push(RV_EVENT_WAIT, rv_event_word_at(0, RV_WAIT_JOIN));                                                \
        const int error = call;                                                                                        \
        rv_wait_end_join(tid, error);                                                                                  \
        return error;                                                                                                  \
    } while (0)

static inline int join(pthread_t thread, void **result)
{
    JOIN(thread, NEXT(pthread_join)(thread, result));
}

RV_EXPORT int pthread_join(pthread_t thread, void **result)
{
    return join(thread, result);
}

RV_EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
    JOIN(thread, NEXT(pthread_timedjoin_np)(thread, result, until));
}

RV_EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *until)
{
    JOIN(thread, NEXT(pthread_clockjoin_np)(thread, result, clock, until));
}

/* ---- ends of shared memory ---- */

RV_EXPORT int munmap(void *memory, size_t n_bytes)
{
    rv_process_shared_locks_forget(memory, n_bytes);
    return NEXT(munmap)(memory, n_bytes);
}

/* Of unknown size: all are forgotten, and learned again. */
RV_EXPORT int shmdt(const void *memory)
{
    rv_process_shared_locks_forget(memory, SIZE_MAX);
    return NEXT(shmdt)(memory);
}

/* ---- C11: glibc's objects are those of POSIX ---- */

static int as_c11(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

RV_EXPORT int mtx_lock(mtx_t *mutex)
{
    return as_c11(lock_mutex((pthread_mutex_t *)mutex));
}

RV_EXPORT int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
    return as_c11(lock_mutex_until((pthread_mutex_t *)mutex, until));
}

RV_EXPORT int mtx_trylock(mtx_t *mutex)
{
    return as_c11(try_to_lock_mutex((pthread_mutex_t *)mutex));
}

RV_EXPORT int mtx_unlock(mtx_t *mutex)
{
    return as_c11(unlock_mutex((pthread_mutex_t *)mutex));
}

RV_EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return as_c11(wait_condition((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

RV_EXPORT int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    return as_c11(wait_condition_until((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, until));
}

RV_EXPORT int cnd_signal(cnd_t *condition)
{
    return as_c11(signal_condition((pthread_cond_t *)condition));
}

RV_EXPORT int cnd_broadcast(cnd_t *condition)
{
    return as_c11(broadcast_condition((pthread_cond_t *)condition));
}

RV_EXPORT int thrd_join(thrd_t thread, int *result)
{
    void *value = NULL;
    const int error = join(thread, &value);
    if (!error && result)
        *result = (int)(intptr_t)value;
    return as_c11(error);
}

RV_EXPORT void call_once(once_flag *flag, void (*run)(void))
{
    (void)do_once((pthread_once_t *)flag, run);
}
