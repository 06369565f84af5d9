#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "render/box_colors.h"
#include "ringviz/wire.h"

#define N_PACKAGES 20u

static struct rv_subroutines *subroutines;
static struct rv_box_colors *colors;
static struct rv_box boxes[128];
static struct rv_view_lane lane;
static struct rv_view view = {.to_ns = 1000000, .lanes = &lane, .n_lanes = 1, .boxes = boxes};

static void setup(void)
{
    subroutines = rv_subroutines_create();
    colors = rv_box_colors_create();
    for (uint32_t id = 1; id <= 2 * N_PACKAGES; id++) {
        char package[32], name[32];
        snprintf(package, sizeof package, "Package%u", (id - 1) / 2);
        snprintf(name, sizeof name, "name%u", id);
        rv_subroutines_define(subroutines, id, package, name, "file.pm", id);
    }
}

static void teardown(void)
{
    rv_box_colors_destroy(colors);
    rv_subroutines_destroy(subroutines);
}

TestSuite(box_colors, .init = setup, .fini = teardown, .timeout = 60);

static void show(uint32_t id, uint64_t duration_ns)
{
    boxes[view.n_boxes++] = (struct rv_box){.duration_ns = duration_ns, .id = id, .count = 1, .coverage = 65535};
    lane.n_boxes = (uint32_t)view.n_boxes;
}

static uint32_t index_of(uint32_t id)
{
    return rv_box_colors_index(colors, &(struct rv_box){.id = id, .coverage = 65535, .count = 1}, 3);
}

static uint32_t slot_of(uint32_t id)
{
    return index_of(id) / RV_COLOR_SHADES;
}

/* What can be told apart: a hue that is plain or striped in one of four lightnesses, or a grey. */
enum { N_LOOKS = RV_COLOR_SLOTS * RV_COLOR_STEPS };
static uint32_t look_in(const struct rv_box_colors *of, uint32_t id)
{
    const uint32_t index = rv_box_colors_index(of, &(struct rv_box){.id = id, .coverage = 65535, .count = 1}, 3);
    const uint32_t slot = index / RV_COLOR_SHADES, step = index % RV_COLOR_LIGHTNESSES / 2;
    return slot < RV_COLOR_SLOTS ? slot * RV_COLOR_STEPS + step : N_LOOKS + slot;
}

/* Its look when no other package is there. */
static uint32_t lone_look(uint32_t id)
{
    struct rv_box_colors *alone = rv_box_colors_create();
    struct rv_box box = {.id = id, .duration_ns = 1000, .count = 1, .coverage = 65535};
    struct rv_view_lane one = {.n_boxes = 1};
    struct rv_view seen = {.to_ns = 1000000, .lanes = &one, .n_lanes = 1, .boxes = &box, .n_boxes = 1};
    rv_box_colors_update(alone, &seen, subroutines, RV_BOX_COLORS_RESTING);
    const uint32_t look = look_in(alone, id);
    rv_box_colors_destroy(alone);
    return look;
}

/* Define a package by number, with one subroutine of that id. */
static void define(uint32_t id, uint32_t number)
{
    char package[32];
    snprintf(package, sizeof package, "Any%u", number);
    rv_subroutines_define(subroutines, id, package, "call", "file.pm", 1);
}

/* Any fourteen names, as rows of a legend, have few pairs that look alike only if none of the looks is a rare one. */
Test(box_colors, names_have_all_looks_about_as_often_and_half_of_them_are_plain)
{
    enum { N = 100 * N_LOOKS };
    uint32_t n_plain = 0, counts[N_LOOKS] = {0};
    for (uint32_t i = 0; i < N; i++) {
        char package[32];
        snprintf(package, sizeof package, "Any%u", i);
        const struct rv_subroutine subroutine = {.package = package, .name = "call", .file = "file.pm"};
        const uint32_t index = rv_box_colors_index_of(colors, &subroutine), slot = index / RV_COLOR_SHADES;
        cr_assert_lt(slot, RV_COLOR_SLOTS);
        n_plain += slot < RV_COLOR_HUES;
        counts[slot * RV_COLOR_STEPS + index % RV_COLOR_LIGHTNESSES / 2]++;
    }
    cr_assert(n_plain > N * 48 / 100 && n_plain < N * 52 / 100, "%u", n_plain);
    for (uint32_t look = 0; look < N_LOOKS; look++)
        cr_assert(counts[look] > 60 && counts[look] < 140, "look %u: %u of %u", look, counts[look], N);
}

/* In any company, order and sizes: all at once as in a recording, or one after another as live. */
Test(box_colors, a_name_alone_decides_its_colour)
{
    for (uint32_t run = 0; run < 200; run++) {
        struct rv_box_colors *met = rv_box_colors_create();
        enum rv_box_colors_stage stage = run & 2 ? RV_BOX_COLORS_SETTLING : RV_BOX_COLORS_MOVING;
        view.n_boxes = 0;
        for (uint32_t i = 0; i < 12; i++) {
            show(2 * ((i * 7 + run) % N_PACKAGES) + 1, 1 + (run * 7919 + i * 104729) % 50000);
            if (run % 2)
                rv_box_colors_update(met, &view, subroutines, stage);
        }
        rv_box_colors_update(met, &view, subroutines, stage);
        for (uint32_t i = 0; i < view.n_boxes; i++) {
            cr_assert_lt(look_in(met, boxes[i].id), N_LOOKS);
            cr_assert_eq(look_in(met, boxes[i].id), lone_look(boxes[i].id), "run %u", run);
        }
        rv_box_colors_destroy(met);
    }
}

/* Meet eight numbered packages of like areas, in an order drawn by seed: the colours must depend on names only. */
static void meet(struct rv_box_colors *met, uint32_t numbers_from, unsigned seed, uint32_t colours[RV_COLOR_HUES])
{
    struct rv_subroutines *known = rv_subroutines_create();
    struct rv_box shown[RV_COLOR_HUES];
    struct rv_view_lane one = {.n_boxes = RV_COLOR_HUES};
    struct rv_view seen = {.to_ns = 1000000, .lanes = &one, .n_lanes = 1, .boxes = shown, .n_boxes = RV_COLOR_HUES};
    for (uint32_t i = 0; i < RV_COLOR_HUES; i++) {
        uint32_t number = (i * 5 + seed) % RV_COLOR_HUES; /* 5 and 8 have no common factor: each once */
        char package[32];
        snprintf(package, sizeof package, "Package%u", numbers_from + number);
        rv_subroutines_define(known, i + 1, package, "call", "file.pm", 1);
        shown[i] = (struct rv_box){
            .id = i + 1, .duration_ns = 1000 + (seed * 7919 + i * 104729) % 1000, .count = 1, .coverage = 65535};
    }
    rv_box_colors_update(met, &seen, known, RV_BOX_COLORS_RESTING);
    for (uint32_t i = 0; i < RV_COLOR_HUES; i++) {
        struct rv_box box = {.id = i + 1, .count = 1, .coverage = 65535};
        colours[(i * 5 + seed) % RV_COLOR_HUES] = rv_box_colors_index(met, &box, 0);
    }
    rv_subroutines_destroy(known);
}

Test(box_colors, a_package_has_the_same_colour_in_every_run_of_a_program)
{
    for (uint32_t from = 0; from < 40; from++) {
        uint32_t first[RV_COLOR_HUES], again[RV_COLOR_HUES];
        for (unsigned seed = 0; seed < 16; seed++) {
            struct rv_box_colors *met = rv_box_colors_create();
            meet(met, from, seed, seed ? again : first);
            rv_box_colors_destroy(met);
            for (uint32_t i = 0; seed && i < RV_COLOR_HUES; i++)
                cr_assert_eq(again[i], first[i], "package %u: colour %u, then %u", from + i, first[i], again[i]);
        }
    }
}

Test(box_colors, a_package_keeps_its_colour)
{
    show(1, 500);
    show(3, 400);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    uint32_t first = look_in(colors, 1), second = look_in(colors, 3);
    view.n_boxes = 0;
    show(3, 900);
    show(5, 2000);
    show(2, 1);
    for (int frame = 0; frame < 1000; frame++)
        rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_eq(look_in(colors, 1), first);
    cr_assert_eq(slot_of(2), slot_of(1), "subroutines of one package share a slot");
    cr_assert_eq(look_in(colors, 3), second);
}

/* As where a program's plugins are loaded, or one moves to where others are called. */
Test(box_colors, thousands_of_packages_that_come_at_once_have_the_colours_of_their_names)
{
    enum { N = 4000, FIRST_ID = 1000 };
    struct rv_box *many = calloc(N, sizeof *many);
    show(1, 80000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    for (uint32_t i = 0; i < N; i++) {
        define(FIRST_ID + i, i);
        many[i] = (struct rv_box){
            .start_ns = 10 * i, .duration_ns = 9, .id = FIRST_ID + i, .count = 1, .coverage = RV_BOX_EXACT};
    }
    view.boxes = many;
    view.n_boxes = lane.n_boxes = N;
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_MOVING);
    for (uint32_t i = 0; i < N; i += N / 10)
        cr_expect_eq(look_in(colors, FIRST_ID + i), lone_look(FIRST_ID + i));
    free(many);
}

Test(box_colors, subroutines_of_a_package_differ_in_shade)
{
    show(1, 10);
    show(2, 10);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_neq(index_of(1), index_of(2));
}

Test(box_colors, names_without_package_are_grouped_by_their_first_part)
{
    rv_subroutines_define(subroutines, 40, "", "lua_pushnil", "lua.c", 1);
    rv_subroutines_define(subroutines, 41, "", "lua_pop", "lua.c", 2);
    rv_subroutines_define(subroutines, 42, "", "main", "main.c", 1);
    show(40, 500);
    show(41, 400);
    show(42, 300);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_eq(slot_of(40), slot_of(41));
    cr_assert_neq(slot_of(40), slot_of(42));
    cr_assert_lt(slot_of(42), RV_COLOR_SLOTS);
}

Test(box_colors, states_and_unknown_ids_take_no_slot)
{
    rv_subroutines_define(subroutines, 40, "wait", "epoll", "", rv_name_line_form(0, RV_NAME_STATE));
    show(40, 900000);
    show(1, 10);
    show(5000, 900000);
    show(UINT32_MAX, 900000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_lt(slot_of(1), RV_COLOR_SLOTS);
    cr_assert_eq(slot_of(40), RV_COLOR_WAIT);
    cr_assert_eq(slot_of(5000), RV_COLOR_NEUTRAL);
    cr_assert_eq(slot_of(UINT32_MAX), RV_COLOR_NEUTRAL);
}

Test(box_colors, a_name_that_comes_late_is_learned)
{
    show(50, 1000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_eq(slot_of(50), RV_COLOR_NEUTRAL);
    rv_subroutines_define(subroutines, 50, "Late", "name", "", 0);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_lt(slot_of(50), RV_COLOR_SLOTS);
}

Test(box_colors, a_library_has_the_colour_of_its_name)
{
    rv_subroutines_define(subroutines, 60, "Package0", "call", "/usr/share/perl5/Package0.pm",
                          rv_name_line_form(1, RV_NAME_LIBRARY));
    show(60, 1000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_eq(look_in(colors, 60), lone_look(1));
}

Test(box_colors, addresses_without_a_module_are_one_group_and_those_of_the_program_are_named_with_it)
{
    struct rv_box_colors_group groups[4];
    rv_subroutines_define(subroutines, 60, "", "0x7f0001234567", "", 0);
    rv_subroutines_define(subroutines, 61, "", "0x7f0001239999", "", 0);
    show(60, 1000);
    show(61, 1000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_eq(rv_box_colors_rank(colors, groups, 4), 1);
    cr_assert_eq(groups[0].name_bytes, 2);
    struct rv_box_colors *stripped = rv_box_colors_create();
    rv_subroutines_define(subroutines, 62, "prog", "0x1234", "/home/prog", 0);
    rv_subroutines_define(subroutines, 63, "prog", "main", "", 0);
    view.n_boxes = 0;
    show(62, 2000);
    show(63, 1000);
    rv_box_colors_update(stripped, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_eq(rv_box_colors_rank(stripped, groups, 4), 2);
    cr_assert_str_eq(groups[0].package, "prog");
    cr_assert_null(groups[1].package);
    rv_box_colors_destroy(stripped);
}

Test(box_colors, names_of_libraries_without_a_package_have_colours)
{
    for (uint32_t i = 0; i < 16; i++) {
        char name[32];
        snprintf(name, sizeof name, "stem%c_call", 'a' + (char)i);
        rv_subroutines_define(subroutines, 60 + i, "", name, "/usr/lib/python3/all.py", i + 1);
        show(60 + i, 1000 - i);
    }
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    for (uint32_t i = 0; i < 16; i++)
        cr_assert_lt(slot_of(60 + i), RV_COLOR_SLOTS);
}

Test(box_colors, a_scheme_says_what_colours_stand_for)
{
    struct rv_box box = {.id = 1, .count = 1, .duration_ns = 1u << 20, .coverage = 65535};
    struct rv_box cell = {.id = 1, .count = 4, .duration_ns = 1u << 23, .coverage = 32767};
    rv_subroutines_define(subroutines, 40, "wait", "epoll", "", rv_name_line_form(0, RV_NAME_STATE));
    for (uint32_t id = 1; id <= 2 * N_PACKAGES; id++)
        show(id, 100);
    show(40, 100);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    rv_box_colors_choose(colors, RV_COLOR_THREAD);
    for (uint32_t thread = 0; thread < 40; thread++)
        cr_assert_eq(rv_box_colors_index(colors, &box, thread) / RV_COLOR_SHADES, thread % RV_COLOR_SLOTS);
    rv_box_colors_choose(colors, RV_COLOR_DURATION);
    cr_assert_eq(rv_box_colors_index(colors, &box, 0), rv_color_duration_shade(1u << 20));
    cr_assert_eq(rv_box_colors_index(colors, &cell, 0), rv_color_duration_shade(1u << 20), "a cell's calls on average");
    rv_box_colors_choose(colors, RV_COLOR_SUBROUTINE);
    unsigned n_like_first = 0;
    for (uint32_t id = 2; id <= 2 * N_PACKAGES; id++)
        n_like_first += index_of(id) == index_of(1);
    cr_assert_leq(n_like_first, 1);
    for (int scheme = 0; scheme < RV_COLOR_SCHEME_COUNT; scheme++) {
        rv_box_colors_choose(colors, (enum rv_color_scheme)scheme);
        cr_assert_eq(slot_of(40), RV_COLOR_WAIT, "waiting is grey in all schemes");
    }
}

Test(box_colors, a_subroutine_that_was_never_seen_has_its_packages_hue)
{
    show(1, 500);
    show(3, 400);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    for (uint32_t id = 1; id <= 4; id++) {
        struct rv_subroutine subroutine = rv_subroutines_get(subroutines, id);
        uint32_t index = rv_box_colors_index_of(colors, &subroutine);
        cr_assert_eq(index / RV_COLOR_SHADES, slot_of(1 + (id - 1) / 2 * 2));
        cr_assert(id % 2 == 0 || index == index_of(id));
    }
    struct rv_subroutine other = rv_subroutines_get(subroutines, 5);
    const uint32_t index = rv_box_colors_index_of(colors, &other);
    cr_assert_eq(index / RV_COLOR_SHADES * RV_COLOR_STEPS + index % RV_COLOR_LIGHTNESSES / 2, lone_look(5));
}

/* A second of a run and a millisecond of it. */
Test(box_colors, colours_of_a_run_are_those_of_a_part_of_it)
{
    enum { N = N_PACKAGES - 1 };
    for (uint32_t package = 0; package < N; package++)
        show(2 * package + 1, 10000 + package);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    uint32_t looks[N], late = 2 * N + 1;
    for (uint32_t package = 0; package < N; package++)
        looks[package] = look_in(colors, 2 * package + 1);
    view.to_ns = 1000;
    view.n_boxes = 0;
    for (uint32_t package = 4; package < N; package++)
        show(2 * package + 1, 50 + package);
    show(late, 30);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    for (uint32_t package = 0; package < N; package++)
        cr_assert_eq(look_in(colors, 2 * package + 1), looks[package], "package %u", package);
    cr_assert_eq(look_in(colors, late), lone_look(late));
}

/* Rows by name, as the comparison has them. */
static struct rv_diff_row row(char *name, enum rv_diff_verdict verdict, uint64_t before_ns, uint64_t after_ns)
{
    return (struct rv_diff_row){
        .name = name, .file = "file.pm", .verdict = verdict, .stats = {{.p50_ns = before_ns}, {.p50_ns = after_ns}}};
}

Test(box_colors, a_claimed_difference_is_shown_by_shade_and_height)
{
    struct rv_diff_row rows[] = {
        row("Package0::name1", RV_DIFF_SLOWER, 100, 200), row("Package0::name2", RV_DIFF_FASTER, 1600, 100),
        row("Package1::name3", RV_DIFF_SAME, 100, 130),   row("Package1::name4", RV_DIFF_FEW, 100, 1000),
        row("Package2::name5", RV_DIFF_NEW, 0, 100),
    };
    struct rv_diff_name names[5];
    for (size_t i = 0; i < 5; i++)
        names[i] = (struct rv_diff_name){rows[i].name, rows[i].file, i};
    const struct rv_diff diff = {.rows = rows, .n = 5, .names = names, .n_names = 5};
    for (uint32_t id = 1; id <= 6; id++)
        show(id, 1000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    rv_box_colors_choose(colors, RV_COLOR_DIFFERENCE);
    cr_assert_eq(slot_of(1), RV_COLOR_NEUTRAL, "nothing is compared");
    rv_box_colors_set_diff(colors, &diff);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    uint32_t same = rv_color_difference_shade(0.0);
    cr_assert_eq(index_of(1), rv_color_difference_shade(1.0));
    cr_assert_eq(index_of(2), 0, "more than four times as fast");
    cr_assert_eq(index_of(3), same);
    cr_assert_eq(index_of(4), RV_COLOR_NEUTRAL * RV_COLOR_SHADES + same);
    cr_assert_eq(slot_of(5), RV_COLOR_ONE_RUN);
    cr_assert_eq(slot_of(6), RV_COLOR_NEUTRAL, "a subroutine of neither run");
    float height[6];
    for (uint32_t id = 1; id <= 5; id++)
        height[id] = rv_box_colors_height(colors, index_of(id));
    cr_assert_float_eq(height[2], rv_box_colors_least_height(colors), 1e-6);
    cr_assert(height[2] < height[3] && height[3] < height[1] && height[1] < height[5]);
    cr_assert_float_eq(height[5], 1.0, 1e-6);
    cr_assert_float_eq(height[4], height[3], 1e-6);
    rv_box_colors_choose(colors, RV_COLOR_PACKAGE);
    cr_assert_eq(rv_box_colors_height(colors, 0), 1.0f, "another scheme leaves boxes as they are");
    rv_box_colors_set_diff(colors, NULL);
}

Test(box_colors, names_that_are_numbers_have_colours_but_subroutines_without_a_name_yet_are_grey)
{
    for (uint32_t id = 101; id < 105; id++) {
        char name[8];
        snprintf(name, sizeof name, "#%u", id);
        rv_subroutines_define(subroutines, id, "", name, "", 0);
        show(id, 1000);
    }
    show(200, 1000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    for (uint32_t id = 101; id < 105; id++)
        cr_assert_lt(slot_of(id), RV_COLOR_SLOTS, "#%u", id);
    cr_assert_eq(slot_of(200), RV_COLOR_NEUTRAL);
}

/* ---- runs of a program, live and recorded ---- */

enum { N_PARTS = 40, RUN_S = 30, VIEWS_PER_S = 25 };

struct run { /* of a program with packages that begin at different times and have different shares, from then on */
    uint32_t numbers[N_PARTS];
    uint64_t begins_ns[N_PARTS];
    double shares[N_PARTS];
};

static uint32_t any(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

/* Three of four begin within the first second. */
static void make_run(struct run *run, uint32_t seed)
{
    uint32_t state = seed * 2654435761u + 1;
    for (uint32_t i = 0; i < N_PARTS; i++) {
        run->numbers[i] = any(&state) % 100000;
        run->begins_ns[i] = any(&state) % (i % 4 ? 1000000000u : RUN_S * 900000000ull);
        run->shares[i] = 1.0 / ((1 + i) * sqrt(1 + i));
        define(100 + i, run->numbers[i]);
    }
}

/* What came last comes first. */
static void reverse(struct run *run)
{
    for (uint32_t i = 0; i < N_PARTS; i++)
        run->begins_ns[i] = RUN_S * 900000000ull + 20000000 - run->begins_ns[i];
}

/* Beginnings and shares of another run differ by a few hundredths. */
static void vary(struct run *run, uint32_t seed)
{
    uint32_t state = seed * 40503u + 7;
    for (uint32_t i = 0; i < N_PARTS; i++) {
        run->begins_ns[i] += any(&state) % 20000000;
        run->shares[i] *= 0.95 + 0.1 * (any(&state) % 1000) / 1000.0;
    }
}

static int by_start(const void *a, const void *b)
{
    const uint64_t x = ((const struct rv_box *)a)->start_ns, y = ((const struct rv_box *)b)->start_ns;
    return (x > y) - (x < y);
}

static void view_run(const struct run *run, uint64_t from_ns, uint64_t to_ns)
{
    view.from_ns = from_ns;
    view.to_ns = to_ns;
    view.n_boxes = 0;
    for (uint32_t i = 0; i < N_PARTS; i++) {
        const uint64_t start_ns = run->begins_ns[i] > from_ns ? run->begins_ns[i] : from_ns;
        if (start_ns >= to_ns)
            continue;
        show(100 + i, (uint64_t)(run->shares[i] * (double)(to_ns - start_ns)));
        boxes[view.n_boxes - 1].start_ns = start_ns;
    }
    qsort(boxes, view.n_boxes, sizeof *boxes, by_start);
}

/* Watch a run to its end. Returns how often a part's look changed after the first seconds, in a view that has it. */
static uint32_t watch(struct rv_box_colors *live, const struct run *run)
{
    uint32_t n_jumps = 0, before[N_PARTS];
    for (uint64_t i = 1; i <= RUN_S * VIEWS_PER_S; i++) {
        const uint64_t now_ns = i * 1000000000u / VIEWS_PER_S;
        const bool is_young = now_ns <= 5000000000u;
        view_run(run, now_ns > 1000000000u ? now_ns - 1000000000u : 0, now_ns);
        for (uint32_t k = 0; k < N_PARTS; k++)
            before[k] = rv_box_colors_knows(live, 100 + k) ? look_in(live, 100 + k) : UINT32_MAX;
        rv_box_colors_update(live, &view, subroutines, is_young ? RV_BOX_COLORS_SETTLING : RV_BOX_COLORS_MOVING);
        for (uint32_t k = 0; k < N_PARTS; k++)
            n_jumps += !is_young && before[k] != UINT32_MAX && before[k] != look_in(live, 100 + k);
    }
    return n_jumps;
}

static struct rv_box_colors *open_recording(const struct run *run)
{
    struct rv_box_colors *recorded = rv_box_colors_create();
    view_run(run, 0, RUN_S * 1000000000ull);
    rv_box_colors_update(recorded, &view, subroutines, RV_BOX_COLORS_RESTING);
    return recorded;
}

static uint32_t n_different(const struct rv_box_colors *a, const struct rv_box_colors *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < N_PARTS; i++)
        n += look_in(a, 100 + i) != look_in(b, 100 + i);
    return n;
}

static uint32_t n_pairs_alike(const struct rv_box_colors *of)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < 14; i++)
        for (uint32_t k = 0; k < i; k++)
            n += look_in(of, 100 + i) == look_in(of, 100 + k);
    return n;
}

/* Whatever comes first, and whatever has most of the time. */
Test(box_colors, a_run_has_the_same_colours_live_recorded_and_again)
{
    enum { N_RUNS = 100 };
    uint32_t n_alike = 0;
    for (uint32_t seed = 1; seed <= N_RUNS; seed++) {
        struct run run;
        struct rv_box_colors *live = rv_box_colors_create();
        make_run(&run, seed);
        cr_assert_eq(watch(live, &run), 0, "a colour changes while one looks");
        struct rv_box_colors *recorded = open_recording(&run);
        vary(&run, seed);
        struct rv_box_colors *again = open_recording(&run);
        reverse(&run);
        struct rv_box_colors *reversed = open_recording(&run);
        cr_assert_eq(n_different(live, recorded), 0);
        cr_assert_eq(n_different(recorded, again), 0);
        cr_assert_eq(n_different(recorded, reversed), 0);
        n_alike += n_pairs_alike(recorded);
        rv_box_colors_destroy(live);
        rv_box_colors_destroy(recorded);
        rv_box_colors_destroy(again);
        rv_box_colors_destroy(reversed);
    }
    cr_log_info("of %u pictures %u pairs of rows look alike", N_RUNS, n_alike);
    cr_assert_leq(n_alike, 12 * N_RUNS / 10, "%u", n_alike);
}

Test(box_colors, the_subroutines_of_a_package_with_most_of_the_area_are_groups)
{
    for (uint32_t id = 60; id < 66; id++) {
        char name[32];
        snprintf(name, sizeof name, "part%u", id);
        rv_subroutines_define(subroutines, id, "program", name, "program.c", id);
        show(id, 1000 * (id - 50));
    }
    show(1, 3000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    struct rv_box_colors_group groups[8];
    uint32_t n_alike = 0;
    cr_assert(rv_box_colors_is_split(colors));
    cr_assert_eq(rv_box_colors_rank(colors, groups, 8), 7);
    cr_assert_eq(groups[0].kind, RV_BOX_COLORS_SUBROUTINE);
    cr_assert_str_eq(groups[0].name, "part65");
    for (uint32_t id = 61; id < 66; id++)
        n_alike += look_in(colors, id) == look_in(colors, 60);
    cr_assert_leq(n_alike, 1, "each subroutine has its own colour");
    for (uint32_t i = 0; i < 10; i++)
        show(1 + 2 * i, 20000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert(rv_box_colors_is_split(colors), "colours do not change once they are seen");
    rv_subroutines_define(subroutines, 70, "Other", "call", "other.c", 1);
    show(70, 20000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_SETTLING);
    cr_assert_not(rv_box_colors_is_split(colors), "but in the first seconds");
    cr_assert_eq(slot_of(60), slot_of(61));
}

/* As of a Perl program whose main package has now more and now less than the share from which one is split. */
Test(box_colors, a_share_that_swings_about_the_limit_does_not_change_colours_back_and_forth)
{
    rv_subroutines_define(subroutines, 60, "main", "walk", "program.pl", 1);
    rv_subroutines_define(subroutines, 61, "main", "parse", "program.pl", 9);
    for (uint32_t i = 0; i < 12; i++) {
        view.n_boxes = 0;
        show(60, i % 2 ? 20000 : 41000);
        show(61, i % 2 ? 20000 : 41000);
        show(1, 18000);
        show(3, i % 2 ? 42000 : 1000);
        rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_SETTLING);
        cr_assert(rv_box_colors_is_split(colors), "view %u", i);
    }
}

Test(box_colors, a_program_of_another_name_has_the_same_colours)
{
    uint32_t slots[2][4];
    for (uint32_t build = 0; build < 2; build++) {
        struct rv_subroutines *known = rv_subroutines_create();
        struct rv_box_colors *met = rv_box_colors_create();
        view.n_boxes = 0;
        for (uint32_t id = 1; id <= 4; id++) {
            char name[32];
            snprintf(name, sizeof name, "work%u", id);
            rv_subroutines_define(known, id, build ? "prog.new" : "prog", name, "prog.c", id);
            show(id, 1000);
        }
        rv_box_colors_update(met, &view, known, RV_BOX_COLORS_RESTING);
        for (uint32_t i = 0; i < 4; i++)
            slots[build][i] = rv_box_colors_index(met, &boxes[i], 0);
        rv_box_colors_destroy(met);
        rv_subroutines_destroy(known);
    }
    cr_assert_arr_eq(slots[1], slots[0], sizeof slots[0]);
}

Test(box_colors, groups_are_ranked_by_own_time)
{
    boxes[0] = (struct rv_box){.duration_ns = 1000, .id = 1, .count = 1, .coverage = 65535};
    boxes[1] = (struct rv_box){.duration_ns = 600, .id = 3, .count = 1, .depth = 1, .coverage = 65535};
    boxes[2] = (struct rv_box){.duration_ns = 600, .id = 5, .count = 1, .depth = 2, .coverage = 32768};
    boxes[3] =
        (struct rv_box){.start_ns = 2000, .duration_ns = 500, .id = 5, .count = 1, .depth = 1, .coverage = 65535};
    view.n_boxes = lane.n_boxes = 4;
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    struct rv_box_colors_group groups[3];
    static const double own_ns[] = {800, 400, 300};
    static const char *const names[] = {"Package2", "Package0", "Package1"};
    cr_assert_eq(rv_box_colors_rank(colors, groups, 3), 3);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_str_eq(groups[i].name, names[i]);
        cr_assert_float_eq(groups[i].share, own_ns[i] / 1500, 1e-4);
    }
}

Test(box_colors, while_moving_shares_follow_slowly)
{
    struct rv_box_colors_group groups[2];
    show(1, 1000);
    show(3, 900);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    view.n_boxes = 0;
    show(1, 800);
    show(3, 900);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_MOVING);
    cr_assert_eq(rv_box_colors_rank(colors, groups, 2), 2);
    cr_assert_str_eq(groups[0].name, "Package0", "no rank changes at once");
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_eq(rv_box_colors_rank(colors, groups, 2), 2);
    cr_assert_str_eq(groups[0].name, "Package1");
}
