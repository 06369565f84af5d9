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
