/*
 * The playhead: a time of the trace that stands still or moves, and its speed. The picture shows nothing later. Used by
 * the window and by films. Pure: the caller passes the elapsed time.
 */
#ifndef RV_VIEWER_PLAYHEAD_H
#define RV_VIEWER_PLAYHEAD_H

#include <stdbool.h>
#include <stdint.h>

#define RV_PLAYHEAD_SPEED_MIN 0.01
#define RV_PLAYHEAD_SPEED_MAX 1000.0

struct rv_playhead { /* zeroed = off: everything is shown */
    bool is_on, is_playing;
    bool is_held; /* stands where the picture was frozen, and was not moved since */
    uint64_t at_ns;
    double fraction; /* 0 <= fraction < 1 ns, beyond at_ns */
    double speed;    /* trace time per real time; 0 = 1 */
};

/* Turn on at this time; keeps playing if it plays. */
void rv_playhead_set(struct rv_playhead *playhead, uint64_t at_ns);

/* Turn off: everything is shown. Keeps the speed. */
void rv_playhead_end(struct rv_playhead *playhead);

/* Times real time. */
double rv_playhead_speed(const struct rv_playhead *playhead);
/* Multiply the speed by a factor, within limits. */
void rv_playhead_scale(struct rv_playhead *playhead, double factor);

/*
 * Advance by dt_s if playing, up to last_ns, where it stays.
 *   returns  whether it has moved
 */
bool rv_playhead_advance(struct rv_playhead *playhead, double dt_s, uint64_t last_ns);

#endif
