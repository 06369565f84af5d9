#include <criterion/criterion.h>

#include <string.h>

#include "render/time_axis.h"

#define SECOND_NS UINT64_C(1000000000)
#define ZERO_NS (5u * SECOND_NS)

static struct rv_time_axis make(uint64_t from_ns, uint64_t to_ns, bool is_live)
{
    struct rv_time_axis ticks;
    struct rv_time_axis_params params = {
        .from_ns = from_ns, .to_ns = to_ns, .zero_ns = is_live ? to_ns : ZERO_NS, .is_live = is_live, .n_wanted = 10};
    rv_time_axis_make(&ticks, &params);
    return ticks;
}

static void assert_texts(const struct rv_time_axis *ticks, size_t n, const char *const *texts)
{
    cr_assert_geq(ticks->n, n);
    for (size_t i = 0; i < n; i++)
        cr_assert_str_eq(ticks->items[i].text, texts[i], "tick %zu reads \"%s\", not \"%s\"", i, ticks->items[i].text,
                         texts[i]);
}

Test(time_axis, live_ticks_count_down_to_now, .timeout = 60)
{
    struct rv_time_axis ticks = make(ZERO_NS + 1234567, ZERO_NS + 101234567, true);
    assert_texts(&ticks, 11,
                 (const char *[]){"-100 ms", "-90 ms", "-80 ms", "-70 ms", "-60 ms", "-50 ms", "-40 ms", "-30 ms",
                                  "-20 ms", "-10 ms", "now"});
    cr_assert_eq(ticks.items[10].time_ns, ZERO_NS + 101234567);
}

Test(time_axis, ticks_count_from_the_origin, .timeout = 60)
{
    struct rv_time_axis ticks = make(ZERO_NS + 10000000, ZERO_NS + 35000000, false);
    assert_texts(&ticks, 3, (const char *[]){"10 ms", "12 ms", "14 ms"});
    ticks = make(ZERO_NS, ZERO_NS + 5 * SECOND_NS, false);
    assert_texts(&ticks, 3, (const char *[]){"0.0 s", "0.5 s", "1.0 s"});
    ticks = make(ZERO_NS + 12500, ZERO_NS + 17500, false);
    assert_texts(&ticks, 2, (const char *[]){"12.5 µs", "13.0 µs"});
    cr_assert_str_empty(ticks.base);
}

Test(time_axis, far_from_the_origin_a_base_is_shown_once, .timeout = 60)
{
    uint64_t from_ns = ZERO_NS + 18000 * SECOND_NS + 123456789;
    struct rv_time_axis ticks = make(from_ns, from_ns + 10000, false);
    cr_assert_str_not_empty(ticks.base);
    for (size_t i = 0; i < ticks.n; i++) {
        cr_assert_leq(strlen(ticks.items[i].text), 12, "\"%s\" is long", ticks.items[i].text);
        cr_assert_eq(ticks.items[i].text[0], '+');
    }
}

Test(time_axis, a_base_of_hours_is_shown_as_a_clock, .timeout = 60)
{
    struct rv_time_axis ticks = make(ZERO_NS + 1123180 * SECOND_NS, ZERO_NS + 1123183 * SECOND_NS, false);
    cr_assert_str_eq(ticks.base, "12 d 23:59:40");
    ticks = make(ZERO_NS + 18000 * SECOND_NS + 123456789, ZERO_NS + 18000 * SECOND_NS + 123466789, false);
    cr_assert_str_eq(ticks.base, "05:00:00.1234");
}

/* Regression: behind a stray event days before, 1 ms before the day, marks read "12 d 23:59:58, +2000 ms". */
Test(time_axis, a_round_time_near_the_begin_of_the_window_is_the_base, .timeout = 60)
{
    const uint64_t day_ns = 86400 * SECOND_NS, ms_ns = SECOND_NS / 1000;
    struct rv_time_axis ticks = make(ZERO_NS + 13 * day_ns - 30 * ms_ns, ZERO_NS + 13 * day_ns + 170 * ms_ns, false);
    cr_assert_str_eq(ticks.base, "13 d");
    assert_texts(&ticks, 4, (const char *[]){"-20 ms", "+0 ms", "+20 ms", "+40 ms"});
    ticks = make(ZERO_NS + 13 * day_ns - 3660 * SECOND_NS - ms_ns, ZERO_NS + 13 * day_ns - 3660 * SECOND_NS + 9 * ms_ns,
                 false);
    cr_assert_str_eq(ticks.base, "12 d 22:59:00");
    ticks = make(ZERO_NS + 13 * day_ns - 100 * ms_ns, ZERO_NS + 13 * day_ns + 100 * ms_ns, false);
    cr_assert_str_eq(ticks.base, "12 d 23:59:58");
}

Test(time_axis, labels_are_at_equal_distances_and_stay_while_the_window_moves, .timeout = 60)
{
    const unsigned every = rv_time_axis_label_every(50.0f, 30.0f);
    cr_assert_eq(every, 2);
    cr_assert_eq(rv_time_axis_label_every(30.0f, 30.0f), 1);
    cr_assert_eq(rv_time_axis_label_every(31.0f, 7.0f), 5);
    cr_assert_eq(rv_time_axis_label_every(1000.0f, 1.0f), 10);
    for (uint64_t moved_ns = 0; moved_ns < 40000; moved_ns += 700) {
        struct rv_time_axis ticks = make(ZERO_NS + moved_ns, ZERO_NS + moved_ns + 20000, false);
        for (size_t i = 0; i < ticks.n; i++)
            cr_assert_eq(ticks.items[i].number % every == 0, (ticks.items[i].time_ns - ZERO_NS) % 4000 == 0);
    }
    struct rv_time_axis live = make(ZERO_NS, ZERO_NS + 20000, true);
    cr_assert_eq(live.items[live.n - 1].number, 0);
    cr_assert_eq(live.items[live.n - 3].number, 2);
}

Test(time_axis, every_window_has_round_marks_inside_it, .timeout = 60)
{
    for (double window_ns = 100.0; window_ns < 3e16; window_ns *= 1.37) {
        uint64_t from_ns = ZERO_NS + (uint64_t)(window_ns * 0.77), to_ns = from_ns + (uint64_t)window_ns;
        struct rv_time_axis ticks = make(from_ns, to_ns, false);
        cr_assert(ticks.n >= 4 && ticks.n <= 18, "%zu ticks in %g ns", ticks.n, window_ns);
        uint64_t step_ns = ticks.items[1].time_ns - ticks.items[0].time_ns;
        for (size_t i = 0; i < ticks.n; i++) {
            cr_assert(ticks.items[i].time_ns >= from_ns && ticks.items[i].time_ns <= to_ns);
            cr_assert_eq((ticks.items[i].time_ns - ZERO_NS) % step_ns, 0);
            if (i)
                cr_assert_str_neq(ticks.items[i].text, ticks.items[i - 1].text, "two marks read \"%s\"",
                                  ticks.items[i].text);
        }
    }
}

Test(time_axis, an_empty_window_has_none, .timeout = 60)
{
    struct rv_time_axis ticks = make(ZERO_NS, ZERO_NS, false);
    cr_assert_eq(ticks.n, 0);
}

Test(time_axis, long_windows_have_minutes_hours_and_days, .timeout = 60)
{
    const uint64_t minute_ns = 60 * SECOND_NS, hour_ns = 60 * minute_ns, day_ns = 24 * hour_ns;
    struct rv_time_axis ticks = make(ZERO_NS, ZERO_NS + 5 * minute_ns, false);
    assert_texts(&ticks, 4, (const char *[]){"0 s", "30 s", "60 s", "90 s"});
    ticks = make(ZERO_NS, ZERO_NS + 20 * minute_ns, false);
    assert_texts(&ticks, 3, (const char *[]){"0 min", "2 min", "4 min"});
    ticks = make(ZERO_NS + 40 * minute_ns, ZERO_NS + 140 * minute_ns, false);
    assert_texts(&ticks, 4, (const char *[]){"40 min", "50 min", "1 h", "1 h 10 min"});
    ticks = make(ZERO_NS, ZERO_NS + 8 * hour_ns, false);
    assert_texts(&ticks, 3, (const char *[]){"0 h", "1 h", "2 h"});
    ticks = make(ZERO_NS + 12 * hour_ns, ZERO_NS + 72 * hour_ns, false);
    assert_texts(&ticks, 4, (const char *[]){"12 h", "18 h", "1 d", "1 d 6 h"});
    ticks = make(ZERO_NS, ZERO_NS + 13 * day_ns, false);
    assert_texts(&ticks, 3, (const char *[]){"0 d", "1 d", "2 d"});
    ticks = make(ZERO_NS, ZERO_NS + 2 * day_ns, true);
    assert_texts(&ticks, 2, (const char *[]){"-2 d", "-1 d 18 h"});
}
