/* Where a function is declared, by DWARF: read lazily, one compilation unit at a time. */
#ifndef RV_SYMBOLS_DWARF_H
#define RV_SYMBOLS_DWARF_H

#include <stdbool.h>
#include <stdint.h>

struct Dwarf; /* elfutils' */
struct rv_dwarf;

/* List the compilation units. `dwarf` is borrowed until close. Never NULL. */
struct rv_dwarf *rv_dwarf_open(struct Dwarf *dwarf);

/*
 * File and line of the declaration of the function whose code begins at, or holds, the address; failing that, of its
 * code. file     as DWARF gives it; lives as long as the struct Dwarf returns  false where DWARF does not say thread
 * one at a time
 */
bool rv_dwarf_find(struct rv_dwarf *dwarf, uint64_t link_address, const char **file, uint32_t *line);

void rv_dwarf_close(struct rv_dwarf *dwarf);

#endif
