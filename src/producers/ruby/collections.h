/*
 * Garbage collections, counted: what is remembered by an object's address holds for one of them, for the next may free
 * or move the object and another is made there.
 */
#ifndef RV_PRODUCERS_RUBY_COLLECTIONS_H
#define RV_PRODUCERS_RUBY_COLLECTIONS_H

#include <stdint.h>

extern uint32_t rv_n_collections; /* [atomic] never 0 */

static inline uint32_t rv_collections_current(void)
{
    return __atomic_load_n(&rv_n_collections, __ATOMIC_RELAXED);
}

/* Objects that were not marked are freed from now on. Nothing is allocated. */
static inline void rv_collections_expire(void)
{
    __atomic_fetch_add(&rv_n_collections, 1, __ATOMIC_RELAXED);
}

#endif
