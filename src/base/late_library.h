/*
 * Libraries that few runs call: loaded at their first use, since each costs every start some 0.1 ms.
 */
#ifndef RV_BASE_LATE_LIBRARY_H
#define RV_BASE_LATE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct rv_late_function {
    const char *name;
    void *function; /* points to the function pointer to be filled */
};

/*
 * Load the library and fill all pointers. It is never unloaded.
 *   returns  false when it is not installed or lacks a function: then no pointer may be used
 *   thread   any, once per table
 */
bool rv_late_library_load(const char *soname, const struct rv_late_function *functions, size_t n_functions);

#endif
