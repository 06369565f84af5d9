/*
 * What the structs of a program are like, by the DWARF of its file, of its debug file, and of what dwz has moved out of
 * them: read anew for each question, of which there are few.
 */
#ifndef RV_SYMBOLS_DWARF_TYPES_H
#define RV_SYMBOLS_DWARF_TYPES_H

#include <stdbool.h>
#include <stdint.h>

struct rv_dwarf_types; /* opaque; one thread at a time */

/* NULL where the file cannot be read, or there is no DWARF. */
struct rv_dwarf_types *rv_dwarf_types_open(const char *path);
void rv_dwarf_types_close(struct rv_dwarf_types *types); /* NULL-safe */

/* Of "struct NAME". All are false where DWARF does not say. */
bool rv_dwarf_types_bytes(struct rv_dwarf_types *types, const char *name, uint64_t *n_bytes);

/* Where a member is in "struct NAME"; "a.b.c" lies in members that are structs or unions themselves. */
bool rv_dwarf_types_offset(struct rv_dwarf_types *types, const char *name, const char *path, uint64_t *offset);

/* The value of an enumerator of any enum. */
bool rv_dwarf_types_enumerator(struct rv_dwarf_types *types, const char *name, uint64_t *value);

#endif
