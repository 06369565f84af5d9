/*
 * The functions of an ELF file whose names match: by its symbols, .symtab or else .dynsym. The file is input. Each
 * function is also called 0x and its address in the file, in lower case, as reports call those without a symbol: for
 * patterns with "0x" in them, which others shall not match by chance.
 */
#ifndef RV_PATCH_FUNCTIONS_BY_NAME_H
#define RV_PATCH_FUNCTIONS_BY_NAME_H

#include "patch/patchable_functions.h"

struct rv_patch_names {
    uint64_t *addresses; /* rising; as they are mapped */
    size_t n, capacity;
};

struct rv_patch_name { /* of a function that is asked for */
    const char *name;
    uint32_t number;
};

struct rv_patch_named { /* where it is */
    uint64_t address;
    uint32_t number;
};

/*
 *   pattern  an extended regular expression, anywhere in a symbol's name
 *   image    of the same file, as it is mapped
 *   returns  0; -EINVAL: the pattern; -ENOMEM; -EBADMSG; -errno: the file. To be ended in any case.
 */
int rv_patch_names_read(struct rv_patch_names *names, const char *path, const char *pattern,
                        const struct rv_patch_image *image);

/* Has the file names of fewer functions than n? One that cannot be read has none. */
bool rv_patch_names_are_fewer(const char *path, const struct rv_patch_image *image, size_t n);

/* Can a pattern match a function that is called by its address? */
bool rv_patch_names_has_addresses(const char *pattern);

/* Add those that it matches. 0; as above. */
int rv_patch_names_add_addresses(struct rv_patch_names *names, const char *pattern, const struct rv_patch_image *image,
                                 const struct rv_patch_functions *all);

/*
 * The functions of a file with given names.
 *   wanted   n, by rising strcmp()
 *   *named   their addresses, rising; n_named; to be freed
 *   returns  0; as above
 */
int rv_patch_names_find(const char *path, const struct rv_patch_image *image, const struct rv_patch_name *wanted,
                        size_t n, struct rv_patch_named **named, size_t *n_named);

struct rv_patch_filter { /* patterns over full names; NULL: none */
    const char *include, *exclude;
};

/*
 * The functions of a file that a filter rejects by all of their names. A mangled name, or one with a suffix, is shown
 * otherwise by readers of the trace: it is rejected where no form of it can be included. Of all functions, those
 * without a name are judged by their addresses, as readers call them, unless there may be a file of separate debug
 * information, where readers would find their names.
 *   called   path of the program or library, whose name theirs begin with
 *   returns  0; as above. To be ended in any case.
 */
int rv_patch_names_filter(struct rv_patch_names *names, const char *path, const char *called,
                          const struct rv_patch_filter *filter, const struct rv_patch_image *image,
                          const struct rv_patch_functions *all);

/* Has the function at this address a name that matches? */
bool rv_patch_names_match(const struct rv_patch_names *names, uint64_t address);

void rv_patch_names_end(struct rv_patch_names *names);

#endif
