/*
 * Prototypes of a program's functions by its DWARF, in the language of ltrace.conf(5) (prototypes/prototypes.h), which
 * tells where the calling convention puts their arguments: not where debuggers find them, which optimised code does not
 * tell at the begin of a call.
 */
#ifndef RV_SYMBOLS_DWARF_PROTOTYPES_H
#define RV_SYMBOLS_DWARF_PROTOTYPES_H

#include <stdbool.h>
#include <stddef.h>

/* Is the function of this symbol wanted? */
typedef bool rv_dwarf_prototypes_fn(const void *context, const char *name);

/*
 * Of the functions of a file, or of its debug file, a line each. Left out: those of which a parameter or the result is
 * of a type that the language cannot tell the place of (long double, unions, vectors), and names of several functions
 * that differ.
 *   n_bytes  set to the length
 *   returns  for free(); NULL: there are none
 */
char *rv_dwarf_prototypes_take(const char *path, rv_dwarf_prototypes_fn *wants, const void *context, size_t *n_bytes);

#endif
