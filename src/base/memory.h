/*
 * What happens when the system refuses memory. An allocator calls rv_memory_refused() and tries again: the first time
 * that gives up a reserve, the next time it ends the program. So no caller of an allocator has a failure path. A
 * session reads no more events once rv_memory_is_short(); the reserve is for its report.
 */
#ifndef RV_BASE_MEMORY_H
#define RV_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Keep a reserve from here on. Without one a refusal ends the program. */
void rv_memory_keep_reserve(void);

/*
 * An allocation was refused. Returns when it may succeed now; else ends the program, by quick_exit(), with one line.
 *   n_bytes  that were asked for, for the line; 0 = not known
 *   n_tries  how often this allocation was refused before
 *   thread   any
 */
void rv_memory_refused(size_t n_bytes, unsigned n_tries);

/* The reserve was given up. Any thread. */
bool rv_memory_is_short(void);

#endif
