/*
 * Flag words and commands that a monitor sends to a traced thread, with the responses (Devel::RingBuffer's protocols);
 * and requests to the draining consumer, in the same way.
 *
 * A command and its response share one code and one message area; command_ready says whose turn it is: empty, command
 * posted, response posted, or 16 + the pid that is writing. A dead writer's turn is taken over. Waits use a futex.
 *
 *   K1 -> K2  code and message before "command posted"
 *   K3 -> K4  code and message before "response posted"
 *   K5 -> K6  both are copied before "empty"
 */
#ifndef RV_RING_COMMANDS_H
#define RV_RING_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

#include "ring/map.h"

/* Each setter returns the previous value. Any process. */
uint32_t rv_commands_set_signal(const struct rv_map *map, uint32_t ring_idx, uint32_t value);
uint32_t rv_commands_set_single(const struct rv_map *map, uint32_t value); /* file-wide */
uint32_t rv_commands_signal(const struct rv_map *map, uint32_t ring_idx);
uint32_t rv_commands_single(const struct rv_map *map);

/* single | trace << 1 | signal << 2, each 0 or 1. */
unsigned rv_commands_flags(const struct rv_map *map, uint32_t ring_idx);

#define RV_COMMANDS_CONSUMER UINT32_MAX /* as ring_idx of the following: the draining consumer is the owner */

struct rv_command {
    char code[5];  /* up to 4 characters, NUL-terminated */
    char *message; /* the caller's buffer, of `capacity` bytes; not terminated */
    size_t capacity;
    size_t n_bytes; /* copied into message */
};

/*
 * Monitor: post a command; the message is cut to message_bytes.
 *   returns  0; -EBUSY while another command or its response occupies the channel; -ENOSPC without pages for it
 */
int rv_commands_post(struct rv_map *map, uint32_t ring_idx, const char *code, const void *message, size_t n_bytes);

/* Owner: copy the posted command; it stays posted until the response. 0 ns: do not wait. Returns 0, -EAGAIN,
 * -ETIMEDOUT. */
int rv_commands_wait(const struct rv_map *map, uint32_t ring_idx, struct rv_command *command, uint64_t timeout_ns);

/* Owner: respond to the posted command. Returns 0, -ECANCELED when it was withdrawn, -ENOSPC without pages for it. */
int rv_commands_respond(struct rv_map *map, uint32_t ring_idx, const char *code, const void *message, size_t n_bytes);

/* Monitor: copy the response, which empties the channel. Returns 0, -EAGAIN, -ETIMEDOUT. */
int rv_commands_wait_response(const struct rv_map *map, uint32_t ring_idx, struct rv_command *response,
                              uint64_t timeout_ns);

/* Monitor: withdraw an unanswered command, or discard a response. */
void rv_commands_cancel(const struct rv_map *map, uint32_t ring_idx);

#endif
