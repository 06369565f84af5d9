#include "producers/native/own_lock.h"

#include "base/clock.h"
#include "base/os.h"

enum state { FREE, HELD, CONTENDED };

/*
 * A wake-up may be lost with a waiter that fork has left out. And a debugger, or an attachment, that stops a thread again and
 * again has its wait begin anew each time: shorter than the pauses between them, it ends.
 */
#define WAIT_NS 5000000u

bool rv_own_lock_take_before(uint32_t *lock, uint64_t end_ns)
{
    uint32_t seen = FREE;
    if (__atomic_compare_exchange_n(lock, &seen, HELD, false, __ATOMIC_ACQUIRE, /* L2 <- L1 */
                                    __ATOMIC_RELAXED))
        return true;
    while (__atomic_exchange_n(lock, CONTENDED, __ATOMIC_ACQUIRE) != FREE) { /* L2 <- L1 */
        if (end_ns != UINT64_MAX && rv_clock_mono_ns() >= end_ns)
            return false;
        rv_os_futex_wait(lock, CONTENDED, WAIT_NS);
    }
    return true;
}

void rv_own_lock_take(uint32_t *lock)
{
    (void)rv_own_lock_take_before(lock, UINT64_MAX);
}

/* A waiter that gets it leaves it contended, for those behind. */
void rv_own_lock_release(uint32_t *lock)
{
    if (__atomic_exchange_n(lock, FREE, __ATOMIC_RELEASE) == CONTENDED) /* L1 -> L2 */
        rv_os_futex_wake_one(lock);
}
