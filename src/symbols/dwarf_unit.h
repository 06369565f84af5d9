/*
 * The DWARF of one file (versions 2 to 5, little-endian): its sections, its units, and an entry's attributes for the
 * address, declaration and parameters of functions and the layout of types. All of it is untrusted: an invalid offset
 * or form ends the unit that it is in, and nothing else.
 */
#ifndef RV_SYMBOLS_DWARF_UNIT_H
#define RV_SYMBOLS_DWARF_UNIT_H

#include "symbols/dwarf_cursor.h"
#include "base/hash_index.h"

enum rv_dwarf_section {
    RV_DWARF_INFO,
    RV_DWARF_ABBREV,
    RV_DWARF_LINE,
    RV_DWARF_STR,
    RV_DWARF_LINE_STR,
    RV_DWARF_STR_OFFSETS,
    RV_DWARF_ADDR,
    RV_DWARF_RANGES,
    RV_DWARF_RNGLISTS,
    RV_DWARF_SECTION_COUNT
};

struct rv_dwarf_file {
    struct rv_elf_file *elf; /* borrowed */
    struct rv_elf_bytes sections[RV_DWARF_SECTION_COUNT];
    struct rv_dwarf_unit *units; /* by offset */
    size_t n_units, capacity;
    struct rv_dwarf_abbrevs **abbrevs; /* read so far */
    size_t n_abbrevs, abbrevs_capacity;
    struct rv_hash_index abbrevs_at; /* by offset; 1 + index */
    struct rv_dwarf_file *shared;    /* the file shared by dwz; opened on first use */
    struct rv_elf_file *shared_elf;
    bool is_shared_tried;
};

enum rv_dwarf_kind {
    RV_DWARF_NONE,
    RV_DWARF_NUMBER,
    RV_DWARF_ADDRESS,
    RV_DWARF_ADDRESS_INDEX,
    RV_DWARF_TEXT,
    RV_DWARF_STRING,        /* offset in .debug_str, */
    RV_DWARF_LINE_STRING,   /* in .debug_line_str, */
    RV_DWARF_SHARED_STRING, /* in the shared file's strings, */
    RV_DWARF_STRING_INDEX,  /* index in the unit's table of string offsets */
    RV_DWARF_LIST_INDEX,
    RV_DWARF_ENTRY,       /* offset in .debug_info */
    RV_DWARF_SHARED_ENTRY /* in the shared file's .debug_info */
};

struct rv_dwarf_value {
    enum rv_dwarf_kind kind;
    uint64_t number;
    const char *text; /* may be NULL */
};

/* The attributes kept of an entry; DWARF's and GNU's codes for one attribute are merged. */
enum rv_dwarf_attribute {
    RV_DWARF_STMT_LIST,
    RV_DWARF_LOW_PC,
    RV_DWARF_HIGH_PC,
    RV_DWARF_COMP_DIR,
    RV_DWARF_ABSTRACT_ORIGIN,
    RV_DWARF_SPECIFICATION,
    RV_DWARF_DECL_FILE,
    RV_DWARF_DECL_LINE,
    RV_DWARF_RANGES_LIST,
    RV_DWARF_STR_OFFSETS_BASE,
    RV_DWARF_ADDR_BASE,
    RV_DWARF_RNGLISTS_BASE,
    RV_DWARF_RANGES_BASE, /* GNU's, of the ranges of a split unit */
    RV_DWARF_SPLIT_NAME,
    RV_DWARF_SPLIT_ID,
    RV_DWARF_NAME,
    RV_DWARF_BYTE_SIZE,
    RV_DWARF_CONST_VALUE,
    RV_DWARF_MEMBER_LOCATION,
    RV_DWARF_DECLARATION,
    RV_DWARF_TYPE,
    RV_DWARF_LINKAGE_NAME,
    RV_DWARF_ENCODING,
    RV_DWARF_BIT_SIZE,
    RV_DWARF_CALLING_CONVENTION,
    RV_DWARF_ARTIFICIAL,
    RV_DWARF_DEFAULTED,
    RV_DWARF_ATTRIBUTE_COUNT
};

struct rv_dwarf_entry {
    uint64_t tag;
    uint64_t next; /* offset of the next entry: its first child, if any */
    bool has_children;
    struct rv_dwarf_value values[RV_DWARF_ATTRIBUTE_COUNT];
};

struct rv_dwarf_unit {
    struct rv_dwarf_file *file;
    uint64_t offset, first_entry, end; /* in .debug_info */
    uint64_t abbrev_offset, id;        /* id: of a split unit and its skeleton */
    struct rv_dwarf_unit *skeleton;    /* of a split unit: addresses and lines are there */
    struct rv_dwarf_entry root;
    struct rv_dwarf_line_table *lines; /* read on first need */
    bool are_lines_tried;
    uint16_t version;
    uint8_t type, address_bytes, offset_bytes;
};

/* Read every unit with its root entry. */
void rv_dwarf_file_init(struct rv_dwarf_file *file, struct rv_elf_file *elf, bool is_split);
void rv_dwarf_file_fini(struct rv_dwarf_file *file);

/* The file shared by dwz, or NULL. */
struct rv_dwarf_file *rv_dwarf_file_shared(struct rv_dwarf_file *file);

/* Iterate over a unit's entries from `first_entry`, with attributes of functions and only tags of others.
 */
struct rv_dwarf_cursor rv_dwarf_entries(const struct rv_dwarf_unit *unit, uint64_t from);
bool rv_dwarf_next_function(struct rv_dwarf_unit *unit, struct rv_dwarf_cursor *cursor, struct rv_dwarf_entry *out);

/* Read the next entry with all its attributes. Tag 0 ends a list of children. */
bool rv_dwarf_next(struct rv_dwarf_unit *unit, struct rv_dwarf_cursor *cursor, struct rv_dwarf_entry *out);

/* The entry that an attribute refers to, and its unit; false if invalid. */
bool rv_dwarf_follow(struct rv_dwarf_unit **unit, const struct rv_dwarf_value *reference, struct rv_dwarf_entry *out);

/* Read a value of a form. An unknown form, whose length is unknown, breaks the cursor. */
struct rv_dwarf_value rv_dwarf_take_value(const struct rv_dwarf_unit *unit, struct rv_dwarf_cursor *cursor,
                                          uint64_t form);

/* Resolve an address or a string by the unit's tables; a string may be NULL. */
bool rv_dwarf_address(const struct rv_dwarf_unit *unit, const struct rv_dwarf_value *value, uint64_t *address);
const char *rv_dwarf_string(const struct rv_dwarf_unit *unit, const struct rv_dwarf_value *value);

/* An attribute of the unit's root that is a number; or 0. */
uint64_t rv_dwarf_number(const struct rv_dwarf_unit *unit, enum rv_dwarf_attribute attribute);

/* An item of a table of items of n_bytes; false if outside the table. */
bool rv_dwarf_item(struct rv_elf_bytes table, uint64_t base, uint64_t idx, unsigned n_bytes, uint64_t *item);

#endif
