/* Facts of an image of this process that decide whether it is patched at all. */
#ifndef RV_PRODUCERS_NATIVE_IMAGE_FACTS_H
#define RV_PRODUCERS_NATIVE_IMAGE_FACTS_H

#include <stdbool.h>

#include "patch/image.h"
#include "producers/native/linkage.h"

/* Its code reads return addresses, and would fail with others there: garbage collectors that find frames by them,
 * sanitizers. */
RV_HIDDEN bool rv_image_reads_return_addresses(const struct rv_patch_image *image);

/* It was compiled with hooks: it names what they call. */
RV_HIDDEN bool rv_image_has_hooks(const struct rv_patch_image *image);

/* It has little code, and needs libraries other than those that programs of its language need: they do its work, as libjq
 * does jq's. */
RV_HIDDEN bool rv_image_is_thin(const struct rv_patch_image *program);

/* A library of those, by its path, unless it has so much code that to plan it would take long. */
RV_HIDDEN bool rv_image_is_worked_by(const struct rv_patch_image *program, const struct rv_patch_image *image,
                                     const char *path);

#endif
