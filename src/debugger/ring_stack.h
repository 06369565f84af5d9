/* The call stack of a thread, from the events in its ring: for producers that answer no commands. */
#ifndef RV_DEBUGGER_RING_STACK_H
#define RV_DEBUGGER_RING_STACK_H

#include <stdint.h>

#include "ring/map.h"

struct rv_ring_stack; /* opaque; all functions are for one thread at a time */

/* The map must outlive it. */
struct rv_ring_stack *rv_ring_stack_create(struct rv_map *map);
void rv_ring_stack_destroy(struct rv_ring_stack *ring_stack); /* NULL is fine */

/*
 * A line for each open frame, innermost first: "#0 package::name at FILE line N", with the line where the function
 * begins. Calls from before the ring's oldest event are unknown: then a last line says so.
 *   ring     an existing ring; its owner keeps running, and the file is not changed
 *   returns  for free(), never NULL
 */
char *rv_ring_stack_show(struct rv_ring_stack *ring_stack, uint32_t ring);

#endif
