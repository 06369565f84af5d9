#include "model/compare.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side {
    struct rv_stats *stats;
    struct rv_stats_lane *lane;
    struct rv_subroutines *subroutines;
    uint64_t now_ns;
};

static uint64_t seed = 88172645463325252u;

static double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static struct side make_side(void)
{
    return (struct side){rv_stats_create(), rv_stats_lane_create(), rv_subroutines_create(), 1};
}

static void free_side(struct side *side)
{
    rv_stats_destroy(side->stats);
    rv_stats_lane_destroy(side->lane);
    rv_subroutines_destroy(side->subroutines);
}

static void call(struct side *side, uint32_t id, uint64_t duration_ns)
{
    struct rv_span span = {.start = side->now_ns, .end = side->now_ns + duration_ns, .id = id};
    rv_stats_lane_set_open(side->lane, NULL, NULL, 0, 0);
    rv_stats_add(side->stats, side->lane, &span, 1);
    side->now_ns = span.end + 1;
}

/* n calls of about mean_ns, exponentially distributed. */
static void call_many(struct side *side, uint32_t id, size_t n, double mean_ns)
{
    for (size_t i = 0; i < n; i++)
        call(side, id, (uint64_t)(-log(1.0 - uniform()) * mean_ns));
}

static struct rv_compare compare(const struct side sides[2])
{
    struct rv_compare compare;
    rv_compare_init(&compare, (struct rv_compare_side[]){{sides[0].stats, sides[0].subroutines},
                                                         {sides[1].stats, sides[1].subroutines}});
    return compare;
}

static const struct rv_compare_row *row_of(const struct rv_compare *compare, const char *name)
{
    for (size_t i = 0; i < compare->n; i++)
        if (strcmp(compare->rows[i].name, name) == 0)
            return &compare->rows[i];
    cr_assert_fail("no row %s", name);
    return NULL;
}

Test(compare, ranks_are_those_of_all_pairs, .timeout = 60)
{
    for (int turn = 0; turn < 50; turn++) {
        struct rv_histogram histograms[2] = {{0}, {0}};
        uint64_t values[2][60];
        size_t n[2];
        for (int side = 0; side < 2; side++) {
            n[side] = (size_t)(uniform() * 60.0);
            for (size_t i = 0; i < n[side]; i++) {
                values[side][i] = (uint64_t)(uniform() * (turn % 2 ? 127.0 : 10.0)); /* exact buckets */
                rv_histogram_add(&histograms[side], values[side][i]);
            }
        }
        double u = 0.0, ties = 0.0, all = (double)(n[0] + n[1]);
        for (size_t i = 0; i < n[0]; i++)
            for (size_t j = 0; j < n[1]; j++)
                u += values[1][j] > values[0][i] ? 1.0 : values[1][j] == values[0][i] ? 0.5 : 0.0;
        for (uint64_t value = 0; value < 128; value++) {
            double t = 0.0;
            for (int side = 0; side < 2; side++)
                for (size_t i = 0; i < n[side]; i++)
                    t += values[side][i] == value;
            ties += t * t * t - t;
        }
        struct rv_histogram_ranks ranks;
        rv_histogram_rank(&histograms[0], &histograms[1], &ranks);
        cr_assert_eq(ranks.n_before, n[0]);
        cr_assert_eq(ranks.n_after, n[1]);
        double pairs = (double)n[0] * (double)n[1];
        double sigma = sqrt(pairs / 12.0 * (all + 1.0 - ties / (all * (all - 1.0))));
        if (pairs > 0.0) {
            cr_assert_float_eq(ranks.share_above, u / pairs, 1e-9);
            cr_assert_float_eq(ranks.z, (u - pairs / 2.0) / sigma, 1e-6);
        }
        rv_histogram_fini(&histograms[0]);
        rv_histogram_fini(&histograms[1]);
    }
}

Test(compare, what_got_slower_or_faster_is_found_and_the_rest_is_not, .timeout = 60)
{
    struct side sides[2] = {make_side(), make_side()};
    static const struct {
        const char *name;
        double before_ns, after_ns;
        enum rv_compare_verdict verdict;
    } cases[] = {{"slow", 1000, 1500, RV_COMPARE_SLOWER},
                 {"fast", 50000, 30000, RV_COMPARE_FASTER},
                 {"same", 2000, 2000, RV_COMPARE_SAME},
                 {"nearly", 2000, 2040, RV_COMPARE_SAME}}; /* below the least effect, however many calls */
    for (uint32_t i = 0; i < 4; i++) {
        rv_subroutines_define(sides[0].subroutines, i + 1, "P", cases[i].name, "f", 1);
        rv_subroutines_define(sides[1].subroutines, 9 - i, "P", cases[i].name, "f", 70 + i);
        call_many(&sides[0], i + 1, 3000, cases[i].before_ns);
        call_many(&sides[1], 9 - i, 4000, cases[i].after_ns);
    }
    struct rv_compare result = compare(sides);
    cr_assert_eq(result.n, 4);
    cr_assert_eq(result.n_tested, 4);
    for (uint32_t i = 0; i < 4; i++) {
        struct rv_subroutine one = rv_subroutines_get(sides[1].subroutines, 9 - i);
        const struct rv_compare_row *found = rv_compare_find(&result, &one);
        double octaves = cases[i].verdict == RV_COMPARE_SAME ? 0.0 : log2(cases[i].after_ns / cases[i].before_ns);
        cr_assert_not_null(found);
        cr_assert_str_eq(strrchr(found->name, ':') + 1, cases[i].name);
        cr_assert_float_eq(rv_compare_octaves(found), octaves, 0.15);
    }
    cr_assert_null(rv_compare_find(&result, &(struct rv_subroutine){.package = "P", .name = "none", .file = "f"}));
    cr_assert_null(rv_compare_find(&result, &(struct rv_subroutine){.package = "P", .name = "slow", .file = "g"}));
    for (uint32_t i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "P::%s", cases[i].name);
        const struct rv_compare_row *row = row_of(&result, name);
        cr_assert_eq(row->verdict, cases[i].verdict, "%s: z %g, share %g", name, row->ranks.z, row->ranks.share_above);
        cr_assert_eq(row->stats[0].n_calls, 3000);
        cr_assert_eq(row->stats[1].n_calls, 4000);
        cr_assert_eq(row->line[0], 1);
        cr_assert_eq(row->line[1], 70 + i);
        /* Of two exponential distributions the share is the ratio of one mean to both. */
        cr_assert_float_eq(row->ranks.share_above, cases[i].after_ns / (cases[i].before_ns + cases[i].after_ns), 0.03);
    }
    cr_assert_str_eq(result.rows[0].name, "P::fast"); /* the greatest change of total time */
    rv_compare_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}

Test(compare, two_runs_of_one_kind_differ_in_nothing, .timeout = 60)
{
    struct side sides[2] = {make_side(), make_side()};
    for (uint32_t i = 1; i <= 500; i++)
        for (int side = 0; side < 2; side++) {
            char name[16];
            snprintf(name, sizeof name, "f%u", i);
            rv_subroutines_define(sides[side].subroutines, i, "", name, "", 0);
            call_many(&sides[side], i, 100, 100.0 * i);
        }
    struct rv_compare result = compare(sides);
    cr_assert_eq(result.n_tested, 500);
    for (size_t i = 0; i < result.n; i++)
        cr_assert_eq(result.rows[i].verdict, RV_COMPARE_SAME, "%s", result.rows[i].name);
    rv_compare_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}

Test(compare, few_new_and_gone_are_not_judged, .timeout = 60)
{
    struct side sides[2] = {make_side(), make_side()};
    rv_subroutines_define(sides[0].subroutines, 1, "", "few", "", 0);
    rv_subroutines_define(sides[1].subroutines, 1, "", "few", "", 0);
    rv_subroutines_define(sides[0].subroutines, 2, "", "gone", "", 0);
    rv_subroutines_define(sides[1].subroutines, 2, "", "new", "", 0);
    for (int i = 0; i < 19; i++)
        call(&sides[0], 1, 10);
    for (int i = 0; i < 1000; i++)
        call(&sides[1], 1, 1000);
    call(&sides[0], 2, 5);
    call(&sides[1], 2, 7);
    struct rv_compare result = compare(sides);
    cr_assert_eq(result.n, 3);
    cr_assert_eq(result.n_tested, 0);
    cr_assert_eq(row_of(&result, "few")->verdict, RV_COMPARE_FEW);
    cr_assert_eq(row_of(&result, "gone")->verdict, RV_COMPARE_GONE);
    cr_assert_eq(row_of(&result, "new")->verdict, RV_COMPARE_NEW);
    cr_assert_eq(row_of(&result, "gone")->stats[0].total_ns, 5);
    cr_assert_eq(row_of(&result, "new")->stats[0].n_calls, 0);
    cr_assert_eq(row_of(&result, "new")->stats[1].max_ns, 7);
    rv_compare_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}

Test(compare, several_lines_of_one_name_and_file_are_one_and_other_files_are_not, .timeout = 60)
{
    struct side sides[2] = {make_side(), make_side()};
    rv_subroutines_define(sides[0].subroutines, 1, "P", "f", "a", 3);
    rv_subroutines_define(sides[0].subroutines, 2, "P", "f", "a", 9);
    rv_subroutines_define(sides[0].subroutines, 3, "P", "f", "b", 3);
    rv_subroutines_define(sides[1].subroutines, 1, "", "P::f", "a", 4);
    for (uint32_t id = 1; id <= 3; id++)
        call(&sides[0], id, 100 * id);
    call(&sides[1], 1, 50);
    struct rv_compare result = compare(sides);
    cr_assert_eq(result.n, 2);
    const struct rv_compare_row *row = &result.rows[strcmp(result.rows[0].file, "a") == 0 ? 0 : 1];
    cr_assert_eq(row->stats[0].n_calls, 2);
    cr_assert_eq(row->stats[0].total_ns, 300);
    cr_assert_eq(row->line[0], 3);
    cr_assert_eq(row->stats[1].n_calls, 1);
    rv_compare_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}

Test(compare, nothing_against_nothing, .timeout = 60)
{
    struct side sides[2] = {make_side(), make_side()};
    struct rv_compare result = compare(sides);
    cr_assert_eq(result.n, 0);
    rv_compare_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}
