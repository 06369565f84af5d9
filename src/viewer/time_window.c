#include "viewer/time_window.h"

#include <math.h>

#define SPRING_PER_S 12.0 /* critically damped: settled within 2 % after about half a second */
#define STEP_MAX_S 0.05
#define GLIDE_S 0.12   /* time in which gliding loses 63 % of its speed */
#define GLIDE_MIN 0.02 /* windows per second: slower counts as standing still */

static void normalize(struct rv_time_window *time_window)
{
    double whole = floor(time_window->from_fraction);
    time_window->from_ns += (int64_t)whole;
    time_window->from_fraction -= whole;
    if (time_window->from_fraction >= 1.0)
        time_window->from_fraction = 0.0;
    if (time_window->from_ns < 0) {
        time_window->from_ns = 0;
        time_window->from_fraction = 0.0;
    }
}

void rv_time_window_set(struct rv_time_window *time_window, uint64_t from_ns, uint64_t to_ns)
{
    time_window->from_ns = (int64_t)from_ns;
    time_window->from_fraction = 0.0;
    time_window->window_ns = fmax(to_ns > from_ns ? (double)(to_ns - from_ns) : 0.0, RV_TIME_WINDOW_MIN_NS);
}

void rv_time_window_get(const struct rv_time_window *time_window, uint64_t *from_ns, uint64_t *to_ns)
{
    uint64_t width_ns = (uint64_t)llround(time_window->window_ns);
    *from_ns = (uint64_t)time_window->from_ns + (time_window->from_fraction >= 0.5);
    *to_ns = *from_ns + (width_ns ? width_ns : 1);
}

void rv_time_window_zoom(struct rv_time_window *time_window, double share, double factor)
{
    double window_ns = time_window->window_ns * factor;
    window_ns = fmin(fmax(window_ns, RV_TIME_WINDOW_MIN_NS), RV_TIME_WINDOW_MAX_NS);
    if (time_window->is_following)
        share = 1.0;
    time_window->from_fraction += share * (time_window->window_ns - window_ns);
    time_window->window_ns = window_ns;
    normalize(time_window);
}

void rv_time_window_pan(struct rv_time_window *time_window, double share)
{
    time_window->is_following = false;
    time_window->from_fraction += share * time_window->window_ns;
    normalize(time_window);
}

static double lag_of(const struct rv_time_window *time_window, uint64_t now_ns)
{
    return (double)((int64_t)now_ns - time_window->from_ns) - time_window->from_fraction - time_window->window_ns;
}

static void place_end(struct rv_time_window *time_window, uint64_t now_ns, double lag_ns)
{
    time_window->from_ns = (int64_t)now_ns;
    time_window->from_fraction = -time_window->window_ns - lag_ns;
    normalize(time_window);
}

void rv_time_window_follow(struct rv_time_window *time_window, uint64_t now_ns)
{
    if (time_window->is_following)
        return;
    time_window->is_following = true;
    time_window->glide_per_s = 0.0;
    time_window->lag_ns = lag_of(time_window, now_ns);
    time_window->lag_speed = 0.0;
}

void rv_time_window_glide(struct rv_time_window *time_window, double speed_per_s)
{
    time_window->glide_per_s = fabs(speed_per_s) >= GLIDE_MIN ? speed_per_s : 0.0;
}

static bool glide(struct rv_time_window *time_window, double dt_s)
{
    if (time_window->glide_per_s == 0.0)
        return false;
    double left = exp(-dt_s / GLIDE_S);
    time_window->from_fraction += time_window->glide_per_s * GLIDE_S * (1.0 - left) * time_window->window_ns;
    rv_time_window_glide(time_window, time_window->glide_per_s * left);
    normalize(time_window);
    return true;
}

/* The spring pulls the lag to zero while the present moves on, so that a settled window follows smoothly. */
bool rv_time_window_advance(struct rv_time_window *time_window, uint64_t now_ns, double dt_s)
{
    int64_t before_ns = time_window->from_ns;
    if (!time_window->is_following)
        return glide(time_window, dt_s);
    while (dt_s > 0.0) {
        double step_s = fmin(dt_s, STEP_MAX_S);
        double decay = exp(-SPRING_PER_S * step_s);
        double slope = time_window->lag_speed + SPRING_PER_S * time_window->lag_ns;
        double lag_ns = (time_window->lag_ns + slope * step_s) * decay;
        time_window->lag_speed = (time_window->lag_speed - SPRING_PER_S * slope * step_s) * decay;
        time_window->lag_ns = lag_ns;
        dt_s -= step_s;
    }
    if (fabs(time_window->lag_ns) < 1e-4 * time_window->window_ns)
        time_window->lag_ns = 0.0;
    place_end(time_window, now_ns, time_window->lag_ns);
    return time_window->from_ns != before_ns;
}
