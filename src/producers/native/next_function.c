#include "producers/native/next_function.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Conditions have a version from before they could be shared, which dlsym() may find. */
void *rv_next_function_find(struct rv_next_function *function)
{
    const int saved = errno;
    const bool is_of_conditions = strncmp(function->name, "pthread_cond_", 13) == 0;
    void *address = is_of_conditions ? dlvsym(RTLD_NEXT, function->name, "GLIBC_2.3.2") : NULL;
    if (!address)
        address = dlsym(RTLD_NEXT, function->name);
    errno = saved;
    __atomic_store_n(&function->address, address, __ATOMIC_RELAXED);
    return address;
}
