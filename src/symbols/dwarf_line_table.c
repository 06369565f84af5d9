#include "symbols/dwarf_line_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "symbols/dwarf_names.h"

#define MAX_OPCODES 256

struct name { /* of a file or a folder */
    const char *text;
    uint64_t folder;
};

struct names {
    struct name *items;
    size_t n, capacity;
};

struct row {
    uint64_t address, file, line;
    size_t order;
    bool is_end; /* end of a sequence */
};

struct rv_dwarf_line_table {
    struct rv_dwarf_unit unit; /* copy with the sizes of the table's header */
    const char *folder;        /* of the compilation; "" if not absolute */
    struct names folders, files;
    struct rv_dwarf_cursor program;
    uint8_t instruction_bytes, line_range, opcode_base;
    int8_t line_base;
    uint8_t n_operands[MAX_OPCODES];
    bool are_rows_read;
    struct row *rows; /* by address */
    size_t n_rows, capacity;
};

static void add_name(struct names *names, struct name name)
{
    names->items = rv_vec_reserve(names->items, &names->capacity, names->n + 1, sizeof *names->items);
    names->items[names->n++] = name;
}

/* ---- header ---- */

/* DWARF 2 to 4: both lists end with an empty name, and count from 1; folder 0 is the compilation's. */
static void read_names(struct rv_dwarf_line_table *lines, struct rv_dwarf_cursor *cursor)
{
    const char *text;
    add_name(&lines->folders,
             (struct name){.text = rv_dwarf_string(&lines->unit, &lines->unit.root.values[RV_DWARF_COMP_DIR])});
    add_name(&lines->files, (struct name){.text = NULL});
    while ((text = rv_dwarf_take_string(cursor)) && *text)
        add_name(&lines->folders, (struct name){.text = text});
    while ((text = rv_dwarf_take_string(cursor)) && *text) {
        struct name name = {.text = text, .folder = rv_dwarf_take_unsigned(cursor)};
        (void)rv_dwarf_take_unsigned(cursor); /* time */
        (void)rv_dwarf_take_unsigned(cursor); /* length */
        add_name(&lines->files, name);
    }
}

/* DWARF 5: a list describes its own columns. */
static void read_described(struct rv_dwarf_line_table *lines, struct rv_dwarf_cursor *cursor, struct names *names)
{
    struct {
        uint64_t content, form;
    } formats[UINT8_MAX];
    size_t n_formats = rv_dwarf_take(cursor, 1);
    for (size_t i = 0; i < n_formats; i++) {
        formats[i].content = rv_dwarf_take_unsigned(cursor);
        formats[i].form = rv_dwarf_take_unsigned(cursor);
    }
    uint64_t n = rv_dwarf_take_unsigned(cursor);
    if (n > rv_dwarf_left(cursor)) /* each is at least a byte */
        rv_dwarf_break(cursor);
    for (uint64_t i = 0; i < n && !cursor->is_broken; i++) {
        struct name name = {0};
        for (size_t j = 0; j < n_formats; j++) {
            struct rv_dwarf_value value = rv_dwarf_take_value(&lines->unit, cursor, formats[j].form);
            if (formats[j].content == RV_DW_LNCT_PATH)
                name.text = rv_dwarf_string(&lines->unit, &value);
            else if (formats[j].content == RV_DW_LNCT_DIRECTORY_INDEX)
                name.folder = value.number;
        }
        add_name(names, name);
    }
}

static bool read_header(struct rv_dwarf_line_table *lines, struct rv_dwarf_cursor cursor)
{
    uint64_t n_bytes = rv_dwarf_take(&cursor, 4);
    lines->unit.offset_bytes = n_bytes == UINT32_MAX ? 8 : 4;
    if (n_bytes == UINT32_MAX)
        n_bytes = rv_dwarf_take(&cursor, 8);
    if (cursor.is_broken || n_bytes > rv_dwarf_left(&cursor))
        return false;
    cursor.end = cursor.at + n_bytes;
    uint64_t version = rv_dwarf_take(&cursor, 2);
    if (version >= 5) {
        lines->unit.address_bytes = (uint8_t)rv_dwarf_take(&cursor, 1);
        rv_dwarf_skip(&cursor, 1); /* segment selectors: always 0 on supported machines */
    }
    lines->unit.version = (uint16_t)version;
    uint64_t header_bytes = rv_dwarf_take(&cursor, lines->unit.offset_bytes);
    if (version < 2 || version > 5 || cursor.is_broken || header_bytes > rv_dwarf_left(&cursor))
        return false;
    lines->program = (struct rv_dwarf_cursor){.at = cursor.at + header_bytes, .end = cursor.end};
    cursor.end = lines->program.at;
    lines->instruction_bytes = (uint8_t)rv_dwarf_take(&cursor, 1);
    rv_dwarf_skip(&cursor, version >= 4 ? 2 : 1); /* maximum operations per instruction; default is_stmt */
    lines->line_base = (int8_t)rv_dwarf_take(&cursor, 1);
    lines->line_range = (uint8_t)rv_dwarf_take(&cursor, 1);
    lines->opcode_base = (uint8_t)rv_dwarf_take(&cursor, 1);
    for (unsigned i = 1; i < lines->opcode_base; i++)
        lines->n_operands[i] = (uint8_t)rv_dwarf_take(&cursor, 1);
    if (version >= 5) {
        read_described(lines, &cursor, &lines->folders);
        read_described(lines, &cursor, &lines->files);
    } else {
        read_names(lines, &cursor);
    }
    return true;
}

static struct rv_dwarf_line_table *open_lines(const struct rv_dwarf_unit *unit)
{
    const struct rv_dwarf_value *offset = &unit->root.values[RV_DWARF_STMT_LIST];
    const char *folder = rv_dwarf_string(unit, &unit->root.values[RV_DWARF_COMP_DIR]);
    if (offset->kind != RV_DWARF_NUMBER)
        return NULL;
    struct rv_dwarf_line_table *lines = rv_alloc(1, sizeof *lines);
    lines->unit = *unit;
    lines->folder = folder && *folder == '/' ? folder : "";
    if (read_header(lines, rv_dwarf_cursor(unit->file->sections[RV_DWARF_LINE], offset->number)))
        return lines;
    rv_dwarf_line_table_close(lines);
    return NULL;
}

struct rv_dwarf_line_table *rv_dwarf_line_table_of(struct rv_dwarf_unit *unit)
{
    if (!unit->are_lines_tried) {
        unit->are_lines_tried = true;
        unit->lines = open_lines(unit);
    }
    return unit->lines;
}

bool rv_dwarf_line_table_path(const struct rv_dwarf_line_table *lines, uint64_t number, char *path, size_t path_bytes)
{
    const struct name *file = number < lines->files.n ? &lines->files.items[number] : NULL;
    if (!file || !file->text || !*file->text)
        return false;
    const char *folder = file->folder < lines->folders.n ? lines->folders.items[file->folder].text : NULL;
    const char *front = lines->folder;
    folder = folder ? folder : "";
    if (*file->text == '/')
        front = folder = "";
    else if (*folder == '/')
        front = "";
    return (size_t)snprintf(path, path_bytes, "%s%s%s%s%s", front, *front ? "/" : "", folder, *folder ? "/" : "",
                            file->text) < path_bytes;
}

/* ---- rows ---- */

struct machine {
    uint64_t address, file, line;
};

static void add_row(struct rv_dwarf_line_table *lines, const struct machine *machine, bool is_end)
{
    lines->rows = rv_vec_reserve(lines->rows, &lines->capacity, lines->n_rows + 1, sizeof *lines->rows);
    lines->rows[lines->n_rows] =
        (struct row){machine->address, machine->file, machine->line, .order = lines->n_rows, .is_end = is_end};
    lines->n_rows++;
}

static void run_extended(struct rv_dwarf_line_table *lines, struct rv_dwarf_cursor *cursor, struct machine *machine)
{
    uint64_t n_bytes = rv_dwarf_take_unsigned(cursor);
    if (n_bytes == 0 || n_bytes > rv_dwarf_left(cursor)) {
        rv_dwarf_break(cursor);
        return;
    }
    struct rv_dwarf_cursor operand = {.at = cursor->at, .end = cursor->at + n_bytes};
    cursor->at += n_bytes;
    switch (rv_dwarf_take(&operand, 1)) {
    case RV_DW_LNE_END_SEQUENCE:
        add_row(lines, machine, true);
        *machine = (struct machine){.file = 1, .line = 1};
        break;
    case RV_DW_LNE_SET_ADDRESS:
        machine->address = rv_dwarf_take(&operand, (unsigned)rv_dwarf_left(&operand));
        break;
    default:
        break;
    }
}

static void run_special(struct rv_dwarf_line_table *lines, struct machine *machine, uint8_t opcode)
{
    unsigned step = (unsigned)(opcode - lines->opcode_base);
    machine->address += (uint64_t)(step / lines->line_range) * lines->instruction_bytes;
    machine->line += (uint64_t)(int64_t)(lines->line_base + (int)(step % lines->line_range));
    add_row(lines, machine, false);
}

static void run_standard(struct rv_dwarf_line_table *lines, struct rv_dwarf_cursor *cursor, struct machine *machine,
                         uint8_t opcode)
{
    switch (opcode) {
    case RV_DW_LNS_EXTENDED:
        run_extended(lines, cursor, machine);
        return;
    case RV_DW_LNS_COPY:
        add_row(lines, machine, false);
        return;
    case RV_DW_LNS_ADVANCE_PC:
        machine->address += rv_dwarf_take_unsigned(cursor) * lines->instruction_bytes;
        return;
    case RV_DW_LNS_ADVANCE_LINE:
        machine->line += (uint64_t)rv_dwarf_take_signed(cursor);
        return;
    case RV_DW_LNS_SET_FILE:
        machine->file = rv_dwarf_take_unsigned(cursor);
        return;
    case RV_DW_LNS_CONST_ADD_PC:
        machine->address += (uint64_t)((255u - lines->opcode_base) / lines->line_range) * lines->instruction_bytes;
        return;
    case RV_DW_LNS_FIXED_ADVANCE_PC:
        machine->address += rv_dwarf_take(cursor, 2);
        return;
    default:
        for (unsigned i = 0; i < lines->n_operands[opcode]; i++)
            (void)rv_dwarf_take_unsigned(cursor);
    }
}

/* Where one sequence ends and another begins, the beginning one counts. */
static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->is_end != b->is_end)
        return a->is_end ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void read_rows(struct rv_dwarf_line_table *lines)
{
    struct rv_dwarf_cursor cursor = lines->program;
    struct machine machine = {.file = 1, .line = 1};
    lines->are_rows_read = true;
    if (lines->line_range == 0 || lines->opcode_base == 0)
        return;
    while (cursor.at < cursor.end) {
        uint8_t opcode = (uint8_t)rv_dwarf_take(&cursor, 1);
        if (opcode >= lines->opcode_base)
            run_special(lines, &machine, opcode);
        else
            run_standard(lines, &cursor, &machine, opcode);
    }
    if (lines->n_rows)
        qsort(lines->rows, lines->n_rows, sizeof *lines->rows, compare_rows);
}

bool rv_dwarf_line_table_find(struct rv_dwarf_line_table *lines, uint64_t address, uint64_t *file, uint64_t *line)
{
    if (!lines->are_rows_read)
        read_rows(lines);
    size_t n = rv_bisect_count(lines->rows, lines->n_rows, sizeof *lines->rows, offsetof(struct row, address), address);
    if (n == 0 || lines->rows[n - 1].is_end)
        return false;
    *file = lines->rows[n - 1].file;
    *line = lines->rows[n - 1].line;
    return true;
}

void rv_dwarf_line_table_close(struct rv_dwarf_line_table *lines)
{
    if (!lines)
        return;
    free(lines->folders.items);
    free(lines->files.items);
    free(lines->rows);
    free(lines);
}
