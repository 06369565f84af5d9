/* Who has a lock of a file that another wants. */
#ifndef RV_PRODUCERS_NATIVE_FILE_LOCK_H
#define RV_PRODUCERS_NATIVE_FILE_LOCK_H

#include <fcntl.h>
#include <sys/types.h>

#include "producers/native/visibility.h"

/* All are async-signal-safe and keep errno. command: fcntl's, for which the lock is wanted; operation: flock's. */

/* What flock() locks, by whatever descriptor. */
struct rv_file_lock_file {
    dev_t device;
    ino_t inode; /* 0: none */
};

RV_HIDDEN struct rv_file_lock_file rv_file_lock_file(int fd);

/* A process that has the lock now; 0: none is known, as for a lock of an open file description. Of flock's, it takes
 * long to find out. */
RV_HIDDEN pid_t rv_file_lock_holder(int fd, int command, const struct flock *range);
RV_HIDDEN pid_t rv_file_lock_flock_holder(struct rv_file_lock_file file);

/*
 * The same before a call that is to wait, whose range may be a bad pointer. Takes the lock if it is free: the call then
 * finds it taken by its own process.
 */
RV_HIDDEN pid_t rv_file_lock_expect(int fd, int command, const struct flock *range);
RV_HIDDEN pid_t rv_file_lock_expect_flock(int fd, int operation);

#endif
