/* Which code belongs to a unit or a function: one piece, or a list of them. */
#ifndef RV_SYMBOLS_DWARF_RANGES_H
#define RV_SYMBOLS_DWARF_RANGES_H

#include "symbols/dwarf_unit.h"

/* Each piece of code of an entry, [start, end), start < end. */
typedef void (*rv_dwarf_range_fn)(void *context, uint64_t start, uint64_t end);
void rv_dwarf_ranges(const struct rv_dwarf_unit *unit, const struct rv_dwarf_entry *entry, rv_dwarf_range_fn on_range,
                     void *context);

#endif
