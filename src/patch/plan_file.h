/*
 * Which functions programs have, found once for all processes and sessions: a file each (base/private_cache.h).
 * Whatever a file says, its functions lie within the image's code.
 */
#ifndef RV_PATCH_PLAN_FILE_H
#define RV_PATCH_PLAN_FILE_H

#include "patch/patchable_functions.h"
#include "patch/plan_key.h"

#define RV_PATCH_PLANS "RINGVIZ_PLANS" /* environment: their folder; "off": there is none */

/*
 * Read what rv_patch_functions_find() has found in such an image.
 *   returns  0; -ENOENT, -EPERM, -EBADMSG: there is no plan, or none that is believed; -ENOMEM
 *   thread   any; allocates
 */
int rv_patch_plan_file_read(const char *folder, const struct rv_patch_plan_key *key, const struct rv_patch_image *image,
                            struct rv_patch_functions *all);

/*
 * Write it for others. Not of a file that changed just now, since it may change again without getting another time.
 *   returns  0, -EAGAIN: it changed; -E2BIG; a negative errno
 */
int rv_patch_plan_file_write(const char *folder, const struct rv_patch_plan_key *key,
                             const struct rv_patch_image *image, const struct rv_patch_functions *all);

#endif
