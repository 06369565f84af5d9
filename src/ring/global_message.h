/*
 * The global message: one sender, one receiver, any length, through an area of global_bytes in chunks that the receiver
 * acknowledges one by one. Sender and receiver each hold a lock byte, so that the death of either is noticed and its
 * role can be taken over. No function waits longer than its timeout.
 *
 *   G1 -> G2  chunk and its words before the state "a chunk is there"
 *   G3 -> G4  the chunk is copied before the state "taken"
 */
#ifndef RV_RING_GLOBAL_MESSAGE_H
#define RV_RING_GLOBAL_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"

/*
 * Send a message. All but its last chunk, which may be all of it, must be received before this returns; the last stays
 * until it is received or replaced by the next message.
 *   timeout_ns  for all of it
 *   returns     0; -EBUSY another thread is sending; -ETIMEDOUT: an earlier chunk, or the previous message, was not
 *               received
 *   thread      any
 */
int rv_global_message_post(struct rv_map *map, const void *message, size_t n_bytes, uint64_t timeout_ns);

/*
 * Receive the next message.
 *   n_bytes     out: its length
 *   timeout_ns  for all of it
 *   returns     0; -EBUSY another thread is receiving; -ETIMEDOUT; -EPIPE the sender died midway; -EMSGSIZE it does not
 *               fit (it stays until the sender gives up; *n_bytes says what is needed)
 *   thread      any
 */
int rv_global_message_receive(struct rv_map *map, void *out, size_t capacity, size_t *n_bytes, uint64_t timeout_ns);

/* Length of the message that waits to be received and of its current chunk; 0 and 0 when there is none. Any process. */
void rv_global_message_waiting(const struct rv_map *map, uint64_t *n_bytes, uint32_t *chunk_bytes);

#endif
