/*
 * While Ruby 3.1 has a hook on collections, each object is made the slow way, under a lock, although only hooks on objects
 * need that. The flag (has_hook of struct rb_objspace, gc.c) is found by what the hook changes there, and cleared: which
 * hooks there are stands in the word behind it. Ruby sets the flag whenever hooks change.
 */
#include "producers/ruby/collection_hooks.h"

#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

#define N_WORDS 256u /* of struct rb_vm, which is larger */
#define HAS_HOOK (1u << 8)

struct object_space { /* its first members */
    size_t malloc_limit, malloc_increase;
    uint32_t flags, hook_events;
};

extern struct object_space *const *ruby_current_vm_ptr;

static struct object_space *space; /* NULL: not found */
static rb_event_flag_t hooked;

/* A word may be anything: what it points to is copied by the kernel, which refuses what is no memory. */
static struct object_space look_at(size_t word)
{
    struct object_space seen = {0};
    const struct iovec there = {ruby_current_vm_ptr[word], sizeof seen}, here = {&seen, sizeof seen};
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != (ssize_t)sizeof seen)
        seen.hook_events = UINT32_MAX;
    return seen;
}

void rv_collection_hooks_add(rb_event_hook_func_t hook, rb_event_flag_t events)
{
    uint32_t before[N_WORDS]; /* flags; those of what cannot be it have HAS_HOOK */
    for (size_t i = 0; i < N_WORDS; i++) {
        const struct object_space seen = look_at(i);
        before[i] = seen.hook_events ? HAS_HOOK : seen.flags;
    }
    rb_add_event_hook(hook, events, Qnil);
    for (size_t i = 0; i < N_WORDS && !space; i++) {
        const struct object_space seen = look_at(i);
        if (seen.hook_events == events && !(before[i] & HAS_HOOK) && seen.flags == (before[i] | HAS_HOOK))
            space = ruby_current_vm_ptr[i];
    }
    hooked = events;
    rv_collection_hooks_spare();
}

void rv_collection_hooks_spare(void)
{
    if (space && space->hook_events == hooked)
        space->flags &= ~HAS_HOOK;
}
