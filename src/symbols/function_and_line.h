/*
 * Names for code in files on disk: symbol, C++ name, declaration. Opens each file on first use and keeps the most
 * recently used ones open. Results are valid until fini.
 */
#ifndef RV_SYMBOLS_FUNCTION_AND_LINE_H
#define RV_SYMBOLS_FUNCTION_AND_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "symbols/symbolizer.h"
#include "symbols/string_pool.h"

#define RV_FUNCTION_AND_LINE_MAX_BUILD_ID 20u

/* A file that code was mapped from. */
struct rv_code_file {
    uint32_t number; /* dense and unique */
    const char *path, *link; /* link: where else it may be opened, or NULL */
    uint64_t device, inode;
    uint8_t build_id[RV_FUNCTION_AND_LINE_MAX_BUILD_ID];
    uint32_t build_id_bytes;
};

struct rv_function_and_line_file;

struct rv_function_and_line { /* zero = ready */
    struct rv_string_pool strings;
    struct rv_function_and_line_file *files; /* by number */
    size_t n_files;
    const struct rv_code_file **known; /* where imports may come from, in the order in which they were mapped */
    size_t n_known, known_capacity;
    size_t n_open;
    uint64_t n_uses;
};

/* One more file that is mapped: valid until fini. */
void rv_function_and_line_know(struct rv_function_and_line *namer, const struct rv_code_file *file);

/* Name the function at a link-time address of a file, or that of another file which the loader writes there, with the
 * other's package, and this one's path as file; without a symbol, or if the file was replaced, by its hex address
 * with the module's path as file. One thread at a time. */
void rv_function_and_line_name_code(struct rv_function_and_line *namer, const struct rv_code_file *file,
                                    uint64_t link_address, struct rv_symbolizer_name *name);

/* Name the object at a link-time address of a file: its variable, and where in it; else as code. */
void rv_function_and_line_name_object(struct rv_function_and_line *namer, const struct rv_code_file *file,
                                      uint64_t link_address, struct rv_symbolizer_name *name);

/* Name a place in a function as that, with the place's own file and line; "" and 0: unknown. */
void rv_function_and_line_name_site(struct rv_function_and_line *namer, const struct rv_code_file *file,
                                    uint64_t link_address, struct rv_symbolizer_name *name);

/* Name an address outside all known modules. */
void rv_function_and_line_name_address(struct rv_function_and_line *namer, uint64_t address,
                                       struct rv_symbolizer_name *name);

void rv_function_and_line_fini(struct rv_function_and_line *namer);

#endif
