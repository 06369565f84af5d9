/* Adding spans by runs compared with adding them one by one. */
#include "model/density.h"

#include <criterion/criterion.h>
#include <string.h>

#include "spans.h"

TestSuite(density, .timeout = 60);

enum { N = 20000, MOST_DEPTH = 100 };

static struct rv_box *cells_of(const struct rv_density *density, uint32_t level, size_t *n)
{
    size_t n_counted = rv_density_count(density, level, 0, UINT64_MAX);
    struct rv_box *boxes = calloc(n_counted + 1, sizeof *boxes);
    *n = rv_density_query(density, level, 0, UINT64_MAX, boxes, n_counted + 1);
    cr_assert_eq(*n, n_counted);
    return boxes;
}

static void add_one(struct rv_density *density, uint32_t level, const struct rv_span *span)
{
    if (span->end - span->start >= UINT64_C(1) << rv_density_shift(level))
        return;
    rv_density_advance(density, span->end);
    rv_density_add(density, level, span);
}

Test(density, adding_a_run_equals_adding_its_spans_one_by_one)
{
    static struct rv_span spans[N];
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const uint32_t level = 1 + seed % 3;
        struct rv_density one, runs;
        struct spans source;
        uint64_t last_ns = 0;
        size_t n_in_runs = 0, n_one, n_runs;
        spans_init(&source, seed, 20, MOST_DEPTH, 4 + (unsigned)seed);
        spans_make(&source, spans, N);
        spans_fini(&source);
        rv_density_init(&one);
        rv_density_init(&runs);
        for (size_t i = 0; i < N; i++)
            add_one(&one, level, &spans[i]);
        for (size_t i = 0; i < N; i++) {
            size_t n = rv_density_add_run(&runs, level, spans + i, N - i, &last_ns);
            n_in_runs += n;
            i += n;
            if (i == N)
                break;
            add_one(&runs, level, &spans[i]);
            last_ns = spans[i].end;
        }
        cr_assert_gt(n_in_runs, 0);
        struct rv_box *by_one = cells_of(&one, level, &n_one), *by_runs = cells_of(&runs, level, &n_runs);
        cr_assert_eq(n_runs, n_one, "seed %lu: %zu cells, %zu one by one", (unsigned long)seed, n_runs, n_one);
        cr_assert_eq(memcmp(by_runs, by_one, n_one * sizeof *by_one), 0, "seed %lu", (unsigned long)seed);
        free(by_one);
        free(by_runs);
        rv_density_fini(&one);
        rv_density_fini(&runs);
    }
}

/* The sum that is beaten is replaced, an equal one stays; the same subroutine's adds up. */
Test(density, a_cell_has_the_subroutine_with_most_of_the_time)
{
    static const struct {
        uint32_t id;
        uint64_t weight;
        uint32_t held_id;
        uint64_t held;
    } STEPS[] = {{3, 10, 3, 10}, {4, 10, 3, 0}, {5, 1, 5, 1}, {5, 6, 5, 7}, {3, 9, 3, 2}, {4, 1, 3, 1}, {3, 5, 3, 6}};
    struct rv_density_sum sum = {0};
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++) {
        const struct rv_density_sum more = {
            .covered_ns = 2, .n_calls = 1, .weight = STEPS[i].weight, .id = STEPS[i].id};
        rv_density_sum_add(&sum, &more);
        cr_assert_eq(sum.id, STEPS[i].held_id, "step %zu", i);
        cr_assert_eq(sum.weight, STEPS[i].held, "step %zu", i);
        cr_assert_eq(sum.n_calls, i + 1);
        cr_assert_eq(sum.covered_ns, 2 * (i + 1));
    }
}
