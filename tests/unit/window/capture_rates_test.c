#include "window/capture_rates.h"

#include <criterion/criterion.h>

#define MS UINT64_C(1000000)
#define BEGIN_NS (1000 * MS)

TestSuite(capture_rates, .timeout = 60);

Test(capture_rates, nothing_is_known_before_half_a_second_has_passed)
{
    struct rv_capture_rates rates = {.since_ns = 0};
    cr_assert(rv_capture_rates_update(&rates, BEGIN_NS, 500, BEGIN_NS));
    cr_assert_lt(rates.lag_ns, 0.0);
    cr_assert_lt(rates.cpu_share, 0.0);
    cr_assert_not(rv_capture_rates_update(&rates, BEGIN_NS + 499 * MS, 900, BEGIN_NS + 498 * MS));
    cr_assert_eq(rates.events_per_s, 0.0);
    cr_assert_lt(rates.lag_ns, 0.0);
}

Test(capture_rates, events_are_counted_from_the_first_update_on)
{
    struct rv_capture_rates rates = {.since_ns = 0};
    (void)rv_capture_rates_update(&rates, BEGIN_NS, 500, BEGIN_NS);
    cr_assert(rv_capture_rates_update(&rates, BEGIN_NS + 2000 * MS, 4500, BEGIN_NS));
    cr_assert_float_eq(rates.events_per_s, 2000.0, 1e-6);
    cr_assert_geq(rates.cpu_share, 0.0);
}

Test(capture_rates, the_lag_is_the_least_of_updates_with_new_events)
{
    struct rv_capture_rates rates = {.since_ns = 0};
    (void)rv_capture_rates_update(&rates, BEGIN_NS, 0, BEGIN_NS);
    (void)rv_capture_rates_update(&rates, BEGIN_NS + 100 * MS, 1, BEGIN_NS + 70 * MS);
    (void)rv_capture_rates_update(&rates, BEGIN_NS + 200 * MS, 2, BEGIN_NS + 195 * MS);
    (void)rv_capture_rates_update(&rates, BEGIN_NS + 300 * MS, 2, BEGIN_NS + 300 * MS); /* none is new */
    cr_assert(rv_capture_rates_update(&rates, BEGIN_NS + 500 * MS, 3, BEGIN_NS + 480 * MS));
    cr_assert_float_eq(rates.lag_ns, 5e6, 1e-6);
    cr_assert(rv_capture_rates_update(&rates, BEGIN_NS + 1000 * MS, 3, BEGIN_NS + 480 * MS));
    cr_assert_lt(rates.lag_ns, 0.0, "no event has come since");
}
