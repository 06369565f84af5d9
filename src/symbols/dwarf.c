/*
 * Own tables, since .debug_aranges is missing from what clang makes: address ranges of all units, sorted, built at
 * opening from the unit entries alone; and for each unit that was asked about, its functions by entry address.
 */
#include "symbols/dwarf.h"

#include <stdlib.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/bisect.h"
#include "base/vec.h"

struct function {
    Dwarf_Addr entry, end; /* end <= entry: only the entry is known */
    Dwarf_Die die;
};

struct unit {
    Dwarf_Die die;
    struct function *functions; /* sorted by entry */
    size_t n_functions, capacity;
    bool is_read;
};

struct range {
    Dwarf_Addr start, end;
    size_t unit;
};

struct rv_dwarf {
    struct unit *units;
    size_t n_units, unit_capacity;
    struct range *ranges; /* sorted by start */
    size_t n_ranges, range_capacity;
};

static int compare_ranges(const void *left, const void *right)
{
    const struct range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static int compare_functions(const void *left, const void *right)
{
    const struct function *a = left, *b = right;
    return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static void add_unit(struct rv_dwarf *dwarf, Dwarf_Die *die, Dwarf_Die *split_die)
{
    Dwarf_Addr base, start, end;
    bool has_range = false;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;) {
        if (start >= end)
            continue;
        dwarf->ranges =
            rv_vec_reserve(dwarf->ranges, &dwarf->range_capacity, dwarf->n_ranges + 1, sizeof *dwarf->ranges);
        dwarf->ranges[dwarf->n_ranges++] = (struct range){.start = start, .end = end, .unit = dwarf->n_units};
        has_range = true;
    }
    if (!has_range)
        return;
    dwarf->units = rv_vec_reserve(dwarf->units, &dwarf->unit_capacity, dwarf->n_units + 1, sizeof *dwarf->units);
    dwarf->units[dwarf->n_units++] = (struct unit){.die = split_die->addr ? *split_die : *die};
}

struct rv_dwarf *rv_dwarf_open(struct Dwarf *elfutils)
{
    struct rv_dwarf *dwarf = rv_alloc(1, sizeof *dwarf);
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, split_die;
    while (dwarf_get_units(elfutils, cu, &cu, NULL, NULL, &die, &split_die) == 0)
        if (die.addr)
            add_unit(dwarf, &die, &split_die);
    if (dwarf->n_ranges)
        qsort(dwarf->ranges, dwarf->n_ranges, sizeof *dwarf->ranges, compare_ranges);
    return dwarf;
}

static int add_function(Dwarf_Die *die, void *context)
{
    struct unit *unit = context;
    Dwarf_Addr entry, end;
    if (dwarf_entrypc(die, &entry) != 0)
        return DWARF_CB_OK;
    if (dwarf_highpc(die, &end) != 0)
        end = 0;
    unit->functions = rv_vec_reserve(unit->functions, &unit->capacity, unit->n_functions + 1, sizeof *unit->functions);
    unit->functions[unit->n_functions++] = (struct function){.entry = entry, .end = end, .die = *die};
    return DWARF_CB_OK;
}

static void read_functions(struct unit *unit)
{
    unit->is_read = true;
    dwarf_getfuncs(&unit->die, add_function, unit, 0);
    if (unit->n_functions)
        qsort(unit->functions, unit->n_functions, sizeof *unit->functions, compare_functions);
}

static struct function *find_function(struct unit *unit, Dwarf_Addr address)
{
    if (!unit->is_read)
        read_functions(unit);
    size_t n = rv_bisect_count(unit->functions, unit->n_functions, sizeof *unit->functions,
                               offsetof(struct function, entry), address);
    if (n == 0)
        return NULL;
    struct function *function = &unit->functions[n - 1];
    return function->entry == address || address < function->end ? function : NULL;
}

static bool read_declaration(struct function *function, const char **file, uint32_t *line)
{
    int number;
    const char *path = function ? dwarf_decl_file(&function->die) : NULL;
    if (!path || dwarf_decl_line(&function->die, &number) != 0 || number <= 0)
        return false;
    *file = path;
    *line = (uint32_t)number;
    return true;
}

/* Line of the code at the address: for assembly, and for lambdas, which gcc gives no declaration. */
static bool read_line_table(struct unit *unit, Dwarf_Addr address, const char **file, uint32_t *line)
{
    int number;
    Dwarf_Line *row = dwarf_getsrc_die(&unit->die, address);
    const char *path = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
    if (!path || dwarf_lineno(row, &number) != 0 || number <= 0)
        return false;
    *file = path;
    *line = (uint32_t)number;
    return true;
}

/* Units may overlap, by sections that the linker dropped and put at address 0: go back while there is a chance. */
#define MAX_UNITS_TRIED 8

bool rv_dwarf_find(struct rv_dwarf *dwarf, uint64_t link_address, const char **file, uint32_t *line)
{
    size_t n = rv_bisect_count(dwarf->ranges, dwarf->n_ranges, sizeof *dwarf->ranges, offsetof(struct range, start),
                               link_address);
    for (unsigned tried = 0; n-- > 0 && tried < MAX_UNITS_TRIED; tried++) {
        const struct range *range = &dwarf->ranges[n];
        if (link_address >= range->end)
            continue;
        struct unit *unit = &dwarf->units[range->unit];
        if (read_declaration(find_function(unit, link_address), file, line) ||
            read_line_table(unit, link_address, file, line))
            return true;
    }
    return false;
}

void rv_dwarf_close(struct rv_dwarf *dwarf)
{
    if (!dwarf)
        return;
    for (size_t i = 0; i < dwarf->n_units; i++)
        free(dwarf->units[i].functions);
    free(dwarf->units);
    free(dwarf->ranges);
    free(dwarf);
}
