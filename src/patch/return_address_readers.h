/*
 * Images whose code reads return addresses, and would fail with others there: garbage collectors that find frames by
 * them, sanitizers. Known by texts among their constants, and by the names in their dynamic section.
 */
#ifndef RV_PATCH_RETURN_ADDRESS_READERS_H
#define RV_PATCH_RETURN_ADDRESS_READERS_H

#include "patch/image.h"

bool rv_patch_reads_return_addresses(const struct rv_patch_image *image);

#endif
