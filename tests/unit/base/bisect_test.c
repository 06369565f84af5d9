#include "base/bisect.h"

#include <criterion/criterion.h>

Test(bisect, items_up_to_a_key_are_counted, .timeout = 60)
{
    struct {
        uint32_t other;
        uint64_t key;
    } items[40];
    uint64_t key = 0;
    for (size_t i = 0; i < 40; i++) {
        key += i % 3 * 5; /* some are equal */
        items[i].key = key;
    }
    for (size_t n = 0; n <= 40; n++)
        for (uint64_t most = 0; most <= key + 1; most++) {
            size_t n_wanted = 0;
            while (n_wanted < n && items[n_wanted].key <= most)
                n_wanted++;
            cr_assert_eq(rv_bisect_count(items, n, sizeof *items, (size_t)((char *)&items->key - (char *)items), most),
                         n_wanted);
            while (n_wanted > 0 && items[n_wanted - 1].key == most)
                n_wanted--;
            cr_assert_eq(rv_bisect_below(items, n, sizeof *items, (size_t)((char *)&items->key - (char *)items), most),
                         n_wanted);
        }
    cr_assert_eq(rv_bisect_count(NULL, 0, 8, 0, UINT64_MAX), 0);
    cr_assert_eq(rv_bisect_below(NULL, 0, 8, 0, 1), 0);
}
