/*
 * The dynamic loader of this process. It calls an empty function, for debuggers, whenever its list of objects is about
 * to change or has changed: new ones are mapped by then, and none of their code has run. A jump there calls us instead.
 */
#ifndef RV_NATIVE_LOADER_H
#define RV_NATIVE_LOADER_H

#include <stdint.h>

#include "patch/prepare.h"
#include "producers/native/visibility.h"

/*
 * What is to be written to have a function of ours called.
 *   object    the loader's image, as it is mapped
 *   changed   called with the loader's lock held; may allocate, not load
 *   returns   0; -ENOTSUP: that empty function is not as we know it; -ENOMEM
 */
RV_HIDDEN int rv_loader_prepare(const struct rv_patch_image *image, void (*changed)(void),
                                struct rv_patch_prepared *prepared);

#endif
