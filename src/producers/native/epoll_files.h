/* Which files epoll watches, by the data that come with those that are ready. */
#ifndef RV_PRODUCERS_NATIVE_EPOLL_FILES_H
#define RV_PRODUCERS_NATIVE_EPOLL_FILES_H

#include <stdint.h>

#include "producers/native/visibility.h"

/* A file is watched with these data: of several with the same, the last counts. Any thread; async-signal-safe. */
RV_HIDDEN void rv_epoll_files_add(int epoll, uint64_t data, int fd);

/* -1: unknown. */
RV_HIDDEN int rv_epoll_files_find(int epoll, uint64_t data);

#endif
