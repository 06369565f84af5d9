/*
 * Reports the modules mapped into this process to the trace file's module table.
 *
 * dlopen is announced before it happens, and the list is updated afterwards by the calling thread before its next
 * event. So code is known before any of its events, constructors included. dlclose updates the list before, for
 * unreported modules, and after.
 */
#ifndef RV_PRODUCERS_NATIVE_MODULES_H
#define RV_PRODUCERS_NATIVE_MODULES_H

#include <stdbool.h>
#include <stdint.h>

/* A dlopen begins. Any thread, no guard needed. */
void rv_native_modules_announce(void);

/* Is an update needed after an announcement? No guard needed. */
bool rv_native_modules_is_stale(void);

/* Compare the loader's list with the reported modules, and report the differences. Within a guard, process open, its
 * lock held. */
void rv_native_modules_update(void);

/* Is the same module mapped at an address now as at a time? False if unknown. Process lock held. */
bool rv_native_modules_has(uint64_t address, uint64_t ticks);

/* In the child of fork, process lock held: nothing was reported by this process yet. */
void rv_native_modules_forget(void);

#endif
