#include "viewer/playhead.h"

#include <criterion/criterion.h>

Test(playhead, plays_at_its_speed_and_loses_nothing_between_frames, .timeout = 60)
{
    static const struct {
        double speed, dt_s;
        unsigned n;
        uint64_t wanted_ns;
    } cases[] = {{0.0, 0.016, 1000, 16000000000},
                 {1.0, 0.001, 1, 1000000},
                 {0.01, 0.0000001, 1000000, 1000000}, /* 1 ns a step */
                 {0.01, 0.00000003, 1000000, 300000}, /* less than 1 ns */
                 {1000.0, 0.016, 1000, 16000000000000}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv_playhead playhead = {.speed = cases[i].speed, .is_playing = true};
        rv_playhead_set(&playhead, 5);
        for (unsigned j = 0; j < cases[i].n; j++)
            (void)rv_playhead_advance(&playhead, cases[i].dt_s, UINT64_MAX);
        uint64_t passed_ns = playhead.at_ns - 5, wanted_ns = cases[i].wanted_ns;
        cr_assert_leq(passed_ns, wanted_ns + 1, "%lu", (unsigned long)passed_ns);
        cr_assert_geq(passed_ns, wanted_ns - 1 - wanted_ns / 1000000000, "%lu", (unsigned long)passed_ns);
    }
}

Test(playhead, stands_still_unless_it_is_on_and_plays, .timeout = 60)
{
    struct rv_playhead playhead = {.is_playing = true};
    cr_assert(!rv_playhead_advance(&playhead, 1.0, 1000));
    rv_playhead_set(&playhead, 100);
    cr_assert(rv_playhead_advance(&playhead, 1e-8, 1000));
    cr_assert_eq(playhead.at_ns, 110);
    playhead.is_playing = false;
    cr_assert(!rv_playhead_advance(&playhead, 1.0, 1000));
    cr_assert_eq(playhead.at_ns, 110);
    playhead.is_playing = true;
    rv_playhead_end(&playhead);
    cr_assert(!playhead.is_on && !playhead.is_playing);
}

Test(playhead, stays_at_the_end, .timeout = 60)
{
    struct rv_playhead playhead = {.is_playing = true};
    rv_playhead_set(&playhead, 100);
    cr_assert(rv_playhead_advance(&playhead, 1e9, 1000));
    cr_assert_eq(playhead.at_ns, 1000);
    cr_assert(!rv_playhead_advance(&playhead, 1.0, 1000));
    cr_assert(rv_playhead_advance(&playhead, 1e-8, 2000), "what grows behind it is played");
    cr_assert_eq(playhead.at_ns, 1010);
}

Test(playhead, speed_has_limits, .timeout = 60)
{
    struct rv_playhead playhead = {.is_on = false};
    cr_assert_eq(rv_playhead_speed(&playhead), 1.0);
    rv_playhead_scale(&playhead, 2.0);
    cr_assert_eq(rv_playhead_speed(&playhead), 2.0);
    for (unsigned i = 0; i < 20; i++)
        rv_playhead_scale(&playhead, 2.0);
    cr_assert_eq(rv_playhead_speed(&playhead), 1000.0);
    for (unsigned i = 0; i < 40; i++)
        rv_playhead_scale(&playhead, 0.5);
    cr_assert_eq(rv_playhead_speed(&playhead), 0.01);
    rv_playhead_set(&playhead, 7);
    rv_playhead_end(&playhead);
    cr_assert_eq(rv_playhead_speed(&playhead), 0.01);
}
