/*
 * Garbage collections: a call of GC.minor, GC.major or GC.step inside the method that they interrupt, with their
 * reasons, and the heap's size as values. They are counted, too: an object's address identifies it until the next one
 * only, which may free or move the object.
 */
#ifndef RV_PRODUCERS_RUBY_COLLECTIONS_H
#define RV_PRODUCERS_RUBY_COLLECTIONS_H

#include <stdint.h>

extern uint32_t rv_n_collections; /* [atomic] never 0 */

/* Changes with each collection, before an object is freed. */
static inline uint32_t rv_collections_current(void)
{
    return __atomic_load_n(&rv_n_collections, __ATOMIC_RELAXED);
}

/* Once, before the following: they are counted from now on. */
void rv_collections_prepare(void);

/*
 * Write them from now on.
 *   allocations  also one call of CLASS.allocate for each so many objects that are made; 0: none
 */
void rv_collections_start(uint32_t allocations);

/* Those that the calling Ractor runs, too. */
void rv_collections_begin_ractor(void);

#endif
