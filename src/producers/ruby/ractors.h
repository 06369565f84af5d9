/* Ractors have their own hooks: each new one installs ours before it runs its block. */
#ifndef RV_PRODUCERS_RUBY_RACTORS_H
#define RV_PRODUCERS_RUBY_RACTORS_H

/* Once, as the library is loaded. */
void rv_ractors_prepare(void);

/* ours: called inside each, before its block. Needs ::RingViz. */
void rv_ractors_start(void (*ours)(void));

#endif
