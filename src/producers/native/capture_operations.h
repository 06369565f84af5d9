/*
 * Which arguments and results are copied: the operations that the trace file has for functions by their names (wire.h),
 * and, once a function is patched, by its address.
 */
#ifndef RV_PRODUCERS_NATIVE_CAPTURE_OPERATIONS_H
#define RV_PRODUCERS_NATIVE_CAPTURE_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "patch/prepare.h"
#include "base/syscall_names.h"
#include "producers/native/visibility.h"

struct rv_capture_operations_plan {
    const struct rv_wire_capture_operation *calls, *returns;
    uint32_t n_calls, n_returns;
    uint32_t most_bytes; /* that either copies */
    bool needs_call;
};

/*
 * Read the section of a trace file: what was read before stays, for those who use it.
 *   returns  whether it is another than the last
 */
RV_HIDDEN bool rv_capture_operations_read(const char *path);

/* The functions' names, by rising strcmp(), valid until the next read. */
RV_HIDDEN const struct rv_patch_name *rv_capture_operations_names(size_t *n);

/* The operations that are called so are done for the functions at these addresses, from now on. */
RV_HIDDEN void rv_capture_operations_bind(const struct rv_patch_named *named, size_t n);

/* The number of a system call's operations: those that are called SYS_ and its name; 0 for none. Any thread. */
RV_HIDDEN uint32_t rv_capture_operations_find_syscall(uint64_t number);
RV_HIDDEN bool rv_capture_operations_have_syscalls(void);

/* The number of an address's operations: 0 for none. Any thread. */
RV_HIDDEN uint32_t rv_capture_operations_find(uint64_t function);
RV_HIDDEN const struct rv_capture_operations_plan *
rv_capture_operations_plan(uint32_t number); /* number: not 0; of a former file: nothing */

#endif
