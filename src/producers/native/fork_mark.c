/* Where the kernel does not know how to wipe, from before 4.14, marks are pids, and a gate stays as it was. */
#include "producers/native/fork_mark.h"

#include <sys/mman.h>

struct rv_wiped rv_wiped;
bool rv_fork_marks_are_wiped;

/* Ahead of constructors that set a mark. */
__attribute__((constructor(101))) static void start(void)
{
    rv_fork_marks_are_wiped = madvise(&rv_wiped, sizeof rv_wiped, MADV_WIPEONFORK) == 0;
}

bool rv_fork_mark_set(enum rv_fork_mark mark)
{
    const uint32_t own = rv_fork_mark_own();
    return __atomic_exchange_n(&rv_wiped.marks[mark], own, __ATOMIC_RELAXED) != own;
}
