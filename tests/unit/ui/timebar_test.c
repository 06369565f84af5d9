#include "ui/timebar.h"

#include <criterion/criterion.h>

Test(timebar, shows_times_with_the_resolution_needed, .timeout = 60)
{
    static const struct {
        uint64_t at_ns, total_ns, step_ns;
        const char *wanted;
    } cases[] = {
        {0, 5000000000, 1000000000, "0.000 / 5.000 s"},
        {1234567890, 12345678901, 10000000, "1.234 / 12.345 s"},
        {1234567890, 12345678901, 1000000, "1.234 / 12.345 s"},
        {1234567890, 12345678901, 999999, "1.234 567 / 12.345 s"},
        {1234567890, 12345678901, 0, "1.234 567 890 / 12.345 s"},
        {62005000000, 180000000000, 100000000, "1:02.005 / 3:00.000"},
        {62005000000, 28804999000000, 100000000, "0:01:02.005 / 8:00:04.999"},
        {1005000, 44000000, 1000, "1.005 / 44.000 ms"},
        {1005007, 44000000, 1, "1.005 007 / 44.000 ms"},
        {1005, 44000, 1, "1.005 / 44.000 us"},
        {7, 440, 1, "7 / 440 ns"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        struct rv_timebar shown = {.first_ns = 77,
                                   .last_ns = 77 + cases[i].total_ns,
                                   .at_ns = 77 + cases[i].at_ns,
                                   .step_ns = cases[i].step_ns};
        cr_assert_str_eq(rv_timebar_text(&shown, text, sizeof text), cases[i].wanted);
    }
}
