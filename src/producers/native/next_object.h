/*
 * The object of this process that is planned next: one that is wanted and not planned yet, its bytes, and what is
 * prepared of it: sites and stubs. For patcher.c, one thread at a time.
 */
#ifndef RV_PRODUCERS_NATIVE_NEXT_OBJECT_H
#define RV_PRODUCERS_NATIVE_NEXT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "producers/native/planner.h"
#include "producers/native/visibility.h"
#include "producers/native/wanted_functions.h"
#include "producers/native/wanted_lines.h"
#include "ring/capture_filter_section.h"

#define RV_OBJECT_PATH_BYTES 4096
#define RV_V8_SET_LOCATOR "_ZN2v82V832SetReturnAddressLocationResolverEPFmmE"

/* What is wanted of all objects. */
struct rv_wanted_patches {
    char lines[RV_WANTED_LINES_BYTES];  /* the request (wanted_lines.h) */
    char program[RV_OBJECT_PATH_BYTES]; /* its path */
    const struct rv_planner *planner;
    bool is_auto;      /* the request is "auto" */
    bool is_for_later; /* libraries are wanted: those, too, that are loaded later */
    bool is_v8_told;   /* how to find return addresses */
    bool is_alone;     /* nothing runs yet but this thread, and no debugger has written into the code */
    struct rv_capture_filter_section patterns;
    const struct rv_patch_name *captured; /* functions whose arguments are captured */
    size_t n_captured;
    struct rv_patch_syscalls_request syscalls;
    void (*follow_loader)(void); /* called by the loader when its list has changed or is about to */
};

struct rv_next_object {
    /* Set by the caller */
    const struct rv_wanted_patches *wanted;
    bool is_of_syscalls; /* these are planned, rather than functions */
    bool is_unloaded;    /* other threads may unload it meanwhile, unless it is the program: its bytes are copied */
    bool is_starting;    /* the program has not begun */

    /* and by finding it. */
    char name[RV_OBJECT_PATH_BYTES]; /* "" is the program */
    char pattern[RV_WANTED_FUNCTIONS_BYTES];
    struct rv_patch_image image, read; /* as it is; with the bytes that are read */
    struct rv_patch_image thin;        /* the program, if its libraries do its work; else without segments */
    void *copy;                        /* of its bytes; NULL: they are read where they are */
    size_t n_copy;
    uint64_t fingerprint;
    bool has_functions, has_calls; /* that are wanted */
};

/* 0; -ENOENT: there is none; -EAGAIN: the process lock was taken for too long. */
RV_HIDDEN int rv_next_object_find(struct rv_next_object *next);

/* What is found of it: no site, where nothing can be patched. Its copy is freed. */
RV_HIDDEN void rv_next_object_prepare(const struct rv_next_object *next, struct rv_patch_prepared *prepared);

#endif
