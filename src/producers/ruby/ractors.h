/* Ractors have their own hooks: each new one installs ours before it runs its block. */
#ifndef RV_PRODUCERS_RUBY_RACTORS_H
#define RV_PRODUCERS_RUBY_RACTORS_H

#include <stdbool.h>

/* Is the main Ractor the only one? */
bool rv_ractors_is_single(void);

/* Once, as the library is loaded. */
void rv_ractors_prepare(void);

/*
 * Needs ::RingViz.
 *   before  called before another than the main one is made, and now if there are others
 *   inside  called inside each new one, before its block
 */
void rv_ractors_start(void (*before)(void), void (*inside)(void));

#endif
