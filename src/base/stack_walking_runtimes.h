/*
 * Language runtimes that walk their stacks by return addresses, as the garbage collectors of OCaml and SBCL do, or put
 * copies of stacks back, as Guile's continuations do: with other addresses there, as traced calls have, they fail.
 * Known by texts that all of them hold.
 */
#ifndef RV_BASE_STACK_WALKING_RUNTIMES_H
#define RV_BASE_STACK_WALKING_RUNTIMES_H

#include <stddef.h>

/* "an OCaml program": of what holds these bytes; NULL: it is none that is known. Reads all of them. */
const char *rv_stack_walking_runtimes_find(const void *bytes, size_t n);

#endif
