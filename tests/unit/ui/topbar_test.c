#include "ui/topbar.h"

#include <criterion/criterion.h>

/* Regression: "drops" had no room beside a frozen picture's delay, nor "history lost" in a window of 1600 points. */
Test(topbar, losses_come_before_what_may_be_left_out, .timeout = 60)
{
    struct rv_topbar_facts facts;
    rv_topbar_find_facts(&(struct rv_topbar){.n_dropped = 7, .has_lost_history = true, .events_per_s = 1e6}, &facts);
    cr_assert_str_eq(facts.items[0].text, "drops 7");
    cr_assert_str_eq(facts.items[1].text, "history lost");
    cr_assert_eq((int)facts.items[0].ink, RV_TOPBAR_WARNING);
    cr_assert_eq((int)facts.items[1].ink, RV_TOPBAR_WARNING);
    cr_assert_eq((int)facts.items[2].ink, RV_TOPBAR_PLAIN);
}

Test(topbar, what_is_not_known_is_not_said, .timeout = 60)
{
    struct rv_topbar_facts facts;
    rv_topbar_find_facts(
        &(struct rv_topbar){.n_drawn = 3, .n_folded = 4, .events_per_s = -1.0, .lag_ns = -1.0, .cpu_share = -1.0},
        &facts);
    cr_assert_eq(facts.n, 2);
    cr_assert_str_eq(facts.items[0].text, "drops 0");
    cr_assert_str_eq(facts.items[1].text, "3 bars drawn, 4 folded");
}
