/* Facts of an image of this process that decide whether it is patched at all, and whether it is still the one that
 * was. */
#ifndef RV_PRODUCERS_NATIVE_IMAGE_FACTS_H
#define RV_PRODUCERS_NATIVE_IMAGE_FACTS_H

#include <stdbool.h>

#include "patch/image.h"
#include "producers/native/visibility.h"

/* Was it compiled with hooks? Then it names the functions that they call. */
RV_HIDDEN bool rv_image_has_hooks(const struct rv_patch_image *image);

/*
 * Has it little code, and libraries besides those that all programs of its language need? Then these do its work, as
 * libjq does jq's.
 */
RV_HIDDEN bool rv_image_is_thin(const struct rv_patch_image *program);

/* Is it one of those libraries, by its path, with so little code that planning it does not take long? */
RV_HIDDEN bool rv_image_is_worked_by(const struct rv_patch_image *program, const struct rv_patch_image *image,
                                     const char *path);

/*
 * What tells it from one that is mapped in its place later: a hash of its headers and of its notes, as far as they lie
 * in its first page. A build id is among them; without one, another build differs in its size or where it begins. While
 * nothing is unloaded.
 *   returns  0: there are none, or nothing is mapped there
 */
RV_HIDDEN uint64_t rv_image_fingerprint(const struct rv_patch_image *image);

#endif
