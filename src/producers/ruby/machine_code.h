/* The machine code of Ruby itself, and the data that it uses. */
#ifndef RV_PRODUCERS_RUBY_MACHINE_CODE_H
#define RV_PRODUCERS_RUBY_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once, before the following. False: it is not found. */
bool rv_machine_code_find(void);

/* Do n bytes from that address lie in its code, or in its data? */
bool rv_machine_code_has(uintptr_t address, size_t n);
bool rv_machine_code_has_data(uintptr_t address, size_t n);

/* The function that returns to the address `word`, also if it is called through the library's own linkage table.
 *   returns  NULL: none does */
const uint8_t *rv_machine_code_called(uintptr_t word);

#endif
