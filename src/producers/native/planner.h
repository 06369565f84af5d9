/*
 * The planner: what of the room `patch` finds functions and builds their stubs, in a library of its own that is loaded
 * for that alone. One thread at a time.
 */
#ifndef RV_PRODUCERS_NATIVE_PLANNER_H
#define RV_PRODUCERS_NATIVE_PLANNER_H

#include "patch/prepare.h"
#include "patch/syscall_stubs.h"
#include "producers/native/visibility.h"

struct rv_planner {
    const char *path;
    rv_patch_prepare_fn *prepare; /* NULL: it is not loaded, */
    rv_patch_syscalls_fn *prepare_syscalls;
};

/* Where it is. Stays valid, and tells what is loaded. NULL: that cannot be told. */
RV_HIDDEN const struct rv_planner *rv_planner_find(void);

/* 0 or -ENOENT. When it has been found; again is no error. */
RV_HIDDEN int rv_planner_load(void);
RV_HIDDEN void rv_planner_unload(void);

#endif
