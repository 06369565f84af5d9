#include "base/units.h"

#include <criterion/criterion.h>
#include <errno.h>

TestSuite(units, .timeout = 60);

#define BAD UINT64_MAX
#define N_OF(table) (sizeof(table) / sizeof *(table))

struct parsed {
    const char *text;
    uint64_t value; /* BAD: -EINVAL */
};

static void check(int (*parse)(const char *, uint64_t *), const struct parsed *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value = BAD;
        int result = parse(table[i].text, &value);
        cr_assert_eq(result, table[i].value == BAD ? -EINVAL : 0, "'%s' gives %d", table[i].text, result);
        cr_assert_eq(value, table[i].value, "'%s' is %lu", table[i].text, value);
    }
}

Test(units, times)
{
    static const struct parsed table[] = {
        {"12ns", 12},        {"3us", 3000},      {"4ms", 4000000}, {"5s", 5000000000}, {"5", 5000000000},
        {"0.25", 250000000}, {"1.5ms", 1500000}, {"0", 0},         {"500Hz", 2000000}, {"1m", 60000000000},
        {"", BAD},           {"ms", BAD},        {".", BAD},       {"-1s", BAD},       {"+1s", BAD},
        {"1e3", BAD},        {"0x10", BAD},      {"inf", BAD},     {"nan", BAD},       {" 1s", BAD},
        {"1s ", BAD},        {"1 s", BAD},       {"0Hz", BAD},     {"1.2.3s", BAD},    {"9999999999999999h", BAD},
        {"1S", BAD},
    };
    check(rv_units_parse_ns, table, N_OF(table));
}

Test(units, sizes)
{
    static const struct parsed table[] = {
        {"0", 0},       {"4096", 4096}, {"64K", 65536},           {"2M", 2097152}, {"1G", 1073741824},
        {"1.5K", 1536}, {"1KiB", 1024}, {"1T", 1099511627776ull}, {"K", BAD},      {"-1", BAD},
        {"1X", BAD},    {"", BAD},      {"99999999999T", BAD},    {"1K1", BAD},
    };
    check(rv_units_parse_bytes, table, N_OF(table));
}

static int parse_small(const char *text, uint64_t *count)
{
    return rv_units_parse_count(text, 2, 100, count);
}

Test(units, counts)
{
    static const struct parsed table[] = {
        {"2", 2},
        {"100", 100},
        {"007", 7},
        {"1", BAD},
        {"101", BAD},
        {"", BAD},
        {"-5", BAD},
        {"5.0", BAD},
        {"5K", BAD},
        {" 5", BAD},
        {"18446744073709551621", BAD},
    };
    check(parse_small, table, N_OF(table));
    uint64_t all;
    cr_assert_eq(rv_units_parse_count("18446744073709551615", 0, UINT64_MAX, &all), 0);
    cr_assert_eq(all, UINT64_MAX);
}

Test(units, rates_are_readable)
{
    static const struct {
        double per_s;
        const char *text;
    } table[] = {{0.4, "0 calls/s"},           {20.0, "20 calls/s"},         {999.6, "1.00 k calls/s"},
                 {34560.0, "34.56 k calls/s"}, {48.12e6, "48.12 M calls/s"}, {2e9, "2000 M calls/s"}};
    for (size_t i = 0; i < N_OF(table); i++) {
        char text[32];
        rv_units_format_rate(text, sizeof text, table[i].per_s, "calls");
        cr_assert_str_eq(text, table[i].text);
    }
}

Test(units, durations_are_readable)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } table[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {12580000, "12.58 ms"},
        {99990, "99.99 us"},
        {99999, "100.0 us"},
        {999949, "999.9 us"},
        {999951, "1.00 ms"},
        {150000000, "150.0 ms"},
        {5000000000, "5.00 s"},
        {1234567000000, "1235 s"},
    };
    for (size_t i = 0; i < N_OF(table); i++) {
        char text[32];
        rv_units_format_ns(text, sizeof text, table[i].ns);
        cr_assert_str_eq(text, table[i].text);
    }
    char small[5];
    rv_units_format_ns(small, sizeof small, 12580000);
    cr_assert_str_eq(small, "12.5", "cut, and terminated");
}

Test(units, exact_durations_are_read_back)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {
        {0, "0ns"}, {999, "999ns"}, {1000, "1us"}, {12584331, "12.584331ms"}, {86400000000001, "86400.000000001s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        uint64_t ns;
        rv_units_format_exact_ns(text, sizeof text, cases[i].ns);
        cr_assert_str_eq(text, cases[i].text);
        cr_assert_eq(rv_units_parse_ns(text, &ns), 0);
        cr_assert_eq(ns, cases[i].ns);
    }
}

Test(units, a_count_of_one_takes_the_singular)
{
    cr_expect_str_eq(rv_units_word(1, "call", "calls"), "call");
    cr_expect_str_eq(rv_units_word(0, "call", "calls"), "calls");
    cr_expect_str_eq(rv_units_word(2, "call", "calls"), "calls");
}
