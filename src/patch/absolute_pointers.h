/* Absolute addresses in an image's data, as jump tables of code that is not position-independent have them. */
#ifndef RV_PATCH_ABSOLUTE_POINTERS_H
#define RV_PATCH_ABSOLUTE_POINTERS_H

#include <stdint.h>

#include "patch/image.h"

typedef void rv_patch_pointer_fn(void *context, uint64_t pointer);

/*
 * Give each word that may be one, at most once for each place: the aligned words of all data, and what the loader
 * writes there, since a thread may be in the loader, which has not done so yet. O(bytes of data).
 */
void rv_patch_pointers_read(const struct rv_patch_image *image, rv_patch_pointer_fn *found, void *context);

#endif
