/*
 * Where a program's debug information lies when it is not in the program: found by the places and names that gdb and
 * elfutils use. Nothing is fetched; of debuginfod its cache on this machine is read.
 */
#ifndef RV_SYMBOLS_DEBUG_FILE_H
#define RV_SYMBOLS_DEBUG_FILE_H

#include <stddef.h>

#include "symbols/elf_file.h"

/*
 * The debug file of a stripped one: by build id below /usr/lib/debug/.build-id, in debuginfod's cache, as FILE.debug
 * beside it; by .gnu_debuglink (equal build ids, else its checksum) beside it, in .debug beside it, below
 * /usr/lib/debug. returns  NULL where there is none
 */
struct rv_elf_file *rv_debug_file_open(struct rv_elf_file *file);

/* What dwz has moved out of several files: the one that .gnu_debugaltlink names. NULL where there is none. */
struct rv_elf_file *rv_debug_file_open_shared(struct rv_elf_file *file);

/* The .dwo file of a unit, where it was made or, by its base name, beside the file. NULL where there is none. */
struct rv_elf_file *rv_debug_file_open_split(const struct rv_elf_file *file, const char *folder, const char *name);

#endif
