#include <criterion/criterion.h>

#include <math.h>

#include "viewer/time_window.h"

#define HOUR_NS 3600000000000u
#define WIDTH_PX 1600.0

/* Exact to a millionth of a nanosecond near `around_ns`. */
static double time_at(const struct rv_time_window *time_window, double share, int64_t around_ns)
{
    return (double)(time_window->from_ns - around_ns) + time_window->from_fraction + share * time_window->window_ns;
}

Test(time_window, zoom_keeps_the_time_under_the_cursor, .timeout = 60)
{
    static const uint64_t starts_ns[] = {0, 1, HOUR_NS, 5u * HOUR_NS, 9000u * HOUR_NS};
    static const double windows_ns[] = {1e3, 1e4, 1e6, 1e8, 5e9, 3.6e12};
    static const double shares[] = {0.0, 0.1, 0.5, 0.73, 1.0};
    for (size_t i = 0; i < sizeof starts_ns / sizeof *starts_ns; i++)
        for (size_t j = 0; j < sizeof windows_ns / sizeof *windows_ns; j++)
            for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
                struct rv_time_window time_window = {0};
                uint64_t to_ns = starts_ns[i] + (uint64_t)windows_ns[j];
                rv_time_window_set(&time_window, starts_ns[i], to_ns);
                int64_t around_ns = time_window.from_ns;
                double before_ns = time_at(&time_window, shares[k], around_ns);
                for (int step = 0; step < 40; step++) {
                    rv_time_window_zoom(&time_window, shares[k], 0.85);
                    double moved_px = fabs(time_at(&time_window, shares[k], around_ns) - before_ns) /
                                      time_window.window_ns * WIDTH_PX;
                    cr_assert_lt(moved_px, 1.0, "start %zu window %zu share %zu step %d: %g px", i, j, k, step,
                                 moved_px);
                }
            }
}

Test(time_window, ten_microseconds_five_hours_into_a_trace, .timeout = 60)
{
    struct rv_time_window time_window = {0};
    uint64_t start_ns = 5u * HOUR_NS, from_ns, to_ns;
    rv_time_window_set(&time_window, 0, 6u * HOUR_NS);
    double share = (double)start_ns / (6.0 * (double)HOUR_NS);
    while (time_window.window_ns > 10000.0)
        rv_time_window_zoom(&time_window, share, 0.9);
    rv_time_window_get(&time_window, &from_ns, &to_ns);
    cr_assert_lt(from_ns, start_ns);
    cr_assert_gt(to_ns, start_ns);
    double at_px = (double)(start_ns - from_ns) / (double)(to_ns - from_ns) * WIDTH_PX;
    cr_assert_float_eq(at_px, share * WIDTH_PX, 1.0, "at %g px, not %g", at_px, share * WIDTH_PX);
}

Test(time_window, zoom_out_and_in_again_returns, .timeout = 60)
{
    struct rv_time_window time_window = {0};
    rv_time_window_set(&time_window, 5u * HOUR_NS, 5u * HOUR_NS + 10000);
    for (int i = 0; i < 60; i++)
        rv_time_window_zoom(&time_window, 0.4, 1.2);
    for (int i = 0; i < 60; i++)
        rv_time_window_zoom(&time_window, 0.4, 1.0 / 1.2);
    double off_ns = time_at(&time_window, 0.0, (int64_t)(5u * HOUR_NS));
    cr_assert_lt(fabs(off_ns), 6.25, "off by %g ns", off_ns);
}

Test(time_window, the_window_has_limits, .timeout = 60)
{
    struct rv_time_window time_window = {0};
    rv_time_window_set(&time_window, 1000, 1000);
    cr_assert_geq(time_window.window_ns, RV_TIME_WINDOW_MIN_NS);
    for (int i = 0; i < 400; i++)
        rv_time_window_zoom(&time_window, 0.5, 0.5);
    cr_assert_eq(time_window.window_ns, RV_TIME_WINDOW_MIN_NS);
    for (int i = 0; i < 400; i++)
        rv_time_window_zoom(&time_window, 0.5, 2.0);
    cr_assert_eq(time_window.window_ns, RV_TIME_WINDOW_MAX_NS);
    cr_assert_geq(time_window.from_ns, 0);
}

Test(time_window, panning_moves_by_shares_and_stops_at_zero, .timeout = 60)
{
    struct rv_time_window time_window = {.is_following = true};
    rv_time_window_set(&time_window, 1000000, 2000000);
    rv_time_window_pan(&time_window, 0.25);
    cr_assert_eq(time_window.from_ns, 1250000);
    cr_assert_not(time_window.is_following);
    rv_time_window_pan(&time_window, -5.0);
    cr_assert_eq(time_window.from_ns, 0);
    cr_assert_eq(time_window.window_ns, 1000000.0);
}

Test(time_window, small_pans_add_up, .timeout = 60)
{
    struct rv_time_window time_window = {0};
    rv_time_window_set(&time_window, 5u * HOUR_NS, 5u * HOUR_NS + 100);
    for (int i = 0; i < 1000; i++)
        rv_time_window_pan(&time_window, 0.001);
    cr_assert_float_eq(time_at(&time_window, 0.0, (int64_t)(5u * HOUR_NS)), 100.0, 0.01);
}

Test(time_window, following_glides_to_the_present_and_stays, .timeout = 60)
{
    struct rv_time_window time_window = {0};
    uint64_t now_ns = 5u * HOUR_NS, from_ns, to_ns;
    rv_time_window_set(&time_window, now_ns - 900000000, now_ns - 800000000);
    rv_time_window_follow(&time_window, now_ns);
    double last_lag_ns = time_window.lag_ns;
    for (int frame = 0; frame < 90; frame++) {
        now_ns += 16666667;
        rv_time_window_advance(&time_window, now_ns, 1.0 / 60.0);
        cr_assert_leq(time_window.lag_ns, last_lag_ns + 1.0, "the spring swings back in frame %d", frame);
        cr_assert_geq(time_window.lag_ns, -1.0, "the spring overshoots in frame %d", frame);
        last_lag_ns = time_window.lag_ns;
    }
    rv_time_window_get(&time_window, &from_ns, &to_ns);
    cr_assert_leq(now_ns - to_ns, 1);
    cr_assert_eq(to_ns - from_ns, 100000000);
}

Test(time_window, zoom_while_following_keeps_the_present_at_the_end, .timeout = 60)
{
    struct rv_time_window time_window = {0};
    uint64_t now_ns = 5u * HOUR_NS, from_ns, to_ns;
    rv_time_window_set(&time_window, now_ns - 1000000, now_ns);
    rv_time_window_follow(&time_window, now_ns);
    rv_time_window_zoom(&time_window, 0.2, 0.5);
    rv_time_window_get(&time_window, &from_ns, &to_ns);
    cr_assert_eq(to_ns, now_ns);
    cr_assert_eq(from_ns, now_ns - 500000);
}

Test(time_window, gliding_slows_down_and_comes_to_rest, .timeout = 60)
{
    struct rv_time_window time_window = {0};
    rv_time_window_set(&time_window, HOUR_NS, HOUR_NS + 1000000);
    rv_time_window_glide(&time_window, 2.0);
    double before = 0.0, step = INFINITY;
    unsigned n_turns = 0;
    while (rv_time_window_advance(&time_window, 0, 0.016)) {
        double at = time_at(&time_window, 0.0, HOUR_NS), moved = at - before;
        cr_assert(moved > 0.0 && moved < step, "turn %u", n_turns);
        step = moved;
        before = at;
        cr_assert_lt(++n_turns, 200);
    }
    cr_assert_float_eq(before / 1e6, 0.24, 0.005, "2 windows per second for 0.12 s in all");
}
