#include "base/leb128.h"

#include <criterion/criterion.h>

static const uint64_t NUMBERS[] = {0, 1, 63, 64, 127, 128, 300, 1u << 31, INT64_MAX, 1ull << 63, UINT64_MAX};
enum { N_NUMBERS = sizeof NUMBERS / sizeof *NUMBERS };

Test(leb128, numbers_are_read_as_written, .timeout = 60)
{
    for (size_t i = 0; i < N_NUMBERS; i++) {
        uint8_t bytes[RV_LEB128_MOST_BYTES];
        const size_t n = rv_leb128_put(bytes, NUMBERS[i]);
        const uint8_t *got = bytes, *taken = bytes, *whole = bytes;
        uint64_t value = 1;
        cr_assert_eq(rv_leb128_get(&got), NUMBERS[i]);
        cr_assert_eq(got, bytes + n);
        cr_assert(rv_leb128_take(&taken, bytes + n, &value));
        cr_assert_eq(value, NUMBERS[i]);
        cr_assert_eq(taken, bytes + n);
        cr_assert(rv_leb128_take_whole(&whole, bytes + n, &value));
        cr_assert_eq(value, NUMBERS[i]);
    }
}

Test(leb128, cut_numbers_are_not_read, .timeout = 60)
{
    for (size_t i = 0; i < N_NUMBERS; i++) {
        uint8_t bytes[RV_LEB128_MOST_BYTES];
        const size_t n = rv_leb128_put(bytes, NUMBERS[i]);
        for (size_t n_left = 0; n_left < n; n_left++) {
            const uint8_t *at = bytes, *signed_at = bytes;
            uint64_t value;
            int64_t signed_value;
            cr_assert_not(rv_leb128_take(&at, bytes + n_left, &value));
            cr_assert_not(rv_leb128_take_signed(&signed_at, bytes + n_left, &signed_value));
            cr_assert_eq(at, bytes + n_left);
        }
    }
}

Test(leb128, bits_beyond_64_are_lost_or_refused, .timeout = 60)
{
    const uint8_t padded[] = {0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    const uint8_t too_great[] = {0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02};
    const uint8_t *at = padded;
    uint64_t value;
    cr_assert(rv_leb128_take(&at, padded + sizeof padded, &value));
    cr_assert_eq(value, 5);
    cr_assert_eq(at, padded + sizeof padded);
    cr_assert_not(rv_leb128_take_whole(&(const uint8_t *){padded}, padded + sizeof padded, &value));
    at = too_great;
    cr_assert(rv_leb128_take(&at, too_great + sizeof too_great, &value));
    cr_assert_eq(value, 5);
    cr_assert_not(rv_leb128_take_whole(&(const uint8_t *){too_great}, too_great + sizeof too_great, &value));
}

Test(leb128, the_highest_bit_is_the_sign, .timeout = 60)
{
    const struct {
        uint8_t bytes[RV_LEB128_MOST_BYTES];
        size_t n;
        int64_t value;
    } numbers[] = {
        {{0x3f}, 1, 63},
        {{0x40}, 1, -64},
        {{0x78}, 1, -8},
        {{0xff, 0x7e}, 2, -129},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, 10, INT64_MIN},
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00}, 10, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const uint8_t *at = numbers[i].bytes;
        int64_t value;
        cr_assert(rv_leb128_take_signed(&at, numbers[i].bytes + numbers[i].n, &value));
        cr_assert_eq(value, numbers[i].value);
        cr_assert_eq(at, numbers[i].bytes + numbers[i].n);
    }
}
