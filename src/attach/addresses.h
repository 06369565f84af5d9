/* Where things are in a process: its mappings, and what its C library and loader export. */
#ifndef RV_ATTACH_ADDRESSES_H
#define RV_ATTACH_ADDRESSES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/ptrace.h"

/* Where the file with this path is mapped from; 0: nowhere. */
uint64_t rv_addresses_file(pid_t pid, const char *path);

/* dlopen of the program's own C library, not of one that dlmopen has loaded and that may be unloaded; or what it had in
 * its place before 2.34; 0: none. */
uint64_t rv_addresses_dlopen(const struct rv_ptrace *tracee);

/* What the handlers of its signals return to, in the same C library: who calls dlopen from there gets what the program
 * would get. 0: none. */
uint64_t rv_addresses_restorer(const struct rv_ptrace *tracee);

/*
 * The mutex that a thread has locked while it loads or unloads, constructors and destructors included; 0: unknown. It
 * is in a variable of the loader that is not described anywhere: it is found as the first of two recursive mutexes that
 * follow the number of namespaces.
 */
uint64_t rv_addresses_loader_lock(const struct rv_ptrace *tracee);

#endif
