#include "symbols/dwarf_types.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbols/debug_file.h"
#include "symbols/dwarf_names.h"
#include "symbols/dwarf_unit.h"

/* Limit of typedefs of typedefs of a struct. */
#define MOST_FOLLOWED 8

struct rv_dwarf_types {
    struct rv_elf_file *elf, *debug;
    struct rv_dwarf_file file;
};

struct found { /* an entry and its unit */
    struct rv_dwarf_unit *unit;
    struct rv_dwarf_entry entry;
};

struct rv_dwarf_types *rv_dwarf_types_open(const char *path)
{
    struct rv_dwarf_types *types = rv_alloc(1, sizeof *types);
    types->elf = rv_elf_file_open(path);
    if (types->elf)
        rv_dwarf_file_init(&types->file, types->elf, false);
    if (types->elf && !types->file.n_units && (types->debug = rv_debug_file_open(types->elf))) {
        rv_dwarf_file_fini(&types->file);
        rv_dwarf_file_init(&types->file, types->debug, false);
    }
    if (types->file.n_units)
        return types;
    rv_dwarf_types_close(types);
    return NULL;
}

void rv_dwarf_types_close(struct rv_dwarf_types *types)
{
    if (!types)
        return;
    rv_dwarf_file_fini(&types->file);
    rv_elf_file_close(types->debug);
    rv_elf_file_close(types->elf);
    free(types);
}

static bool has_name(const struct found *found, const char *name)
{
    const char *its = rv_dwarf_string(found->unit, &found->entry.values[RV_DWARF_NAME]);
    return its && strcmp(its, name) == 0;
}

static bool is_struct(const struct rv_dwarf_entry *entry)
{
    return entry->tag == RV_DW_TAG_STRUCTURE_TYPE || entry->tag == RV_DW_TAG_UNION_TYPE;
}

static bool find_in_file(struct rv_dwarf_file *file, uint64_t tag, const char *name, struct found *found)
{
    for (size_t i = 0; file && i < file->n_units; i++) {
        found->unit = &file->units[i];
        struct rv_dwarf_cursor cursor = rv_dwarf_entries(found->unit, found->unit->first_entry);
        while (rv_dwarf_next(found->unit, &cursor, &found->entry))
            if (found->entry.tag == tag && found->entry.values[RV_DWARF_DECLARATION].kind == RV_DWARF_NONE &&
                has_name(found, name))
                return true;
    }
    return false;
}

/* The first entry with that name that is not only a declaration. */
static bool find(struct rv_dwarf_types *types, uint64_t tag, const char *name, struct found *found)
{
    return find_in_file(&types->file, tag, name, found) ||
           find_in_file(rv_dwarf_file_shared(&types->file), tag, name, found);
}

/* Replace a struct by its member. */
static bool find_member(struct found *found, const char *name)
{
    struct rv_dwarf_cursor cursor = rv_dwarf_entries(found->unit, found->entry.next);
    struct found child = {.unit = found->unit};
    int depth = found->entry.has_children ? 0 : -1;
    while (depth >= 0 && rv_dwarf_next(child.unit, &cursor, &child.entry)) {
        if (depth == 0 && child.entry.tag == RV_DW_TAG_MEMBER && has_name(&child, name)) {
            *found = child;
            return true;
        }
        depth += child.entry.tag == 0 ? -1 : child.entry.has_children;
    }
    return false;
}

/* Replace a member by its struct or union. */
static bool find_struct_of(struct found *found)
{
    for (int i = 0; i < MOST_FOLLOWED; i++) {
        struct rv_dwarf_value type = found->entry.values[RV_DWARF_TYPE];
        if (!rv_dwarf_follow(&found->unit, &type, &found->entry))
            return false;
        if (is_struct(&found->entry))
            return true;
    }
    return false;
}

static bool get_number(const struct found *found, enum rv_dwarf_attribute attribute, uint64_t *number)
{
    const struct rv_dwarf_value *value = &found->entry.values[attribute];
    *number = value->number;
    return value->kind == RV_DWARF_NUMBER;
}

bool rv_dwarf_types_bytes(struct rv_dwarf_types *types, const char *name, uint64_t *n_bytes)
{
    struct found found;
    return find(types, RV_DW_TAG_STRUCTURE_TYPE, name, &found) && get_number(&found, RV_DWARF_BYTE_SIZE, n_bytes);
}

bool rv_dwarf_types_offset(struct rv_dwarf_types *types, const char *name, const char *path, uint64_t *offset)
{
    struct found found;
    char member[64];
    bool is_found = find(types, RV_DW_TAG_STRUCTURE_TYPE, name, &found);
    *offset = 0;
    while (is_found) {
        size_t n = strcspn(path, ".");
        uint64_t at = 0;
        if (n >= sizeof member)
            return false;
        memcpy(member, path, n);
        member[n] = '\0';
        is_found = find_member(&found, member);
        if (is_found && get_number(&found, RV_DWARF_MEMBER_LOCATION, &at)) /* a union's members have none */
            *offset += at;
        if (is_found && !path[n])
            return true;
        path += n + 1;
        is_found = is_found && find_struct_of(&found);
    }
    return false;
}

bool rv_dwarf_types_enumerator(struct rv_dwarf_types *types, const char *name, uint64_t *value)
{
    struct found found;
    return find(types, RV_DW_TAG_ENUMERATOR, name, &found) && get_number(&found, RV_DWARF_CONST_VALUE, value);
}
