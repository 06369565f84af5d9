/*
 * Our own tables: address ranges of all units, sorted, built on open from unit entries alone; and for each unit that
 * was queried, its functions by entry address. A unit split by gcc or clang has its functions in a .dwo file, which is
 * read once and closed again.
 */
#include "symbols/dwarf_declarations.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "symbols/debug_file.h"
#include "symbols/dwarf_line_table.h"
#include "symbols/dwarf_ranges.h"

/* An entry refers to its declaration, which may refer on. */
#define MAX_FOLLOWED 8
/* Units may overlap, by sections that the linker dropped and put at address 0: search backwards as long as needed. */
#define MAX_UNITS_TRIED 8

struct declaration {
    struct rv_dwarf_unit *unit; /* the unit whose line table has the file; NULL if no file */
    uint64_t file, line;
};

struct function {
    uint64_t entry, end;
    struct declaration declaration;
};

struct unit {
    struct rv_dwarf_unit *dwarf;
    struct function *functions; /* by entry */
    size_t n_functions, capacity;
    bool is_read;
};

struct range {
    uint64_t start, end;
    size_t unit;
};

struct rv_dwarf {
    struct rv_dwarf_file file;
    struct unit *units; /* units that have code */
    size_t n_units, unit_capacity;
    struct range *ranges; /* by start */
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

static void add_range(void *context, uint64_t start, uint64_t end)
{
    struct rv_dwarf *dwarf = context;
    dwarf->ranges = rv_vec_reserve(dwarf->ranges, &dwarf->range_capacity, dwarf->n_ranges + 1, sizeof *dwarf->ranges);
    dwarf->ranges[dwarf->n_ranges++] = (struct range){.start = start, .end = end, .unit = dwarf->n_units};
}

struct rv_dwarf *rv_dwarf_open(struct rv_elf_file *file)
{
    struct rv_dwarf *dwarf = rv_alloc(1, sizeof *dwarf);
    rv_dwarf_file_init(&dwarf->file, file, false);
    for (size_t i = 0; i < dwarf->file.n_units; i++) {
        struct rv_dwarf_unit *unit = &dwarf->file.units[i];
        size_t n_ranges = dwarf->n_ranges;
        rv_dwarf_ranges(unit, &unit->root, add_range, dwarf);
        if (dwarf->n_ranges == n_ranges)
            continue;
        dwarf->units = rv_vec_reserve(dwarf->units, &dwarf->unit_capacity, dwarf->n_units + 1, sizeof *dwarf->units);
        dwarf->units[dwarf->n_units++] = (struct unit){.dwarf = unit};
    }
    if (dwarf->n_ranges) {
        qsort(dwarf->ranges, dwarf->n_ranges, sizeof *dwarf->ranges, compare_ranges);
        return dwarf;
    }
    rv_dwarf_close(dwarf);
    return NULL;
}

/* ---- functions ---- */

/* File and line may be in different entries: a definition only has what its declaration lacks. */
static struct declaration read_declaration(struct rv_dwarf_unit *unit, const struct rv_dwarf_entry *function)
{
    struct declaration declaration = {0};
    struct rv_dwarf_entry entry = *function;
    bool has_line = false;
    for (int i = 0; i < MAX_FOLLOWED; i++) {
        const struct rv_dwarf_value *file = &entry.values[RV_DWARF_DECL_FILE],
                                    *line = &entry.values[RV_DWARF_DECL_LINE];
        if (!declaration.unit && file->kind == RV_DWARF_NUMBER) {
            declaration.unit = unit->skeleton ? unit->skeleton : unit;
            declaration.file = file->number;
        }
        if (!has_line && line->kind == RV_DWARF_NUMBER) {
            has_line = true;
            declaration.line = line->number;
        }
        struct rv_dwarf_value origin = entry.values[RV_DWARF_ABSTRACT_ORIGIN];
        if (origin.kind == RV_DWARF_NONE)
            origin = entry.values[RV_DWARF_SPECIFICATION];
        if ((declaration.unit && has_line) || !rv_dwarf_follow(&unit, &origin, &entry))
            break;
    }
    return declaration;
}

struct adding {
    struct unit *unit;
    struct declaration declaration;
};

static void add_function(void *context, uint64_t start, uint64_t end)
{
    const struct adding *adding = context;
    struct unit *unit = adding->unit;
    unit->functions = rv_vec_reserve(unit->functions, &unit->capacity, unit->n_functions + 1, sizeof *unit->functions);
    unit->functions[unit->n_functions++] = (struct function){start, end, adding->declaration};
}

static void add_functions(struct unit *unit, struct rv_dwarf_unit *from)
{
    struct rv_dwarf_cursor cursor = rv_dwarf_entries(from, from->first_entry);
    struct rv_dwarf_entry entry;
    while (rv_dwarf_next_function(from, &cursor, &entry)) {
        if (entry.values[RV_DWARF_LOW_PC].kind == RV_DWARF_NONE &&
            entry.values[RV_DWARF_RANGES_LIST].kind == RV_DWARF_NONE)
            continue; /* a declaration only */
        struct adding adding = {.unit = unit, .declaration = read_declaration(from, &entry)};
        rv_dwarf_ranges(from, &entry, add_function, &adding);
    }
}

/* The functions of a split unit: those of the .dwo file's unit with the same id. */
static void add_split_functions(struct unit *unit, const char *name)
{
    const char *folder = rv_dwarf_string(unit->dwarf, &unit->dwarf->root.values[RV_DWARF_COMP_DIR]);
    struct rv_elf_file *elf = rv_debug_file_open_split(unit->dwarf->file->elf, folder ? folder : "", name);
    struct rv_dwarf_file split = {.is_shared_tried = true};
    if (!elf)
        return;
    rv_dwarf_file_init(&split, elf, true);
    for (size_t i = 0; i < split.n_units; i++)
        split.units[i].skeleton = unit->dwarf;
    for (size_t i = 0; i < split.n_units; i++)
        if (split.units[i].id == unit->dwarf->id)
            add_functions(unit, &split.units[i]);
    rv_dwarf_file_fini(&split);
    rv_elf_file_close(elf);
}

static void read_functions(struct unit *unit)
{
    const char *split = rv_dwarf_string(unit->dwarf, &unit->dwarf->root.values[RV_DWARF_SPLIT_NAME]);
    unit->is_read = true;
    if (split)
        add_split_functions(unit, split);
    else
        add_functions(unit, unit->dwarf);
    if (unit->n_functions)
        qsort(unit->functions, unit->n_functions, sizeof *unit->functions, compare_functions);
}

static const struct function *find_function(struct unit *unit, uint64_t address)
{
    if (!unit->is_read)
        read_functions(unit);
    size_t n = rv_bisect_count(unit->functions, unit->n_functions, sizeof *unit->functions,
                               offsetof(struct function, entry), address);
    return n && address < unit->functions[n - 1].end ? &unit->functions[n - 1] : NULL;
}

static bool read_place(struct rv_dwarf_line_table *lines, const struct declaration *declaration, char *file,
                       size_t file_bytes, uint32_t *line)
{
    if (declaration->line == 0 || declaration->line > INT32_MAX ||
        !rv_dwarf_line_table_path(lines, declaration->file, file, file_bytes))
        return false;
    *line = (uint32_t)declaration->line;
    return true;
}

static bool find_code_in_unit(struct unit *unit, uint64_t address, char *file, size_t file_bytes, uint32_t *line)
{
    struct declaration code = {.unit = unit->dwarf};
    struct rv_dwarf_line_table *lines = rv_dwarf_line_table_of(unit->dwarf);
    return lines && rv_dwarf_line_table_find(lines, address, &code.file, &code.line) &&
           read_place(lines, &code, file, file_bytes, line);
}

/* Of the declaration; else of the code, for assembly and for lambdas, which have no declaration in gcc. */
static bool find_in_unit(struct unit *unit, uint64_t address, char *file, size_t file_bytes, uint32_t *line)
{
    const struct function *function = find_function(unit, address);
    struct rv_dwarf_line_table *lines;
    if (function && function->declaration.unit && (lines = rv_dwarf_line_table_of(function->declaration.unit)) &&
        read_place(lines, &function->declaration, file, file_bytes, line))
        return true;
    return find_code_in_unit(unit, address, file, file_bytes, line);
}

typedef bool find_fn(struct unit *unit, uint64_t address, char *file, size_t file_bytes, uint32_t *line);

static bool find_by(find_fn *find, struct rv_dwarf *dwarf, uint64_t link_address, char *file, size_t file_bytes,
                    uint32_t *line)
{
    size_t n = rv_bisect_count(dwarf->ranges, dwarf->n_ranges, sizeof *dwarf->ranges, offsetof(struct range, start),
                               link_address);
    for (unsigned tried = 0; n-- > 0 && tried < MAX_UNITS_TRIED; tried++)
        if (link_address < dwarf->ranges[n].end &&
            find(&dwarf->units[dwarf->ranges[n].unit], link_address, file, file_bytes, line))
            return true;
    return false;
}

bool rv_dwarf_find(struct rv_dwarf *dwarf, uint64_t link_address, char *file, size_t file_bytes, uint32_t *line)
{
    return find_by(find_in_unit, dwarf, link_address, file, file_bytes, line);
}

bool rv_dwarf_find_code(struct rv_dwarf *dwarf, uint64_t link_address, char *file, size_t file_bytes, uint32_t *line)
{
    return find_by(find_code_in_unit, dwarf, link_address, file, file_bytes, line);
}

void rv_dwarf_close(struct rv_dwarf *dwarf)
{
    if (!dwarf)
        return;
    for (size_t i = 0; i < dwarf->n_units; i++)
        free(dwarf->units[i].functions);
    free(dwarf->units);
    free(dwarf->ranges);
    rv_dwarf_file_fini(&dwarf->file);
    free(dwarf);
}
