/*
 * The time that is being played: a time of the trace that stands still or goes on, and how fast. The picture shows
 * nothing later. The window and films play by it. Pure: how much time has passed is told.
 */
#ifndef RV_VIEWER_PLAYHEAD_H
#define RV_VIEWER_PLAYHEAD_H

#include <stdbool.h>
#include <stdint.h>

#define RV_PLAYHEAD_SPEED_MIN 0.01
#define RV_PLAYHEAD_SPEED_MAX 1000.0

struct rv_playhead { /* zeroed = off: all there is is shown */
    bool is_on, is_playing;
    bool is_held; /* stands where the present was stopped, and has not been moved since */
    uint64_t at_ns;
    double fraction; /* 0 <= fraction < 1 ns, passed beyond at_ns */
    double speed;    /* ns of the trace in a ns; 0 = 1 */
};

/* On, and there; goes on from there if it plays. */
void rv_playhead_set(struct rv_playhead *playhead, uint64_t at_ns);

/* All is shown again, and nothing plays. The speed stays. */
void rv_playhead_end(struct rv_playhead *playhead);

double rv_playhead_speed(const struct rv_playhead *playhead);
/* Faster by a factor, within the limits. */
void rv_playhead_scale(struct rv_playhead *playhead, double factor);

/*
 * dt_s have passed. What plays goes on, to last_ns at most, where it stays.
 *   returns  whether it has moved
 */
bool rv_playhead_advance(struct rv_playhead *playhead, double dt_s, uint64_t last_ns);

#endif
