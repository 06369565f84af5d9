/*
 * Files that tracing opens while the program runs: where it has threads, in a child that has the process's memory, but
 * numbers of files of its own. A program that counts on the lowest free number, from any thread, gets it, outside of a
 * sandbox and of valgrind.
 */
#ifndef RV_PRODUCERS_NATIVE_OWN_FILES_H
#define RV_PRODUCERS_NATIVE_OWN_FILES_H

#include "producers/native/visibility.h"

/*
 * Run a function in that way, which makes system calls by rv_os_call() only, and opens its files; the caller waits
 * meanwhile.
 *   thread   any; async-signal-safe; keeps errno
 */
RV_HIDDEN void rv_own_files_run(void (*run)(void *context), void *context);

#endif
