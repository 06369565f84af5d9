/* How the package and the name of a subroutine are written together. */
#ifndef RV_BASE_FULL_NAME_H
#define RV_BASE_FULL_NAME_H

#include <stddef.h>
#include <stdint.h>

/*
 * "package::name", or the name alone where there is no package; with the form of ringviz/wire.h "Set#size", "block in
 * Set.open".
 *   returns  bytes of the whole, as snprintf()
 */
int rv_full_name(char *out, size_t out_bytes, const char *package, const char *name, uint32_t line_form);

#endif
