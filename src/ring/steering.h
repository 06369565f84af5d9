/*
 * A traced thread that monitors steer: it is called to attention, says whether it runs or is stopped, and goes on by
 * itself when no monitor is left. What is asked of it are commands (control.h) and watches (watches.h).
 *
 *   A1 -> A2  what is asked before the call to attention
 *   A3 -> A4  where it stands, in answers, before run_state says that it is stopped
 */
#ifndef RV_RING_STEERING_H
#define RV_RING_STEERING_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/map.h"

/* ---- monitors ---- */

/* Look at what I have asked for. */
void rv_steering_call(struct rv_wire_control *control);

struct rv_steering {
    enum rv_run_state state; /* of a word that is none: UNSTEERED */
    uint32_t n_stops;        /* of this owner until now, modulo 2^30 */
};

struct rv_steering rv_steering_read(const struct rv_wire_control *control);

/* Until it is stopped, and more often than n_stops. 0, -EAGAIN, -ETIMEDOUT. */
int rv_steering_wait_stop(const struct rv_wire_control *control, uint32_t n_stops, uint64_t timeout_ns);

/* Be a monitor until detach or death. 0, -EBADF; -EAGAIN where the file system has no such locks. */
int rv_steering_attach(struct rv_map *map);
void rv_steering_detach(struct rv_map *map);

/*
 * Be the one monitor that asks this ring's owner, until the end or death: an answer does not say whose it is.
 *   returns  0; -EBUSY: another one is, by another opening of the file; -EBADF
 */
int rv_steering_begin_asking(struct rv_map *map, uint32_t ring_idx);
void rv_steering_end_asking(struct rv_map *map, uint32_t ring_idx);

/* ---- the owner ---- */

/* Was it called since? Then what was asked for is to be seen now. */
bool rv_steering_take_call(struct rv_wire_control *control);

/* Until it is called, at most this long. */
void rv_steering_wait_call(const struct rv_wire_control *control, uint64_t timeout_ns);

void rv_steering_set_state(struct rv_wire_control *control, enum rv_run_state state);

/* Is there a monitor, of any process, by another opening of the file than this? 0.7 us. */
bool rv_steering_has_monitor(struct rv_map *map);

#endif
