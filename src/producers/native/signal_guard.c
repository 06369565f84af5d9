/* The kernel's own call: glibc's wrapper does not block the signals that it uses for cancellation and setuid. */
#include "producers/native/signal_guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

void rv_signal_guard_begin(struct rv_signal_guard *guard)
{
    const uint64_t all = UINT64_MAX;
    guard->error = errno;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &guard->signals, sizeof all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
}

void rv_signal_guard_end(const struct rv_signal_guard *guard)
{
    pthread_setcancelstate(guard->cancel_state, NULL);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &guard->signals, NULL, sizeof guard->signals);
    errno = guard->error;
}
