/* Where a thread is, by the calls and returns that its ring holds: of producers that answer no questions. */
#ifndef RV_DEBUGGER_RING_STACK_H
#define RV_DEBUGGER_RING_STACK_H

#include <stdint.h>

#include "ring/map.h"

struct rv_ring_stack; /* opaque; all functions are for one thread at a time */

/* The map must outlive it. */
struct rv_ring_stack *rv_ring_stack_create(struct rv_map *map);
void rv_ring_stack_destroy(struct rv_ring_stack *ring_stack); /* NULL is fine */

/*
 * A line for each frame that is open now, innermost first: "#0 package::name at FILE line N", with the line that the
 * function begins at. Calls that began before the oldest event in the ring cannot be known: a last line says so.
 *   ring     one that there is; its owner goes on meanwhile, and nothing in the file is changed
 *   returns  for free(), never NULL
 */
char *rv_ring_stack_show(struct rv_ring_stack *ring_stack, uint32_t ring);

#endif
