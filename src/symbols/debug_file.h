/*
 * Finds separate debug information, in the places and under the names that gdb and elfutils use; from servers last,
 * where that is asked for (debuginfod.h).
 */
#ifndef RV_SYMBOLS_DEBUG_FILE_H
#define RV_SYMBOLS_DEBUG_FILE_H

#include <stddef.h>

#include "symbols/elf_file.h"

/*
 * The debug file of a stripped one: by build id below /usr/lib/debug/.build-id and in debuginfod's cache; as FILE.debug
 * in its folder; by .gnu_debuglink (equal build ids, else its checksum) in its folder, in .debug there, and below
 * /usr/lib/debug; from debuginfod's servers, if it has no debug information of its own.
 *   returns  NULL when not found
 */
struct rv_elf_file *rv_debug_file_open(struct rv_elf_file *file);

/* The file that .gnu_debugaltlink names, with the parts that dwz shares between files. NULL when not found. */
struct rv_elf_file *rv_debug_file_open_shared(struct rv_elf_file *file);

/* The .dwo file of a unit, at its original path or, by base name, in the file's folder. NULL when not found. */
struct rv_elf_file *rv_debug_file_open_split(const struct rv_elf_file *file, const char *folder, const char *name);

#endif
