/* The code ranges of a unit or a function. */
#ifndef RV_SYMBOLS_DWARF_RANGES_H
#define RV_SYMBOLS_DWARF_RANGES_H

#include "symbols/dwarf_unit.h"

/* Called for each range [start, end) of an entry, start < end. */
typedef void (*rv_dwarf_range_fn)(void *context, uint64_t start, uint64_t end);
void rv_dwarf_ranges(const struct rv_dwarf_unit *unit, const struct rv_dwarf_entry *entry, rv_dwarf_range_fn on_range,
                     void *context);

#endif
