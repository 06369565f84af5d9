/* Ruby's event hooks: every call and return, changes of fibers, the begin of threads, garbage collections. */
#ifndef RV_PRODUCERS_RUBY_HOOKS_H
#define RV_PRODUCERS_RUBY_HOOKS_H

#include <stdbool.h>

enum rv_hooks_level {
    RV_HOOKS_RUBY,   /* methods written in Ruby */
    RV_HOOKS_BLOCKS, /* and blocks */
    RV_HOOKS_ALL     /* and methods written in C */
};

/*
 * Write events, once the main script has begun: what is loaded before it is left out.
 *   at_once  from now on, whatever is being loaded
 */
void rv_hooks_start(enum rv_hooks_level level, bool at_once);

#endif
