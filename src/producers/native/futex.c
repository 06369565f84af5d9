#include "producers/native/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "base/own_syscalls.h"
#include "producers/native/wait_records.h"

/* The kernel does not let a thread wait for a word that has changed, or that cannot be read. So it is asked to move no
 * waiters, if the word has the value. Where it does not tell, the thread may wait. */
static bool may_wait(const uint32_t *word, uint32_t value)
{
    const long at = RV_OS_POINTER(word), result = rv_os_call(SYS_futex, at, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, at, value);
    return result != -EAGAIN && result != -EFAULT && result != -EINVAL;
}

static long wait_for(const uint32_t *word, const struct rv_raw_call *call)
{
    if (!rv_wait_is_traced() || rv_os_n_own || !may_wait(word, (uint32_t)call->c))
        return rv_raw_call_next(call);
    struct rv_wait outer;
    rv_wait_begin(&outer, word, RV_WAIT_FUTEX, false, RV_ENTRY_STACK());
    const long result = rv_raw_call_next(call);
    rv_wait_end(&outer, result == -1 ? errno : 0);
    return result;
}

long rv_futex_call(const struct rv_raw_call *call)
{
    const uint32_t *word = (const uint32_t *)call->a;
    switch (call->b & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        return wait_for(word, call);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_WAKE_OP:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        rv_wait_release(word, RV_WAIT_FUTEX);
        break;
    default:
        break;
    }
    return rv_raw_call_next(call);
}
