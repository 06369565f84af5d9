/* An ELF file on disk: is it the one that was mapped, and which function is at a link-time address? */
#ifndef RV_SYMBOLS_ELF_H
#define RV_SYMBOLS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_elf;
struct rv_dwarf;

/* What is known of the file that was mapped; zero = nothing. */
struct rv_elf_identity {
    uint64_t device, inode;
    const uint8_t *build_id;
    uint32_t build_id_bytes;
};

/*
 * Open, and read the function symbols: .symtab, else that of its debug file, else .dynsym.
 *   returns  NULL when it cannot be read, is not ELF, or is another file by now: by build id where both have one, else
 * by device and inode where they are known thread   one at a time per file
 */
struct rv_elf *rv_elf_open(const char *path, const struct rv_elf_identity *expected);

/* The function symbol that holds the address, or NULL. *start is its address. The string lives until close. */
const char *rv_elf_function(const struct rv_elf *elf, uint64_t link_address, uint64_t *start);

/* Where the file lies once it is mapped. */
struct rv_elf_image {
    bool is_relocatable;    /* addresses count from where it was mapped; else they are those of memory */
    uint64_t first_address; /* of its lowest segment, in whole pages */
};
struct rv_elf_image rv_elf_image(const struct rv_elf *elf);

/* The link-time address of a variable that the file exports by name. */
bool rv_elf_variable(const struct rv_elf *elf, const char *name, uint64_t *address);

/* DWARF of the file, or of its debug file: opened on first need, NULL where there is none. Ends with close. */
struct rv_dwarf *rv_elf_dwarf(struct rv_elf *elf);

void rv_elf_close(struct rv_elf *elf);

#endif
