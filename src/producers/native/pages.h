/* Pages for what tracing keeps in a process. Not by mmap(), which an allocator of the program may replace and be
 * traced. */
#ifndef RV_PRODUCERS_NATIVE_PAGES_H
#define RV_PRODUCERS_NATIVE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/own_syscalls.h"

/* Zeroed; memory is taken for those that are written. NULL: there is none. Any thread; async-signal-safe. */
static inline void *rv_pages_map(size_t n_bytes)
{
    const long at = rv_os_call(SYS_mmap, 0, (long)n_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at < 0 ? NULL : (void *)(intptr_t)at;
}

static inline void rv_pages_unmap(void *pages, size_t n_bytes)
{
    (void)rv_os_call(SYS_munmap, RV_OS_POINTER(pages), (long)n_bytes, 0, 0, 0, 0);
}

#endif
