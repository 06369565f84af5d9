/*
 * Ruby counts all objects together; the holder of the GVL tells whose they are. Of Ractors that run at once it is
 * unknown.
 */
#include "producers/ruby/object_counts.h"

#include <stdbool.h>

#include "producers/ruby/ruby_api.h"
#include "ringviz/producer.h"

static VALUE total_key;
static bool is_counting;
static size_t n_seen; /* [atomic] */

/* Made since the last look. */
static size_t look(void)
{
    const size_t n = rb_gc_stat(total_key);
    return n - __atomic_exchange_n(&n_seen, n, __ATOMIC_RELAXED);
}

void rv_object_counts_tell(void)
{
    const size_t n = is_counting ? look() : 0;
    if (n > 0 && n <= UINT32_MAX)
        ringviz_objects((uint32_t)n);
}

void rv_object_counts_skip(void)
{
    if (is_counting)
        (void)look();
}

void rv_object_counts_start(void)
{
    total_key = RB_ID2SYM(rb_intern("total_allocated_objects"));
    (void)look(); /* creates symbols the first time */
    (void)look();
    is_counting = true;
}
