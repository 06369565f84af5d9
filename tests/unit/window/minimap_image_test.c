#include "window/minimap_image.h"

#include <criterion/criterion.h>

#include "model/lanes.h"

#define MS 1000000u
#define WIDTH 200

static const struct rv_color idle = {10, 12, 14}, lost = {255, 77, 106};

struct fixture {
    struct rv_lanes *lanes;
    struct rv_lane *lane;
    struct rv_subroutines *subroutines;
    struct rv_box_colors *colors;
    struct rv_live_edge live_edge;
    struct rv_minimap_image image;
};

static void add_call(struct fixture *fixture, uint64_t start_ns, uint64_t end_ns, uint32_t id)
{
    struct rv_span span = {.start = start_ns, .end = end_ns, .id = id};
    rv_timeline_add(fixture->lane->timeline, &span, 1);
    fixture->lane->last_ns = end_ns;
}

static void init(struct fixture *fixture)
{
    *fixture = (struct fixture){.lanes = rv_lanes_create(),
                                .subroutines = rv_subroutines_create(),
                                .colors = rv_box_colors_create(),
                                .live_edge = {.first_ns = MS, .last_ns = 201 * MS, .is_done = true}};
    fixture->lane =
        rv_lanes_add(fixture->lanes, &(struct rv_lane_identity){.pid = 1, .tid = 1, .process_name = "program"});
    rv_subroutines_define(fixture->subroutines, 1, "", "lua_push", "", 1);
}

static void fini(struct fixture *fixture)
{
    rv_minimap_image_fini(&fixture->image);
    rv_box_colors_destroy(fixture->colors);
    rv_subroutines_destroy(fixture->subroutines);
    rv_lanes_destroy(fixture->lanes);
}

static void update(struct fixture *fixture)
{
    rv_minimap_image_update(&fixture->image, &(struct rv_minimap_image_params){.lanes = fixture->lanes,
                                                                               .colors = fixture->colors,
                                                                               .subroutines = fixture->subroutines,
                                                                               .live_edge = &fixture->live_edge,
                                                                               .idle = idle,
                                                                               .lost = lost,
                                                                               .width = WIDTH,
                                                                               .height = 8,
                                                                               .clock_ns = 1});
}

static const uint8_t *pixel(const struct fixture *fixture, int x)
{
    return fixture->image.rgba + 4 * (size_t)x;
}

static int light(const uint8_t *rgba)
{
    return rgba[0] + rgba[1] + rgba[2];
}

static int chroma(const uint8_t *rgba)
{
    int most = rgba[0] > rgba[1] ? rgba[0] : rgba[1], least = rgba[0] < rgba[1] ? rgba[0] : rgba[1];
    most = rgba[2] > most ? rgba[2] : most;
    least = rgba[2] < least ? rgba[2] : least;
    return most - least;
}

Test(minimap_image, subroutines_that_no_picture_has_shown_have_colours, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    add_call(&fixture, 1 * MS, 201 * MS, 1);
    update(&fixture);
    cr_assert_gt(chroma(pixel(&fixture, 100)), 20);
    fini(&fixture);
}

Test(minimap_image, the_busier_a_lane_the_brighter_it_is, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    add_call(&fixture, 1 * MS, 50 * MS, 1);
    for (uint64_t ns = 100 * MS; ns < 150 * MS; ns += 200000)
        add_call(&fixture, ns, ns + 60000, 1);
    update(&fixture);
    int busy = light(pixel(&fixture, 20)), third = light(pixel(&fixture, 120)), none = light(pixel(&fixture, 80));
    cr_assert_eq(none, light((const uint8_t[]){idle.r, idle.g, idle.b}));
    cr_assert_gt(third, none + 20);
    cr_assert_gt(busy, third + 20);
    fini(&fixture);
}

Test(minimap_image, lost_events_have_their_colour_where_they_were_lost, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    add_call(&fixture, 1 * MS, 201 * MS, 1);
    rv_lane_add_note(fixture.lane,
                     &(struct rv_lane_note){.start_ns = 51 * MS, .end_ns = 53 * MS, .kind = RV_NOTE_LOST, .id = 7});
    update(&fixture);
    cr_assert_gt(pixel(&fixture, 51)[0], pixel(&fixture, 51)[1] + 80);
    cr_assert_leq(pixel(&fixture, 60)[0], pixel(&fixture, 60)[1] + 80);
    fini(&fixture);
}

/* As the clock's start in a trace of a machine that has been up for days. */
Test(minimap_image, a_stray_event_long_before_does_not_empty_it, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    uint64_t busy_ns = 13 * UINT64_C(86400000000000);
    add_call(&fixture, MS, MS + 1000, 1);
    for (uint64_t i = 0; i < 100; i++)
        add_call(&fixture, busy_ns + i * 10 * MS, busy_ns + (i + 1) * 10 * MS, 1);
    fixture.live_edge.last_ns = fixture.lane->last_ns;
    fixture.live_edge.is_done = false;
    update(&fixture);
    cr_assert_eq(fixture.image.first_ns, fixture.live_edge.first_ns, "a growing trace is shown as a whole");
    fixture.live_edge.is_done = true;
    update(&fixture);
    cr_assert_lt(fixture.image.last_ns - fixture.image.first_ns, 2000 * (uint64_t)MS);
    for (int x = 20; x < WIDTH - 20; x++)
        cr_assert_gt(light(pixel(&fixture, x)), light((const uint8_t[]){idle.r, idle.g, idle.b}), "column %d", x);
    uint64_t version = fixture.image.version;
    update(&fixture);
    cr_assert_eq(fixture.image.version, version, "it is made once");
    fini(&fixture);
}

Test(minimap_image, changed_colours_are_painted_anew, .timeout = 60)
{
    struct fixture fixture;
    struct rv_view view = {0};
    init(&fixture);
    rv_subroutines_define(fixture.subroutines, 1, "Package", "call", "", 1);
    add_call(&fixture, 1 * MS, 201 * MS, 1);
    update(&fixture);
    uint64_t version = fixture.image.version;
    cr_assert_lt(chroma(pixel(&fixture, 100)), 20, "a package without a slot is grey");
    update(&fixture);
    cr_assert_eq(fixture.image.version, version);
    rv_view_update(&view, fixture.lanes, &(struct rv_view_params){.from_ns = MS, .to_ns = 201 * MS, .width_px = WIDTH});
    rv_box_colors_update(fixture.colors, &view, fixture.subroutines, RV_BOX_COLORS_RESTING);
    update(&fixture);
    cr_assert_gt(chroma(pixel(&fixture, 100)), 20);
    rv_view_fini(&view);
    fini(&fixture);
}
