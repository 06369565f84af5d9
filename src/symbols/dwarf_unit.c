#include "symbols/dwarf_unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "base/vec.h"
#include "symbols/debug_file.h"
#include "symbols/dwarf_line_table.h"
#include "symbols/dwarf_names.h"

/* Limit of attributes per entry, above any real one: bounds the time of a walk through hostile input. */
#define MAX_SPECS 512

struct spec {
    uint16_t name, form; /* UINT16_MAX: unknown */
    int64_t constant;
};

struct abbrev {
    uint64_t code, tag;
    size_t first, n; /* specs */
    bool has_children;
};

struct rv_dwarf_abbrevs {
    uint64_t offset;
    struct abbrev *abbrevs; /* by code */
    struct spec *specs;
    size_t n, capacity, n_specs, specs_capacity;
};

/* ---- abbreviations ---- */

static int compare_abbrevs(const void *left, const void *right)
{
    const struct abbrev *a = left, *b = right;
    return a->code < b->code ? -1 : a->code > b->code;
}

static uint16_t take_short(struct rv_dwarf_cursor *cursor)
{
    uint64_t value = rv_dwarf_take_unsigned(cursor);
    return value < UINT16_MAX ? (uint16_t)value : UINT16_MAX;
}

static void read_specs(struct rv_dwarf_abbrevs *abbrevs, struct rv_dwarf_cursor *cursor, struct abbrev *abbrev)
{
    abbrev->first = abbrevs->n_specs;
    while (!cursor->is_broken) {
        struct spec spec = {.name = take_short(cursor)};
        spec.form = take_short(cursor);
        if (spec.form == RV_DW_FORM_IMPLICIT_CONST)
            spec.constant = rv_dwarf_take_signed(cursor);
        if (!spec.name && !spec.form)
            break;
        if (abbrevs->n_specs - abbrev->first == MAX_SPECS)
            rv_dwarf_break(cursor);
        abbrevs->specs =
            rv_vec_reserve(abbrevs->specs, &abbrevs->specs_capacity, abbrevs->n_specs + 1, sizeof *abbrevs->specs);
        abbrevs->specs[abbrevs->n_specs++] = spec;
    }
    abbrev->n = abbrevs->n_specs - abbrev->first;
}

static struct rv_dwarf_abbrevs *read_abbrevs(const struct rv_dwarf_file *file, uint64_t offset)
{
    struct rv_dwarf_abbrevs *abbrevs = rv_alloc(1, sizeof *abbrevs);
    struct rv_dwarf_cursor cursor = rv_dwarf_cursor(file->sections[RV_DWARF_ABBREV], offset);
    struct abbrev abbrev;
    abbrevs->offset = offset;
    while (!cursor.is_broken && (abbrev.code = rv_dwarf_take_unsigned(&cursor))) {
        abbrev.tag = rv_dwarf_take_unsigned(&cursor);
        abbrev.has_children = rv_dwarf_take(&cursor, 1) != 0;
        read_specs(abbrevs, &cursor, &abbrev);
        if (cursor.is_broken)
            break;
        abbrevs->abbrevs =
            rv_vec_reserve(abbrevs->abbrevs, &abbrevs->capacity, abbrevs->n + 1, sizeof *abbrevs->abbrevs);
        abbrevs->abbrevs[abbrevs->n++] = abbrev;
    }
    if (abbrevs->n)
        qsort(abbrevs->abbrevs, abbrevs->n, sizeof *abbrevs->abbrevs, compare_abbrevs);
    return abbrevs;
}

/* Several units may share one table. */
static const struct rv_dwarf_abbrevs *abbrevs_of(const struct rv_dwarf_unit *unit)
{
    struct rv_dwarf_file *file = unit->file;
    uint32_t found = rv_hash_index_get(&file->abbrevs_at, unit->abbrev_offset);
    if (found)
        return file->abbrevs[found - 1];
    file->abbrevs =
        rv_vec_reserve(file->abbrevs, &file->abbrevs_capacity, file->n_abbrevs + 1, sizeof(struct rv_dwarf_abbrevs *));
    file->abbrevs[file->n_abbrevs++] = read_abbrevs(file, unit->abbrev_offset);
    rv_hash_index_add(&file->abbrevs_at, unit->abbrev_offset, (uint32_t)file->n_abbrevs);
    return file->abbrevs[file->n_abbrevs - 1];
}

static void forget_abbrevs(struct rv_dwarf_file *file)
{
    for (size_t i = 0; i < file->n_abbrevs; i++) {
        free(file->abbrevs[i]->abbrevs);
        free(file->abbrevs[i]->specs);
        free(file->abbrevs[i]);
    }
    file->n_abbrevs = 0;
    rv_hash_index_fini(&file->abbrevs_at);
}

/* Usually codes count from 1. */
static const struct abbrev *find_abbrev(const struct rv_dwarf_abbrevs *abbrevs, uint64_t code)
{
    if (code - 1 < abbrevs->n && abbrevs->abbrevs[code - 1].code == code)
        return &abbrevs->abbrevs[code - 1];
    size_t n =
        rv_bisect_count(abbrevs->abbrevs, abbrevs->n, sizeof *abbrevs->abbrevs, offsetof(struct abbrev, code), code);
    return n && abbrevs->abbrevs[n - 1].code == code ? &abbrevs->abbrevs[n - 1] : NULL;
}

/* ---- values ---- */

static const char *string_at(const struct rv_dwarf_file *file, enum rv_dwarf_section section, uint64_t offset)
{
    struct rv_dwarf_cursor cursor = rv_dwarf_cursor(file->sections[section], offset);
    return rv_dwarf_take_string(&cursor);
}

struct rv_dwarf_file *rv_dwarf_file_shared(struct rv_dwarf_file *file)
{
    if (!file->is_shared_tried) {
        file->is_shared_tried = true;
        file->shared_elf = rv_debug_file_open_shared(file->elf);
        if (file->shared_elf) {
            file->shared = rv_alloc(1, sizeof *file->shared);
            file->shared->is_shared_tried = true; /* the shared file has no shared file */
            rv_dwarf_file_init(file->shared, file->shared_elf, false);
        }
    }
    return file->shared;
}

static struct rv_dwarf_value number(uint64_t value)
{
    return (struct rv_dwarf_value){.kind = RV_DWARF_NUMBER, .number = value};
}

static struct rv_dwarf_value of_kind(enum rv_dwarf_kind kind, uint64_t value)
{
    return (struct rv_dwarf_value){.kind = kind, .number = value};
}

static struct rv_dwarf_value text(const char *string)
{
    return (struct rv_dwarf_value){.kind = RV_DWARF_TEXT, .text = string};
}

static struct rv_dwarf_value skipped(struct rv_dwarf_cursor *cursor, uint64_t n_bytes)
{
    rv_dwarf_skip(cursor, n_bytes);
    return (struct rv_dwarf_value){0};
}

struct rv_dwarf_value rv_dwarf_take_value(const struct rv_dwarf_unit *unit, struct rv_dwarf_cursor *cursor,
                                          uint64_t form)
{
    const unsigned offset_bytes = unit->offset_bytes;
    switch (form) {
    case RV_DW_FORM_ADDR:
        return of_kind(RV_DWARF_ADDRESS, rv_dwarf_take(cursor, unit->address_bytes));
    case RV_DW_FORM_ADDRX:
    case RV_DW_FORM_GNU_ADDR_INDEX:
        return of_kind(RV_DWARF_ADDRESS_INDEX, rv_dwarf_take_unsigned(cursor));
    case RV_DW_FORM_ADDRX1:
    case RV_DW_FORM_ADDRX2:
    case RV_DW_FORM_ADDRX3:
    case RV_DW_FORM_ADDRX4:
        return of_kind(RV_DWARF_ADDRESS_INDEX, rv_dwarf_take(cursor, (unsigned)(form - RV_DW_FORM_ADDRX1) + 1));
    case RV_DW_FORM_DATA1:
    case RV_DW_FORM_FLAG:
        return number(rv_dwarf_take(cursor, 1));
    case RV_DW_FORM_DATA2:
        return number(rv_dwarf_take(cursor, 2));
    case RV_DW_FORM_DATA4:
        return number(rv_dwarf_take(cursor, 4));
    case RV_DW_FORM_DATA8:
        return number(rv_dwarf_take(cursor, 8));
    case RV_DW_FORM_REF_SIG8:
        return skipped(cursor, 8);
    case RV_DW_FORM_DATA16:
        return skipped(cursor, 16);
    case RV_DW_FORM_UDATA:
        return number(rv_dwarf_take_unsigned(cursor));
    case RV_DW_FORM_SDATA:
        return number((uint64_t)rv_dwarf_take_signed(cursor));
    case RV_DW_FORM_FLAG_PRESENT:
        return number(1);
    case RV_DW_FORM_SEC_OFFSET:
        return number(rv_dwarf_take(cursor, offset_bytes));
    case RV_DW_FORM_STRING:
        return text(rv_dwarf_take_string(cursor));
    case RV_DW_FORM_STRP:
        return of_kind(RV_DWARF_STRING, rv_dwarf_take(cursor, offset_bytes));
    case RV_DW_FORM_LINE_STRP:
        return of_kind(RV_DWARF_LINE_STRING, rv_dwarf_take(cursor, offset_bytes));
    case RV_DW_FORM_STRP_SUP:
    case RV_DW_FORM_GNU_STRP_ALT:
        return of_kind(RV_DWARF_SHARED_STRING, rv_dwarf_take(cursor, offset_bytes));
    case RV_DW_FORM_STRX:
    case RV_DW_FORM_GNU_STR_INDEX:
        return of_kind(RV_DWARF_STRING_INDEX, rv_dwarf_take_unsigned(cursor));
    case RV_DW_FORM_STRX1:
    case RV_DW_FORM_STRX2:
    case RV_DW_FORM_STRX3:
    case RV_DW_FORM_STRX4:
        return of_kind(RV_DWARF_STRING_INDEX, rv_dwarf_take(cursor, (unsigned)(form - RV_DW_FORM_STRX1) + 1));
    case RV_DW_FORM_RNGLISTX:
        return of_kind(RV_DWARF_LIST_INDEX, rv_dwarf_take_unsigned(cursor));
    case RV_DW_FORM_LOCLISTX:
        (void)rv_dwarf_take_unsigned(cursor);
        return (struct rv_dwarf_value){0};
    case RV_DW_FORM_REF1:
        return of_kind(RV_DWARF_ENTRY, unit->offset + rv_dwarf_take(cursor, 1));
    case RV_DW_FORM_REF2:
        return of_kind(RV_DWARF_ENTRY, unit->offset + rv_dwarf_take(cursor, 2));
    case RV_DW_FORM_REF4:
        return of_kind(RV_DWARF_ENTRY, unit->offset + rv_dwarf_take(cursor, 4));
    case RV_DW_FORM_REF8:
        return of_kind(RV_DWARF_ENTRY, unit->offset + rv_dwarf_take(cursor, 8));
    case RV_DW_FORM_REF_UDATA:
        return of_kind(RV_DWARF_ENTRY, unit->offset + rv_dwarf_take_unsigned(cursor));
    case RV_DW_FORM_REF_ADDR: /* as long as an address in DWARF 2 */
        return of_kind(RV_DWARF_ENTRY,
                       rv_dwarf_take(cursor, unit->version == 2 ? unit->address_bytes : unit->offset_bytes));
    case RV_DW_FORM_GNU_REF_ALT:
        return of_kind(RV_DWARF_SHARED_ENTRY, rv_dwarf_take(cursor, offset_bytes));
    case RV_DW_FORM_REF_SUP4:
        return of_kind(RV_DWARF_SHARED_ENTRY, rv_dwarf_take(cursor, 4));
    case RV_DW_FORM_REF_SUP8:
        return of_kind(RV_DWARF_SHARED_ENTRY, rv_dwarf_take(cursor, 8));
    case RV_DW_FORM_BLOCK:
    case RV_DW_FORM_EXPRLOC:
        return skipped(cursor, rv_dwarf_take_unsigned(cursor));
    case RV_DW_FORM_BLOCK1:
        return skipped(cursor, rv_dwarf_take(cursor, 1));
    case RV_DW_FORM_BLOCK2:
        return skipped(cursor, rv_dwarf_take(cursor, 2));
    case RV_DW_FORM_BLOCK4:
        return skipped(cursor, rv_dwarf_take(cursor, 4));
    default:
        rv_dwarf_break(cursor);
        return (struct rv_dwarf_value){0};
    }
}

static int attribute_of(uint64_t name)
{
    switch (name) {
    case RV_DW_AT_NAME:
        return RV_DWARF_NAME;
    case RV_DW_AT_BYTE_SIZE:
        return RV_DWARF_BYTE_SIZE;
    case RV_DW_AT_CONST_VALUE:
        return RV_DWARF_CONST_VALUE;
    case RV_DW_AT_DATA_MEMBER_LOCATION:
        return RV_DWARF_MEMBER_LOCATION;
    case RV_DW_AT_DECLARATION:
        return RV_DWARF_DECLARATION;
    case RV_DW_AT_TYPE:
        return RV_DWARF_TYPE;
    case RV_DW_AT_LINKAGE_NAME:
    case RV_DW_AT_MIPS_LINKAGE_NAME:
        return RV_DWARF_LINKAGE_NAME;
    case RV_DW_AT_ENCODING:
        return RV_DWARF_ENCODING;
    case RV_DW_AT_BIT_SIZE:
        return RV_DWARF_BIT_SIZE;
    case RV_DW_AT_CALLING_CONVENTION:
        return RV_DWARF_CALLING_CONVENTION;
    case RV_DW_AT_ARTIFICIAL:
        return RV_DWARF_ARTIFICIAL;
    case RV_DW_AT_DEFAULTED:
        return RV_DWARF_DEFAULTED;
    case RV_DW_AT_STMT_LIST:
        return RV_DWARF_STMT_LIST;
    case RV_DW_AT_LOW_PC:
        return RV_DWARF_LOW_PC;
    case RV_DW_AT_HIGH_PC:
        return RV_DWARF_HIGH_PC;
    case RV_DW_AT_COMP_DIR:
        return RV_DWARF_COMP_DIR;
    case RV_DW_AT_ABSTRACT_ORIGIN:
        return RV_DWARF_ABSTRACT_ORIGIN;
    case RV_DW_AT_SPECIFICATION:
        return RV_DWARF_SPECIFICATION;
    case RV_DW_AT_DECL_FILE:
        return RV_DWARF_DECL_FILE;
    case RV_DW_AT_DECL_LINE:
        return RV_DWARF_DECL_LINE;
    case RV_DW_AT_RANGES:
        return RV_DWARF_RANGES_LIST;
    case RV_DW_AT_STR_OFFSETS_BASE:
        return RV_DWARF_STR_OFFSETS_BASE;
    case RV_DW_AT_ADDR_BASE:
    case RV_DW_AT_GNU_ADDR_BASE:
        return RV_DWARF_ADDR_BASE;
    case RV_DW_AT_RNGLISTS_BASE:
        return RV_DWARF_RNGLISTS_BASE;
    case RV_DW_AT_GNU_RANGES_BASE:
        return RV_DWARF_RANGES_BASE;
    case RV_DW_AT_DWO_NAME:
    case RV_DW_AT_GNU_DWO_NAME:
        return RV_DWARF_SPLIT_NAME;
    case RV_DW_AT_GNU_DWO_ID:
        return RV_DWARF_SPLIT_ID;
    default:
        return -1;
    }
}

/* ---- entries ---- */

static struct rv_dwarf_value take_spec(const struct rv_dwarf_unit *unit, struct rv_dwarf_cursor *cursor,
                                       const struct spec *spec)
{
    uint64_t form = spec->form;
    if (form == RV_DW_FORM_IMPLICIT_CONST)
        return number((uint64_t)spec->constant);
    while (form == RV_DW_FORM_INDIRECT && !cursor->is_broken)
        form = rv_dwarf_take_unsigned(cursor);
    return rv_dwarf_take_value(unit, cursor, form);
}

/* Read the entry of an abbreviation; values only for attributes in `wants`. */
static bool take_values(const struct rv_dwarf_unit *unit, const struct rv_dwarf_abbrevs *abbrevs,
                        struct rv_dwarf_cursor *cursor, const struct abbrev *abbrev, bool (*wants)(uint64_t tag),
                        struct rv_dwarf_entry *out)
{
    out->tag = abbrev->tag;
    out->has_children = abbrev->has_children;
    bool is_wanted = wants(abbrev->tag);
    if (is_wanted)
        memset(out->values, 0, sizeof out->values);
    for (size_t i = 0; i < abbrev->n && !cursor->is_broken; i++) {
        const struct spec *spec = &abbrevs->specs[abbrev->first + i];
        struct rv_dwarf_value value = take_spec(unit, cursor, spec);
        int attribute = is_wanted ? attribute_of(spec->name) : -1;
        if (attribute >= 0)
            out->values[attribute] = value;
    }
    out->next = (uint64_t)(cursor->at - unit->file->sections[RV_DWARF_INFO].at);
    return !cursor->is_broken;
}

/* The next entry, skipping ends of children lists. */
static bool take_entry(const struct rv_dwarf_unit *unit, const struct rv_dwarf_abbrevs *abbrevs,
                       struct rv_dwarf_cursor *cursor, bool (*wants)(uint64_t tag), struct rv_dwarf_entry *out)
{
    uint64_t code = 0;
    while (cursor->at < cursor->end && !(code = rv_dwarf_take_unsigned(cursor)))
        ;
    const struct abbrev *abbrev = code ? find_abbrev(abbrevs, code) : NULL;
    return abbrev && take_values(unit, abbrevs, cursor, abbrev, wants, out);
}

static bool wants_any(uint64_t tag)
{
    (void)tag;
    return true;
}

static bool wants_function(uint64_t tag)
{
    return tag == RV_DW_TAG_SUBPROGRAM;
}

struct rv_dwarf_cursor rv_dwarf_entries(const struct rv_dwarf_unit *unit, uint64_t from)
{
    struct rv_elf_bytes bytes = unit->file->sections[RV_DWARF_INFO];
    if (from < unit->first_entry || from >= unit->end)
        return (struct rv_dwarf_cursor){.is_broken = true};
    return (struct rv_dwarf_cursor){.at = bytes.at + from, .end = bytes.at + unit->end};
}

bool rv_dwarf_next_function(struct rv_dwarf_unit *unit, struct rv_dwarf_cursor *cursor, struct rv_dwarf_entry *out)
{
    const struct rv_dwarf_abbrevs *abbrevs = abbrevs_of(unit);
    while (take_entry(unit, abbrevs, cursor, wants_function, out))
        if (wants_function(out->tag))
            return true;
    return false;
}

bool rv_dwarf_next(struct rv_dwarf_unit *unit, struct rv_dwarf_cursor *cursor, struct rv_dwarf_entry *out)
{
    const struct rv_dwarf_abbrevs *abbrevs = abbrevs_of(unit);
    if (cursor->at >= cursor->end)
        return false;
    uint64_t code = rv_dwarf_take_unsigned(cursor);
    const struct abbrev *abbrev = code ? find_abbrev(abbrevs, code) : NULL;
    out->tag = 0;
    return code ? abbrev && take_values(unit, abbrevs, cursor, abbrev, wants_any, out) : !cursor->is_broken;
}

/* The unit that contains an entry, or NULL. */
static struct rv_dwarf_unit *unit_at(const struct rv_dwarf_file *file, uint64_t entry)
{
    size_t n =
        rv_bisect_count(file->units, file->n_units, sizeof *file->units, offsetof(struct rv_dwarf_unit, offset), entry);
    return n && entry >= file->units[n - 1].first_entry && entry < file->units[n - 1].end ? &file->units[n - 1] : NULL;
}

bool rv_dwarf_follow(struct rv_dwarf_unit **unit, const struct rv_dwarf_value *reference, struct rv_dwarf_entry *out)
{
    struct rv_dwarf_file *file = (*unit)->file;
    if (reference->kind == RV_DWARF_SHARED_ENTRY)
        file = rv_dwarf_file_shared(file);
    else if (reference->kind != RV_DWARF_ENTRY)
        return false;
    struct rv_dwarf_unit *found = file ? unit_at(file, reference->number) : NULL;
    if (!found)
        return false;
    struct rv_dwarf_cursor cursor = rv_dwarf_entries(found, reference->number);
    *unit = found;
    return take_entry(found, abbrevs_of(found), &cursor, wants_any, out);
}

/* ---- what stands in other sections ---- */

uint64_t rv_dwarf_number(const struct rv_dwarf_unit *unit, enum rv_dwarf_attribute attribute)
{
    const struct rv_dwarf_value *value = &unit->root.values[attribute];
    return value->kind == RV_DWARF_NUMBER ? value->number : 0;
}

bool rv_dwarf_item(struct rv_elf_bytes table, uint64_t base, uint64_t idx, unsigned n_bytes, uint64_t *item)
{
    if (base > table.n || idx > table.n)
        return false;
    struct rv_dwarf_cursor cursor = rv_dwarf_cursor(table, base + idx * n_bytes);
    *item = rv_dwarf_take(&cursor, n_bytes);
    return !cursor.is_broken;
}

static bool address_of(const struct rv_dwarf_unit *unit, uint64_t idx, uint64_t *address)
{
    const struct rv_dwarf_unit *owner = unit->skeleton ? unit->skeleton : unit;
    return rv_dwarf_item(owner->file->sections[RV_DWARF_ADDR], rv_dwarf_number(owner, RV_DWARF_ADDR_BASE), idx,
                         owner->address_bytes, address);
}

bool rv_dwarf_address(const struct rv_dwarf_unit *unit, const struct rv_dwarf_value *value, uint64_t *address)
{
    if (value->kind == RV_DWARF_ADDRESS_INDEX)
        return address_of(unit, value->number, address);
    *address = value->number;
    return value->kind == RV_DWARF_ADDRESS;
}

const char *rv_dwarf_string(const struct rv_dwarf_unit *unit, const struct rv_dwarf_value *value)
{
    const struct rv_dwarf_file *shared;
    uint64_t offset;
    switch ((int)value->kind) {
    case RV_DWARF_TEXT:
        return value->text;
    case RV_DWARF_STRING:
        return string_at(unit->file, RV_DWARF_STR, value->number);
    case RV_DWARF_LINE_STRING:
        return string_at(unit->file, RV_DWARF_LINE_STR, value->number);
    case RV_DWARF_SHARED_STRING:
        shared = rv_dwarf_file_shared(unit->file);
        return shared ? string_at(shared, RV_DWARF_STR, value->number) : NULL;
    case RV_DWARF_STRING_INDEX:
        return rv_dwarf_item(unit->file->sections[RV_DWARF_STR_OFFSETS],
                             rv_dwarf_number(unit, RV_DWARF_STR_OFFSETS_BASE), value->number, unit->offset_bytes,
                             &offset)
                   ? string_at(unit->file, RV_DWARF_STR, offset)
                   : NULL;
    default:
        return NULL;
    }
}

/* ---- units ---- */

static const char *const SECTION_NAMES[RV_DWARF_SECTION_COUNT] = {
    ".debug_info",        ".debug_abbrev", ".debug_line",   ".debug_str",     ".debug_line_str",
    ".debug_str_offsets", ".debug_addr",   ".debug_ranges", ".debug_rnglists"};

/* Read a unit's header; false at the end or if invalid: the cursor is then at its end. */
static bool take_unit(struct rv_dwarf_file *file, struct rv_dwarf_cursor *cursor, struct rv_dwarf_unit *unit)
{
    struct rv_elf_bytes info = file->sections[RV_DWARF_INFO];
    uint64_t n_bytes = rv_dwarf_take(cursor, 4);
    *unit = (struct rv_dwarf_unit){.file = file, .offset = (uint64_t)(cursor->at - info.at) - 4, .offset_bytes = 4};
    if (n_bytes == UINT32_MAX) {
        unit->offset_bytes = 8;
        n_bytes = rv_dwarf_take(cursor, 8);
    }
    if (cursor->is_broken || n_bytes > rv_dwarf_left(cursor))
        return false;
    struct rv_dwarf_cursor header = {.at = cursor->at, .end = cursor->at + n_bytes};
    cursor->at += n_bytes;
    unit->end = (uint64_t)(cursor->at - info.at);
    unit->version = (uint16_t)rv_dwarf_take(&header, 2);
    if (unit->version >= 5) {
        unit->type = (uint8_t)rv_dwarf_take(&header, 1);
        unit->address_bytes = (uint8_t)rv_dwarf_take(&header, 1);
        unit->abbrev_offset = rv_dwarf_take(&header, unit->offset_bytes);
    } else {
        unit->abbrev_offset = rv_dwarf_take(&header, unit->offset_bytes);
        unit->address_bytes = (uint8_t)rv_dwarf_take(&header, 1);
    }
    if (unit->type == RV_DW_UT_SKELETON || unit->type == RV_DW_UT_SPLIT_COMPILE)
        unit->id = rv_dwarf_take(&header, 8);
    else if (unit->type == RV_DW_UT_TYPE || unit->type == RV_DW_UT_SPLIT_TYPE)
        rv_dwarf_skip(&header, 8 + (uint64_t)unit->offset_bytes);
    unit->first_entry = header.is_broken ? unit->end : (uint64_t)(header.at - info.at);
    return true;
}

static void read_root(struct rv_dwarf_unit *unit)
{
    struct rv_dwarf_cursor cursor = rv_dwarf_entries(unit, unit->first_entry);
    if (unit->version < 2 || unit->version > 5 || (unit->address_bytes != 8 && unit->address_bytes != 4)) {
        unit->first_entry = unit->end;
        return;
    }
    if (!take_entry(unit, abbrevs_of(unit), &cursor, wants_any, &unit->root))
        unit->root = (struct rv_dwarf_entry){0};
    if (unit->root.values[RV_DWARF_SPLIT_ID].kind == RV_DWARF_NUMBER)
        unit->id = unit->root.values[RV_DWARF_SPLIT_ID].number;
}

void rv_dwarf_file_init(struct rv_dwarf_file *file, struct rv_elf_file *elf, bool is_split)
{
    const char *identification = elf_getident(elf->elf, NULL);
    file->elf = elf;
    if (!identification || identification[EI_DATA] != ELFDATA2LSB)
        return;
    for (size_t i = 0; i < RV_DWARF_SECTION_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", SECTION_NAMES[i], is_split ? ".dwo" : "");
        file->sections[i] = rv_elf_file_section(elf, name);
    }
    struct rv_dwarf_cursor cursor = rv_dwarf_cursor(file->sections[RV_DWARF_INFO], 0);
    struct rv_dwarf_unit unit;
    while (cursor.at < cursor.end && take_unit(file, &cursor, &unit)) {
        file->units = rv_vec_reserve(file->units, &file->capacity, file->n_units + 1, sizeof *file->units);
        file->units[file->n_units++] = unit;
    }
    for (size_t i = 0; i < file->n_units; i++) {
        if (i && file->units[i].abbrev_offset != file->units[i - 1].abbrev_offset)
            forget_abbrevs(file);
        read_root(&file->units[i]);
    }
    forget_abbrevs(file);
}

void rv_dwarf_file_fini(struct rv_dwarf_file *file)
{
    for (size_t i = 0; i < file->n_units; i++)
        rv_dwarf_line_table_close(file->units[i].lines);
    forget_abbrevs(file);
    free(file->abbrevs);
    free(file->units);
    if (file->shared) {
        rv_dwarf_file_fini(file->shared);
        free(file->shared);
    }
    rv_elf_file_close(file->shared_elf);
    *file = (struct rv_dwarf_file){0};
}
