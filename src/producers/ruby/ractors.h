/* Ractors have hooks of their own: each that is begun from now on puts ours into itself before it runs its block. */
#ifndef RV_PRODUCERS_RUBY_RACTORS_H
#define RV_PRODUCERS_RUBY_RACTORS_H

/* ours: called inside each, before its block. Needs ::RingViz. */
void rv_ractors_start(void (*ours)(void));

#endif
