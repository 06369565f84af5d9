#include "patch/parts.h"

#include <stdatomic.h>

struct parts {
    void (*run)(void *context, unsigned worker, size_t part);
    void *context;
    size_t n;
    atomic_size_t next;
    atomic_uint n_workers;
};

static void take_parts(void *context)
{
    struct parts *parts = context;
    const unsigned worker = atomic_fetch_add_explicit(&parts->n_workers, 1, memory_order_relaxed);
    size_t part;
    while ((part = atomic_fetch_add_explicit(&parts->next, 1, memory_order_relaxed)) < parts->n)
        parts->run(parts->context, worker, part);
}

bool rv_patch_parts_run(rv_patch_share_fn *share, size_t n, void (*run)(void *context, unsigned worker, size_t part),
                        void *context)
{
    struct parts parts = {.run = run, .context = context, .n = n};
    if (share)
        return share(take_parts, &parts);
    take_parts(&parts);
    return true;
}
