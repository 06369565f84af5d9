/*
 * Reads and writes of as many bytes as are asked for: short ones are continued, interrupted ones repeated. Of the C
 * library alone, and silent: callers say what failed. Any thread.
 */
#ifndef RV_BASE_FILE_IO_H
#define RV_BASE_FILE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read up to n bytes at an offset of a file. Returns their number, less than n at the file's end, or a negative errno,
 * which is in errno, too. */
ssize_t rv_file_read_at(int fd, void *bytes, size_t n, uint64_t offset);

/* Write n bytes at an offset of a file, or at the descriptor's position. Returns 0 or a negative
 * errno, which is in errno, too. */
int rv_file_write_at(int fd, const void *bytes, size_t n, uint64_t offset);
int rv_file_write(int fd, const void *bytes, size_t n);

#endif
