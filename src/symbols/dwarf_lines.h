/* The line table of a unit: its files, and the line of each piece of code. */
#ifndef RV_SYMBOLS_DWARF_LINES_H
#define RV_SYMBOLS_DWARF_LINES_H

#include "symbols/dwarf_unit.h"

struct rv_dwarf_lines;

/* The table that the unit names, read on first need and closed with the unit's file; NULL where there is none. */
struct rv_dwarf_lines *rv_dwarf_lines_of(struct rv_dwarf_unit *unit);

/* Path of a file by its number, from its folder and the unit's on; false where there is none, or no room. */
bool rv_dwarf_lines_path(const struct rv_dwarf_lines *lines, uint64_t number, char *path, size_t path_bytes);

/* File and line of the code at an address; false where the table does not say. */
bool rv_dwarf_lines_find(struct rv_dwarf_lines *lines, uint64_t address, uint64_t *file, uint64_t *line);

/* NULL-safe. */
void rv_dwarf_lines_close(struct rv_dwarf_lines *lines);

#endif
