/* The dynamic section of an image: what the loader reads of it. */
#ifndef RV_PATCH_DYNAMIC_SECTION_H
#define RV_PATCH_DYNAMIC_SECTION_H

#include "patch/image.h"

/* The n-th library that it needs, from 0; NULL: it needs fewer. Borrowed from the image. */
const char *rv_patch_dynamic_section_needed(const struct rv_patch_image *image, size_t n);

/*
 * The table to which an entry leads: the loader has added the image's bias to its address, or is going to.
 *   size_tag  the entry of its size; DT_NULL: up to its segment's end
 *   returns   its first byte, and *n_bytes; NULL and 0: there is none. Borrowed from the image, of any alignment
 */
const uint8_t *rv_patch_dynamic_section_table(const struct rv_patch_image *image, int64_t tag, int64_t size_tag,
                                              size_t *n_bytes);

/* A dynamic symbol by its index, and its name, which is borrowed from the image; NULL: there is none. */
const char *rv_patch_dynamic_section_symbol(const struct rv_patch_image *image, uint32_t index, Elf64_Sym *symbol);

/* Is one of these among its dynamic symbols, of functions of its own or of any of others? */
bool rv_patch_dynamic_section_names(const struct rv_patch_image *image, const char *const *wanted, size_t n_wanted);

/* Has the image a function of this name for others? By its DT_GNU_HASH: without one it has none. */
bool rv_patch_dynamic_section_exports(const struct rv_patch_image *image, const char *name);

/* Is a symbol a function's, or of unknown type? */
static inline bool rv_patch_dynamic_section_is_function(const Elf64_Sym *symbol)
{
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

#endif
