#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "viewer/time_input.h"

#define MS UINT64_C(1000000)

static const struct rv_time_input_context CONTEXT = {.first_ns = 1000 * MS, .last_ns = 9000 * MS, .at_ns = 5000 * MS};

Test(time_input, usual_forms_of_times_are_accepted, .timeout = 60)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } cases[] = {{"12ms", 1012 * MS}, {"1.5s", 2500 * MS},   {" 12ms ", 1012 * MS},  {"+3ms", 5003 * MS},
                 {"-3ms", 4997 * MS}, {"@start", 1000 * MS}, {"@end", 9000 * MS},    {"0", 1000 * MS},
                 {"-9s", 0},          {"2", 3000 * MS},      {"\t@end\n", 9000 * MS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t ns = 77;
        cr_assert_eq(rv_time_input_parse(cases[i].text, &CONTEXT, &ns), 0, "\"%s\"", cases[i].text);
        cr_assert_eq(ns, cases[i].ns, "\"%s\"", cases[i].text);
    }
}

Test(time_input, other_texts_are_refused, .timeout = 60)
{
    char longest[200];
    memset(longest, '1', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const char *const cases[] = {"",  " ",     "@",      "@ende",  "soon",     "+",
                                 "-", "+-3ms", "3 ms x", "1e400s", "@end 3ms", longest};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t ns;
        cr_assert_eq(rv_time_input_parse(cases[i], &CONTEXT, &ns), -EINVAL, "\"%s\"", cases[i]);
    }
}

Test(time_input, ranges_are_two_times, .timeout = 60)
{
    static const struct {
        const char *text;
        uint64_t ms[2];
    } cases[] = {{"12ms..15ms", {1012, 1015}},   {"1.5s..+3ms", {2500, 2503}}, {" 1s .. 2s ", {2000, 3000}},
                 {"@start..@end", {1000, 9000}}, {"-1s..+2s", {4000, 6000}},   {"-1s..@end", {4000, 9000}},
                 {"12ms..15.5ms", {1012, 1015}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t range_ns[2];
        cr_assert_eq(rv_time_input_parse_range(cases[i].text, &CONTEXT, range_ns), 0, "\"%s\"", cases[i].text);
        cr_assert_eq(range_ns[0] / MS, cases[i].ms[0], "\"%s\"", cases[i].text);
        cr_assert_eq(range_ns[1] / MS, cases[i].ms[1], "\"%s\"", cases[i].text);
    }
}

Test(time_input, other_ranges_are_refused, .timeout = 60)
{
    static const char *const cases[] = {"",         "..",       "12ms", "12ms..",    "..12ms",
                                        "3ms..2ms", "3ms..3ms", "a..b", "1s..2s..3s"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t range_ns[2];
        cr_assert_eq(rv_time_input_parse_range(cases[i], &CONTEXT, range_ns), -EINVAL, "\"%s\"", cases[i]);
    }
}

Test(time_input, the_text_of_a_range_is_read_as_that_range, .timeout = 60)
{
    const uint64_t range_ns[2] = {1000 * MS + 12, 8999 * MS + 123457};
    uint64_t read_ns[2];
    char text[128];
    cr_assert_str_eq(rv_time_input_format_range(range_ns, CONTEXT.first_ns, text, sizeof text), "12ns..7.999123457s");
    cr_assert_eq(rv_time_input_parse_range(text, &CONTEXT, read_ns), 0);
    cr_assert(read_ns[0] == range_ns[0] && read_ns[1] == range_ns[1]);
}
