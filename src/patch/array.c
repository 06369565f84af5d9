#include "patch/array.h"

#include <stdbool.h>
#include <string.h>

struct array {
    uint8_t *items;
    size_t n, item_bytes;
};

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint8_t *at(const struct array *array, size_t i)
{
    return array->items + i * array->item_bytes;
}

/* The end of the sorted run that begins there. */
static size_t find_end(const struct array *array, size_t first)
{
    size_t end = first + 1;
    while (end < array->n && compare(at(array, end - 1), at(array, end)) <= 0)
        end++;
    return end;
}

/* The first n_left items with the others, from the last on. False: no memory. */
static bool merge(const struct array *array, size_t n_left)
{
    const size_t n_bytes = array->item_bytes;
    size_t n_right = array->n - n_left;
    uint8_t *right = malloc(n_right * n_bytes);
    if (!right)
        return false;
    memcpy(right, at(array, n_left), n_right * n_bytes);
    while (n_right) {
        const bool is_left = n_left && compare(at(array, n_left - 1), right + (n_right - 1) * n_bytes) > 0;
        uint8_t *to = at(array, n_left + n_right - 1);
        memcpy(to, is_left ? at(array, --n_left) : right + --n_right * n_bytes, n_bytes);
    }
    free(right);
    return true;
}

void rv_patch_array_sort(void *items, size_t n, size_t item_bytes)
{
    const struct array array = {items, n, item_bytes};
    const size_t end = n ? find_end(&array, 0) : 0;
    if (end < n && !(find_end(&array, end) == n && merge(&array, end)))
        qsort(items, n, item_bytes, compare);
}
