/* Ractors have their own hooks: each new one installs ours before it runs its block. */
#ifndef RV_PRODUCERS_RUBY_RACTORS_H
#define RV_PRODUCERS_RUBY_RACTORS_H

#include <stdbool.h>

/* Has there been another Ractor than the main one since the start? */
extern bool rv_ractors_has_been_any;

/* Is the main Ractor the only one? */
bool rv_ractors_is_single(void);

/* Once, as the library is loaded. */
void rv_ractors_prepare(void);

/* ours: called inside each, before its block. Needs ::RingViz. */
void rv_ractors_start(void (*ours)(void));

#endif
