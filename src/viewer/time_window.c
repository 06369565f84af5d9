#include "viewer/time_window.h"

#include <math.h>

#define SPRING_PER_S 12.0 /* critically damped: settled within 2 % after about half a second */
#define STEP_MAX_S 0.05
#define GLIDE_S 0.12   /* in which gliding loses 63 % of its speed */
#define GLIDE_MIN 0.02 /* windows per second: slower is standing still */

static void normalize(struct rv_navigate *navigate)
{
    double whole = floor(navigate->from_fraction);
    navigate->from_ns += (int64_t)whole;
    navigate->from_fraction -= whole;
    if (navigate->from_fraction >= 1.0)
        navigate->from_fraction = 0.0;
    if (navigate->from_ns < 0) {
        navigate->from_ns = 0;
        navigate->from_fraction = 0.0;
    }
}

void rv_navigate_set(struct rv_navigate *navigate, uint64_t from_ns, uint64_t to_ns)
{
    navigate->from_ns = (int64_t)from_ns;
    navigate->from_fraction = 0.0;
    navigate->window_ns = fmax(to_ns > from_ns ? (double)(to_ns - from_ns) : 0.0, RV_NAVIGATE_WINDOW_MIN_NS);
}

void rv_navigate_window(const struct rv_navigate *navigate, uint64_t *from_ns, uint64_t *to_ns)
{
    uint64_t width_ns = (uint64_t)llround(navigate->window_ns);
    *from_ns = (uint64_t)navigate->from_ns + (navigate->from_fraction >= 0.5);
    *to_ns = *from_ns + (width_ns ? width_ns : 1);
}

void rv_navigate_zoom(struct rv_navigate *navigate, double share, double factor)
{
    double window_ns = navigate->window_ns * factor;
    window_ns = fmin(fmax(window_ns, RV_NAVIGATE_WINDOW_MIN_NS), RV_NAVIGATE_WINDOW_MAX_NS);
    if (navigate->is_following)
        share = 1.0;
    navigate->from_fraction += share * (navigate->window_ns - window_ns);
    navigate->window_ns = window_ns;
    normalize(navigate);
}

void rv_navigate_pan(struct rv_navigate *navigate, double share)
{
    navigate->is_following = false;
    navigate->from_fraction += share * navigate->window_ns;
    normalize(navigate);
}

static double lag_of(const struct rv_navigate *navigate, uint64_t now_ns)
{
    return (double)((int64_t)now_ns - navigate->from_ns) - navigate->from_fraction - navigate->window_ns;
}

static void place_end(struct rv_navigate *navigate, uint64_t now_ns, double lag_ns)
{
    navigate->from_ns = (int64_t)now_ns;
    navigate->from_fraction = -navigate->window_ns - lag_ns;
    normalize(navigate);
}

void rv_navigate_follow(struct rv_navigate *navigate, uint64_t now_ns)
{
    if (navigate->is_following)
        return;
    navigate->is_following = true;
    navigate->glide_per_s = 0.0;
    navigate->lag_ns = lag_of(navigate, now_ns);
    navigate->lag_speed = 0.0;
}

void rv_navigate_glide(struct rv_navigate *navigate, double speed_per_s)
{
    navigate->glide_per_s = fabs(speed_per_s) >= GLIDE_MIN ? speed_per_s : 0.0;
}

static bool glide(struct rv_navigate *navigate, double dt_s)
{
    if (navigate->glide_per_s == 0.0)
        return false;
    double left = exp(-dt_s / GLIDE_S);
    navigate->from_fraction += navigate->glide_per_s * GLIDE_S * (1.0 - left) * navigate->window_ns;
    rv_navigate_glide(navigate, navigate->glide_per_s * left);
    normalize(navigate);
    return true;
}

/* The spring pulls the lag to zero while the present itself moves on, so that a settled window runs along smoothly. */
bool rv_navigate_advance(struct rv_navigate *navigate, uint64_t now_ns, double dt_s)
{
    int64_t before_ns = navigate->from_ns;
    if (!navigate->is_following)
        return glide(navigate, dt_s);
    while (dt_s > 0.0) {
        double step_s = fmin(dt_s, STEP_MAX_S);
        double decay = exp(-SPRING_PER_S * step_s);
        double slope = navigate->lag_speed + SPRING_PER_S * navigate->lag_ns;
        double lag_ns = (navigate->lag_ns + slope * step_s) * decay;
        navigate->lag_speed = (navigate->lag_speed - SPRING_PER_S * slope * step_s) * decay;
        navigate->lag_ns = lag_ns;
        dt_s -= step_s;
    }
    if (fabs(navigate->lag_ns) < 1e-4 * navigate->window_ns)
        navigate->lag_ns = 0.0;
    place_end(navigate, now_ns, navigate->lag_ns);
    return navigate->from_ns != before_ns;
}
