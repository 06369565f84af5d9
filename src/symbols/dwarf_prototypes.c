#include "symbols/dwarf_prototypes.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbols/debug_file.h"
#include "symbols/dwarf_names.h"
#include "symbols/dwarf_unit.h"
#include "symbols/elf_symbols.h"

enum {
    MOST_FOLLOWED = 16,    /* typedefs of typedefs */
    MOST_PARAMETERS = 32,  /* more: left out */
    MOST_FIELDS = 16,      /* of a struct that is passed as it is */
    MOST_ENUMERATORS = 64, /* more: a number */
    MOST_BELOW = 65536,    /* entries below a function or type that are read: bad DWARF may list any number */
    MOST_LINE = 8192

};

struct line { /* of text; cut where it is too long */
    char bytes[MOST_LINE];
    size_t n;
};

struct prototype {
    char *name, *line;
};

struct prototypes {
    struct prototype *all;
    size_t n, capacity;
};

struct die { /* an entry and its unit */
    struct rv_dwarf_unit *unit;
    struct rv_dwarf_entry entry;
};

__attribute__((format(printf, 2, 3))) static bool add(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(line->bytes + line->n, sizeof line->bytes - line->n, format, arguments);
    va_end(arguments);
    line->n += n > 0 ? (size_t)n : 0;
    line->n = line->n < sizeof line->bytes ? line->n : sizeof line->bytes - 1;
    return line->n < sizeof line->bytes - 1;
}

static const char *name_of(const struct die *die)
{
    const char *name = rv_dwarf_string(die->unit, &die->entry.values[RV_DWARF_NAME]);
    return name ? name : "";
}

static bool get_number(const struct die *die, enum rv_dwarf_attribute attribute, uint64_t *number)
{
    *number = die->entry.values[attribute].number;
    return die->entry.values[attribute].kind == RV_DWARF_NUMBER;
}

static bool has(const struct die *die, enum rv_dwarf_attribute attribute)
{
    return die->entry.values[attribute].kind != RV_DWARF_NONE;
}

static bool follow(const struct die *from, enum rv_dwarf_attribute attribute, struct die *to)
{
    const struct rv_dwarf_value value = from->entry.values[attribute];
    struct die found = {.unit = from->unit};
    if (!rv_dwarf_follow(&found.unit, &value, &found.entry))
        return false;
    *to = found;
    return true;
}

/* The next child; false: there are no more. Zeroed before the first, with the cursor. */
struct children {
    struct die parent;
    struct rv_dwarf_cursor cursor;
    int depth, n;
};

static void begin_children(struct children *children, const struct die *parent)
{
    *children = (struct children){.parent = *parent, .depth = parent->entry.has_children ? 0 : -1};
    children->cursor = rv_dwarf_entries(parent->unit, parent->entry.next);
}

static bool next_child(struct children *children, struct die *child)
{
    child->unit = children->parent.unit;
    while (children->depth >= 0 && children->n++ < MOST_BELOW &&
           rv_dwarf_next(child->unit, &children->cursor, &child->entry)) {
        const int depth = children->depth;
        children->depth += child->entry.tag == 0 ? -1 : child->entry.has_children;
        if (depth == 0 && child->entry.tag != 0)
            return true;
    }
    return false;
}

/* ---- types ---- */

static bool is_name_only(uint64_t tag)
{
    return tag == RV_DW_TAG_TYPEDEF || tag == RV_DW_TAG_CONST_TYPE || tag == RV_DW_TAG_VOLATILE_TYPE ||
           tag == RV_DW_TAG_RESTRICT_TYPE || tag == RV_DW_TAG_ATOMIC_TYPE;
}

/* What an entry's type is, without names and qualifiers. False: void. */
static bool type_of(const struct die *die, struct die *type)
{
    struct die at = *die;
    for (int i = 0; i < MOST_FOLLOWED && follow(&at, RV_DWARF_TYPE, &at); i++)
        if (!is_name_only(at.entry.tag)) {
            *type = at;
            return true;
        }
    return false;
}

static bool is_struct(const struct die *type)
{
    return type->entry.tag == RV_DW_TAG_STRUCTURE_TYPE || type->entry.tag == RV_DW_TAG_CLASS_TYPE;
}

/* libstdc++'s since GCC 5: a pointer to the characters, and their number. Others begin otherwise. */
static bool is_cxx_string(const struct die *type)
{
    struct children children;
    struct die child;
    if (!is_struct(type) || strncmp(name_of(type), "basic_string<char,", 18) != 0)
        return false;
    begin_children(&children, type);
    while (next_child(&children, &child))
        if (child.entry.tag == RV_DW_TAG_MEMBER && strcmp(name_of(&child), "_M_string_length") == 0)
            return true;
    return false;
}

static bool add_integer(struct line *line, uint64_t n_bytes, bool is_unsigned)
{
    switch (n_bytes) {
    case 1:
        return add(line, "char");
    case 2:
        return add(line, is_unsigned ? "ushort" : "short");
    case 4:
        return add(line, is_unsigned ? "uint" : "int");
    case 8:
        return add(line, is_unsigned ? "ulong" : "long");
    default:
        return false;
    }
}

static bool add_base(struct line *line, const struct die *type)
{
    uint64_t n_bytes = 0, encoding = 0;
    if (!get_number(type, RV_DWARF_BYTE_SIZE, &n_bytes) || !get_number(type, RV_DWARF_ENCODING, &encoding))
        return false;
    switch (encoding) {
    case RV_DW_ATE_BOOLEAN:
        return n_bytes == 1 && add(line, "bool(char)");
    case RV_DW_ATE_FLOAT:
        return (n_bytes == 4 && add(line, "float")) || (n_bytes == 8 && add(line, "double"));
    case RV_DW_ATE_SIGNED:
    case RV_DW_ATE_SIGNED_CHAR:
        return add_integer(line, n_bytes, false);
    case RV_DW_ATE_UNSIGNED:
    case RV_DW_ATE_UNSIGNED_CHAR:
    case RV_DW_ATE_UTF:
        return add_integer(line, n_bytes, true);
    default:
        return false;
    }
}

static bool is_identifier(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("_.$", *name))
            return false;
    return true;
}

static bool add_enumerators(struct line *line, const struct die *type)
{
    struct children children;
    struct die child;
    uint64_t value;
    int n = 0;
    begin_children(&children, type);
    while (next_child(&children, &child)) {
        if (child.entry.tag != RV_DW_TAG_ENUMERATOR)
            continue;
        if (!get_number(&child, RV_DWARF_CONST_VALUE, &value) || !is_identifier(name_of(&child)) ||
            ++n > MOST_ENUMERATORS || !add(line, "%s%s=%" PRId64, n > 1 ? "," : "", name_of(&child), (int64_t)value))
            return false;
    }
    return n > 0;
}

static bool add_enum(struct line *line, const struct die *type)
{
    const size_t before = line->n;
    uint64_t n_bytes = 4;
    (void)get_number(type, RV_DWARF_BYTE_SIZE, &n_bytes);
    if (add(line, "enum[") && add_integer(line, n_bytes, false) && add(line, "](") && add_enumerators(line, type) &&
        add(line, ")"))
        return true;
    line->n = before;
    return add_integer(line, n_bytes, false);
}

static bool add_cxx_string(struct line *line)
{
    return add(line, "struct(string[elt2],hide(ulong),hide(ulong),hide(ulong))");
}

static bool add_pointer(struct line *line, const struct die *pointer)
{
    struct die target;
    if (!type_of(pointer, &target))
        return add(line, "addr");
    if (target.entry.tag == RV_DW_TAG_BASE_TYPE && strcmp(name_of(&target), "char") == 0 &&
        pointer->entry.tag == RV_DW_TAG_POINTER_TYPE)
        return add(line, "string");
    if (is_cxx_string(&target))
        return add_cxx_string(line) && add(line, "*");
    return add(line, "addr");
}

static bool add_scalar(struct line *line, const struct die *type)
{
    switch (type->entry.tag) {
    case RV_DW_TAG_BASE_TYPE:
        return add_base(line, type);
    case RV_DW_TAG_ENUMERATION_TYPE:
        return add_enum(line, type);
    case RV_DW_TAG_POINTER_TYPE:
    case RV_DW_TAG_REFERENCE_TYPE:
    case RV_DW_TAG_RVALUE_REFERENCE_TYPE:
        return add_pointer(line, type);
    case RV_DW_TAG_UNSPECIFIED_TYPE: /* of nullptr */
        return add(line, "addr");
    default:
        return false;
    }
}

/* Of scalars, in their natural places. */
static bool add_fields(struct line *line, const struct die *type)
{
    struct children children;
    struct die child, field;
    int n = 0;
    begin_children(&children, type);
    while (next_child(&children, &child)) {
        if (child.entry.tag == RV_DW_TAG_INHERITANCE)
            return false;
        if (child.entry.tag != RV_DW_TAG_MEMBER || has(&child, RV_DWARF_DECLARATION))
            continue;
        if (has(&child, RV_DWARF_BIT_SIZE) || ++n > MOST_FIELDS || !type_of(&child, &field) ||
            !add(line, n > 1 ? "," : "") || !add_scalar(line, &field))
            return false;
    }
    return n > 0;
}

/* Has it a parameter that is a reference to this type? */
static bool takes(const struct die *function, const struct die *type)
{
    struct children children;
    struct die child, parameter, target;
    begin_children(&children, function);
    while (next_child(&children, &child))
        if (child.entry.tag == RV_DW_TAG_FORMAL_PARAMETER && !has(&child, RV_DWARF_ARTIFICIAL) &&
            type_of(&child, &parameter) && parameter.entry.tag != RV_DW_TAG_POINTER_TYPE &&
            type_of(&parameter, &target) && target.unit == type->unit && target.entry.next == type->entry.next)
            return true;
    return false;
}

/* A destructor, or a constructor from another object, that the compiler has not made by itself. */
static bool is_not_trivial(const struct die *function, const struct die *type)
{
    const char *name = name_of(function), *class = name_of(type);
    if (function->entry.tag != RV_DW_TAG_SUBPROGRAM || has(function, RV_DWARF_ARTIFICIAL) ||
        has(function, RV_DWARF_DEFAULTED))
        return false;
    const size_t n = strcspn(class, "<");
    return *name == '~' || (n && strlen(name) == n && strncmp(name, class, n) == 0 && takes(function, type));
}

/* By reference where it is not trivial (C++), else by value. Not all compilers say which. */
static bool is_by_reference(const struct die *type)
{
    struct children children;
    struct die child;
    uint64_t convention = 0;
    if (get_number(type, RV_DWARF_CALLING_CONVENTION, &convention))
        return convention == RV_DW_CC_PASS_BY_REFERENCE;
    begin_children(&children, type);
    while (next_child(&children, &child))
        if (is_not_trivial(&child, type))
            return true;
    return false;
}

static bool add_struct(struct line *line, const struct die *type)
{
    return add(line, "struct(") && add_fields(line, type) && add(line, ")");
}

static bool add_parameter(struct line *line, const struct die *parameter)
{
    struct die type;
    if (!type_of(parameter, &type))
        return false;
    if (!is_struct(&type))
        return add_scalar(line, &type);
    if (!is_by_reference(&type))
        return add_struct(line, &type);
    return is_cxx_string(&type) ? add_cxx_string(line) && add(line, "*") : add(line, "addr");
}

/* One that is not trivial is in memory that the caller gives, as if it were large. */
static bool add_result(struct line *line, const struct die *function)
{
    struct die type;
    if (!type_of(function, &type))
        return add(line, "void");
    if (!is_struct(&type))
        return add_scalar(line, &type);
    if (!is_by_reference(&type))
        return add_struct(line, &type);
    return is_cxx_string(&type) ? add_cxx_string(line) : add(line, "addr");
}

/* Where the caller wants it, is then the first argument: which the language tells by itself of strings, that are large. */
static bool is_result_hidden(const struct die *function)
{
    struct die type;
    return type_of(function, &type) && is_struct(&type) && is_by_reference(&type) && !is_cxx_string(&type);
}

/* ---- functions ---- */

static bool add_parameters(struct line *line, const struct die *function, bool is_first_hidden)
{
    struct children children;
    struct die child, whole;
    int n = is_first_hidden;
    if (is_first_hidden && !add(line, "hide(addr)"))
        return false;
    begin_children(&children, function);
    while (next_child(&children, &child)) {
        if (child.entry.tag != RV_DW_TAG_FORMAL_PARAMETER)
            continue;
        if (!follow(&child, RV_DWARF_ABSTRACT_ORIGIN, &whole))
            whole = child;
        if (strcmp(name_of(&whole), "__in_chrg") ==
            0) /* of gcc's abstract destructors: those that are called have none */
            continue;
        if (strcmp(name_of(&whole), "__vtt_parm") == 0) /* some of them have it */
            return false;
        if (++n > MOST_PARAMETERS || !add(line, n > 1 ? ", " : "") || !add_parameter(line, &whole))
            return false;
    }
    return n > 0 || add(line, "void");
}

/* What code was made of, and what that was declared as: each has some of the attributes. */
struct function {
    struct die made, origin, declared;
};

static void find_function(const struct die *made, struct function *function)
{
    function->made = function->origin = *made;
    (void)follow(made, RV_DWARF_ABSTRACT_ORIGIN, &function->origin);
    function->declared = function->origin;
    (void)follow(&function->origin, RV_DWARF_SPECIFICATION, &function->declared);
}

static const char *symbol_of(const struct function *function, const struct rv_elf *elf)
{
    uint64_t address, start;
    const struct die *dies[] = {&function->made, &function->origin, &function->declared};
    for (size_t i = 0; i < sizeof dies / sizeof *dies; i++) {
        const char *name = rv_dwarf_string(dies[i]->unit, &dies[i]->entry.values[RV_DWARF_LINKAGE_NAME]);
        if (name)
            return name;
    }
    if (rv_dwarf_address(function->made.unit, &function->made.entry.values[RV_DWARF_LOW_PC], &address)) {
        const char *name = rv_elf_function(elf, address, &start);
        if (name)
            return name;
    }
    return name_of(&function->declared);
}

static const struct die *result_of(const struct function *function)
{
    return has(&function->origin, RV_DWARF_TYPE) ? &function->origin : &function->declared;
}

static void keep(struct prototypes *prototypes, const char *name, const struct line *line)
{
    prototypes->all =
        rv_vec_reserve(prototypes->all, &prototypes->capacity, prototypes->n + 1, sizeof *prototypes->all);
    prototypes->all[prototypes->n++] = (struct prototype){rv_strdup(name), rv_strndup(line->bytes, line->n)};
}

static bool has_code(const struct rv_dwarf_entry *entry)
{
    return entry->values[RV_DWARF_LOW_PC].kind || entry->values[RV_DWARF_RANGES_LIST].kind;
}

struct reading {
    const struct rv_elf *symbols;
    rv_dwarf_prototypes_fn *wants;
    const void *context;
    struct prototypes prototypes;
    struct line line;
};

static void read_unit(struct reading *reading, struct rv_dwarf_unit *unit)
{
    struct line *line = &reading->line;
    struct rv_dwarf_cursor cursor = rv_dwarf_entries(unit, unit->first_entry);
    struct die die = {.unit = unit};
    struct function function;
    while (rv_dwarf_next_function(unit, &cursor, &die.entry)) {
        if (!has_code(&die.entry))
            continue;
        find_function(&die, &function);
        const char *name = symbol_of(&function, reading->symbols);
        if (!is_identifier(name) || !reading->wants(reading->context, name))
            continue;
        line->n = 0;
        if (!add_result(line, result_of(&function)) || !add(line, " %s(", name) ||
            !add_parameters(line, &function.origin, is_result_hidden(result_of(&function))) || !add(line, ");\n"))
            line->n = 0;
        keep(&reading->prototypes, name, line);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct prototype *)a)->name, ((const struct prototype *)b)->name);
}

/* One line of each name; none where they differ. */
static char *join(struct prototypes *prototypes, size_t *n_bytes)
{
    char *text = NULL;
    size_t capacity = 0;
    *n_bytes = 0;
    if (prototypes->n)
        qsort(prototypes->all, prototypes->n, sizeof *prototypes->all, by_name);
    for (size_t i = 0, next; i < prototypes->n; i = next) {
        const char *line = prototypes->all[i].line;
        bool is_alike = true;
        for (next = i + 1; next < prototypes->n && by_name(&prototypes->all[i], &prototypes->all[next]) == 0; next++)
            is_alike &= strcmp(line, prototypes->all[next].line) == 0;
        const size_t n_line = is_alike ? strlen(line) : 0;
        text = rv_vec_reserve(text, &capacity, *n_bytes + n_line + 1, 1);
        memcpy(text + *n_bytes, line, n_line);
        *n_bytes += n_line;
    }
    return text;
}

static void read_file(struct reading *reading, struct rv_elf_file *elf)
{
    struct rv_dwarf_file file = {.elf = NULL};
    rv_dwarf_file_init(&file, elf, false);
    for (size_t i = 0; i < file.n_units; i++)
        read_unit(reading, &file.units[i]);
    rv_dwarf_file_fini(&file);
}

char *rv_dwarf_prototypes_take(const char *path, rv_dwarf_prototypes_fn *wants, const void *context, size_t *n_bytes)
{
    struct rv_elf *symbols = rv_elf_open(path, &(struct rv_elf_identity){0});
    struct rv_elf_file *elf = symbols ? rv_elf_file_open(path) : NULL, *debug = NULL;
    struct reading *reading = rv_alloc(1, sizeof *reading);
    *reading = (struct reading){.symbols = symbols, .wants = wants, .context = context};
    if (elf)
        read_file(reading, elf);
    if (elf && !reading->prototypes.n && (debug = rv_debug_file_open(elf)))
        read_file(reading, debug);
    char *text = join(&reading->prototypes, n_bytes);
    for (size_t i = 0; i < reading->prototypes.n; i++) {
        free(reading->prototypes.all[i].name);
        free(reading->prototypes.all[i].line);
    }
    free(reading->prototypes.all);
    free(reading);
    rv_elf_file_close(debug);
    rv_elf_file_close(elf);
    rv_elf_close(symbols);
    return text;
}
