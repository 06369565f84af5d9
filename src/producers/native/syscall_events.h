/*
 * System calls of this process as calls in the ring, on top of the function that makes them: those for which the trace
 * file has captures called SYS_ and their names (capture_operations.h). Of code that was patched so
 * (patch/syscall_stubs.h).
 */
#ifndef RV_PRODUCERS_NATIVE_SYSCALL_EVENTS_H
#define RV_PRODUCERS_NATIVE_SYSCALL_EVENTS_H

#include "patch/syscall_stubs.h"
#include "producers/native/visibility.h"

#if defined(__x86_64__) && defined(__LP64__)

/*
 * A request for an image's system calls, all but the image, after rv_capture_operations_read(). Threads may still be in
 * stubs of before, which stay as they are.
 */
RV_HIDDEN void rv_syscalls_begin(struct rv_patch_syscalls_request *request, bool are_threads_running);

/* Around the use of a request: stubs can be written, and can be run all the while. 0 or a negative errno. */
RV_HIDDEN int rv_syscalls_open_stubs(void);
RV_HIDDEN void rv_syscalls_close_stubs(void);

#endif
#endif
