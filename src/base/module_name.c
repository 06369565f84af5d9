#include "base/module_name.h"

#include <string.h>

const char *rv_module_name(const char *path, size_t *n_bytes)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    *n_bytes = strlen(base);
    const char *so = strstr(base, ".so");
    while (so && so[3] != '\0' && so[3] != '.')
        so = strstr(so + 1, ".so");
    if (so && so > base) {
        *n_bytes = (size_t)(so - base);
        if (*n_bytes > 3 && strncmp(base, "lib", 3) == 0) {
            *n_bytes -= 3;
            return base + 3;
        }
    }
    return base;
}
