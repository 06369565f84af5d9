/* The marks are in a page that the kernel wipes in a forked child. Where it does not know how to, from before 4.14, they
 * are pids. */
#include "producers/native/fork_mark.h"

#include <stdint.h>
#include <sys/mman.h>

#include "base/os_call.h"
#include "producers/native/pages.h"

#define PAGE_BYTES 4096u

static uint32_t kept[RV_FORK_MARK_COUNT], *marks = kept; /* [atomic] kept: in a child, too */

__attribute__((constructor)) static void start(void)
{
    uint32_t *wiped = rv_pages_map(PAGE_BYTES);
    if (wiped && madvise(wiped, PAGE_BYTES, MADV_WIPEONFORK) == 0)
        marks = wiped;
    else if (wiped)
        rv_pages_unmap(wiped, PAGE_BYTES);
}

static uint32_t own_mark(void)
{
    return marks == kept ? (uint32_t)rv_os_own_pid() : 1;
}

bool rv_fork_mark_is_gone(enum rv_fork_mark mark)
{
    return __atomic_load_n(&marks[mark], __ATOMIC_RELAXED) != own_mark();
}

bool rv_fork_mark_set(enum rv_fork_mark mark)
{
    const uint32_t own = own_mark();
    return __atomic_exchange_n(&marks[mark], own, __ATOMIC_RELAXED) != own;
}
