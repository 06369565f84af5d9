/* Ruby's event hooks: every call and return, changes of fibers, the begin of threads, garbage collections. */
#ifndef RV_PRODUCERS_RUBY_HOOKS_H
#define RV_PRODUCERS_RUBY_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

enum rv_hooks_level {
    RV_HOOKS_RUBY,   /* methods written in Ruby */
    RV_HOOKS_BLOCKS, /* and blocks */
    RV_HOOKS_ALL     /* and methods written in C */
};

struct rv_hooks_params { /* zero: methods from the main script on */
    enum rv_hooks_level level;
    bool is_at_once; /* what is loaded before the main script is written, too */
    bool has_lines, has_yjit;
    uint32_t allocations; /* as for rv_collections_start() */
};

/* Write events, once the main script has begun. */
void rv_hooks_start(const struct rv_hooks_params *params);

#endif
