/* Where the kernel does not know how to wipe, from before 4.14, marks are pids, and a gate stays as it was. */
#include "producers/native/fork_mark.h"

#include <sys/mman.h>

#include "base/own_syscalls.h"

struct rv_wiped rv_wiped;
static bool is_wiped; /* in a child; else it is as in its parent */

/* Ahead of constructors that set a mark. */
__attribute__((constructor(101))) static void start(void)
{
    is_wiped = madvise(&rv_wiped, sizeof rv_wiped, MADV_WIPEONFORK) == 0;
}

static uint32_t own_mark(void)
{
    return is_wiped ? 1 : (uint32_t)rv_os_own_pid();
}

bool rv_fork_mark_is_gone(enum rv_fork_mark mark)
{
    return __atomic_load_n(&rv_wiped.marks[mark], __ATOMIC_RELAXED) != own_mark();
}

bool rv_fork_mark_set(enum rv_fork_mark mark)
{
    const uint32_t own = own_mark();
    return __atomic_exchange_n(&rv_wiped.marks[mark], own, __ATOMIC_RELAXED) != own;
}
