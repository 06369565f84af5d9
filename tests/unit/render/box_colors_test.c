#include <criterion/criterion.h>

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

static uint32_t hue_of(uint32_t id)
{
    return slot_of(id) % RV_COLOR_HUES;
}

Test(box_colors, of_each_hue_one_large_package_is_plain_and_the_others_are_patterned)
{
    uint32_t n_plain[RV_COLOR_HUES] = {0}, hues = 0;
    for (uint32_t package = 0; package < N_PACKAGES; package++)
        show(2 * package + 1, 1000 * (package + 1));
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    for (uint32_t package = 0; package < N_PACKAGES; package++) {
        uint32_t slot = slot_of(2 * package + 1);
        cr_assert_lt(slot, RV_COLOR_SLOTS, "package %u", package);
        n_plain[slot % RV_COLOR_HUES] += slot < RV_COLOR_HUES;
        hues |= 1u << slot % RV_COLOR_HUES;
        for (uint32_t other = 5 * package + 6; slot < RV_COLOR_HUES && other < N_PACKAGES; other++)
            cr_assert_neq(hue_of(2 * other + 1), slot, "package %u is plain, not the much larger %u", package, other);
    }
    for (uint32_t hue = 0; hue < RV_COLOR_HUES; hue++)
        cr_assert_eq(n_plain[hue], hues >> hue & 1u, "hue %u", hue);
}

/* Its hue when no other package is there. */
static uint32_t lone_hue(uint32_t id)
{
    struct rv_box_colors *alone = rv_box_colors_create();
    struct rv_box box = {.id = id, .duration_ns = 1000, .count = 1, .coverage = 65535};
    struct rv_view_lane one = {.n_boxes = 1};
    struct rv_view seen = {.to_ns = 1000000, .lanes = &one, .n_lanes = 1, .boxes = &box, .n_boxes = 1};
    rv_box_colors_update(alone, &seen, subroutines, RV_BOX_COLORS_RESTING);
    uint32_t hue = rv_box_colors_index(alone, &box, 0) / RV_COLOR_SHADES;
    rv_box_colors_destroy(alone);
    return hue;
}

/* In any company, order and sizes: all at once as in a recording, or one after another as live. */
Test(box_colors, a_name_alone_decides_its_hue)
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
            uint32_t slot = rv_box_colors_index(met, &boxes[i], 0) / RV_COLOR_SHADES;
            cr_assert_lt(slot, RV_COLOR_SLOTS);
            cr_assert_eq(slot % RV_COLOR_HUES, lone_hue(boxes[i].id), "run %u", run);
        }
        rv_box_colors_destroy(met);
    }
}

/* Meet eight numbered packages of like areas, in an order drawn by seed: the colours must depend on names only. */
static void meet(struct rv_box_colors *met, uint32_t numbers_from, unsigned seed, uint32_t slots[RV_COLOR_HUES])
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
            .id = i + 1, .duration_ns = 1000 + (seed * 7919 + i * 104729) % 3000, .count = 1, .coverage = 65535};
    }
    rv_box_colors_update(met, &seen, known, RV_BOX_COLORS_RESTING);
    for (uint32_t i = 0; i < RV_COLOR_HUES; i++) {
        struct rv_box box = {.id = i + 1, .count = 1, .coverage = 65535};
        slots[(i * 5 + seed) % RV_COLOR_HUES] = rv_box_colors_index(met, &box, 0) / RV_COLOR_SHADES;
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
                cr_assert_eq(again[i], first[i], "package %u: slot %u, then %u", from + i, first[i], again[i]);
        }
    }
}

Test(box_colors, a_package_keeps_its_hue)
{
    show(1, 500);
    show(3, 400);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    uint32_t first = hue_of(1), second = hue_of(3);
    view.n_boxes = 0;
    show(3, 900);
    show(5, 2000);
    show(2, 1);
    for (int frame = 0; frame < 1000; frame++)
        rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_eq(hue_of(1), first);
    cr_assert_eq(slot_of(2), slot_of(1), "subroutines of one package share a slot");
    cr_assert_eq(hue_of(3), second);
}

Test(box_colors, only_in_the_first_seconds_a_much_larger_package_becomes_the_plain_one_of_its_hue)
{
    uint32_t newcomer = 3;
    show(1, 1000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_lt(slot_of(1), RV_COLOR_HUES);
    while (lone_hue(newcomer) != slot_of(1))
        newcomer += 2;
    show(newcomer, 90000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    cr_assert_eq(slot_of(newcomer), slot_of(1) + RV_COLOR_HUES);
    struct rv_box_colors *young = rv_box_colors_create();
    view.n_boxes = 1;
    rv_box_colors_update(young, &view, subroutines, RV_BOX_COLORS_SETTLING);
    view.n_boxes = 2;
    rv_box_colors_update(young, &view, subroutines, RV_BOX_COLORS_SETTLING);
    cr_assert_eq(rv_box_colors_index(young, &boxes[1], 0) / RV_COLOR_SHADES, slot_of(1));
    rv_box_colors_destroy(young);
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
    cr_assert_lt(slot_of(1), RV_COLOR_HUES);
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
    cr_assert_lt(slot_of(50), RV_COLOR_HUES);
}

Test(box_colors, libraries_come_after_the_program_and_get_no_pattern)
{
    for (uint32_t i = 0; i < 12; i++) {
        static const char *const files[] = {"<internal:kernel>", "/usr/share/perl5/Library.pm", "main.c", "main.c"};
        static const uint32_t forms[] = {0, 0, RV_NAME_C, RV_NAME_LIBRARY};
        char package[32];
        snprintf(package, sizeof package, "Library%u", i);
        rv_subroutines_define(subroutines, 60 + i, package, "call", files[i % 4], rv_name_line_form(1, forms[i % 4]));
        show(60 + i, 30000 - i);
    }
    for (uint32_t package = 0; package < 4; package++)
        show(2 * package + 1, 10000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    for (uint32_t package = 0; package < 4; package++)
        cr_assert_lt(slot_of(2 * package + 1), RV_COLOR_SLOTS, "of the program");
    for (uint32_t i = 0; i < 12; i++)
        cr_assert(slot_of(60 + i) < RV_COLOR_HUES || slot_of(60 + i) == RV_COLOR_NEUTRAL, "library %u", i);
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
    cr_assert_eq(rv_box_colors_index_of(colors, &other) / RV_COLOR_SHADES, RV_COLOR_HUES + lone_hue(5));
}

/* A second of a run and a millisecond of it. */
Test(box_colors, colours_of_a_run_are_those_of_a_part_of_it)
{
    for (uint32_t package = 0; package < RV_COLOR_SLOTS; package++)
        show(2 * package + 1, 10000 + package);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    uint32_t slots[RV_COLOR_SLOTS], late = 2 * RV_COLOR_SLOTS + 1;
    for (uint32_t package = 0; package < RV_COLOR_SLOTS; package++)
        slots[package] = slot_of(2 * package + 1);
    view.to_ns = 1000;
    view.n_boxes = 0;
    for (uint32_t package = 4; package < RV_COLOR_SLOTS; package++)
        show(2 * package + 1, 50 + package);
    show(late, 30);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    for (uint32_t package = 0; package < RV_COLOR_SLOTS; package++)
        cr_assert_eq(slot_of(2 * package + 1), slots[package], "package %u", package);
    cr_assert_eq(hue_of(late), lone_hue(late));
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
    uint32_t taken = 0;
    for (uint32_t id = 101; id < 105; id++) {
        char name[8];
        snprintf(name, sizeof name, "#%u", id);
        rv_subroutines_define(subroutines, id, "", name, "", 0);
        show(id, 1000);
    }
    show(200, 1000);
    rv_box_colors_update(colors, &view, subroutines, RV_BOX_COLORS_RESTING);
    for (uint32_t id = 101; id < 105; id++) {
        uint32_t slot = slot_of(id);
        cr_assert(slot < RV_COLOR_SLOTS && !(taken & 1u << slot), "#%u has slot %u", id, slot);
        taken |= 1u << slot;
    }
    cr_assert_eq(slot_of(200), RV_COLOR_NEUTRAL);
}

/* Meet twelve packages, of rising areas, one after another or all at once. */
static void meet_growing(bool all_at_once, uint32_t slots[12])
{
    struct rv_box_colors *met = rv_box_colors_create();
    view.n_boxes = 0;
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t package = all_at_once ? i : i * 5 % 12;
        show(2 * package + 1, 1000 * (package + 1));
        if (!all_at_once || i == 11)
            rv_box_colors_update(met, &view, subroutines, RV_BOX_COLORS_SETTLING);
    }
    for (uint32_t i = 0; i < 12; i++) {
        struct rv_box box = {.id = 2 * i + 1, .count = 1, .coverage = 65535};
        slots[i] = rv_box_colors_index(met, &box, 0) / RV_COLOR_SHADES;
    }
    rv_box_colors_destroy(met);
}

Test(box_colors, while_settling_colours_do_not_depend_on_the_order_of_arrival)
{
    uint32_t at_once[12], one_by_one[12];
    meet_growing(true, at_once);
    meet_growing(false, one_by_one);
    cr_assert_arr_eq(one_by_one, at_once, sizeof at_once);
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
    uint32_t taken = 0;
    cr_assert(rv_box_colors_is_split(colors));
    cr_assert_eq(rv_box_colors_rank(colors, groups, 8), 7);
    cr_assert_eq(groups[0].kind, RV_BOX_COLORS_SUBROUTINE);
    cr_assert_str_eq(groups[0].name, "part65");
    for (uint32_t id = 60; id < 66; id++) {
        cr_assert_eq(taken >> slot_of(id) & 1u, 0, "slot %u is given twice", slot_of(id));
        taken |= 1u << slot_of(id);
    }
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
