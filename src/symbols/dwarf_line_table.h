/* The line table of a unit: its files, and the line of each code address. */
#ifndef RV_SYMBOLS_DWARF_LINE_TABLE_H
#define RV_SYMBOLS_DWARF_LINE_TABLE_H

#include "symbols/dwarf_unit.h"

struct rv_dwarf_line_table;

/* The unit's table, read on first use and closed with the unit's file; NULL if there is none. */
struct rv_dwarf_line_table *rv_dwarf_line_table_of(struct rv_dwarf_unit *unit);

/* Path of a file number, with its folder and the unit's; false if unknown or too long. */
bool rv_dwarf_line_table_path(const struct rv_dwarf_line_table *lines, uint64_t number, char *path, size_t path_bytes);

/* File and line of the code at an address; false if not in the table. */
bool rv_dwarf_line_table_find(struct rv_dwarf_line_table *lines, uint64_t address, uint64_t *file, uint64_t *line);

/* NULL-safe. */
void rv_dwarf_line_table_close(struct rv_dwarf_line_table *lines);

#endif
