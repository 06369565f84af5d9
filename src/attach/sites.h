/* Between the bytes of a jump that is about to be written: no thread may go on there. */
#ifndef RV_ATTACH_SITES_H
#define RV_ATTACH_SITES_H

#include "attach/tracee.h"
#include "ring/attachment.h"

/*
 * Step all threads, which are stopped, out of these places, and leave out the functions into which a signal's frame on a
 * stack goes back.
 *   attachment  as read from the process: where its sites are
 *   returns     0; -EAGAIN: release all and try again; -EFAULT, -ESRCH
 */
int rv_sites_clear(struct rv_tracee *tracee, const struct rv_attachment *attachment);

#endif
