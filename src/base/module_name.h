/* How a program or a library is called in names of subroutines. */
#ifndef RV_BASE_MODULE_NAME_H
#define RV_BASE_MODULE_NAME_H

#include <stddef.h>

/* Base name of a path without "lib" and ".so...", and its n_bytes. Points into path. */
const char *rv_module_name(const char *path, size_t *n_bytes);

#endif
