/* The kernel's own call: glibc's wrapper does not block the signals that it uses for cancellation and setuid. */
#include "producers/native/signal_guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "base/own_syscalls.h"

void rv_signal_guard_begin(struct rv_signal_guard *guard)
{
    const uint64_t all = UINT64_MAX;
    guard->error = errno;
    (void)rv_os_call(SYS_rt_sigprocmask, SIG_BLOCK, RV_OS_POINTER(&all), RV_OS_POINTER(&guard->signals), sizeof all, 0,
                     0);
    rv_os_begin_own();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
}

void rv_signal_guard_end(const struct rv_signal_guard *guard)
{
    pthread_setcancelstate(guard->cancel_state, NULL);
    rv_os_end_own();
    (void)rv_os_call(SYS_rt_sigprocmask, SIG_SETMASK, RV_OS_POINTER(&guard->signals), 0, sizeof guard->signals, 0, 0);
    errno = guard->error;
}
