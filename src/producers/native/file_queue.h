/*
 * Which queue of bytes a file has: the same number in every process, of the file's other end, too. A pipe and an
 * eventfd are one each; a connection has one for each direction; a socket that listens one of those that connect to it.
 */
#ifndef RV_PRODUCERS_NATIVE_FILE_QUEUE_H
#define RV_PRODUCERS_NATIVE_FILE_QUEUE_H

#include <stdint.h>
#include <sys/socket.h>

#include "producers/native/visibility.h"
#include "ringviz/wire.h"

/*
 * The queue that a file receives from, or sends into; 0: none, or unknown. on: rv_file_kind() of it. Async-signal-safe;
 * keep errno.
 */
RV_HIDDEN uint64_t rv_file_queue_in(int fd, enum rv_wait_on on);
RV_HIDDEN uint64_t rv_file_queue_out(int fd, enum rv_wait_on on);

/* The queue of a socket that listens at this address. */
RV_HIDDEN uint64_t rv_file_queue_of_address(const struct sockaddr *address, socklen_t n);

/* Note that these are a connected pair of sockets without names, whose peers the kernel may not report. */
RV_HIDDEN void rv_file_queue_pair(int a, int b);

#endif
