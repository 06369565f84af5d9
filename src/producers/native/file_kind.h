/* What an open file is, for those who wait for it. */
#ifndef RV_PRODUCERS_NATIVE_FILE_KIND_H
#define RV_PRODUCERS_NATIVE_FILE_KIND_H

#include "producers/native/visibility.h"
#include "ringviz/wire.h"

/* RV_WAIT_ON_NOTHING: it is not open. Async-signal-safe; keeps errno. */
RV_HIDDEN enum rv_wait_on rv_file_kind(int fd);

/* Of what /proc has of it: in "fd/" the link to it, in "fdinfo/" a text. */
#define RV_FILE_PATH_BYTES 32
RV_HIDDEN void rv_file_path(char path[RV_FILE_PATH_BYTES], const char *folder, unsigned fd);

#endif
