/*
 * What is mapped into this process, as told to the trace file's module table.
 *
 * dlopen is announced before it happens and looked into afterwards, by the thread that called it, before its next event
 * is pushed: so code that was loaded is known before any of its events, constructors included. dlclose is looked into
 * before, for what is not told yet, and after.
 */
#ifndef RV_PRODUCERS_NATIVE_MAPPED_H
#define RV_PRODUCERS_NATIVE_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

/* A dlopen begins. Any thread, no guard needed. */
void rv_mapped_announce(void);

/* Something was announced and not looked into since. No guard needed. */
bool rv_mapped_is_stale(void);

/* Compare the loader's list with what was told, and tell the differences. Within a guard, process open, not locked. */
void rv_mapped_update(void);

/* Is what is mapped at an address what was mapped there at a time? False where that is not known. Process lock held. */
bool rv_mapped_has(uint64_t address, uint64_t ticks);

/* In the child of fork, process lock held: nothing was told by this process yet. */
void rv_mapped_forget(void);

#endif
