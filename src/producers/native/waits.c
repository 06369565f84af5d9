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
#define TICKS_MASK (UINT64_MAX >> TAG_BITS)
#define TID_MASK ((1u << 22) - 1)
#define BY_READER (1u << 31) /* of a tid in a slot: of the last that had a lock for reading */

struct slot {
    uint32_t n_waiters; /* [atomic] */
    uint64_t who;       /* [atomic] rest of the object's address << 32 | tid of the last that released it */
    uint64_t when;      /* [atomic] its ticks << TAG_BITS | lowest bits of that rest */
} __attribute__((aligned(32)));
static struct slot slots[1u << SLOT_BITS];
static pid_t slots_pid; /* [atomic] whose they are */

static inline struct slot *slot_of(const void *object)
{
    return &slots[(uintptr_t)object >> ALIGN_BITS & ((1u << SLOT_BITS) - 1)];
}

static uint32_t rest_of(const void *object)
{
    return (uint32_t)((uintptr_t)object >> (SLOT_BITS + ALIGN_BITS));
}

/* In the child of fork, the waiters of the parent are gone. */
static void follow_fork(void)
{
    const pid_t pid = getpid();
    if (__atomic_load_n(&slots_pid, __ATOMIC_RELAXED) == pid ||
        __atomic_exchange_n(&slots_pid, pid, __ATOMIC_RELAXED) == pid)
        return;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (__atomic_load_n(&slots[i].n_waiters, __ATOMIC_RELAXED))
            __atomic_store_n(&slots[i].n_waiters, 0, __ATOMIC_RELAXED);
}

/* One that was counted before fork is no longer. */
static void uncount(struct slot *slot)
{
    uint32_t n = __atomic_load_n(&slot->n_waiters, __ATOMIC_RELAXED);
    while (n && !__atomic_compare_exchange_n(&slot->n_waiters, &n, n - 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

static uint64_t push(enum rv_event_kind kind, uint64_t word)
{
    return rv_push(&rv_thread.pusher, kind, word, RV_ENTRY_STACK(), rv_thread_push_slow);
}

static bool is_traced(void)
{
    return rv_thread_ring() >= 0;
}

/* The calling thread is about to release the object. flag: BY_READER or 0. */
static __attribute__((noinline)) void write_release(const void *object, enum rv_wait_kind kind, uint32_t flag)
{
    const int saved = errno;
    struct slot *slot = slot_of(object);
    uint64_t ticks = 0;
    follow_fork();
    if (is_traced())
        ticks = push(RV_EVENT_WAIT, rv_event_word_at((uintptr_t)object, (uint16_t)(kind | RV_WAIT_RELEASE)));
    else if (rv_process_is_open())
        ticks = rv_clock_ticks(rv_process_map()->clock.kind);
    uint32_t rest = rest_of(object);
    __atomic_store_n(&slot->when, ticks << TAG_BITS | (rest & ((1u << TAG_BITS) - 1)), __ATOMIC_RELAXED);
    __atomic_store_n(&slot->who, (uint64_t)rest << 32 | (uint32_t)gettid() | flag, __ATOMIC_RELEASE); /* W2 -> W3 */
    errno = saved;
}

static inline bool has_waiters(const void *object)
{
    return __builtin_expect(__atomic_load_n(&slot_of(object)->n_waiters, __ATOMIC_RELAXED) != 0, 0);
}

static inline void release(const void *object, enum rv_wait_kind kind)
{
    if (has_waiters(object))
        write_release(object, kind, 0);
}

/* ---- waits ---- */

struct wait {
    const void *object; /* NULL: no wait */
    struct slot *slot;
    uint64_t stack; /* an address in the frame of the function that waits */
    uint64_t began; /* ticks */
    uint32_t owner; /* tid of the thread that had the lock when it began; 0: unknown */
    bool has_order; /* it is a lock of this process */
    enum rv_wait_kind kind;
};

/* The thread's innermost wait. One whose thread was cancelled, or jumped away, is found at the next or at the end. */
static RV_THREAD_LOCAL struct wait current;

static void abandon(void)
{
    if (current.object)
        uncount(current.slot);
    current.object = NULL;
}

/* Returns the wait that this one interrupts, in a signal handler, for withdraw() or end(). */
static struct wait announce(const void *object, enum rv_wait_kind kind, uint64_t stack)
{
    follow_fork();
    if (current.object && current.stack <= stack)
        abandon();
    struct wait outer = current;
    current = (struct wait){.object = object,
                            .slot = slot_of(object),
                            .stack = stack,
                            .began = rv_clock_ticks(rv_process_map()->clock.kind),
                            .kind = kind,
                            .has_order = kind <= RV_WAIT_WRITE_LOCK};
    __atomic_fetch_add(&current.slot->n_waiters, 1, __ATOMIC_SEQ_CST); /* W1 -> W4 */
    return outer;
}

static void write_wait(void)
{
    push(RV_EVENT_WAIT, rv_event_word_at((uintptr_t)current.object, (uint16_t)current.kind));
}

static struct wait begin(const void *object, enum rv_wait_kind kind, uint64_t stack)
{
    struct wait outer = announce(object, kind, stack);
    write_wait();
    return outer;
}

/* The object has become free before anything was written. */
static void withdraw(const struct wait *outer)
{
    uncount(current.slot);
    current = *outer;
}

static void write_woken(uint32_t tid, enum rv_wake wake, uint64_t since)
{
    const uint32_t ticks = since < UINT32_MAX ? (uint32_t)since : UINT32_MAX;
    const uint32_t known = tid <= TID_MASK ? tid : 0; /* a robust mutex may have another number */
    push(RV_EVENT_WOKEN,
         rv_event_word(known | (uint32_t)(known || !tid ? wake : RV_WAKE_UNKNOWN) << RV_EVENT_WAKE_SHIFT,
                       (uint16_t)(ticks >> 16), (uint16_t)ticks));
}

/* Of a wait that did not end by getting the object. */
static void write_failure(int error)
{
    write_woken(0, error == ETIMEDOUT ? RV_WAKE_TIMEOUT : RV_WAKE_UNKNOWN, UINT32_MAX);
}

/* What is known without a record: nothing, where another object's record has taken its place. */
static void write_owner(bool is_overwritten)
{
    const uint32_t owner = is_overwritten ? 0 : current.owner;
    write_woken(owner, owner ? RV_WAKE_OWNER : RV_WAKE_UNKNOWN, UINT32_MAX);
}

static void write_waker(void)
{
    uint64_t who = __atomic_load_n(&current.slot->who, __ATOMIC_ACQUIRE); /* W3 <- W2 */
    uint64_t when = __atomic_load_n(&current.slot->when, __ATOMIC_RELAXED);
    const uint32_t rest = rest_of(current.object), tag = rest & ((1u << TAG_BITS) - 1);
    const uint64_t after_begin = ((when >> TAG_BITS) - current.began) & TICKS_MASK;
    const bool is_new = after_begin && after_begin <= TICKS_MASK / 2;
    const bool is_by_reader = (uint32_t)who & BY_READER;
    const uint64_t now = rv_clock_ticks(rv_process_map()->clock.kind);
    if (is_new && (who >> 32 != rest || (when & ((1u << TAG_BITS) - 1)) != tag))
        write_owner(true);
    else if (!is_new || (is_by_reader && current.kind == RV_WAIT_READ_LOCK)) /* readers do not wait for readers */
        write_owner(false);
    else
        write_woken((uint32_t)who & ~BY_READER, current.has_order && !is_by_reader ? RV_WAKE_EXACT : RV_WAKE_LIKELY,
                    (now - (when >> TAG_BITS)) & TICKS_MASK);
}

/* result: 0 or the error of the function that waited. */
static void end(const struct wait *outer, int result)
{
    const int saved = errno;
    uncount(current.slot);
    if (result == 0 || result == EOWNERDEAD)
        write_waker();
    else
        write_failure(result);
    current = *outer;
    errno = saved;
}

/* Times and clocks that the intercepted function refuses even where it need not wait. */
static inline bool is_refused(clockid_t clock, const struct timespec *until)
{
    return (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || (unsigned long)until->tv_nsec >= 1000000000ul;
}

/* ---- mutexes ---- */

/* Of the sanitizer's runtime, where it is there. */
extern void __tsan_init(void) __attribute__((weak));

/* Does a tool watch the order in which locks are taken? */
static bool is_order_watched(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return __tsan_init || (preloaded && strstr(preloaded, "vgpreload"));
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

/* Later, dlsym() might wait for a lock of the loader, or be called by a signal handler. */
__attribute__((constructor)) static void start(void)
{
    for (unsigned i = 0; i < N_FUNCTIONS; i++)
        (void)next_function(i);
    (void)choose();
    follow_fork(); /* while there is one thread */
    rv_thread_on_end(abandon);
}

/* A mutex that finds out that it is the caller's own is not waited for. */
static bool is_own(const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP &&
           (pid_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) == gettid();
}

static struct wait announce_mutex(pthread_mutex_t *mutex, uint64_t stack)
{
    enum { IS_SHARED = 128 }; /* by processes: other tables of slots */
    struct wait outer = announce(mutex, RV_WAIT_MUTEX, stack);
    current.owner = (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_SEQ_CST); /* W4 <- W1 */
    current.has_order = !(mutex->__data.__kind & IS_SHARED);
    return outer;
}

/* `lock` is a call of the function that waits. */
#define LOCK_MUTEX(mutex, lock)                                                                                        \
    do {                                                                                                               \
        int tried = __atomic_load_n(&try_mutex, __ATOMIC_RELAXED)(mutex);                                              \
        if (__builtin_expect(tried == ENOSYS, 0))                                                                      \
            return lock;                                                                                               \
        if (__builtin_expect(tried != EBUSY, 1))                                                                       \
            return tried;                                                                                              \
        if (!is_traced() || is_own(mutex))                                                                             \
            return lock;                                                                                               \
        struct wait outer = announce_mutex(mutex, RV_ENTRY_STACK());                                                   \
        if (!current.owner && (tried = __atomic_load_n(&try_mutex, __ATOMIC_RELAXED)(mutex)) != EBUSY) {               \
            withdraw(&outer);                                                                                          \
            return tried == ENOSYS ? lock : tried;                                                                     \
        }                                                                                                              \
        write_wait();                                                                                                  \
        int result = lock;                                                                                             \
        end(&outer, result);                                                                                           \
        return result;                                                                                                 \
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
    if (is_refused(clock, until))
        return NEXT(pthread_mutex_clocklock)(mutex, clock, until);
    LOCK_MUTEX(mutex, NEXT(pthread_mutex_clocklock)(mutex, clock, until));
}

RV_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    release(mutex, RV_WAIT_MUTEX);
    return NEXT(pthread_mutex_unlock)(mutex);
}

/* ---- read-write locks ---- */

static bool is_own_for_writing(const pthread_rwlock_t *lock)
{
    return (pid_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) == gettid();
}

static struct wait announce_rwlock(pthread_rwlock_t *lock, enum rv_wait_kind kind, uint64_t stack)
{
    struct wait outer = announce(lock, kind, stack);
    current.owner = (uint32_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_SEQ_CST); /* W4 <- W1 */
    current.has_order = !lock->__data.__shared;
    return outer;
}

#define LOCK_RWLOCK(rwlock, try, kind, lock)                                                                           \
    do {                                                                                                               \
        if (__atomic_load_n(&try_mutex, __ATOMIC_RELAXED) == look_at_mutex)                                            \
            return lock;                                                                                               \
        int tried = NEXT(try)(rwlock);                                                                                 \
        if (__builtin_expect(tried != EBUSY, 1))                                                                       \
            return tried;                                                                                              \
        if (!is_traced() || is_own_for_writing(rwlock))                                                                \
            return lock;                                                                                               \
        struct wait outer = announce_rwlock(rwlock, kind, RV_ENTRY_STACK());                                           \
        if (!current.owner && (tried = NEXT(try)(rwlock)) != EBUSY) {                                                  \
            withdraw(&outer);                                                                                          \
            return tried;                                                                                              \
        }                                                                                                              \
        write_wait();                                                                                                  \
        int result = lock;                                                                                             \
        end(&outer, result);                                                                                           \
        return result;                                                                                                 \
    } while (0)

RV_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    LOCK_RWLOCK(lock, pthread_rwlock_tryrdlock, RV_WAIT_READ_LOCK, NEXT(pthread_rwlock_rdlock)(lock));
}

RV_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    if (is_refused(CLOCK_REALTIME, until))
        return NEXT(pthread_rwlock_timedrdlock)(lock, until);
    LOCK_RWLOCK(lock, pthread_rwlock_tryrdlock, RV_WAIT_READ_LOCK, NEXT(pthread_rwlock_timedrdlock)(lock, until));
}

RV_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    if (is_refused(clock, until))
        return NEXT(pthread_rwlock_clockrdlock)(lock, clock, until);
    LOCK_RWLOCK(lock, pthread_rwlock_tryrdlock, RV_WAIT_READ_LOCK,
                NEXT(pthread_rwlock_clockrdlock)(lock, clock, until));
}

RV_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    LOCK_RWLOCK(lock, pthread_rwlock_trywrlock, RV_WAIT_WRITE_LOCK, NEXT(pthread_rwlock_wrlock)(lock));
}

RV_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    if (is_refused(CLOCK_REALTIME, until))
        return NEXT(pthread_rwlock_timedwrlock)(lock, until);
    LOCK_RWLOCK(lock, pthread_rwlock_trywrlock, RV_WAIT_WRITE_LOCK, NEXT(pthread_rwlock_timedwrlock)(lock, until));
}

RV_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    if (is_refused(clock, until))
        return NEXT(pthread_rwlock_clockwrlock)(lock, clock, until);
    LOCK_RWLOCK(lock, pthread_rwlock_trywrlock, RV_WAIT_WRITE_LOCK,
                NEXT(pthread_rwlock_clockwrlock)(lock, clock, until));
}

/* Of several readers, the last to leave lets writers in. */
static __attribute__((noinline)) void write_rwlock_release(pthread_rwlock_t *lock)
{
    enum { READER_SHIFT = 3 }; /* of the number of readers */
    if (is_own_for_writing(lock))
        write_release(lock, RV_WAIT_WRITE_LOCK, 0);
    else if (__atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED) >> READER_SHIFT == 1)
        write_release(lock, RV_WAIT_WRITE_LOCK, BY_READER);
}

RV_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    if (has_waiters(lock))
        write_rwlock_release(lock);
    return NEXT(pthread_rwlock_unlock)(lock);
}

/* ---- conditions and semaphores ---- */

/* A thread that is cancelled here does not come back. */
#define WAIT_CONDITION(condition, mutex, blocked_call)                                                                 \
    do {                                                                                                               \
        release(mutex, RV_WAIT_MUTEX);                                                                                 \
        if (!is_traced())                                                                                              \
            return blocked_call;                                                                                       \
        struct wait outer = begin(condition, RV_WAIT_CONDITION, RV_ENTRY_STACK());                                     \
        int result = blocked_call;                                                                                     \
        end(&outer, result);                                                                                           \
        return result;                                                                                                 \
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

/* Semaphores return -1 and set errno. A pending cancellation comes before a free semaphore. */
#define WAIT_SEMAPHORE(semaphore, blocked_call)                                                                        \
    do {                                                                                                               \
        const int saved = errno;                                                                                       \
        pthread_testcancel();                                                                                          \
        int result = NEXT(sem_trywait)(semaphore);                                                                     \
        if (result == 0 || errno != EAGAIN)                                                                            \
            return result;                                                                                             \
        errno = saved;                                                                                                 \
        if (!is_traced())                                                                                              \
            return blocked_call;                                                                                       \
        struct wait outer = begin(semaphore, RV_WAIT_SEMAPHORE, RV_ENTRY_STACK());                                     \
        result = blocked_call;                                                                                         \
        end(&outer, result ? errno : 0);                                                                               \
        return result;                                                                                                 \
    } while (0)

RV_EXPORT int sem_wait(sem_t *semaphore)
{
    WAIT_SEMAPHORE(semaphore, NEXT(sem_wait)(semaphore));
}

RV_EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    if (is_refused(CLOCK_REALTIME, until))
        return NEXT(sem_timedwait)(semaphore, until);
    WAIT_SEMAPHORE(semaphore, NEXT(sem_timedwait)(semaphore, until));
}

RV_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    if (is_refused(clock, until))
        return NEXT(sem_clockwait)(semaphore, clock, until);
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

static void end_join(uint32_t tid, int result)
{
    if (result == 0)
        write_woken(tid, RV_WAKE_OWNER, UINT32_MAX);
    else
        write_failure(result);
}

#define JOIN(thread, blocked_call)                                                                                     \
    do {                                                                                                               \
        uint32_t tid = is_traced() ? tid_of(thread) : 0;                                                               \
        if (!tid)                                                                                                      \
            return blocked_call;                                                                                       \
        push(RV_EVENT_WAIT, rv_event_word_at(0, RV_WAIT_JOIN));                                                        \
        int error = blocked_call;                                                                                      \
        end_join(tid, error);                                                                                          \
        return error;                                                                                                  \
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
