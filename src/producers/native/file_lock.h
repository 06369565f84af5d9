/* Who has a lock of a file that another wants. */
#ifndef RV_PRODUCERS_NATIVE_FILE_LOCK_H
#define RV_PRODUCERS_NATIVE_FILE_LOCK_H

#include <fcntl.h>
#include <sys/types.h>

#include "producers/native/linkage.h"

/* All are async-signal-safe and keep errno. command: fcntl's, for which the lock is wanted; operation: flock's. */

/* A process that has it now; 0: none is known, as of a lock of an open file description, or none has it. */
RV_HIDDEN pid_t rv_file_lock_holder(int fd, int command, const struct flock *range);
RV_HIDDEN pid_t rv_file_lock_flock_holder(int fd);

/* The same before a call that is to wait, whose range may be a bad pointer. A lock that is free is taken here already: then
 * the call finds it taken, by itself. */
RV_HIDDEN pid_t rv_file_lock_expect(int fd, int command, const struct flock *range);
RV_HIDDEN pid_t rv_file_lock_expect_flock(int fd, int operation);

#endif
