/* Modules of this process, as a producer would report them. */
#ifndef TESTS_SYMBOLS_MAPPED_H
#define TESTS_SYMBOLS_MAPPED_H

#include <stdbool.h>

#include "symbols/symbolizer.h"

/* Open a library and describe it as a module of process 1, loaded at tick 100. The path is borrowed. */
void *mapped_open(const char *path, struct rv_symbolizer_module *module);

/* Address of a symbol of the library, or 0. */
uint64_t mapped_address(void *library, const char *symbol);

#endif
