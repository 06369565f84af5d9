/* Names of files for reports: a path, the path or the address of a socket, a range of bytes. */
#ifndef RV_PRODUCERS_NATIVE_FILE_TEXT_H
#define RV_PRODUCERS_NATIVE_FILE_TEXT_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/types.h>

#include "producers/native/visibility.h"
#include "ringviz/wire.h"

/*
 * The id of a name; 0: the file has none, or too many others have one by now. Of a connected Internet socket it is the
 * server's address, which is taken to be the one with the smaller port.
 *   range  that is locked; NULL: none
 * Any thread; async-signal-safe.
 */
RV_HIDDEN uint32_t rv_file_text_id(int fd, enum rv_wait_on on, const struct flock *range);

/* The id of the text for a place in a file that is mapped, whose path is as proc(5) has it. */
RV_HIDDEN uint32_t rv_file_text_id_in(const char *path, ino_t inode, uint64_t at);

#endif
