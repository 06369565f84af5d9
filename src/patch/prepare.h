/*
 * Prepares the patching of an image of this process: finds its functions, chooses, builds stubs; writes nothing into
 * the image. The only export of libringviz-patch.so, which a traced process loads to patch and unloads afterwards.
 */
#ifndef RV_PATCH_PREPARE_H
#define RV_PATCH_PREPARE_H

#include "patch/patched_copies.h"
#include "patch/functions_by_name.h"
#include "patch/stubs.h"

#define RV_PATCH_PREPARE "rv_patch_prepare"

struct rv_patch_request {
    struct rv_patch_image image;
    /* The folder of plans (plan_file.h), and the state of the image's file; NULL: none is read or written. */
    const char *plans, *planner; /* planner: the file that finds functions, which libringviz-patch.so is */
    const struct stat *file;
    /* Where functions are from a plan, a copy of the file (patched_copies.h) is opened, or written; and then written
     * what is made of it (prepared_file.h). */
    bool takes_copy;
    bool leaves_readers; /* an image whose code reads return addresses is left as it is: return_address_readers.h */
    bool leaves_own_threads; /* as is one that makes threads by system calls of its own: base/own_threads.h */
    uint64_t hook;
    bool has_functions; /* functions of the image are patched: */
    bool has_trivial;   /* trivial ones, too */
    /* Their names: a regular expression, or NULL: all; the file that has them, and its path as names show it. */
    const char *pattern, *path, *called;
    const char
        *kept; /* Names of functions that get the address of their own return address, which are refused; NULL: none */
    struct rv_patch_filter filter; /* functions that it rejects are prepared, but off */
    /* Calls of imports are to be seen: of those with names that this wants; NULL: none. */
    bool (*wants_import)(const char *name);
    bool is_for_nameless; /* only where fewer than a tenth of the functions have symbols */
    /* Functions whose arguments are captured, by rising strcmp() of their names, and the hook that does so. */
    const struct rv_patch_name *captured;
    size_t n_captured;
    uint64_t capture_hook;
    rv_patch_share_fn *share; /* how functions are looked for; NULL: by the caller alone */
    /* Returns zeroed, writable memory within reach of a jump from all addresses between first and last; NULL: none. */
    void *(*map_near)(uint64_t first, uint64_t last, size_t n_bytes);
};

struct rv_patch_prepared {
    struct rv_patch_site *sites; /* to be freed by rv_patch_prepared_free_sites() */
    size_t n_sites;
    size_t n_mapped; /* bytes of the mapping that the sites are; 0: they were allocated */
    uint8_t *stubs;  /* what map_near() gave; to be made executable before the sites are written */
    size_t n_stub_bytes;
    struct rv_patch_named *captured; /* those that are there; to be freed with free() */
    size_t n_captured;
    struct rv_wire_instrumentation counts; /* of the chosen functions, as if all sites that are not off were written */
    bool is_by_plan;                       /* the functions are from a plan */
    bool has_copy;                         /* with the jumps of all sites, also of those that are off: */
    int copy;                              /* its descriptor, to be closed */
};

/*
 *   prepared  zeroed when it fails
 *   returns   0; as rv_patch_functions_find(); -EINVAL: the pattern; -ENOSPC: no memory within reach
 *   thread    any; allocates
 */
typedef int rv_patch_prepare_fn(const struct rv_patch_request *request, struct rv_patch_prepared *prepared);
__attribute__((visibility("default"))) rv_patch_prepare_fn rv_patch_prepare;

#endif
