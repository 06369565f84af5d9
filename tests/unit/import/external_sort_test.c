#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

#include "import/external_sort.h"

struct record {
    uint32_t key, order, rest;
};

static int compare(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

enum { N = 5000 };

/* The output equals that of qsort() over all records, for any length of run. */
static void sorts(size_t run_records, uint32_t n_keys, bool is_rising)
{
    static struct record records[N];
    struct rv_external_sort *sorter = rv_external_sort_create(sizeof *records, run_records, compare);
    srand(run_records * 7 + n_keys);
    for (uint32_t i = 0; i < N; i++) {
        records[i] = (struct record){is_rising ? i : (uint32_t)rand() % n_keys, i, (uint32_t)rand()};
        cr_assert_eq(rv_external_sort_add(sorter, &records[i]), 0);
    }
    qsort(records, N, sizeof *records, compare);
    cr_assert_eq(rv_external_sort_finish(sorter), 0);
    int error;
    for (uint32_t i = 0; i < N; i++) {
        const struct record *record = rv_external_sort_next(sorter, &error);
        cr_assert(record && error == 0, "runs of %zu: ends at %u", run_records, i);
        cr_assert_eq(record->key, records[i].key);
        cr_assert_eq(record->order, records[i].order);
        cr_assert_eq(record->rest, records[i].rest);
    }
    cr_assert_null(rv_external_sort_next(sorter, &error));
    cr_assert_eq(error, 0);
    rv_external_sort_destroy(sorter);
}

TestSuite(external_sort, .timeout = 60);

Test(external_sort, gives_the_order_of_qsort_in_memory_and_from_disk)
{
    static const size_t runs[] = {71, 100, 1000, N / 2, N - 1, N, N + 1, 4 * N};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        sorts(runs[i], 1u << 31, false);
        sorts(runs[i], 3, false);
        sorts(runs[i], 1, true);
    }
}

Test(external_sort, sorting_nothing_gives_nothing)
{
    struct rv_external_sort *sorter = rv_external_sort_create(sizeof(struct record), 10, compare);
    int error;
    cr_assert_eq(rv_external_sort_finish(sorter), 0);
    cr_assert_null(rv_external_sort_next(sorter, &error));
    rv_external_sort_destroy(sorter);
}

Test(external_sort, says_when_there_is_no_place_for_runs)
{
    setenv("TMPDIR", "/nonexistent/folder", 1);
    struct rv_external_sort *sorter = rv_external_sort_create(sizeof(struct record), 10, compare);
    int error = 0;
    for (uint32_t i = 0; i < 11 && !error; i++)
        error = rv_external_sort_add(sorter, &(struct record){i, i, i});
    cr_assert_lt(error, 0);
    rv_external_sort_destroy(sorter);
}
