/* Ruby's event hooks: every call and return, changes of fibers, the begin of threads, garbage collections. */
#ifndef RV_PRODUCERS_RUBY_HOOKS_H
#define RV_PRODUCERS_RUBY_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

enum rv_hooks_level {
    RV_HOOKS_RUBY,   /* methods written in Ruby */
    RV_HOOKS_OFF,    /* the same, from RingViz.start on */
    RV_HOOKS_BLOCKS, /* and blocks */
    RV_HOOKS_ALL     /* and methods written in C */
};

struct rv_hooks_params { /* zero: methods from the main script on */
    enum rv_hooks_level level;
    bool is_at_once; /* also what is loaded before the main script */
    bool has_lines, has_yjit;
    bool has_objects;     /* and how many objects each call makes */
    const char *targets;  /* as for rv_chosen_methods_start(): only these methods; or NULL */
    uint32_t allocations; /* as for rv_collections_start() */
};

/* Write events, once the main script has begun. */
void rv_hooks_start(const struct rv_hooks_params *params);

/* Pause: no calls are written until resumed, the fiber's open calls end, its spans go on. Resume also begins what
 * was off. Both need the GVL. */
void rv_hooks_pause(void);
void rv_hooks_resume(void);

#endif
