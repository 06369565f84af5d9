/*
 * The owner's side of a ring claimed through monitor.h. Slot changes are also reported as events: observers of slots
 * see the current stack, consumers of the ring see every call.
 *
 * For one thread, the ring's owner, unless said otherwise.
 */
#ifndef RV_NATIVE_RING_WRITER_H
#define RV_NATIVE_RING_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/map.h"

struct rv_ring_writer;

/* Create without a ring. NULL without memory. */
struct rv_ring_writer *rv_ring_writer_create(void);

/* NULL-safe. It must not be in use. */
void rv_ring_writer_destroy(struct rv_ring_writer *writer);

/* Start using a ring just claimed. The map is borrowed until the ring is released. */
void rv_ring_writer_attach(struct rv_ring_writer *writer, struct rv_map *map, uint32_t ring_idx);

/* Before the ring is released; any thread. Later pushes of the owner are dropped. */
void rv_ring_writer_detach(struct rv_ring_writer *writer);

/*
 * Enter or leave a frame. Both return the new depth.
 *   name   PACKAGE::NAME, events have the package separately
 *   shown  the same, shortened for a slot
 */
int32_t rv_ring_writer_push(struct rv_ring_writer *writer, const char *name, const char *shown);
int32_t rv_ring_writer_pop(struct rv_ring_writer *writer);

/* Set the line of the innermost frame. False without a frame. */
bool rv_ring_writer_update(struct rv_ring_writer *writer, uint32_t line);

#endif
