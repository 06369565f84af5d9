/*
 * Run control of a traced thread: monitors request its attention, the thread publishes whether it runs or is stopped,
 * and resumes by itself when no monitor is left. The requests themselves are commands (commands.h) and watches
 * (watches.h).
 *
 *   A1 -> A2  a request before the attention flag
 *   A3 -> A4  the stopped thread's answers before run_state says STOPPED
 */
#ifndef RV_RING_RUN_STATE_H
#define RV_RING_RUN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/map.h"

/* ---- monitors ---- */

/* Request the thread's attention: it will look for requests. */
void rv_run_state_request(struct rv_wire_control *control);

struct rv_run_status {
    enum rv_run_state state; /* UNSTEERED when the word is invalid */
    uint32_t n_stops;        /* stops of this owner so far, modulo 2^30 */
};

/* The thread's state as last published. Any process. */
struct rv_run_status rv_run_state_read(const struct rv_wire_control *control);

/* Wait until the thread is stopped and has more than n_stops stops. 0, -EAGAIN, -ETIMEDOUT. */
int rv_run_state_wait_stop(const struct rv_wire_control *control, uint32_t n_stops, uint64_t timeout_ns);

/* Become a monitor, until detach or death. 0, -EBADF; -EAGAIN where the file system has no such locks. */
int rv_run_state_attach_monitor(struct rv_map *map);
void rv_run_state_detach_monitor(struct rv_map *map);

/*
 * Become the only monitor that sends requests to this ring's owner: answers do not name their addressee.
 *   returns  0; -EBUSY: another open file description of the file has it; -EBADF
 */
int rv_run_state_begin_asking(struct rv_map *map, uint32_t ring_idx);
void rv_run_state_end_asking(struct rv_map *map, uint32_t ring_idx);

/* ---- the owner ---- */

/* Test and clear the attention flag. When true, all requests made before it are visible. */
bool rv_run_state_take_request(struct rv_wire_control *control);

/* Wait until attention is requested, at most timeout_ns. */
void rv_run_state_wait_request(const struct rv_wire_control *control, uint64_t timeout_ns);

/* Publish the state; the ring's thread only. Wakes those that wait for it. */
void rv_run_state_set(struct rv_wire_control *control, enum rv_run_state state);

/* Does another open file description have a monitor, in any process? 0.7 us. */
bool rv_run_state_has_monitor(struct rv_map *map);

#endif
