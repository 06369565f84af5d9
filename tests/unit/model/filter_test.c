/* Rules, given as text, and the calls that they pass; views with a filter compared with views that the test filters. */
#include "model/filter.h"
#include "model/name_set.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/view.h"
#include "spans.h"

#define N_IDS 20u
#define EVERYTHING ((size_t)-1)

static struct rv_subroutines *make_names(void)
{
    static const char *const packages[] = {"std", "Shop::Order", "Shop::Cart", ""};
    struct rv_subroutines *subroutines = rv_subroutines_create();
    for (uint32_t id = 0; id < N_IDS; id++) {
        char name[16];
        snprintf(name, sizeof name, "sub%u", id);
        rv_subroutines_define(subroutines, id, packages[id % 4], name, "", 0);
    }
    return subroutines;
}

static void add(const struct rv_filter **filter, const char *text)
{
    char why[160] = "";
    cr_assert_eq(rv_filter_add(filter, text, why, sizeof why), 0, "%s: %s", text, why);
}

Test(filter, a_rule_passes_the_calls_that_it_describes, .timeout = 60)
{
    static const struct {
        const char *rule;
        struct rv_box box;
        bool passes;
    } cases[] = {
        {"name:sub1$", {.id = 1}, true},
        {"name:sub1$", {.id = 11}, false},
        {"name:^Shop::Order::", {.id = 5}, true},
        {"name:^shop::order::SUB", {.id = 5}, false},
        {"!name:sub1$", {.id = 1}, false},
        {"!name:sub1$", {.id = 2}, true},
        {"package:std", {.id = 4}, true},
        {"package:std", {.id = 5}, false},
        {"!package:std", {.id = 4}, false},
        {"package:^$", {.id = 3}, true},
        {"depth:<8", {.depth = 7}, true},
        {"depth:<8", {.depth = 8}, false},
        {"depth:<=8", {.depth = 8}, true},
        {"depth:>8", {.depth = 8}, false},
        {"depth:>=8", {.depth = 8}, true},
        {"depth:=3", {.depth = 3}, true},
        {"depth:=3", {.depth = 4}, false},
        {"depth:2..5", {.depth = 1}, false},
        {"depth:2..5", {.depth = 2}, true},
        {"depth:2..5", {.depth = 5}, true},
        {"depth:2..5", {.depth = 6}, false},
        {"!depth:2..5", {.depth = 6}, true},
        {"duration:>2ms", {.duration_ns = 2000000}, false},
        {"duration:>2ms", {.duration_ns = 2000001}, true},
        {"duration:<1us", {.duration_ns = 999}, true},
        {"duration:<1us", {.duration_ns = 1000}, false},
        {"duration:1us..2us", {.duration_ns = 1500}, true},
        /* a cell: half covered by 4 calls of 1 us */
        {"duration:<=1us", {.duration_ns = 8000, .coverage = 32767, .count = 4}, true},
        {"duration:>1us", {.duration_ns = 8000, .coverage = 32767, .count = 4}, false},
    };
    struct rv_subroutines *subroutines = make_names();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rv_filter *filter = NULL;
        struct rv_box box = cases[i].box;
        if (!box.coverage)
            box.coverage = RV_BOX_EXACT;
        add(&filter, cases[i].rule);
        cr_assert(rv_filter_update(filter, subroutines, EVERYTHING));
        cr_assert_eq(rv_filter_passes_box(filter, NULL, &box), cases[i].passes, "case %zu: %s", i, cases[i].rule);
        cr_assert_str_eq(rv_filter_text(filter, 0), cases[i].rule);
        rv_filter_invert(&filter, 0);
        cr_assert_eq(rv_filter_passes_box(filter, NULL, &box), !cases[i].passes, "case %zu: not %s", i, cases[i].rule);
        cr_assert_eq(rv_filter_text(filter, 0)[0] == '!', cases[i].rule[0] != '!');
        rv_filter_release(filter);
    }
    rv_subroutines_destroy(subroutines);
}

Test(filter, an_invalid_rule_is_refused_with_a_reason, .timeout = 60)
{
    static const char *const texts[] = {
        "",          "!",           "foo",         "name",           "name:",
        "name:(",    "names:x",     "depth:8",     "depth:<",        "depth:<0",
        "depth:<-1", "depth:5..2",  "depth:..",    "depth:==3",      "duration:>2parsecs",
        "depth:<1s", "duration:>",  "package:[",   "thread:",        ":x",
        "nam:x",     "depth:1...3", "duration:<1", "duration:1s..x", "Name:x",
        "arg:",      "arg:("};
    const struct rv_filter *filter = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char why[160] = "";
        bool is_good = strcmp(texts[i], "duration:<1") == 0; /* seconds may lack their unit */
        cr_assert_eq(rv_filter_add(&filter, texts[i], why, sizeof why), is_good ? 0 : -EINVAL, "%s", texts[i]);
        cr_assert(is_good || strlen(why) > 0);
    }
    cr_assert_eq(rv_filter_n_rules(filter), 1);
    rv_filter_release(filter);
}

Test(filter, a_call_must_pass_all_rules_and_rules_can_be_removed, .timeout = 60)
{
    struct rv_subroutines *subroutines = make_names();
    const struct rv_filter *filter = NULL;
    struct rv_box box = {.id = 5, .depth = 3, .coverage = RV_BOX_EXACT};
    add(&filter, "depth:<2");
    add(&filter, "thread:^work");
    add(&filter, "name:order");
    cr_assert(rv_filter_update(filter, subroutines, EVERYTHING));
    cr_assert_not(rv_filter_passes_box(filter, NULL, &box));
    rv_filter_remove(&filter, 0);
    cr_assert(rv_filter_passes_box(filter, NULL, &box));
    cr_assert(rv_filter_passes_thread(filter, "Worker-1"));
    cr_assert_not(rv_filter_passes_thread(filter, "main"));
    rv_filter_invert(&filter, 0);
    cr_assert(rv_filter_passes_thread(filter, "main"));
    rv_filter_release(filter);
    rv_subroutines_destroy(subroutines);
}

Test(filter, names_that_no_subroutine_has_are_known, .timeout = 60)
{
    static const struct {
        const char *rules[2];
        bool passes;
    } rows[] = {
        {{"name:sub5$", "package:shop"}, true},
        {{"name:sub5$", "package:std"}, false},
        {{"name:nothing"}, false},
        {{"!name:sub"}, false},
        {{"depth:>9", "name:sub"}, true},
        {{NULL}, true},
    };
    struct rv_subroutines *subroutines = make_names();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rv_filter *filter = NULL;
        for (int j = 0; j < 2 && rows[i].rules[j]; j++)
            add(&filter, rows[i].rules[j]);
        cr_assert(rv_filter_update(filter, subroutines, EVERYTHING));
        cr_assert_eq(rv_filter_passes_any_name(filter, N_IDS), rows[i].passes, "row %zu", i);
        rv_filter_release(filter);
    }
    cr_assert_not(rv_filter_passes_any_name(NULL, 0));
    rv_subroutines_destroy(subroutines);
}

Test(filter, a_view_dims_or_leaves_out_what_does_not_pass_and_marks_hits, .timeout = 60)
{
    struct rv_subroutines *subroutines = make_names();
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_span spans[2000];
    for (uint32_t i = 0; i < 2; i++) {
        struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = i, .name = i ? "worker" : "main"});
        struct spans random;
        spans_init(&random, i + 1, N_IDS, 10, 12);
        spans_make(&random, spans, 2000);
        rv_timeline_add(lane->timeline, spans, 2000);
        lane->last_ns = rv_timeline_last_ns(lane->timeline);
        spans_fini(&random);
    }
    uint64_t first, last;
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    const struct rv_filter *filter = NULL;
    struct rv_regex pattern;
    struct rv_name_set hits;
    char why[160];
    add(&filter, "!thread:main");
    add(&filter, "depth:1..4");
    add(&filter, "!package:std");
    cr_assert_eq(rv_regex_init(&pattern, "sub(5|6)$", why, sizeof why), 0);
    rv_name_set_init(&hits, RV_NAME_SET_NAME, &pattern);
    cr_assert(rv_filter_update(filter, subroutines, EVERYTHING));
    cr_assert(rv_name_set_update(&hits, subroutines, EVERYTHING));

    struct rv_view all = {0}, view = {0};
    struct rv_view_params params = {first, last + 1, 1u << 30, 1u << 20};
    rv_view_update(&all, lanes, &params);
    cr_assert_eq(all.n_boxes, 4000);
    for (unsigned mode = 0; mode < 4; mode++) {
        rv_filter_set_mode(&filter, mode & 1 ? RV_FILTER_HIDE : RV_FILTER_DIM);
        params.filter = filter;
        params.hits = mode & 2 ? &hits : NULL;
        rv_view_update(&view, lanes, &params);
        size_t n = 0, n_hits = 0;
        for (size_t lane = 0; lane < 2; lane++) {
            for (size_t i = all.lanes[lane].first_box; i < all.lanes[lane].first_box + all.lanes[lane].n_boxes; i++) {
                const struct rv_box *box = &all.boxes[i];
                bool passes = lane == 1 && box->depth >= 1 && box->depth <= 4 && box->id % 4 != 0;
                bool is_hit = passes && (mode & 2) && (box->id == 5 || box->id == 6);
                if (!passes && (mode & 1))
                    continue;
                cr_assert_eq(view.boxes[n].start_ns, box->start_ns);
                cr_assert_eq(view.boxes[n].id, box->id);
                cr_assert_eq(!!(view.boxes[n].flags & RV_BOX_HIT), is_hit);
                cr_assert_eq(!!(view.boxes[n].flags & RV_BOX_DIMMED), !is_hit && (!passes || (mode & 2)));
                n_hits += is_hit;
                n++;
            }
            cr_assert_eq(view.lanes[lane].first_box + view.lanes[lane].n_boxes, n);
        }
        cr_assert_eq(view.n_boxes, n);
        cr_assert_eq(n_hits > 0, (mode & 2) != 0);
    }
    rv_name_set_fini(&hits);
    rv_regex_fini(&pattern);
    rv_filter_release(filter);
    rv_view_fini(&all);
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
    rv_subroutines_destroy(subroutines);
}

Test(filter, a_held_filter_is_unchanged_when_another_replaces_it, .timeout = 60)
{
    const struct rv_filter *filter = NULL;
    add(&filter, "thread:worker");
    add(&filter, "depth:<2");
    const struct rv_filter *held = rv_filter_hold(filter);
    rv_filter_invert(&filter, 0);
    rv_filter_remove(&filter, 1);
    cr_assert_eq(rv_filter_n_rules(held), 2);
    cr_assert_eq(rv_filter_n_rules(filter), 1);
    cr_assert_str_eq(rv_filter_text(held, 0), "thread:worker");
    cr_assert_str_eq(rv_filter_text(filter, 0), "!thread:worker");
    rv_filter_release(filter);
    cr_assert(rv_filter_passes_thread(held, "Worker-1"));
    cr_assert(rv_filter_passes_box(held, NULL, &(struct rv_box){.depth = 1}));
    cr_assert_not(rv_filter_passes_box(held, NULL, &(struct rv_box){.depth = 2}));
    rv_filter_release(held);
}

Test(filter, names_that_are_matched_for_one_holder_are_matched_for_all, .timeout = 60)
{
    struct rv_subroutines *subroutines = make_names();
    const struct rv_filter *filter = NULL;
    add(&filter, "name:sub5$");
    const struct rv_filter *held = rv_filter_hold(filter);
    add(&filter, "depth:<2");
    cr_assert_not(rv_filter_passes_box(held, NULL, &(struct rv_box){.id = 5}));
    cr_assert(rv_filter_update(filter, subroutines, EVERYTHING));
    cr_assert(rv_filter_passes_box(held, NULL, &(struct rv_box){.id = 5}));
    cr_assert_eq(rv_filter_generation(held), rv_filter_generation(filter));
    rv_filter_release(filter);
    rv_filter_release(held);
    rv_subroutines_destroy(subroutines);
}

/* A lane with two calls of subroutine 3, of which the second has a text that is not known yet. */
static void add_texts(struct rv_lane *of, struct rv_subroutines *subroutines)
{
    rv_subroutines_define(subroutines, N_IDS, "", "7" RV_ARGUMENTS_SEPARATOR "\"SELECT 1\"", "", 0);
    rv_argument_texts_add(&of->texts, &(struct rv_argument_text){.at_ns = 100, .subroutine = 3, .id = N_IDS});
    rv_argument_texts_add(&of->texts, &(struct rv_argument_text){.at_ns = 200, .subroutine = 3, .id = N_IDS + 1});
}

static bool passes_at(const struct rv_filter *filter, const struct rv_lane *of, uint64_t start_ns)
{
    return rv_filter_passes_box(
        filter, of, &(struct rv_box){.id = 3, .start_ns = start_ns, .duration_ns = 9, .coverage = RV_BOX_EXACT});
}

Test(filter, arguments_are_matched_as_they_are_shown, .timeout = 60)
{
    struct rv_subroutines *subroutines = make_names();
    struct rv_lane called = {.lock = PTHREAD_RWLOCK_INITIALIZER};
    const struct rv_filter *filter = NULL, *none = NULL;
    add_texts(&called, subroutines);
    add(&filter, "arg:^7, .select");
    add(&none, "!arg:select");
    cr_assert(rv_filter_update(filter, subroutines, EVERYTHING) && rv_filter_update(none, subroutines, EVERYTHING));
    cr_assert(passes_at(filter, &called, 100));
    cr_assert_not(passes_at(none, &called, 100));
    cr_assert_not(passes_at(filter, &called, 150), "a call without arguments");
    cr_assert(passes_at(none, &called, 150));
    cr_assert(rv_filter_passes_box(filter, &called, &(struct rv_box){.start_ns = 50, .duration_ns = 60, .count = 2}),
              "a cell");
    cr_assert_not(
        rv_filter_passes_box(filter, &called, &(struct rv_box){.start_ns = 150, .duration_ns = 60, .count = 2}));
    rv_filter_release(filter);
    rv_filter_release(none);
    rv_argument_texts_fini(&called.texts);
    rv_subroutines_destroy(subroutines);
}

Test(filter, calls_are_matched_again_only_for_new_texts, .timeout = 60)
{
    struct rv_subroutines *subroutines = make_names();
    struct rv_lane called = {.lock = PTHREAD_RWLOCK_INITIALIZER};
    const struct rv_filter *filter = NULL;
    add_texts(&called, subroutines);
    add(&filter, "arg:select");
    cr_assert(rv_filter_update(filter, subroutines, EVERYTHING));
    uint64_t generation = rv_filter_generation(filter);
    cr_assert(passes_at(filter, &called, 100));
    rv_subroutines_define(subroutines, N_IDS + 5, "", "\"SELECT 5\"", "", 0);
    cr_assert(rv_filter_update(filter, subroutines, EVERYTHING));
    cr_assert_eq(rv_filter_generation(filter), generation);
    cr_assert_not(passes_at(filter, &called, 200));
    rv_subroutines_define(subroutines, N_IDS + 1, "", "\"SELECT 2\"", "", 0);
    cr_assert(rv_filter_update(filter, subroutines, EVERYTHING));
    cr_assert_neq(rv_filter_generation(filter), generation);
    cr_assert(passes_at(filter, &called, 200));
    generation = rv_filter_generation(filter);
    cr_assert(rv_filter_update(filter, subroutines, EVERYTHING));
    cr_assert_eq(rv_filter_generation(filter), generation);
    rv_filter_release(filter);
    rv_argument_texts_fini(&called.texts);
    rv_subroutines_destroy(subroutines);
}
