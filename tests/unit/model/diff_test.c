#include "model/diff.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side {
    struct rv_stats *stats, *own;
    struct rv_stats_lane *lane;
    struct rv_diff_variance *variance;
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
    return (struct side){.stats = rv_stats_create(),
                         .own = rv_stats_create(),
                         .lane = rv_stats_lane_create(),
                         .variance = rv_diff_variance_create(),
                         .subroutines = rv_subroutines_create(),
                         .now_ns = 1};
}

static void free_side(struct side *side)
{
    rv_stats_destroy(side->stats);
    rv_stats_destroy(side->own);
    rv_diff_variance_destroy(side->variance);
    rv_stats_lane_destroy(side->lane);
    rv_subroutines_destroy(side->subroutines);
}

/* A call that spends own_ns of its time itself. */
static void call_with_own(struct side *side, uint32_t id, uint64_t duration_ns, uint64_t own_ns)
{
    struct rv_span span = {.start = side->now_ns, .end = side->now_ns + duration_ns, .id = id};
    rv_stats_lane_set_open(side->lane, NULL, NULL, 0, 0);
    rv_stats_add(side->stats, side->lane, &span, 1);
    rv_stats_add_call(side->own, id, &(struct rv_stats_call){.duration_ns = own_ns});
    rv_diff_variance_add(side->variance, id, span.end, (uint64_t[]){own_ns, duration_ns});
    side->now_ns = span.end + 1;
}

static void call(struct side *side, uint32_t id, uint64_t duration_ns)
{
    call_with_own(side, id, duration_ns, duration_ns);
}

/* n calls of about mean_ns, exponentially distributed. */
static void call_many(struct side *side, uint32_t id, size_t n, double mean_ns)
{
    for (size_t i = 0; i < n; i++)
        call(side, id, (uint64_t)(-log(1.0 - uniform()) * mean_ns));
}

static struct rv_diff compare(const struct side sides[2])
{
    struct rv_diff compare;
    struct rv_diff_side its[2];
    for (int i = 0; i < 2; i++)
        its[i] = (struct rv_diff_side){sides[i].stats, sides[i].own, sides[i].variance, sides[i].subroutines};
    rv_diff_init(&compare, its);
    return compare;
}

static const struct rv_diff_row *row_of(const struct rv_diff *compare, const char *name)
{
    for (size_t i = 0; i < compare->n; i++)
        if (strcmp(compare->rows[i].name, name) == 0)
            return &compare->rows[i];
    cr_assert_fail("no row %s", name);
    return NULL;
}

Test(model_diff, slower_and_faster_subroutines_are_found_and_no_others, .timeout = 60)
{
    struct side sides[2] = {make_side(), make_side()};
    static const struct {
        const char *name;
        double before_ns, after_ns;
        enum rv_diff_verdict verdict;
    } cases[] = {{"slow", 1000, 1500, RV_DIFF_SLOWER},
                 {"fast", 50000, 30000, RV_DIFF_FASTER},
                 {"same", 2000, 2000, RV_DIFF_SAME},
                 {"nearly", 2000, 2040, RV_DIFF_SAME}}; /* below the least effect, however many calls */
    for (uint32_t i = 0; i < 4; i++) {
        rv_subroutines_define(sides[0].subroutines, i + 1, "P", cases[i].name, "f", 1);
        rv_subroutines_define(sides[1].subroutines, 9 - i, "P", cases[i].name, "f", 70 + i);
        call_many(&sides[0], i + 1, 3000, cases[i].before_ns);
        call_many(&sides[1], 9 - i, 4000, cases[i].after_ns);
    }
    struct rv_diff result = compare(sides);
    cr_assert_eq(result.n, 4);
    cr_assert_eq(result.n_tested, 4);
    for (uint32_t i = 0; i < 4; i++) {
        struct rv_subroutine one = rv_subroutines_get(sides[1].subroutines, 9 - i);
        const struct rv_diff_row *found = rv_diff_find(&result, &one);
        double octaves = cases[i].verdict == RV_DIFF_SAME ? 0.0 : log2(cases[i].after_ns / cases[i].before_ns);
        cr_assert_not_null(found);
        cr_assert_str_eq(strrchr(found->name, ':') + 1, cases[i].name);
        cr_assert_float_eq(rv_diff_octaves(found), octaves, 0.15);
    }
    cr_assert_null(rv_diff_find(&result, &(struct rv_subroutine){.package = "P", .name = "none", .file = "f"}));
    cr_assert_null(rv_diff_find(&result, &(struct rv_subroutine){.package = "P", .name = "slow", .file = "g"}));
    for (uint32_t i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "P::%s", cases[i].name);
        const struct rv_diff_row *row = row_of(&result, name);
        cr_assert_eq(row->verdict, cases[i].verdict, "%s: ratio %g, p %g", name, row->changes[0].ratio,
                     row->changes[0].p);
        cr_assert_eq(row->stats[0].n_calls, 3000);
        cr_assert_eq(row->stats[1].n_calls, 4000);
        cr_assert_eq(row->line[0], 1);
        cr_assert_eq(row->line[1], 70 + i);
        cr_assert_float_eq(log2(row->changes[0].ratio), log2(cases[i].after_ns / cases[i].before_ns), 0.15);
    }
    cr_assert_str_eq(result.rows[0].name, "P::slow"); /* slower ones first, then faster ones */
    cr_assert_str_eq(result.rows[1].name, "P::fast");
    rv_diff_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}

/* 100 subroutines; a run is slower than another by a factor, each of its subroutines by one more, and it wavers. */
static void run_noisily(struct side *side, double factor, double own_noise, double wavering)
{
    static double phase;
    for (uint32_t i = 1; i <= 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        rv_subroutines_define(side->subroutines, i, "", name, "", 0);
        double its = factor * exp2(own_noise * (uniform() + uniform() + uniform() + uniform() - 2.0));
        for (int k = 0; k < 400; k++) {
            phase += 0.01;
            call(side, i, (uint64_t)(its * 100.0 * i * exp2(wavering * sin(phase)) * (0.9 + 0.2 * uniform())));
        }
    }
}

Test(model_diff, a_program_on_a_noisy_machine_does_not_differ_from_itself, .timeout = 60)
{
    size_t n_verdicts = 0;
    for (int turn = 0; turn < 20; turn++) {
        struct side sides[2] = {make_side(), make_side()};
        run_noisily(&sides[0], 1.0, 0.1, 0.3);
        run_noisily(&sides[1], 1.7, 0.1, 0.3);
        struct rv_diff result = compare(sides);
        cr_assert_eq(result.n_tested, 100);
        cr_expect_float_eq(result.common_ratio, 1.7, 0.1);
        for (size_t i = 0; i < result.n; i++)
            n_verdicts += result.rows[i].verdict != RV_DIFF_SAME;
        rv_diff_fini(&result);
        free_side(&sides[0]);
        free_side(&sides[1]);
    }
    cr_assert_leq(n_verdicts, 2, "%zu verdicts of 4000 tests", n_verdicts);
}

/*
 * A machine that is now and then slower for some 20 ms. Three subroutines are called all the time; each of the others in
 * one burst, between them, so that it sees one state of the machine.
 */
static void run_in_bursts(struct side *side, uint64_t last_ns)
{
    double its = 1.0;
    uint64_t until_ns = 0;
    for (uint32_t i = 1; i <= 60; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        rv_subroutines_define(side->subroutines, i, "", name, "", 0);
        for (int k = 0; i > 3 && k < 3000; k++) {
            if (side->now_ns >= until_ns) {
                its = uniform() < 0.3 ? 1.6 : 1.0;
                until_ns = side->now_ns + (uint64_t)(40e6 * uniform());
            }
            call(side, i, (uint64_t)(its * 1000.0 * (0.9 + 0.2 * uniform())));
            if (k % 10 == 0)
                call(side, 1 + (uint32_t)k / 10 % 3, (uint64_t)(its * (k / 10 % 3 == 2 ? last_ns : 2000.0)));
        }
    }
}

Test(model_diff, bursts_that_saw_another_state_of_the_machine_are_not_claimed, .timeout = 60)
{
    size_t n_verdicts = 0, n_found = 0;
    for (int turn = 0; turn < 8; turn++) {
        struct side sides[2] = {make_side(), make_side()};
        run_in_bursts(&sides[0], 2000);
        run_in_bursts(&sides[1], 4000);
        struct rv_diff result = compare(sides);
        cr_assert_eq(result.n_tested, 60);
        for (size_t i = 0; i < result.n; i++)
            n_verdicts += result.rows[i].verdict != RV_DIFF_SAME;
        n_found += row_of(&result, "f3")->verdict == RV_DIFF_SLOWER;
        rv_diff_fini(&result);
        free_side(&sides[0]);
        free_side(&sides[1]);
    }
    cr_expect_eq(n_found, 8, "the slower one was found %zu times", n_found);
    cr_expect_leq(n_verdicts - n_found, 1, "%zu verdicts of 472 tests of unchanged ones", n_verdicts - n_found);
}

Test(model_diff, slower_subroutines_come_before_their_callers, .timeout = 60)
{
    struct side sides[2] = {make_side(), make_side()};
    run_noisily(&sides[0], 1.0, 0.05, 0.1);
    run_noisily(&sides[1], 1.0, 0.05, 0.1);
    for (int side = 0; side < 2; side++) {
        rv_subroutines_define(sides[side].subroutines, 101, "", "caller", "", 0);
        rv_subroutines_define(sides[side].subroutines, 102, "", "cause", "", 0);
        for (int i = 0; i < 200; i++) {
            call(&sides[side], 102, side ? 9000 : 5000);
            call_with_own(&sides[side], 101, 70000 + (side ? 40000 : 0), 20000);
        }
    }
    struct rv_diff result = compare(sides);
    cr_assert_str_eq(result.rows[0].name, "cause");
    cr_assert_eq(result.rows[0].verdict, RV_DIFF_SLOWER);
    cr_assert_eq(result.rows[0].own_p50_ns[1] / 100, 90);
    cr_assert_str_eq(result.rows[1].name, "caller");
    cr_assert_eq(result.rows[1].verdict, RV_DIFF_SLOWER_INSIDE);
    rv_diff_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}

/* Before and after as "package name file", and whether they are one. */
Test(model_diff, subroutines_are_matched_by_name_and_the_longest_tail_of_the_path, .timeout = 60)
{
    static const struct {
        const char *package, *name, *file;
    } subroutines[2][9] = {{{"old", "main", "/a/src/main.c"},
                            {"old", "helper", ""},
                            {"old", "init", "/a/src/one/init.c"},
                            {"old", "init", "/a/src/two/init.c"},
                            {"N", "moved", "/a/src/here.cc"},
                            {"N", "twice", "x/one.cc"},
                            {"N", "twice", "x/two.cc"},
                            {"Gone", "new", "/a/Gone.pm"},
                            {"lib", "same", "/a/lib.c"}},
                           {{"new", "main", "/b/c/src/main.c"},
                            {"new", "helper", ""},
                            {"new", "init", "/b/c/src/two/init.c"},
                            {"new", "init", "/b/c/src/one/init.c"},
                            {"N", "moved", "/b/c/src/there.cc"},
                            {"N", "twice", "y/three.cc"},
                            {"N", "twice", "y/four.cc"},
                            {"Fresh", "new", "/b/Fresh.pm"},
                            {"lib", "same", "/b/lib.c"}}};
    static const int matches[9] = {0, 1, 3, 2, 4, -1, -1, -1, 8};
    struct side sides[2] = {make_side(), make_side()};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < 9; i++) {
            rv_subroutines_define(sides[side].subroutines, i + 1, subroutines[side][i].package,
                                  subroutines[side][i].name, subroutines[side][i].file, i);
            call(&sides[side], i + 1, 100);
        }
    struct rv_diff result = compare(sides);
    for (uint32_t i = 0; i < 9; i++) {
        struct rv_subroutine before = rv_subroutines_get(sides[0].subroutines, i + 1);
        const struct rv_diff_row *row = rv_diff_find(&result, &before);
        cr_assert_not_null(row);
        cr_expect_eq(row->stats[0].n_calls, 1);
        cr_expect_eq(row->stats[1].n_calls, matches[i] >= 0, "%s (%s)", before.name, before.file);
        if (matches[i] < 0)
            continue;
        struct rv_subroutine after = rv_subroutines_get(sides[1].subroutines, (uint32_t)matches[i] + 1);
        cr_expect_eq(rv_diff_find(&result, &after), row, "%s (%s)", before.name, before.file);
        cr_expect_str_eq(row->file, after.file);
    }
    cr_expect_eq(result.n, 12);
    rv_diff_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}

Test(model_diff, two_runs_of_the_same_program_do_not_differ, .timeout = 60)
{
    struct side sides[2] = {make_side(), make_side()};
    for (uint32_t i = 1; i <= 500; i++)
        for (int side = 0; side < 2; side++) {
            char name[16];
            snprintf(name, sizeof name, "f%u", i);
            rv_subroutines_define(sides[side].subroutines, i, "", name, "", 0);
            call_many(&sides[side], i, 100, 100.0 * i);
        }
    struct rv_diff result = compare(sides);
    cr_assert_eq(result.n_tested, 500);
    for (size_t i = 0; i < result.n; i++)
        cr_assert_eq(result.rows[i].verdict, RV_DIFF_SAME, "%s", result.rows[i].name);
    rv_diff_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}

Test(model_diff, few_new_and_gone_are_not_judged, .timeout = 60)
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
    struct rv_diff result = compare(sides);
    cr_assert_eq(result.n, 3);
    cr_assert_eq(result.n_tested, 0);
    cr_assert_eq(row_of(&result, "few")->verdict, RV_DIFF_FEW);
    cr_assert_eq(row_of(&result, "gone")->verdict, RV_DIFF_GONE);
    cr_assert_eq(row_of(&result, "new")->verdict, RV_DIFF_NEW);
    cr_assert_eq(row_of(&result, "gone")->stats[0].total_ns, 5);
    cr_assert_eq(row_of(&result, "new")->stats[0].n_calls, 0);
    cr_assert_eq(row_of(&result, "new")->stats[1].max_ns, 7);
    rv_diff_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}

Test(model_diff, several_lines_of_one_name_and_file_are_one_and_other_files_are_not, .timeout = 60)
{
    struct side sides[2] = {make_side(), make_side()};
    rv_subroutines_define(sides[0].subroutines, 1, "P", "f", "a", 3);
    rv_subroutines_define(sides[0].subroutines, 2, "P", "f", "a", 9);
    rv_subroutines_define(sides[0].subroutines, 3, "P", "f", "b", 3);
    rv_subroutines_define(sides[1].subroutines, 1, "", "P::f", "a", 4);
    for (uint32_t id = 1; id <= 3; id++)
        call(&sides[0], id, 100 * id);
    call(&sides[1], 1, 50);
    struct rv_diff result = compare(sides);
    cr_assert_eq(result.n, 2);
    const struct rv_diff_row *row = &result.rows[strcmp(result.rows[0].file, "a") == 0 ? 0 : 1];
    cr_assert_eq(row->stats[0].n_calls, 2);
    cr_assert_eq(row->stats[0].total_ns, 300);
    cr_assert_eq(row->line[0], 3);
    cr_assert_eq(row->stats[1].n_calls, 1);
    rv_diff_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}

Test(model_diff, two_empty_captures_are_compared, .timeout = 60)
{
    struct side sides[2] = {make_side(), make_side()};
    struct rv_diff result = compare(sides);
    cr_assert_eq(result.n, 0);
    rv_diff_fini(&result);
    free_side(&sides[0]);
    free_side(&sides[1]);
}
