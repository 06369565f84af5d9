/* The legend's shares are those of the statistics, also where the picture has folds. */
#include "viewer/self_times.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "viewer/color_legend.h"
#include "viewer/viewer.h"

#define US UINT64_C(1000)
#define BEGIN (1000 * US)
#define CYCLE (10 * US)
#define N_CYCLES 2000u
#define LENGTH (N_CYCLES * CYCLE)

TestSuite(self_times, .timeout = 60);

enum { OUTER = 1, LONG = 2, SHORT = 3, OTHER = 4 };

struct fixture {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_viewer viewer;
    struct rv_view view;
    struct rv_box_colors *colors;
    struct rv_color_legend kept;
    struct rv_legend legend;
};

static void add(struct rv_lane *lane, uint32_t id, uint64_t start_ns, uint64_t duration_ns, uint32_t depth)
{
    const struct rv_span span = {.start = start_ns, .end = start_ns + duration_ns, .id = id, .depth = depth};
    rv_timeline_add(lane->timeline, &span, 1);
    lane->last_ns = span.end;
}

/* On one thread outer calls long for six and short for three of ten microseconds, of which folds have one; on the other
 * all is of a third. */
static void init(struct fixture *fixture)
{
    static const char *const NAMES[] = {"outer", "long", "short", "other"};
    *fixture = (struct fixture){
        .lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .colors = rv_box_colors_create()};
    for (uint32_t i = 0; i < 4; i++)
        rv_subroutines_define(fixture->subroutines, i + 1, "", NAMES[i], "", 0);
    struct rv_lane *lanes[2];
    for (uint32_t i = 0; i < 2; i++)
        lanes[i] =
            rv_lanes_add(fixture->lanes, &(struct rv_lane_identity){.pid = 1, .tid = i, .thread = i, .process_key = 1});
    for (uint32_t i = 0; i < N_CYCLES; i++) {
        add(lanes[0], LONG, BEGIN + i * CYCLE, 6 * US, 1);
        add(lanes[0], SHORT, BEGIN + i * CYCLE + 6 * US, 3 * US, 1);
    }
    add(lanes[0], OUTER, BEGIN, LENGTH, 0);
    add(lanes[1], OTHER, BEGIN, LENGTH, 0);
    struct rv_viewer_params params = {
        .now_ns = BEGIN, .window_ns = LENGTH, .lanes = fixture->lanes, .subroutines = fixture->subroutines};
    rv_settings_init(&params.settings);
    rv_viewer_init(&fixture->viewer, &params);
    rv_viewer_advance(&fixture->viewer, fixture->lanes, true, 0.0);
    rv_lane_choices_update(&fixture->viewer.lane_order, fixture->lanes);
}

static void fini(struct fixture *fixture)
{
    rv_color_legend_fini(&fixture->kept);
    rv_view_fini(&fixture->view);
    rv_box_colors_destroy(fixture->colors);
    rv_viewer_fini(&fixture->viewer);
    rv_lanes_destroy(fixture->lanes);
    rv_subroutines_destroy(fixture->subroutines);
}

static void show(struct fixture *fixture, uint64_t from_ns, uint64_t to_ns)
{
    struct rv_viewer *viewer = &fixture->viewer;
    viewer->time_window.is_following = false;
    rv_time_window_set(&viewer->time_window, from_ns, to_ns);
}

/* Of a picture of 40 pixels. */
static void describe(struct fixture *fixture)
{
    struct rv_viewer *viewer = &fixture->viewer;
    struct rv_view_params params = {.width_px = 40, .box_budget = 100, .lane_order = &viewer->lane_order};
    rv_time_window_get(&viewer->time_window, &params.from_ns, &params.to_ns);
    rv_viewer_apply(viewer, &params);
    rv_view_update(&fixture->view, fixture->lanes, &params);
    rv_box_colors_update(fixture->colors, &fixture->view, fixture->subroutines, RV_BOX_COLORS_RESTING);
    rv_color_legend_describe(&fixture->kept,
                             &(struct rv_color_legend_params){.colors = fixture->colors,
                                                              .view = &fixture->view,
                                                              .times = rv_viewer_self_times_get(viewer),
                                                              .subroutines = fixture->subroutines},
                             &fixture->legend);
}

static void measure_and_describe(struct fixture *fixture)
{
    rv_viewer_self_times_wait(&fixture->viewer);
    describe(fixture);
}

/* In per cent, as it is shown; -1: it has no row. */
static double percent_of(const struct fixture *fixture, const char *name)
{
    for (size_t i = 0; i < fixture->legend.n_rows; i++)
        if (strcmp(fixture->legend.rows[i].name, name) == 0)
            return round(1000.0 * fixture->legend.rows[i].share) / 10.0;
    return -1.0;
}

static void expect(const struct fixture *fixture, const double percents[4])
{
    static const char *const NAMES[] = {"outer", "long", "short", "other"};
    for (int i = 0; i < 4; i++)
        cr_expect_float_eq(percent_of(fixture, NAMES[i]), percents[i], 1e-6, "%s: %g instead of %g", NAMES[i],
                           percent_of(fixture, NAMES[i]), percents[i]);
    cr_expect_str_eq(fixture->legend.unit, "self time");
}

Test(self_times, folds_have_the_times_of_all_their_subroutines)
{
    struct fixture fixture;
    init(&fixture);
    show(&fixture, BEGIN, BEGIN + LENGTH);
    describe(&fixture);
    cr_expect_gt(fixture.view.n_folded, N_CYCLES, "the picture is folded");
    cr_expect_lt(percent_of(&fixture, "short"), 1.0, "the picture alone does not tell");
    cr_expect_str_eq(fixture.legend.unit, "~ self time");
    measure_and_describe(&fixture);
    expect(&fixture, (double[4]){5.0, 30.0, 15.0, 50.0});
    fini(&fixture);
}

/* The window begins within a long call and ends within a short one. */
Test(self_times, are_of_the_window_alone)
{
    struct fixture fixture;
    init(&fixture);
    const uint64_t from_ns = BEGIN + 100 * CYCLE + 4 * US, to_ns = BEGIN + 300 * CYCLE + 7 * US;
    show(&fixture, from_ns, to_ns);
    measure_and_describe(&fixture);
    const double percent = 50.0 / (double)(to_ns - from_ns);
    expect(&fixture, (double[4]){round(10 * percent * 200 * US) / 10, round(10 * percent * (199 * 6 + 2 + 6) * US) / 10,
                                 round(10 * percent * (200 * 3 + 1) * US) / 10, 50.0});
    fini(&fixture);
}

Test(self_times, hidden_threads_have_none)
{
    struct fixture fixture;
    init(&fixture);
    show(&fixture, BEGIN, BEGIN + LENGTH);
    measure_and_describe(&fixture);
    rv_lane_choices_toggle_hidden(&fixture.viewer.lane_order, 1);
    describe(&fixture);
    cr_expect_str_eq(fixture.legend.unit, "~ self time", "those with the thread are not shown any more");
    measure_and_describe(&fixture);
    expect(&fixture, (double[4]){10.0, 60.0, 30.0, -1.0});
    fini(&fixture);
}

Test(self_times, calls_that_the_filter_hides_have_none)
{
    struct fixture fixture;
    init(&fixture);
    show(&fixture, BEGIN, BEGIN + LENGTH);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_LET, .text = "!name:long"});
    measure_and_describe(&fixture);
    expect(&fixture,
           (double[4]){round(1000.0 * 1 / 14) / 10, 0.0, round(1000.0 * 3 / 14) / 10, round(1000.0 * 10 / 14) / 10});
    fini(&fixture);
}

Test(self_times, end_at_the_playhead)
{
    struct fixture fixture;
    init(&fixture);
    show(&fixture, BEGIN, BEGIN + LENGTH);
    rv_playhead_set(&fixture.viewer.playhead, BEGIN + 6 * US - 1);
    measure_and_describe(&fixture);
    const struct rv_self_times times = rv_viewer_self_times_get(&fixture.viewer);
    cr_assert_eq(times.n_rows, 3);
    for (size_t i = 0; i < times.n_rows; i++)
        cr_expect_eq(times.rows[i].self_ns, times.rows[i].id == OUTER ? 0 : 6 * US);
    fini(&fixture);
}

static void follow(struct fixture *fixture, uint64_t from_ns, uint64_t to_ns)
{
    show(fixture, from_ns, to_ns);
    fixture->viewer.time_window.is_following = true;
}

Test(self_times, of_a_moment_before_are_shown_while_the_window_follows)
{
    struct fixture fixture;
    init(&fixture);
    follow(&fixture, BEGIN, BEGIN + LENGTH / 4);
    rv_viewer_self_times_wait(&fixture.viewer);
    const uint64_t version = rv_viewer_self_times_get(&fixture.viewer).version;
    follow(&fixture, BEGIN + LENGTH / 2, BEGIN + LENGTH / 2 + LENGTH / 4);
    cr_expect_eq(rv_viewer_self_times_get(&fixture.viewer).version, version);
    cr_expect(rv_viewer_self_times_get(&fixture.viewer).is_exact);
    fixture.viewer.self_times.shown.at_ns -= 10 * UINT64_C(1000000000);
    cr_expect_eq(rv_viewer_self_times_get(&fixture.viewer).version, version);
    cr_expect_not(rv_viewer_self_times_get(&fixture.viewer).is_exact, "they are old");
    follow(&fixture, BEGIN, BEGIN + LENGTH);
    cr_expect_null(rv_viewer_self_times_get(&fixture.viewer).rows, "they are of much less");
    fini(&fixture);
}

/* Near to what was measured its times are better than the picture's. */
Test(self_times, of_another_window_are_not_taken_for_those_of_this_one)
{
    struct fixture fixture;
    init(&fixture);
    show(&fixture, BEGIN, BEGIN + LENGTH / 2);
    rv_viewer_self_times_wait(&fixture.viewer);
    cr_expect(rv_viewer_self_times_get(&fixture.viewer).is_exact);
    show(&fixture, BEGIN + LENGTH / 8, BEGIN + LENGTH / 8 + LENGTH / 2);
    cr_expect_not_null(rv_viewer_self_times_get(&fixture.viewer).rows);
    cr_expect_not(rv_viewer_self_times_get(&fixture.viewer).is_exact);
    show(&fixture, BEGIN + LENGTH / 2, BEGIN + LENGTH);
    cr_expect_null(rv_viewer_self_times_get(&fixture.viewer).rows);
    fini(&fixture);
}

Test(self_times, are_measured_beside_the_picture)
{
    struct fixture fixture;
    init(&fixture);
    show(&fixture, BEGIN, BEGIN + LENGTH / 2);
    (void)rv_viewer_self_times_advance(&fixture.viewer);
    cr_expect(rv_viewer_self_times_are_coming(&fixture.viewer));
    while (!rv_viewer_self_times_advance(&fixture.viewer))
        continue;
    cr_expect_not(rv_viewer_self_times_are_coming(&fixture.viewer));
    describe(&fixture);
    expect(&fixture, (double[4]){5.0, 30.0, 15.0, 50.0});
    cr_expect_not(rv_viewer_self_times_advance(&fixture.viewer), "nothing has changed");
    cr_expect_not(rv_viewer_self_times_are_coming(&fixture.viewer));
    fini(&fixture);
}
