/*
 * Files that one process leaves for later ones, in a folder of the user's cache. Some say what is written into
 * programs: folder and files are believed only where nobody but the user can have written them.
 */
#ifndef RV_BASE_PRIVATE_CACHE_H
#define RV_BASE_PRIVATE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* May nobody but the user write this file or folder? Others are not believed. */
bool rv_private_cache_is_private(const struct stat *file);

/* Open the file with this number to read it: a descriptor; -ENOENT, -EPERM: there is none, or none that is believed. */
int rv_private_cache_open(const char *folder, uint64_t number, uint64_t *n_bytes);

/* Write it, of parts one after another: whole, or not at all. 0 or a negative errno. */
int rv_private_cache_write(const char *folder, uint64_t number, const struct iovec *parts, size_t n_parts);

#define RV_PRIVATE_CACHE_BOOT_ID_BYTES 40u

/*
 * What tells this start of the machine from others. A file that is not waited for to reach the disk has it, and is not
 * believed after the next: none can be half written.
 *   boot_id  its bytes, padded with zeroes as it was
 *   returns  0 or a negative errno
 */
int rv_private_cache_boot_id(char boot_id[RV_PRIVATE_CACHE_BOOT_ID_BYTES]);

#endif
