/*
 * The visible time window, and its movement by keys and mouse. No GL, no SDL.
 *
 * The start is whole nanoseconds plus a fraction, the width a double, so that any amount of zooming stays exact to less
 * than a pixel. Following the present uses a critically damped spring.
 */
#ifndef RV_VIEWER_TIME_WINDOW_H
#define RV_VIEWER_TIME_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#define RV_TIME_WINDOW_MIN_NS 100.0
#define RV_TIME_WINDOW_MAX_NS 3.2e16 /* a year */

struct rv_time_window {
    int64_t from_ns;
    double from_fraction; /* 0 <= fraction < 1 ns */
    double window_ns;
    bool is_following;  /* the present stays at the window's end */
    double lag_ns;      /* distance of the window's end behind the present; the spring's state */
    double lag_speed;   /* ns per s */
    double glide_per_s; /* windows per second; decays */
};

/* Show [from, to), at once. */
void rv_time_window_set(struct rv_time_window *time_window, uint64_t from_ns, uint64_t to_ns);

/* Whole nanoseconds for the view; to > from. */
void rv_time_window_get(const struct rv_time_window *time_window, uint64_t *from_ns, uint64_t *to_ns);

/* Scale the window by factor (< 1 zooms in); the time at `share` of the window stays in place. Following and gliding
 * continue. */
void rv_time_window_zoom(struct rv_time_window *time_window, double share, double factor);

/* Move by a share of the window, to later times when positive. Ends following. */
void rv_time_window_pan(struct rv_time_window *time_window, double share);

/* Keep the present at the window's end from now on. */
void rv_time_window_follow(struct rv_time_window *time_window, uint64_t now_ns);

/* Glide: start at this speed, in windows per second, and slow down. 0 stops. */
void rv_time_window_glide(struct rv_time_window *time_window, double speed_per_s);

/* Advance the spring (when following) or the glide by dt_s. Returns whether the window has moved. */
bool rv_time_window_advance(struct rv_time_window *time_window, uint64_t now_ns, double dt_s);

#endif
