/* Ruby's event hooks: every call and return, changes of fibers, the begin of threads, garbage collections. */
#ifndef RV_PRODUCERS_RUBY_HOOKS_H
#define RV_PRODUCERS_RUBY_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

enum rv_hooks_level {
    RV_HOOKS_RUBY,   /* methods written in Ruby */
    RV_HOOKS_OFF,    /* the same, once the program asks for it */
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

/* Write no calls until it is resumed; what the fiber has called ends, its spans go on. One that was off begins. Needs the GVL. */
void rv_hooks_pause(void);
void rv_hooks_resume(void);

#endif
