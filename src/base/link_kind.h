/* What an open file is, by its name in /proc/PID/fd. System calls are not made: for hooks. */
#ifndef RV_BASE_LINK_KIND_H
#define RV_BASE_LINK_KIND_H

#include "ringviz/wire.h"

/* "pipe:[1234]", "anon_inode:[eventfd]", "/dev/pts/0", "/a/path"; RV_WAIT_ON_OTHER: none of them. */
enum rv_wait_on rv_link_kind(const char *target);

#endif
