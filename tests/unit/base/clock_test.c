#include "base/clock.h"

#include <criterion/criterion.h>

#include "base/os.h"

TestSuite(clock, .timeout = 60);

/* The clock is off by at most 20 us and a thousandth of the time since its start, which is long on a busy machine. */
static void expect_now(const struct rv_clock *clock)
{
    uint64_t before = rv_clock_mono_ns();
    uint64_t ns = rv_clock_to_ns(clock, rv_clock_ticks(clock->kind));
    uint64_t after = rv_clock_mono_ns(), off_ns = 20000 + (after - clock->mono0_ns) / 1000;
    cr_assert_geq(ns + off_ns, before);
    cr_assert_leq(ns, after + off_ns);
}

Test(clock, a_calibrated_tick_is_monotonic_time)
{
    struct rv_clock clock;
    rv_clock_init(&clock, RV_CLOCK_TSC);
    for (int i = 0; i < 100; i++)
        expect_now(&clock);
}

/* Every traced command waits for the calibration before it starts. */
Test(clock, the_rate_is_known_within_milliseconds)
{
    uint64_t least_ns = UINT64_MAX, until_ns = rv_clock_mono_ns() + UINT64_C(20000000000);
    while (least_ns > 8000000 && rv_clock_mono_ns() < until_ns) { /* one undisturbed try is enough */
        struct rv_clock clock;
        uint64_t began_ns = rv_clock_mono_ns(), took_ns;
        rv_clock_init(&clock, RV_CLOCK_TSC);
        took_ns = rv_clock_mono_ns() - began_ns;
        least_ns = took_ns < least_ns ? took_ns : least_ns;
    }
    cr_assert_leq(least_ns, 8000000);
}

Test(clock, keeps_its_rate_over_a_tenth_of_a_second)
{
    struct rv_clock clock;
    rv_clock_init(&clock, RV_CLOCK_TSC);
    rv_os_sleep_ns(100000000);
    expect_now(&clock);
}

Test(clock, monotonic_ticks_are_nanoseconds)
{
    struct rv_clock clock;
    rv_clock_init(&clock, RV_CLOCK_MONOTONIC);
    cr_assert_eq(clock.kind, RV_CLOCK_MONOTONIC);
    cr_assert_eq(rv_clock_to_ns(&clock, 123456789012345ull), 123456789012345ull);
}

Test(clock, the_tick_clock_reads_the_time_stamp_counter)
{
    struct rv_clock tick, tsc;
    rv_clock_init(&tick, RV_CLOCK_TICK);
    rv_clock_init(&tsc, RV_CLOCK_TSC);
    cr_assert_eq(tick.kind, rv_clock_has_invariant_tsc() ? RV_CLOCK_TICK : RV_CLOCK_MONOTONIC);
    cr_assert_eq(tick.shift, tsc.shift);
}

Test(clock, conversion_never_falls_and_saturates)
{
    /* 2.5 GHz: 0.4 ns a tick. */
    struct rv_clock clock = {.kind = RV_CLOCK_TSC,
                             .shift = 32,
                             .mult = (uint64_t)(0.4 * 4294967296.0),
                             .ticks0 = 1000000,
                             .mono0_ns = 5000,
                             .real0_ns = 0};
    cr_assert_eq(rv_clock_to_ns(&clock, 1000000), 5000);
    cr_assert_eq(rv_clock_to_ns(&clock, 0), 0, "before the epoch of CLOCK_MONOTONIC");
    cr_assert_eq(rv_clock_to_ns(&clock, 1000000 - 2500), 5000 - 999);
    for (uint64_t ticks = 1000000; ticks < 1ull << 60; ticks = ticks * 3 + 1) {
        uint64_t since_ns = rv_clock_to_ns(&clock, ticks) - 5000, told = (ticks - 1000000) / 5 * 2;
        cr_assert_lt(since_ns <= told ? told - since_ns : since_ns - told, 3 + (told >> 30), "%lu", ticks);
        cr_assert_leq(since_ns, rv_clock_to_ns(&clock, ticks + 1) - 5000);
    }
    clock.shift = 0;
    clock.mult = UINT64_MAX;
    cr_assert_eq(rv_clock_to_ns(&clock, UINT64_MAX), UINT64_MAX);
}

/* For every kind of clock that a file may name, and for times near the stretch and far from it. */
Test(clock, a_stretch_converts_to_the_same_times)
{
    static const struct rv_clock CLOCKS[] = {
        {.kind = RV_CLOCK_MONOTONIC, .mult = 1, .ticks0 = 5000, .mono0_ns = 5000},
        {.kind = RV_CLOCK_TSC, .mult = 1717986918, .shift = 32, .ticks0 = 77777777777, .mono0_ns = 123456789},
        {.kind = RV_CLOCK_TSC, .mult = UINT32_MAX, .shift = 32, .ticks0 = 1, .mono0_ns = 0},
        {.kind = RV_CLOCK_TSC, .mult = (UINT64_C(2) << 32) - 1, .shift = 32, .ticks0 = 3, .mono0_ns = 1},
        {.kind = RV_CLOCK_TSC, .mult = UINT64_C(2) << 32, .shift = 32, .ticks0 = 3, .mono0_ns = 1},
        {.kind = RV_CLOCK_TSC, .mult = 27, .shift = 4, .ticks0 = 3, .mono0_ns = 1},
        {.kind = RV_CLOCK_TSC, .mult = UINT64_C(1) << 40, .shift = 41, .ticks0 = 0, .mono0_ns = 9},
        {.kind = RV_CLOCK_TSC, .mult = UINT32_MAX, .shift = 3, .ticks0 = 0, .mono0_ns = UINT64_MAX - 1000},
        {.kind = RV_CLOCK_TSC, .mult = 0, .shift = 0, .ticks0 = UINT64_MAX, .mono0_ns = 4}};
    static const uint64_t BEGINS[] = {
        0, 1, 4999, 77777777777, 77777777778, UINT64_C(1) << 50, (UINT64_C(1) << 60) - 1, UINT64_MAX};
    uint64_t seed = 1;
    for (size_t c = 0; c < sizeof CLOCKS / sizeof *CLOCKS; c++)
        for (size_t b = 0; b < sizeof BEGINS / sizeof *BEGINS; b++) {
            const struct rv_clock_stretch stretch = rv_clock_stretch(&CLOCKS[c], BEGINS[b]);
            for (unsigned i = 0; i < 2000; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                uint64_t ticks = BEGINS[b] + (seed >> (i % 64)) - (i % 5 == 0 ? 1000 : 0);
                cr_assert_eq(rv_clock_stretch_to_ns(stretch, ticks), rv_clock_to_ns(&CLOCKS[c], ticks),
                             "clock %zu, %lu from %lu on", c, (unsigned long)ticks, (unsigned long)BEGINS[b]);
            }
            for (unsigned i = 0; i < 3; i++) {
                uint64_t ticks = BEGINS[b] + (UINT64_C(1) << 31) - 1 + i;
                cr_assert_eq(rv_clock_stretch_to_ns(stretch, ticks), rv_clock_to_ns(&CLOCKS[c], ticks));
            }
        }
}

Test(clock, adding_to_a_time_saturates)
{
    cr_assert_eq(rv_clock_after_ns(5, 7), 12);
    cr_assert_eq(rv_clock_after_ns(UINT64_MAX - 7, 7), UINT64_MAX);
    cr_assert_eq(rv_clock_after_ns(UINT64_MAX - 7, 8), UINT64_MAX);
    cr_assert_eq(rv_clock_after_ns(UINT64_MAX, UINT64_MAX), UINT64_MAX);
}
