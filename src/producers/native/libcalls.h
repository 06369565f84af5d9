/*
 * Which calls that an object makes of others' functions are wanted: by the lines of a request (wanted_lines.h).
 *
 * A function that is patched itself is not wanted: its calls are seen there. One thread at a time: the one that plans.
 */
#ifndef RV_PRODUCERS_NATIVE_LIBCALLS_H
#define RV_PRODUCERS_NATIVE_LIBCALLS_H

#include <stdbool.h>

#include "patch/image.h"
#include "producers/native/visibility.h"

/* May any of an object be? is_program: it is the program. Reads the text only. */
RV_HIDDEN bool rv_libcalls_may_be_wanted(const char *wanted, bool is_program);

/*
 *   wanted        borrowed until the end
 *   is_program    the object that calls is the program
 *   is_patchable  may functions of an object be patched?
 */
RV_HIDDEN void rv_libcalls_begin(const char *wanted, bool is_program,
                                 bool (*is_patchable)(const struct rv_patch_image *image));

/* Looks at the loader's list: outside of locks, or within the loader's. */
RV_HIDDEN bool rv_libcalls_want(const char *name);
RV_HIDDEN void rv_libcalls_end(void);

#endif
