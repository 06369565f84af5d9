#include "base/vec.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

TestSuite(vec, .timeout = 60);

Test(vec, memory_is_zeroed_and_aligned)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *memory = rv_alloc(sizes[i], 3);
        cr_assert_not_null(memory);
        cr_assert_eq((uintptr_t)memory % 64, 0);
        for (size_t at = 0; at < sizes[i] * 3; at++)
            cr_assert_eq(memory[at], 0);
        free(memory);
    }
}

Test(vec, scratch_memory_is_as_large_and_aligned)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *memory = rv_alloc_scratch(sizes[i], 3);
        cr_assert_eq((uintptr_t)memory % 64, 0);
        memset(memory, 0xff, sizes[i] * 3);
        free(memory);
    }
}

Test(vec, sparse_memory_is_zeroed)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *memory = rv_alloc_sparse(sizes[i], 3);
        cr_assert_not_null(memory);
        for (size_t at = 0; at < sizes[i] * 3; at++)
            cr_assert_eq(memory[at], 0);
        free(memory);
    }
}

Test(vec, grows_by_doubling_and_keeps_what_is_in_it)
{
    uint32_t *items = NULL;
    size_t capacity = 0, n_moves = 0;
    for (uint32_t n = 0; n < 100000; n++) {
        size_t before = capacity;
        items = rv_vec_reserve(items, &capacity, n + 1, sizeof *items);
        n_moves += capacity != before;
        cr_assert_gt(capacity, n);
        items[n] = n;
    }
    cr_assert_leq(n_moves, 17);
    for (uint32_t i = 0; i < 100000; i++)
        cr_assert_eq(items[i], i);
    free(items);
}

Test(vec, an_array_for_no_items_is_not_null)
{
    size_t capacity = 0;
    char *items = rv_vec_reserve(NULL, &capacity, 0, 1);
    cr_assert_not_null(items);
    free(items);
}

Test(vec, a_table_that_is_extended_keeps_its_items_and_adds_zeroed_ones)
{
    uint32_t *items = NULL, *before = NULL;
    size_t n = 0;
    for (uint32_t need = 0; need < 5000; need = need * 3 / 2 + 1) {
        size_t n_before = n;
        items = rv_vec_extend(items, &n, need, sizeof *items);
        cr_assert_geq(n, need);
        for (size_t i = 0; i < n_before; i++)
            cr_assert_eq(items[i], i + 1);
        for (size_t i = n_before; i < n; i++)
            cr_assert_eq(items[i], 0);
        for (size_t i = 0; i < n; i++)
            items[i] = (uint32_t)i + 1;
        before = items;
        items = rv_vec_extend(items, &n, n / 2, sizeof *items);
        cr_assert_eq(items, before, "a table that is long enough does not move");
        cr_assert_eq(items[n - 1], n);
    }
    free(items);
}

Test(vec, a_null_table_has_no_items)
{
    size_t n = 1000;
    char *items = rv_vec_extend(NULL, &n, 1, 1);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(items[i], 0);
    cr_assert_lt(n, 1000);
    free(items);
}

Test(vec, a_size_that_overflows_ends_the_program, .exit_code = 1)
{
    rv_alloc(SIZE_MAX / 2, 4);
}

Test(vec, growth_that_overflows_ends_the_program, .exit_code = 1)
{
    size_t capacity = 0;
    rv_vec_reserve(NULL, &capacity, SIZE_MAX / 4, 16);
}

Test(vec, a_string_is_copied_up_to_a_length)
{
    static const char *const copies[] = {"", "c", "call", "call", "call"};
    static const size_t most[] = {0, 1, 4, 5, 1000};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        char *copy = rv_strndup("call", most[i]);
        cr_assert_str_eq(copy, copies[i]);
        free(copy);
    }
}

Test(vec, strings_are_copied)
{
    char original[] = "call";
    char *copy = rv_strdup(original);
    original[0] = 'b';
    cr_assert_str_eq(copy, "call");
    free(copy);
}
