/*
 * What rv_patch_prepare() makes of a program (prepare.h), in a file for later processes (base/private_cache.h): its
 * stubs, to be mapped, its sites, and which copy of its code has their jumps (patched_copies.h). Who finds it loads no
 * planner.
 *
 * Stubs lie as far from the code as they did where they were made, and addresses in them are moved by as much as the
 * program is. The file is for one state of a program, one way to choose its functions, and until the machine is started
 * anew, as copies are.
 */
#ifndef RV_PATCH_PREPARED_FILE_H
#define RV_PATCH_PREPARED_FILE_H

#include "patch/prepare.h"

/*
 * Take what is there for a request.
 *   prepared  as rv_patch_prepare() makes it, with a copy; zeroed when there is none
 *   returns   0; -ENOENT, -EPERM, -EBADMSG: there is none, or none that is believed, or no copy; -EEXIST: where the
 *             stubs belong is something else; -ENOMEM
 *   thread    any; allocates
 */
int rv_patch_prepared_file_read(const struct rv_patch_request *request, struct rv_patch_prepared *prepared);

/* Of either origin. */
void rv_patch_prepared_free_sites(struct rv_patch_prepared *prepared);

/* Write what was prepared with a copy. 0; -ENOENT: a request of this kind has no such file; a negative errno. */
int rv_patch_prepared_file_write(const struct rv_patch_request *request, const struct rv_patch_plan_key *key,
                                 const struct rv_patch_prepared *prepared);

#endif
