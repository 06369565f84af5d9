/* The call stack of a thread, from the events in its ring. */
#ifndef RV_DEBUGGER_RING_STACK_H
#define RV_DEBUGGER_RING_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"

struct rv_ring_stack; /* opaque; all functions are for one thread at a time */

/* The map must outlive it. */
struct rv_ring_stack *rv_ring_stack_create(struct rv_map *map);
void rv_ring_stack_destroy(struct rv_ring_stack *ring_stack); /* NULL is fine */

enum rv_ring_stack_kind {
    RV_RING_STACK_NATIVE, /* found at an address */
    RV_RING_STACK_C,      /* named by a producer, but written in C: a Perl sub's XS, a method of Ruby's own */
    RV_RING_STACK_SUB     /* of the producer's language */
};

struct rv_ring_stack_frame {
    enum rv_ring_stack_kind kind;
    const char *call; /* "package::name" */
    const char *file; /* "" = unknown */
    uint32_t line;    /* where the function begins; 0 = unknown */
};

/*
 * Call `visit` for each open frame, innermost first; its texts are lent until it returns.
 *   ring     an existing ring; its owner keeps running, and the file is not changed
 *   returns  0; or, where older calls are unknown, the number of events that were left
 */
typedef void rv_ring_stack_visit_fn(void *context, const struct rv_ring_stack_frame *frame);
size_t rv_ring_stack_visit(struct rv_ring_stack *ring_stack, uint32_t ring, rv_ring_stack_visit_fn *visit,
                           void *context);

/*
 * A line for each open frame, innermost first: "#0 package::name at FILE line N", with the line where the function
 * begins. Calls from before the ring's oldest event are unknown: then a last line says so.
 *   ring     as above
 *   returns  for free(), never NULL
 */
char *rv_ring_stack_show(struct rv_ring_stack *ring_stack, uint32_t ring);

#endif
