/*
 * Is a process alive? By locks that the kernel drops at its death; where a lock is gone, by /proc.
 *
 * The locks are OFD locks on single bytes behind the end of the trace file, numbered in ringviz/wire.h. All
 * functions are async-signal-safe and keep errno.
 */
#ifndef RV_RING_PROCESS_LIVENESS_H
#define RV_RING_PROCESS_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* False when another open file description holds the byte. Locking a byte that this description holds succeeds. */
bool rv_process_liveness_lock(int fd, uint64_t byte);
bool rv_process_liveness_lock_shared(int fd, uint64_t byte); /* shared: many may hold it */
void rv_process_liveness_unlock(int fd, uint64_t byte);

/* Does another open file description hold any of these bytes? 0.7 us. */
bool rv_process_liveness_is_locked(int fd, uint64_t first_byte, uint64_t n_bytes);

/*
 * The same for many bytes at once. The kernel joins a process's locks on neighbouring bytes, so that a few calls find
 * most of them.
 *   is_locked  a bit per byte, all 0; set are those of bytes found locked. The others may be locked, too.
 */
void rv_process_liveness_find_locked(int fd, uint64_t first_byte, uint64_t n_bytes, uint64_t *is_locked);

/* Is this process (not a later one with the same pid) running? A zombie does not. */
bool rv_process_liveness_is_running(uint32_t pid, uint64_t start);

/* Has the process mapped the file with this inode? Also true when /proc may not be read. */
bool rv_process_liveness_maps_file(uint32_t pid, ino_t inode);

#endif
