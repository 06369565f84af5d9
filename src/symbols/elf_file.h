/*
 * An ELF file on disk and its sections.
 *
 * Files are untrusted: they are read through libelf with pread, never mapped, since truncating a mapped file would kill
 * the reader by SIGBUS.
 */
#ifndef RV_SYMBOLS_ELF_FILE_H
#define RV_SYMBOLS_ELF_FILE_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define RV_BUILD_ID_MAX 64u /* bytes; longer ones are ignored */

struct rv_elf_file {
    int fd;
    Elf *elf;
    char *path;
    struct stat status;
    uint8_t build_id[RV_BUILD_ID_MAX];
    uint32_t build_id_bytes; /* 0: none */
};

struct rv_elf_bytes { /* valid while the file is open */
    const uint8_t *at;
    size_t n;
};

/* NULL when it cannot be read, or is not ELF. */
struct rv_elf_file *rv_elf_file_open(const char *path);

/* A section by its name, decompressed if needed; n 0 if there is none. */
struct rv_elf_bytes rv_elf_file_section(struct rv_elf_file *file, const char *name);

/* Has it such a section? Reads none. */
bool rv_elf_file_has_section(const struct rv_elf_file *file, const char *name);

/* The first section of a type, and its header; NULL if there is none. */
Elf_Scn *rv_elf_file_find(const struct rv_elf_file *file, uint32_t type, GElf_Shdr *header);

/* Has the file this build id? */
bool rv_elf_file_has_build_id(const struct rv_elf_file *file, const uint8_t *build_id, uint32_t build_id_bytes);

/* NULL-safe. */
void rv_elf_file_close(struct rv_elf_file *file);

#endif
