/* Items are sorted by address, whatever runs they come in, and keep the value that belongs to the address. */
#include "patch/array.h"

#include <criterion/criterion.h>

#define MOST 40u

struct item {
    uint64_t address, of; /* 3 times the address */
    uint8_t more[9];
};

static void expect_sorted(const uint64_t *addresses, size_t n, const char *what)
{
    struct item items[MOST] = {{0}};
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        items[i] =
            (struct item){.address = addresses[i], .of = 3 * addresses[i], .more = {[8] = (uint8_t)addresses[i]}};
        sum += addresses[i] * addresses[i];
    }
    rv_patch_array_sort(items, n, sizeof *items);
    for (size_t i = 0; i < n; i++) {
        cr_expect(!i || items[i - 1].address <= items[i].address, "%s: %zu", what, i);
        cr_expect_eq(items[i].of, 3 * items[i].address, "%s: %zu", what, i);
        cr_expect_eq(items[i].more[8], (uint8_t)items[i].address, "%s: %zu", what, i);
        sum -= items[i].address * items[i].address;
    }
    cr_expect_eq(sum, 0, "%s", what);
}

Test(array, items_in_no_run_one_two_or_many_are_sorted, .timeout = 30)
{
    uint64_t addresses[MOST];
    for (size_t n = 0; n <= MOST; n++) {
        for (size_t n_left = 0; n_left <= n; n_left++) {
            for (size_t i = 0; i < n; i++)
                addresses[i] = i < n_left ? 5 * i : 3 * (i - n_left) + 1;
            expect_sorted(addresses, n, "two runs");
        }
        for (size_t i = 0; i < n; i++)
            addresses[i] = n - i;
        expect_sorted(addresses, n, "falling");
        for (size_t i = 0; i < n; i++)
            addresses[i] = i * 7919 % 17;
        expect_sorted(addresses, n, "any");
    }
}
