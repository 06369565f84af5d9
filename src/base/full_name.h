/* How the package and the name of a subroutine are written together. */
#ifndef RV_BASE_FULL_NAME_H
#define RV_BASE_FULL_NAME_H

#include <stddef.h>

/*
 * "package::name", or the name alone where there is no package. A name that begins with # or ., or has one of them after
 * " in ", takes the package right there: "#size" of "Set" is "Set#size", "block in .open" "block in Set.open".
 *   returns  bytes of the whole, as snprintf()
 */
int rv_full_name(char *out, size_t out_bytes, const char *package, const char *name);

#endif
