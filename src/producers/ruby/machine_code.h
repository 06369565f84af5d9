/* The machine code of Ruby itself, and the data that it uses. */
#ifndef RV_PRODUCERS_RUBY_MACHINE_CODE_H
#define RV_PRODUCERS_RUBY_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once, before the following. False: it is not found. */
bool rv_machine_code_find(void);

/* Are the n bytes that begin there code of Ruby's, and has an instruction among them that constant? */
bool rv_machine_code_has_constant(const uint8_t *function, size_t n, uint32_t constant);

/* The function that returns to the address `word`, also if it is called through the library's own linkage table.
 *   returns  NULL: none does */
const uint8_t *rv_machine_code_called(uintptr_t word);

#endif
