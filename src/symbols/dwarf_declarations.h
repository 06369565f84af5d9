/* Declaration of a function by DWARF, read on demand, one compilation unit at a time. */
#ifndef RV_SYMBOLS_DWARF_DECLARATIONS_H
#define RV_SYMBOLS_DWARF_DECLARATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf_file.h"

struct rv_dwarf;

/* List the compilation units of a file, borrowed until close; NULL if it has none. */
struct rv_dwarf *rv_dwarf_open(struct rv_elf_file *file);

/*
 * File and line of the declaration of the function whose code starts at, or contains, the address; else of the code.
 *   file     as DWARF gives it
 *   returns  false if not in DWARF
 *   thread   one at a time
 */
bool rv_dwarf_find(struct rv_dwarf *dwarf, uint64_t link_address, char *file, size_t file_bytes, uint32_t *line);

/* The same of the code at an address, which may be inlined there. */
bool rv_dwarf_find_code(struct rv_dwarf *dwarf, uint64_t link_address, char *file, size_t file_bytes, uint32_t *line);

/* NULL-safe. */
void rv_dwarf_close(struct rv_dwarf *dwarf);

#endif
