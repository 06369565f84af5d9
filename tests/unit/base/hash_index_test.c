/* Tests that the index gives the value of each key, while it grows and after values change. */
#include "base/hash_index.h"

#include <criterion/criterion.h>
#include <string.h>

enum { N = 3000 };

Test(hash_index, every_key_has_its_value, .timeout = 60)
{
    static uint64_t keys[N];
    struct rv_hash_index index = {.n = 0};
    cr_assert_eq(rv_hash_index_get(&index, 0), 0);
    for (uint32_t i = 0; i < N; i++) {
        keys[i] = i % 3 ? i : (uint64_t)i << 40;
        cr_assert_eq(rv_hash_index_get(&index, keys[i]), 0);
        rv_hash_index_add(&index, keys[i], i + 1);
    }
    for (uint32_t i = 0; i < N; i++)
        cr_assert_eq(rv_hash_index_get(&index, keys[i]), i + 1);
    cr_assert_leq(2 * index.n, index.capacity);
    rv_hash_index_fini(&index);
}

Test(hash_index, a_value_can_be_changed, .timeout = 60)
{
    struct rv_hash_index index = {.n = 0};
    cr_assert_null(rv_hash_index_at(&index, 7));
    rv_hash_index_add(&index, 7, 1);
    *rv_hash_index_at(&index, 7) = 2;
    cr_assert_eq(rv_hash_index_get(&index, 7), 2);
    rv_hash_index_fini(&index);
}

Test(hash_index, a_cleared_key_is_gone, .timeout = 60)
{
    struct rv_hash_index index = {.n = 0};
    rv_hash_index_clear(&index);
    for (uint32_t round = 1; round <= 3; round++) {
        for (uint64_t key = 0; key < 100; key++)
            rv_hash_index_add(&index, key, round);
        cr_assert_eq(rv_hash_index_get(&index, 99), round);
        rv_hash_index_clear(&index);
        cr_assert_eq(rv_hash_index_get(&index, 99), 0);
    }
    rv_hash_index_fini(&index);
}

static bool is_text(const void *context, uint32_t value, const void *key)
{
    return strcmp(((const char *const *)context)[value - 1], key) == 0;
}

Test(hash_index, keys_of_one_hash_stay_distinct, .timeout = 60)
{
    static const char *const texts[] = {"a", "b", "c"};
    struct rv_hash_index index = {.n = 0};
    for (uint32_t i = 0; i < 2; i++)
        rv_hash_index_put(&index, 42, i + 1);
    cr_assert_eq(rv_hash_index_find(&index, 42, is_text, texts, "a"), 1);
    cr_assert_eq(rv_hash_index_find(&index, 42, is_text, texts, "b"), 2);
    cr_assert_eq(rv_hash_index_find(&index, 42, is_text, texts, "c"), 0);
    rv_hash_index_fini(&index);
}
