#include "window/minimap_pixels.h"

#include <criterion/criterion.h>

#include <stdlib.h>

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
    struct rv_minimap_pixels image;
    int height;
};

static void add_call_at(struct fixture *fixture, uint64_t start_ns, uint64_t end_ns, uint32_t id, uint16_t depth)
{
    struct rv_span span = {.start = start_ns, .end = end_ns, .id = id, .depth = depth};
    rv_timeline_add(fixture->lane->timeline, &span, 1);
    fixture->lane->last_ns = end_ns;
}

static void add_call(struct fixture *fixture, uint64_t start_ns, uint64_t end_ns, uint32_t id)
{
    add_call_at(fixture, start_ns, end_ns, id, 0);
}

/* What follows is of this lane, which has no relatives. */
static void add_lane(struct fixture *fixture, uint32_t tid)
{
    const char name[] = {(char)('a' + tid / 16), (char)('a' + tid % 16), '\0'};
    fixture->lane = rv_lanes_add(
        fixture->lanes,
        &(struct rv_lane_identity){.pid = 1, .tid = tid, .thread = tid, .name = name, .process_name = "program"});
}

static void init(struct fixture *fixture)
{
    *fixture = (struct fixture){.lanes = rv_lanes_create(),
                                .subroutines = rv_subroutines_create(),
                                .colors = rv_box_colors_create(),
                                .live_edge = {.first_ns = MS, .last_ns = 201 * MS, .is_done = true},
                                .height = 8};
    add_lane(fixture, 1);
    rv_subroutines_define(fixture->subroutines, 1, "", "lua_push", "", 1);
}

static void fini(struct fixture *fixture)
{
    rv_minimap_pixels_fini(&fixture->image);
    rv_box_colors_destroy(fixture->colors);
    rv_subroutines_destroy(fixture->subroutines);
    rv_lanes_destroy(fixture->lanes);
}

static void update_at(struct fixture *fixture, uint64_t clock_ns)
{
    rv_minimap_pixels_update(&fixture->image, &(struct rv_minimap_pixels_params){.lanes = fixture->lanes,
                                                                                 .colors = fixture->colors,
                                                                                 .subroutines = fixture->subroutines,
                                                                                 .live_edge = &fixture->live_edge,
                                                                                 .idle = idle,
                                                                                 .lost = lost,
                                                                                 .width = WIDTH,
                                                                                 .height = fixture->height,
                                                                                 .clock_ns = clock_ns});
}

static void update(struct fixture *fixture)
{
    update_at(fixture, 1);
}

/* A growing trace is painted a part at a time. */
static void paint_at(struct fixture *fixture, uint64_t clock_ns)
{
    do
        update_at(fixture, clock_ns);
    while (fixture->image.is_making);
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

Test(minimap_pixels, subroutines_that_no_picture_has_shown_have_colours, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    add_call(&fixture, 1 * MS, 201 * MS, 1);
    update(&fixture);
    cr_assert_gt(chroma(pixel(&fixture, 100)), 20);
    fini(&fixture);
}

Test(minimap_pixels, the_busier_a_lane_the_brighter_it_is, .timeout = 60)
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

Test(minimap_pixels, a_column_has_the_colours_of_what_was_executed_by_their_times, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    rv_subroutines_define(fixture.subroutines, 2, "", "sql_step", "", 1);
    add_call_at(&fixture, 50 * MS, 100 * MS, 2, 1);
    for (uint64_t ns = 100 * MS; ns < 150 * MS; ns += 100000)
        add_call_at(&fixture, ns, ns + 50000, 2, 1);
    add_call(&fixture, 1 * MS, 201 * MS, 1);
    update(&fixture);
    const uint8_t *caller = pixel(&fixture, 20), *callee = pixel(&fixture, 70), *both = pixel(&fixture, 120);
    cr_assert_gt(abs(caller[0] - callee[0]) + abs(caller[1] - callee[1]) + abs(caller[2] - callee[2]), 40);
    for (int i = 0; i < 3; i++)
        cr_assert_leq(abs(both[i] - (caller[i] + callee[i]) / 2), 4, "%d, %d, both %d", caller[i], callee[i], both[i]);
    fini(&fixture);
}

Test(minimap_pixels, a_busy_lane_of_more_than_there_are_pixels_is_seen, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    for (uint32_t tid = 2; tid <= 100; tid++) {
        add_lane(&fixture, tid);
        if (tid == 4)
            add_call(&fixture, 1 * MS, 101 * MS, 1);
    }
    update(&fixture);
    const int none = light((const uint8_t[]){idle.r, idle.g, idle.b});
    cr_assert_gt(light(pixel(&fixture, 50)), none + 20);
    cr_assert_eq(light(pixel(&fixture, 150)), none);
    cr_assert_eq(light(pixel(&fixture, 50 + WIDTH)), none, "it is in the first row");
    fini(&fixture);
}

Test(minimap_pixels, many_lanes_are_as_sharp_as_one, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    fixture.height = 40;
    for (uint32_t tid = 2; tid <= 130; tid++) {
        add_lane(&fixture, tid);
        for (uint64_t ns = 1 * MS; ns < 201 * MS; ns += MS)
            for (uint16_t depth = 4; ns / MS % 2 && depth-- > 0;) {
                add_call_at(&fixture, ns, ns + 400000, 1, depth);
                add_call_at(&fixture, ns + 500000, ns + 900000, 1, depth);
            }
    }
    update(&fixture);
    const int none = light((const uint8_t[]){idle.r, idle.g, idle.b});
    for (int row = 0; row < fixture.height; row++)
        for (int x = 0; x < WIDTH; x += 2) {
            cr_assert_gt(light(pixel(&fixture, row * WIDTH + x)), none + 20, "row %d, column %d", row, x);
            cr_assert_eq(light(pixel(&fixture, row * WIDTH + x + 1)), none, "row %d, column %d", row, x + 1);
        }
    fini(&fixture);
}

Test(minimap_pixels, lost_events_have_their_colour_where_they_were_lost, .timeout = 60)
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

/* Such as an event at the clock's zero, days before the trace, on a machine that has been up for days. */
Test(minimap_pixels, a_stray_event_long_before_does_not_empty_it, .timeout = 60)
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

Test(minimap_pixels, changed_colours_are_painted_anew, .timeout = 60)
{
    struct fixture fixture;
    struct rv_view view = {0};
    init(&fixture);
    rv_subroutines_define(fixture.subroutines, 1, "Package", "call", "", 1);
    rv_subroutines_define(fixture.subroutines, 2, "Package", "other", "", 9);
    add_call(&fixture, 1 * MS, 151 * MS, 1);
    add_call(&fixture, 151 * MS, 201 * MS, 2);
    update(&fixture);
    uint64_t version = fixture.image.version;
    const uint8_t whole[3] = {pixel(&fixture, 100)[0], pixel(&fixture, 100)[1], pixel(&fixture, 100)[2]};
    cr_assert_gt(chroma(whole), 20, "a package that no view has shown has its hue");
    update(&fixture);
    cr_assert_eq(fixture.image.version, version);
    rv_view_update(&view, fixture.lanes, &(struct rv_view_params){.from_ns = MS, .to_ns = 201 * MS, .width_px = WIDTH});
    rv_box_colors_update(fixture.colors, &view, fixture.subroutines, RV_BOX_COLORS_RESTING);
    update(&fixture);
    cr_assert(rv_box_colors_is_split(fixture.colors));
    cr_assert_gt(chroma(pixel(&fixture, 100)), 20);
    cr_assert_arr_neq(pixel(&fixture, 100), whole, sizeof whole);
    rv_view_fini(&view);
    fini(&fixture);
}

Test(minimap_pixels, a_young_trace_is_painted_again_before_the_next_second, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    fixture.live_edge.is_done = false;
    add_call(&fixture, 1 * MS, 201 * MS, 2);
    paint_at(&fixture, 5 * MS);
    cr_assert_lt(chroma(pixel(&fixture, 100)), 20, "it has no name");
    rv_subroutines_define(fixture.subroutines, 2, "", "lua_pop", "", 1);
    fixture.live_edge.last_ns = 221 * MS;
    paint_at(&fixture, 215 * MS);
    cr_assert_lt(chroma(pixel(&fixture, 100)), 20, "not in every frame");
    paint_at(&fixture, 225 * MS);
    cr_assert_gt(chroma(pixel(&fixture, 100)), 20);
    const uint64_t version = fixture.image.version;
    fixture.live_edge.last_ns = 4000 * MS;
    paint_at(&fixture, 1220 * MS);
    cr_assert_eq(fixture.image.version, version, "an old one: once a second");
    fini(&fixture);
}
