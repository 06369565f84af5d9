/* Functions of the libraries behind this one, which it intercepts: found at the first call, or before. Any thread. */
#ifndef RV_PRODUCERS_NATIVE_NEXT_FUNCTION_H
#define RV_PRODUCERS_NATIVE_NEXT_FUNCTION_H

#include <stddef.h>

#include "producers/native/visibility.h"

struct rv_next_function {
    const char *name;
    void *address; /* [atomic] NULL: not found yet */
};

/* Keeps errno. NULL: there is none. */
RV_HIDDEN void *rv_next_function_find(struct rv_next_function *function);

static inline void *rv_next_function(struct rv_next_function *function)
{
    void *address = __atomic_load_n(&function->address, __ATOMIC_RELAXED);
    return __builtin_expect(address != NULL, 1) ? address : rv_next_function_find(function);
}

#endif
