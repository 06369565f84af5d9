/*
 * Layout of a program's structs, from the DWARF of its file, of its debug file and of the file shared by dwz. Read anew
 * for each query, since there are few.
 */
#ifndef RV_SYMBOLS_DWARF_TYPES_H
#define RV_SYMBOLS_DWARF_TYPES_H

#include <stdbool.h>
#include <stdint.h>

struct rv_dwarf_types; /* opaque; one thread at a time */

/* NULL if the file cannot be read or has no DWARF. */
struct rv_dwarf_types *rv_dwarf_types_open(const char *path);
void rv_dwarf_types_close(struct rv_dwarf_types *types); /* NULL-safe */

/* Size of "struct NAME". All functions return false if DWARF lacks it. */
bool rv_dwarf_types_bytes(struct rv_dwarf_types *types, const char *name, uint64_t *n_bytes);

/* Offset of a member in "struct NAME"; "a.b.c" for a member of nested structs or unions. */
bool rv_dwarf_types_offset(struct rv_dwarf_types *types, const char *name, const char *path, uint64_t *offset);

/* The value of an enumerator of any enum. */
bool rv_dwarf_types_enumerator(struct rv_dwarf_types *types, const char *name, uint64_t *value);

#endif
