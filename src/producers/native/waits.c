/*
 * Waits for locks, conditions, semaphores and threads: what was waited for, and who ended the wait.
 *
 * A thread that finds an object taken announces itself in the object's slot, writes WAIT and waits. A thread that
 * releases an object with such a slot first writes WAIT with RV_WAIT_RELEASE, and its tid and the time into the slot.
 * The waiter reads them once it has the object. For a lock they are exact, since the lock orders both. A thread that did
 * not see the announcement had the lock before it: that is the owner, which the waiter reads after announcing itself.
 * Conditions and semaphores order nothing: the last thread to signal was likely the waker.
 *
 * An object that is free costs a call of trylock instead of lock. Sanitizers and valgrind learn the order of locks from
 * lock, so that under them the mutex is only looked at first.
 *
 * Slots are shared by objects whose addresses have equal bits 3 to 14; a slot says whose record it has.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "producers/native/process.h"
#include "producers/native/thread.h"

/* ---- the intercepted functions ---- */

#define FUNCTIONS(one)                                                                                                 \
    one(pthread_mutex_lock) one(pthread_mutex_trylock) one(pthread_mutex_timedlock) one(pthread_mutex_clocklock)       \
        one(pthread_mutex_unlock) one(pthread_rwlock_rdlock) one(pthread_rwlock_tryrdlock)                             \
            one(pthread_rwlock_timedrdlock) one(pthread_rwlock_clockrdlock) one(pthread_rwlock_wrlock)                 \
                one(pthread_rwlock_trywrlock) one(pthread_rwlock_timedwrlock) one(pthread_rwlock_clockwrlock)          \
                    one(pthread_rwlock_unlock) one(pthread_cond_wait) one(pthread_cond_timedwait)                      \
                        one(pthread_cond_clockwait) one(pthread_cond_signal) one(pthread_cond_broadcast) one(sem_wait) \
                            one(sem_trywait) one(sem_timedwait) one(sem_clockwait) one(sem_post) one(pthread_join)     \
                                one(pthread_timedjoin_np) one(pthread_clockjoin_np)

#define AS_INDEX(function) I_##function,
#define AS_NAME(function) #function,

enum { FUNCTIONS(AS_INDEX) N_FUNCTIONS };
static const char *const NAMES[N_FUNCTIONS] = {FUNCTIONS(AS_NAME)};
static void *next_functions[N_FUNCTIONS]; /* [atomic] found at the first call */

/* Conditions have a version from before they could be shared, which dlsym() may find. */
static __attribute__((noinline)) void *find_next(unsigned i)
{
    const int saved = errno;
    void *function = strncmp(NAMES[i], "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, NAMES[i], "GLIBC_2.3.2") : NULL;
    if (!function)
        function = dlsym(RTLD_NEXT, NAMES[i]);
    errno = saved;
    __atomic_store_n(&next_functions[i], function, __ATOMIC_RELAXED);
    return function;
}

static inline void *next_function(unsigned i)
{
    void *function = __atomic_load_n(&next_functions[i], __ATOMIC_RELAXED);
    return __builtin_expect(function != NULL, 1) ? function : find_next(i);
}

#define NEXT(function) ((__typeof__(&function))(uintptr_t)next_function(I_##function))

/* ---- slots ---- */

enum { SLOT_BITS = 12, ALIGN_BITS = 3, TAG_BITS = 8 };

struct slot {
    uint32_t n_waiters; /* [atomic] */
    uint64_t who;       /* [atomic] rest of the object's address << 32 | tid of the last that released it */
    uint64_t when;      /* [atomic] its ticks << TAG_BITS | lowest bits of that rest */
} __attribute__((aligned(32)));
static struct slot slots[1u << SLOT_BITS];

static inline struct slot *slot_of(const void *object)
{
    return &slots[(uintptr_t)object >> ALIGN_BITS & ((1u << SLOT_BITS) - 1)];
}

static uint32_t rest_of(const void *object)
{
    return (uint32_t)((uintptr_t)object >> (SLOT_BITS + ALIGN_BITS));
}

static uint64_t push(enum rv_event_kind kind, uint64_t word)
{
    return rv_push(&rv_thread.pusher, kind, word, RV_ENTRY_STACK(), rv_thread_push_slow);
}

static bool is_traced(void)
{
    return rv_thread_ring() >= 0;
}

/* The calling thread is about to release the object. */
static __attribute__((noinline)) void write_release(const void *object, enum rv_wait_kind kind)
{
    const int saved = errno;
    struct slot *slot = slot_of(object);
    uint64_t ticks = 0;
    if (is_traced())
        ticks = push(RV_EVENT_WAIT, rv_event_word_at((uintptr_t)object, (uint16_t)(kind | RV_WAIT_RELEASE)));
    else if (rv_process_is_open())
        ticks = rv_clock_ticks(rv_process_map()->clock.kind);
    uint32_t rest = rest_of(object);
    __atomic_store_n(&slot->when, ticks << TAG_BITS | (rest & ((1u << TAG_BITS) - 1)), __ATOMIC_RELAXED);
    __atomic_store_n(&slot->who, (uint64_t)rest << 32 | (uint32_t)gettid(), __ATOMIC_RELEASE); /* W2 -> W3 */
    errno = saved;
}

static inline void release(const void *object, enum rv_wait_kind kind)
{
    if (__builtin_expect(__atomic_load_n(&slot_of(object)->n_waiters, __ATOMIC_RELAXED) != 0, 0))
        write_release(object, kind);
}

/* ---- waits ---- */

struct wait {
    const void *object;
    struct slot *slot;
    uint64_t began; /* ticks */
    uint32_t owner; /* tid of the thread that had the lock when it began; 0: unknown */
    bool has_order; /* it is a lock */
    int result;     /* of the function that waits */
};

static void begin(struct wait *wait, const void *object, enum rv_wait_kind kind)
{
    *wait = (struct wait){.object = object, .slot = slot_of(object), .has_order = kind <= RV_WAIT_WRITE_LOCK};
    __atomic_fetch_add(&wait->slot->n_waiters, 1, __ATOMIC_SEQ_CST); /* W1 -> W4 */
    wait->began = push(RV_EVENT_WAIT, rv_event_word_at((uintptr_t)object, (uint16_t)kind));
}

/* Who wrote into the slot since the wait began; 0: nobody. */
static uint32_t find_waker(const struct wait *wait, uint64_t *ticks)
{
    uint64_t who = __atomic_load_n(&wait->slot->who, __ATOMIC_ACQUIRE); /* W3 <- W2 */
    uint64_t when = __atomic_load_n(&wait->slot->when, __ATOMIC_RELAXED);
    const uint32_t rest = rest_of(wait->object);
    *ticks = when >> TAG_BITS;
    bool is_of_object = who >> 32 == rest && (when & ((1u << TAG_BITS) - 1)) == (rest & ((1u << TAG_BITS) - 1));
    return is_of_object && *ticks >= wait->began ? (uint32_t)who : 0;
}

static void write_woken(uint32_t tid, enum rv_wake wake, uint64_t since)
{
    const uint32_t ticks = since < UINT32_MAX ? (uint32_t)since : UINT32_MAX;
    push(RV_EVENT_WOKEN,
         rv_event_word(tid | (uint32_t)wake << RV_EVENT_WAKE_SHIFT, (uint16_t)(ticks >> 16), (uint16_t)ticks));
}

/* Also called when the waiting thread is cancelled. */
static void end(void *context)
{
    const struct wait *wait = context;
    uint64_t ticks;
    uint32_t tid = find_waker(wait, &ticks);
    __atomic_fetch_sub(&wait->slot->n_waiters, 1, __ATOMIC_RELAXED);
    if (wait->result == ETIMEDOUT)
        write_woken(0, RV_WAKE_TIMEOUT, UINT32_MAX);
    else if (wait->result == ECANCELED)
        write_woken(0, RV_WAKE_UNKNOWN, UINT32_MAX);
    else if (tid)
        write_woken(tid, wait->has_order ? RV_WAKE_EXACT : RV_WAKE_LIKELY,
                    rv_clock_ticks(rv_process_map()->clock.kind) - ticks);
    else
        write_woken(wait->owner, wait->owner ? RV_WAKE_OWNER : RV_WAKE_UNKNOWN, UINT32_MAX);
}

/* ---- mutexes ---- */

/* Does a tool watch the order in which locks are taken? */
static bool is_order_watched(void)
{
    const int saved = errno;
    const char *preloaded = getenv("LD_PRELOAD");
    bool is_watched = dlsym(RTLD_DEFAULT, "__tsan_init") || (preloaded && strstr(preloaded, "vgpreload"));
    errno = saved;
    return is_watched;
}

/* As trylock; ENOSYS: lock it, it seems to be free. */
typedef int try_mutex_fn(pthread_mutex_t *mutex);
static try_mutex_fn choose_try_mutex;
static try_mutex_fn *try_mutex = choose_try_mutex; /* [atomic] */

static int look_at_mutex(pthread_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) ? EBUSY : ENOSYS;
}

static try_mutex_fn *choose(void)
{
    try_mutex_fn *chosen = is_order_watched() ? look_at_mutex : NEXT(pthread_mutex_trylock);
    __atomic_store_n(&try_mutex, chosen, __ATOMIC_RELAXED);
    return chosen;
}

/* Constructors of other libraries may come first. */
static int choose_try_mutex(pthread_mutex_t *mutex)
{
    return choose()(mutex);
}

__attribute__((constructor)) static void start(void)
{
    (void)choose();
}

/* One that is the caller's own already is not waited for: an error, or locked once more. */
static bool begin_mutex(struct wait *wait, pthread_mutex_t *mutex)
{
    if (!is_traced() || (pid_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) == gettid())
        return false;
    begin(wait, mutex, RV_WAIT_MUTEX);
    wait->owner = (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_SEQ_CST); /* W4 <- W1 */
    return true;
}

/* `lock` is a call of the function that waits. */
#define LOCK_MUTEX(mutex, lock)                                                                                        \
    do {                                                                                                               \
        struct wait wait;                                                                                              \
        int tried = __atomic_load_n(&try_mutex, __ATOMIC_RELAXED)(mutex);                                              \
        if (__builtin_expect(tried == ENOSYS, 0))                                                                      \
            return lock;                                                                                               \
        if (__builtin_expect(tried != EBUSY, 1))                                                                       \
            return tried;                                                                                              \
        if (!begin_mutex(&wait, mutex))                                                                                \
            return lock;                                                                                               \
        wait.result = lock;                                                                                            \
        end(&wait);                                                                                                    \
        return wait.result;                                                                                            \
    } while (0)

RV_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    LOCK_MUTEX(mutex, NEXT(pthread_mutex_lock)(mutex));
}

RV_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    LOCK_MUTEX(mutex, NEXT(pthread_mutex_timedlock)(mutex, until));
}

RV_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    LOCK_MUTEX(mutex, NEXT(pthread_mutex_clocklock)(mutex, clock, until));
}

RV_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    release(mutex, RV_WAIT_MUTEX);
    return NEXT(pthread_mutex_unlock)(mutex);
}

/* ---- read-write locks ---- */

static bool begin_rwlock(struct wait *wait, pthread_rwlock_t *lock, enum rv_wait_kind kind)
{
    if (!is_traced() || (pid_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) == gettid())
        return false;
    begin(wait, lock, kind);
    wait->owner = (uint32_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_SEQ_CST); /* W4 <- W1 */
    return true;
}

#define LOCK_RWLOCK(rwlock, try, kind, lock)                                                                           \
    do {                                                                                                               \
        struct wait wait;                                                                                              \
        if (__atomic_load_n(&try_mutex, __ATOMIC_RELAXED) == look_at_mutex)                                            \
            return lock;                                                                                               \
        int tried = NEXT(try)(rwlock);                                                                                 \
        if (__builtin_expect(tried != EBUSY, 1))                                                                       \
            return tried;                                                                                              \
        if (!begin_rwlock(&wait, rwlock, kind))                                                                        \
            return lock;                                                                                               \
        wait.result = lock;                                                                                            \
        end(&wait);                                                                                                    \
        return wait.result;                                                                                            \
    } while (0)

RV_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    LOCK_RWLOCK(lock, pthread_rwlock_tryrdlock, RV_WAIT_READ_LOCK, NEXT(pthread_rwlock_rdlock)(lock));
}

RV_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    LOCK_RWLOCK(lock, pthread_rwlock_tryrdlock, RV_WAIT_READ_LOCK, NEXT(pthread_rwlock_timedrdlock)(lock, until));
}

RV_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    LOCK_RWLOCK(lock, pthread_rwlock_tryrdlock, RV_WAIT_READ_LOCK,
                NEXT(pthread_rwlock_clockrdlock)(lock, clock, until));
}

RV_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    LOCK_RWLOCK(lock, pthread_rwlock_trywrlock, RV_WAIT_WRITE_LOCK, NEXT(pthread_rwlock_wrlock)(lock));
}

RV_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    LOCK_RWLOCK(lock, pthread_rwlock_trywrlock, RV_WAIT_WRITE_LOCK, NEXT(pthread_rwlock_timedwrlock)(lock, until));
}

RV_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    LOCK_RWLOCK(lock, pthread_rwlock_trywrlock, RV_WAIT_WRITE_LOCK,
                NEXT(pthread_rwlock_clockwrlock)(lock, clock, until));
}

RV_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    release(lock, RV_WAIT_WRITE_LOCK);
    return NEXT(pthread_rwlock_unlock)(lock);
}

/* ---- where a waiting thread may be cancelled ---- */

#define WAIT(object, kind, call)                                                                                       \
    do {                                                                                                               \
        struct wait wait;                                                                                              \
        begin(&wait, object, kind);                                                                                    \
        wait.result = ECANCELED;                                                                                       \
        pthread_cleanup_push(end, &wait);                                                                              \
        wait.result = (call);                                                                                          \
        pthread_cleanup_pop(1);                                                                                        \
        return wait.result;                                                                                            \
    } while (0)

#define WAIT_CONDITION(condition, mutex, call)                                                                         \
    do {                                                                                                               \
        if (!is_traced())                                                                                              \
            return call;                                                                                               \
        release(mutex, RV_WAIT_MUTEX);                                                                                 \
        WAIT(condition, RV_WAIT_CONDITION, call);                                                                      \
    } while (0)

RV_EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    WAIT_CONDITION(condition, mutex, NEXT(pthread_cond_wait)(condition, mutex));
}

RV_EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    WAIT_CONDITION(condition, mutex, NEXT(pthread_cond_timedwait)(condition, mutex, until));
}

RV_EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                     const struct timespec *until)
{
    WAIT_CONDITION(condition, mutex, NEXT(pthread_cond_clockwait)(condition, mutex, clock, until));
}

RV_EXPORT int pthread_cond_signal(pthread_cond_t *condition)
{
    release(condition, RV_WAIT_CONDITION);
    return NEXT(pthread_cond_signal)(condition);
}

RV_EXPORT int pthread_cond_broadcast(pthread_cond_t *condition)
{
    release(condition, RV_WAIT_CONDITION);
    return NEXT(pthread_cond_broadcast)(condition);
}

/* Semaphores return -1 and set errno; the wait gets the error. */
static int end_semaphore(struct wait *wait, int result)
{
    wait->result = result ? errno : 0;
    return result;
}

#define WAIT_SEMAPHORE(semaphore, call)                                                                                \
    do {                                                                                                               \
        struct wait wait;                                                                                              \
        const int saved = errno;                                                                                       \
        int result = NEXT(sem_trywait)(semaphore);                                                                     \
        if (result == 0 || errno != EAGAIN)                                                                            \
            return result;                                                                                             \
        errno = saved;                                                                                                 \
        if (!is_traced())                                                                                              \
            return call;                                                                                               \
        begin(&wait, semaphore, RV_WAIT_SEMAPHORE);                                                                    \
        wait.result = ECANCELED;                                                                                       \
        pthread_cleanup_push(end, &wait);                                                                              \
        result = end_semaphore(&wait, call);                                                                           \
        pthread_cleanup_pop(1);                                                                                        \
        return result;                                                                                                 \
    } while (0)

RV_EXPORT int sem_wait(sem_t *semaphore)
{
    WAIT_SEMAPHORE(semaphore, NEXT(sem_wait)(semaphore));
}

RV_EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    WAIT_SEMAPHORE(semaphore, NEXT(sem_timedwait)(semaphore, until));
}

RV_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    WAIT_SEMAPHORE(semaphore, NEXT(sem_clockwait)(semaphore, clock, until));
}

RV_EXPORT int sem_post(sem_t *semaphore)
{
    release(semaphore, RV_WAIT_SEMAPHORE);
    return NEXT(sem_post)(semaphore);
}

/* ---- ends of threads ---- */

/* The tid is in the number of the thread's CPU clock (CLOCK_THREAD_CPUTIME_ID of another thread). 0: it has ended. */
static uint32_t tid_of(pthread_t thread)
{
    clockid_t clock;
    return pthread_getcpuclockid(thread, &clock) == 0 ? (uint32_t) ~(clock >> 3) : 0;
}

struct join {
    uint32_t tid;
    int result;
};

static void end_join(void *context)
{
    const struct join *join = context;
    if (join->result == 0)
        write_woken(join->tid, RV_WAKE_OWNER, UINT32_MAX);
    else
        write_woken(0, join->result == ETIMEDOUT ? RV_WAKE_TIMEOUT : RV_WAKE_UNKNOWN, UINT32_MAX);
}

#define JOIN(thread, call)                                                                                             \
    do {                                                                                                               \
        struct join join = {.tid = is_traced() ? tid_of(thread) : 0, .result = ECANCELED};                             \
        if (!join.tid)                                                                                                 \
            return call;                                                                                               \
        push(RV_EVENT_WAIT, rv_event_word_at(0, RV_WAIT_JOIN));                                                        \
        pthread_cleanup_push(end_join, &join);                                                                         \
        join.result = (call);                                                                                          \
        pthread_cleanup_pop(1);                                                                                        \
        return join.result;                                                                                            \
    } while (0)

RV_EXPORT int pthread_join(pthread_t thread, void **result)
{
    JOIN(thread, NEXT(pthread_join)(thread, result));
}

RV_EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
    JOIN(thread, NEXT(pthread_timedjoin_np)(thread, result, until));
}

RV_EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *until)
{
    JOIN(thread, NEXT(pthread_clockjoin_np)(thread, result, clock, until));
}
