/* Symbols of an ELF file on disk, which must be the file that was mapped. */
#ifndef RV_SYMBOLS_ELF_SYMBOLS_H
#define RV_SYMBOLS_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_elf;
struct rv_dwarf;

/* Identity of the mapped file; zeroed = unknown. */
struct rv_elf_identity {
    uint64_t device, inode;
    const uint8_t *build_id;
    uint32_t build_id_bytes;
};

/*
 * Open, and read the function symbols: .symtab, else that of its debug file, else .dynsym.
 *   returns  NULL when it cannot be read, is not ELF, or differs from the expected file: by build id if both have one,
 *            else by device and inode if known
 *   thread   one at a time per file
 */
struct rv_elf *rv_elf_open(const char *path, const struct rv_elf_identity *expected);

/* The function symbol that contains the address, or NULL; *start is its address. Valid until close. */
const char *rv_elf_function(const struct rv_elf *elf, uint64_t link_address, uint64_t *start);

/* The function symbols in order, NULL behind the last one; one at each address. Valid until close. */
const char *rv_elf_function_at(const struct rv_elf *elf, size_t idx, uint64_t *start);

/* As rv_elf_function() for a variable; its symbols are read at the first call. */
const char *rv_elf_variable_at(struct rv_elf *elf, uint64_t link_address, uint64_t *start);

/* The name of the function of another file whose address the loader writes to a word at this address; NULL: none. Read
 * at the first call; valid until close. */
const char *rv_elf_import_at(struct rv_elf *elf, uint64_t link_address);

/* The base name of the i-th library that the file needs, NULL behind the last. Valid until close. */
const char *rv_elf_needed(const struct rv_elf *elf, size_t i);

/* How the file is mapped. */
struct rv_elf_image {
    bool is_relocatable;    /* link-time addresses are relative to the mapping; else absolute */
    uint64_t first_address; /* of its lowest segment, in whole pages */
};
struct rv_elf_image rv_elf_image(const struct rv_elf *elf);

/* The link-time address of a variable, of a function, that the file exports by name. */
bool rv_elf_variable(const struct rv_elf *elf, const char *name, uint64_t *address);
bool rv_elf_exported_function(const struct rv_elf *elf, const char *name, uint64_t *address);

/* DWARF of the file, or of its debug file: opened on first use, NULL if there is none. Closed with the file. */
struct rv_dwarf *rv_elf_dwarf(struct rv_elf *elf);

void rv_elf_close(struct rv_elf *elf);

#endif
