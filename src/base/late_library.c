#include "base/late_library.h"

#include <dlfcn.h>
#include <string.h>

bool rv_late_library_load(const char *soname, const struct rv_late_function *functions, size_t n_functions)
{
    void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    for (size_t i = 0; i < n_functions; i++) {
        void *found = dlsym(library, functions[i].name);
        if (!found)
            return false;
        memcpy(functions[i].function, &found, sizeof found); /* ISO C has no cast from data to function pointers */
    }
    return true;
}
