#include "base/clock.h"
#include "bench/bench.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

TestSuite(bench, .timeout = 60);

Test(bench, a_median_is_the_middle_and_the_minimum_comes_first)
{
    double odd[] = {5, 1, 9, 3, 7}, even[] = {4, 1, 2, 3}, one[] = {6};
    cr_assert_eq(rv_bench_median(odd, 5), 5);
    cr_assert_eq(odd[0], 1);
    cr_assert_eq(rv_bench_median(even, 4), 2.5);
    cr_assert_eq(even[0], 1);
    cr_assert_eq(rv_bench_median(one, 1), 6);
    cr_assert_eq(rv_bench_median(one, 0), 0);
}

Test(bench, the_generator_is_the_same_everywhere)
{
    /* The first values of SplitMix64 from 0. */
    uint64_t state = 0;
    cr_assert_eq(rv_bench_random(&state), 0xe220a8397b1dcdafull);
    cr_assert_eq(rv_bench_random(&state), 0x6e789e6aa1b965f4ull);
    cr_assert_eq(rv_bench_random(&state), 0x06c45d188009454full);
}

Test(bench, thread_time_rises_with_work)
{
    uint64_t before = rv_clock_thread_cpu_ns(), state = 1, sum = 0;
    for (int i = 0; i < 1000000; i++)
        sum ^= rv_bench_random(&state);
    cr_assert_neq(sum, 0);
    cr_assert_gt(rv_clock_thread_cpu_ns(), before);
}

Test(bench, an_unknown_name_is_refused_before_anything_runs)
{
    char text[64] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    static const char *const names[] = {"speed", "scan,speed", "sca", "scans", ",", "scan,,lod"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_assert_eq(rv_bench_run(&(struct rv_bench_params){.names = names[i]}, file), -EINVAL, "%s", names[i]);
    fclose(file);
    cr_assert_str_eq(text, "");
}
