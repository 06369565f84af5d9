#include "export/not_traced.h"

#include <criterion/criterion.h>
#include <string.h>

Test(not_traced, those_of_one_function_are_folded_into_the_first, .timeout = 60)
{
    struct rv_not_traced all[] = {{.pid = 1, .at_ns = 10, .what = "cc1::walk, 30.00 M calls/s"},
                                  {.pid = 1, .at_ns = 20, .what = "cc1::map<int, long>::at, 9.00 M calls/s"},
                                  {.pid = 2, .at_ns = 30, .until_ns = 90, .what = "cc1::walk, 28.00 M calls/s"},
                                  {.pid = 2, .at_ns = 40, .what = "cc1::walk_tree, 7.00 M calls/s"},
                                  {.pid = 3, .at_ns = 50, .what = "cc1::map<int, char>::at, 8.00 M calls/s"},
                                  {.pid = 3, .at_ns = 60, .what = "cc1::walk, 31.00 M calls/s"}};
    const struct {
        uint64_t at_ns;
        size_t n_more;
    } wanted[] = {{10, 2}, {20, 0}, {40, 0}, {50, 0}};
    const size_t n = rv_not_traced_fold(all, sizeof all / sizeof *all);
    cr_assert_eq(n, sizeof wanted / sizeof *wanted, "%zu are left", n);
    for (size_t i = 0; i < n; i++)
        cr_expect(all[i].at_ns == wanted[i].at_ns && all[i].n_more == wanted[i].n_more, "%s at %zu: and %zu more",
                  all[i].what, i, all[i].n_more);
    cr_expect_eq(rv_not_traced_fold(NULL, 0), 0);
    cr_expect(rv_not_traced_has(all, n, "cc1::map<int, long>::at"));
    cr_expect_not(rv_not_traced_has(all, n, "cc1::map<int"));
    cr_expect_not(rv_not_traced_has(all, n, "cc1::walk_t"));
}
