/*
 * The owner's side of a ring that was claimed through monitor.h. What it does to its slots is told by events, too: who
 * watches the slots sees what the thread is in now, who drains the ring sees every call.
 *
 * One thread, the ring's owner, but where said otherwise.
 */
#ifndef RV_NATIVE_RING_WRITER_H
#define RV_NATIVE_RING_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/map.h"

struct rv_ring_writer;

/* Of no ring yet. NULL without memory. */
struct rv_ring_writer *rv_ring_writer_create(void);

/* NULL is fine. Nobody uses it any more. */
void rv_ring_writer_destroy(struct rv_ring_writer *scribe);

/* Begin with a ring that was just claimed. The map is borrowed until the ring is released. */
void rv_ring_writer_attach(struct rv_ring_writer *scribe, struct rv_map *map, uint32_t ring_idx);

/* Before the ring is released, by any thread: what the owner still pushes goes nowhere. */
void rv_ring_writer_detach(struct rv_ring_writer *scribe);

/*
 * A frame is entered, is left: both return the depth now.
 *   name   PACKAGE::NAME, of which events know the package
 *   shown  the same, as it fits into a slot
 */
int32_t rv_ring_writer_push(struct rv_ring_writer *scribe, const char *name, const char *shown);
int32_t rv_ring_writer_pop(struct rv_ring_writer *scribe);

/* The line that the innermost frame is on. False when there is none. */
bool rv_ring_writer_update(struct rv_ring_writer *scribe, uint32_t line);

#endif
