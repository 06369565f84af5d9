#include <criterion/criterion.h>
#include <math.h>

#include <stdio.h>

#include "render/mark_runs.h"
#include "render/note_shapes.h"
#include "render/theme.h"
#include "ringviz/wire.h"

#define N_LANES 4u

/* Four lanes of two processes, two and two, 1000 ns of time. */
static struct rv_view_lane lanes[N_LANES];
static struct rv_lane_note notes[512];
static struct rv_view view;
static struct rv_lane_layout layout;
static struct rv_ground_mesh mesh;

static void begin(void)
{
    view = (struct rv_view){
        .from_ns = 1000, .to_ns = 2000, .lanes = lanes, .n_lanes = N_LANES, .n_processes = 2, .notes = notes};
    for (uint32_t i = 0; i < N_LANES; i++)
        lanes[i] = (struct rv_view_lane){.lane_idx = i, .process = i / 2, .max_depth = 4};
}

static void note(uint32_t lane, struct rv_lane_note what)
{
    lanes[lane].n_notes += 1;
    if (lanes[lane].n_notes == 1)
        lanes[lane].first_note = (uint32_t)view.n_notes;
    notes[view.n_notes++] = what;
}

static void draw(enum rv_view_mode look)
{
    rv_lane_layout_take(&layout, &view, rv_view_mode_get(look));
    rv_lane_layout_place(&layout, &view,
                         &(struct rv_lane_layout_params){.look = rv_view_mode_get(look), .room = 600.0f});
    mesh.n = 0;
    rv_note_shapes_add(&mesh, &layout, &view, rv_theme_get(RV_COLOR_DARK));
}

static void finish(void)
{
    rv_lane_layout_fini(&layout);
    rv_ground_mesh_fini(&mesh);
}

TestSuite(note_shapes, .init = begin, .fini = finish, .timeout = 60);

/* Coordinate on the axis along which lanes lie beside each other. */
static float across(const struct rv_ground_mesh_vertex *vertex)
{
    return layout.is_flat ? vertex->y : vertex->z;
}

static bool is_in_zone(const struct rv_ground_mesh_vertex *vertex, uint32_t lane)
{
    float a = layout.lanes[lane].zone[0], b = layout.lanes[lane].zone[1], at = across(vertex);
    return at >= fminf(a, b) - 1e-4f && at <= fmaxf(a, b) + 1e-4f;
}

Test(note_shapes, a_collection_stays_on_the_lanes_of_its_process)
{
    note(1, (struct rv_lane_note){.start_ns = 1200, .end_ns = 1300, .kind = RV_NOTE_GC});
    for (int look = 0; look < RV_VIEW_MODE_COUNT; look++) {
        draw((enum rv_view_mode)look);
        cr_assert_eq(mesh.n, 2 * 6, "a stripe for each of two lanes");
        for (size_t i = 0; i < mesh.n; i++)
            cr_assert(is_in_zone(&mesh.vertices[i], 0) || is_in_zone(&mesh.vertices[i], 1));
    }
}

static uint32_t alpha_of(size_t quad)
{
    return mesh.vertices[6 * quad].rgba >> 24;
}

Test(note_shapes, a_collection_shorter_than_its_stripe_is_faint)
{
    static const struct rv_lane_note collections[] = {
        {.start_ns = 1010, .end_ns = 1011, .kind = RV_NOTE_GC},
        {.start_ns = 1200, .end_ns = 1300, .kind = RV_NOTE_GC},
        {.start_ns = 1400, .end_ns = 1500, .kind = RV_NOTE_GC, .n_more = 3, .covered_ns = 50},
        {.start_ns = 1999, .end_ns = UINT64_MAX, .kind = RV_NOTE_GC},
    };
    for (size_t i = 0; i < sizeof collections / sizeof *collections; i++)
        note(0, collections[i]);
    view.to_ns = 101000;
    draw(RV_VIEW_MODE_FLAME);
    cr_assert_eq(mesh.n, 8 * 6);
    const uint32_t far = alpha_of(0);
    view.to_ns = 2000;
    draw(RV_VIEW_MODE_FLAME);
    cr_assert_lt(far, alpha_of(0), "the nearer, the more of its stripe it covers");
    cr_assert_lt(alpha_of(4), alpha_of(2), "merged ones leave gaps");
    cr_assert_eq(alpha_of(2), alpha_of(6), "one that has not ended is as strong as a long one");
}

/* How opaque the floor of the first lane is in the mean. */
static double opacity(enum rv_view_mode look)
{
    const int n_samples = 2000;
    double sum = 0.0;
    draw(look);
    for (int sample = 0; sample < n_samples; sample++) {
        const float x = ((float)sample + 0.5f) / (float)n_samples * layout.width;
        double left = 1.0;
        for (size_t i = 0; i < mesh.n; i += 6)
            if (is_in_zone(&mesh.vertices[i], 0) && is_in_zone(&mesh.vertices[i + 2], 0) && x >= mesh.vertices[i].x &&
                x < mesh.vertices[i + 1].x)
                left *= 1.0 - (double)(mesh.vertices[i].rgba >> 24) / 255.0;
        sum += 1.0 - left;
    }
    return sum / n_samples;
}

Test(note_shapes, many_short_collections_do_not_make_a_solid_floor)
{
    view.to_ns = view.from_ns + 1000000;
    for (int look = 0; look < RV_VIEW_MODE_COUNT; look++) {
        view.n_notes = lanes[0].n_notes = 0;
        note(0, (struct rv_lane_note){.start_ns = view.from_ns, .end_ns = view.to_ns, .kind = RV_NOTE_GC});
        const double full = opacity((enum rv_view_mode)look);
        for (uint64_t percent = 3; percent <= 100; percent += percent < 20 ? 5 : 20) {
            view.n_notes = lanes[0].n_notes = 0;
            for (uint64_t i = 0; i < 500; i++)
                note(0, (struct rv_lane_note){.start_ns = view.from_ns + 2000 * i,
                                              .end_ns = view.from_ns + 2000 * i + 20 * percent,
                                              .kind = RV_NOTE_GC});
            const double read = 100.0 * opacity((enum rv_view_mode)look) / full;
            cr_expect(fabs(read / (double)percent - 1.0) < 0.2, "%s: %d %% covered read as %.1f %%",
                      rv_view_mode_get((enum rv_view_mode)look)->name, (int)percent, read);
        }
    }
}

Test(note_shapes, zones_of_lanes_lie_side_by_side)
{
    note(2, (struct rv_lane_note){.start_ns = 1200, .end_ns = 1200, .kind = RV_NOTE_VALUE, .id = 5, .value = 1.0f});
    for (int look = 0; look < RV_VIEW_MODE_COUNT; look++) {
        draw((enum rv_view_mode)look);
        for (uint32_t i = 1; i < N_LANES; i++) {
            float last = layout.lanes[i - 1].zone[layout.is_flat ? 0 : 1];
            float next = layout.lanes[i].zone[layout.is_flat ? 1 : 0];
            cr_assert_float_eq(last, next, 1e-4f, "%s, lane %u", rv_view_mode_get((enum rv_view_mode)look)->name, i);
        }
    }
}

Test(note_shapes, a_loss_is_hatched_and_as_wide_as_its_time)
{
    note(0, (struct rv_lane_note){.start_ns = 1500, .end_ns = 1750, .kind = RV_NOTE_LOST, .id = 9});
    draw(RV_VIEW_MODE_FLAME);
    cr_assert_eq(mesh.n, 6);
    float left = layout.width, right = 0.0f;
    for (size_t i = 0; i < mesh.n; i++) {
        cr_assert_eq(mesh.vertices[i].hatch, 1.0f);
        left = fminf(left, mesh.vertices[i].x);
        right = fmaxf(right, mesh.vertices[i].x);
    }
    cr_assert_float_eq(left, 0.5f * layout.width, 1e-3f);
    cr_assert_float_eq(right, 0.75f * layout.width, 1e-3f);
}

/* How many points of the lane's rows and graphs a mark crosses. */
static float height_of_mark(size_t quad)
{
    return fabsf(across(&mesh.vertices[6 * quad + 2]) - across(&mesh.vertices[6 * quad]));
}

Test(note_shapes, dense_marks_are_ticks_beside_the_calls)
{
    for (uint64_t i = 0; i < 8; i++)
        note(1, (struct rv_lane_note){.start_ns = 1200 + i, .end_ns = 1200 + i, .kind = RV_NOTE_MARK, .id = 5});
    note(1, (struct rv_lane_note){.start_ns = 1800, .end_ns = 1800, .kind = RV_NOTE_MARK, .id = 6});
    for (int look = 0; look < RV_VIEW_MODE_COUNT; look++) {
        draw((enum rv_view_mode)look);
        cr_assert_eq(mesh.n, 9 * 6);
        float top = rv_lane_layout_row_y(&layout.lanes[1], layout.lanes[1].n_rows);
        for (size_t i = 0; i < 8; i++) {
            cr_assert_lt(height_of_mark(i), 0.5f * height_of_mark(8), "a line is over all rows");
            for (size_t j = 0; j < 6 && layout.is_flat; j++)
                cr_assert_geq(mesh.vertices[6 * i + j].y, top - 1e-4f, "above the calls");
        }
        for (size_t i = 0; i < mesh.n; i++)
            cr_assert(is_in_zone(&mesh.vertices[i], 1));
    }
}

Test(note_shapes, marks_leave_graphs_free)
{
    note(1, (struct rv_lane_note){.start_ns = 1200, .end_ns = 1200, .kind = RV_NOTE_MARK, .id = 5});
    note(1, (struct rv_lane_note){.start_ns = 2500, .end_ns = 2500, .kind = RV_NOTE_VALUE, .id = 7, .value = 1.0f});
    draw(RV_VIEW_MODE_FLAME);
    for (size_t i = 0; i < 6; i++)
        cr_assert_geq(mesh.vertices[i].y, layout.lanes[1].y - 1e-4f);
}

Test(note_shapes, runs_of_marks_have_their_number)
{
    struct rv_mark_run run;
    size_t at = 0;
    for (uint64_t i = 0; i < 4; i++)
        note(0, (struct rv_lane_note){
                    .start_ns = 1200 + i, .end_ns = 1200 + i, .kind = RV_NOTE_MARK, .id = 5, .n_more = i == 2 ? 9 : 0});
    note(0, (struct rv_lane_note){.start_ns = 1300, .end_ns = 1400, .kind = RV_NOTE_GC});
    note(0, (struct rv_lane_note){.start_ns = 1500, .end_ns = 1500, .kind = RV_NOTE_MARK, .id = 5});
    note(0, (struct rv_lane_note){.start_ns = 1501, .end_ns = 1501, .kind = RV_NOTE_MARK, .id = 6});
    draw(RV_VIEW_MODE_FLAME);
    cr_assert(rv_mark_runs_next(&view, &layout, 0, &at, &run));
    cr_assert(run.n == 13 && run.is_dense && run.first == 0 && run.end == 4);
    cr_assert(rv_mark_runs_next(&view, &layout, 0, &at, &run));
    cr_assert(run.n == 2 && !run.is_dense && run.first == 5 && run.end == 7);
    cr_assert_not(rv_mark_runs_next(&view, &layout, 0, &at, &run));
}

Test(note_shapes, a_state_lasts_until_the_next_and_each_has_its_height)
{
    note(0, (struct rv_lane_note){.start_ns = 900, .end_ns = 900, .kind = RV_NOTE_STATE, .id = RV_THREAD_STARTED});
    note(0, (struct rv_lane_note){.start_ns = 1250, .end_ns = 1250, .kind = RV_NOTE_STATE, .id = RV_THREAD_SUSPENDED});
    note(0, (struct rv_lane_note){.start_ns = 1500, .end_ns = 1500, .kind = RV_NOTE_STATE, .id = RV_THREAD_READY});
    note(0, (struct rv_lane_note){.start_ns = 1750, .end_ns = 1750, .kind = RV_NOTE_STATE, .id = RV_THREAD_EXITED});
    for (int look = 0; look < RV_VIEW_MODE_COUNT; look++) {
        float heights[3];
        draw((enum rv_view_mode)look);
        cr_assert_eq(mesh.n, 3 * 6, "an exited thread has no state");
        for (size_t i = 0; i < 3; i++) {
            const struct rv_ground_mesh_vertex *quad = &mesh.vertices[6 * i];
            cr_assert_float_eq(quad[0].x, 0.25f * (float)i * layout.width, 1e-3f);
            cr_assert_float_eq(quad[1].x, 0.25f * (float)(i + 1) * layout.width, 1e-3f);
            heights[i] = fabsf(across(&quad[2]) - across(&quad[0]));
        }
        cr_assert(heights[0] > 1.2f * heights[2] && heights[2] > 1.2f * heights[1]);
    }
}

Test(note_shapes, a_graph_shows_the_range_and_keeps_its_room)
{
    float low, high, base, peak;
    note(3, (struct rv_lane_note){.start_ns = 1100, .end_ns = 1100, .kind = RV_NOTE_VALUE, .id = 5, .value = -2.0f});
    note(3, (struct rv_lane_note){.start_ns = 1200, .end_ns = 1200, .kind = RV_NOTE_VALUE, .id = 5, .value = 30.0f});
    note(3, (struct rv_lane_note){.start_ns = 1300, .end_ns = 1300, .kind = RV_NOTE_VALUE, .id = 6, .value = 700.0f});
    note(3, (struct rv_lane_note){.start_ns = 1400, .end_ns = 1400, .kind = RV_NOTE_VALUE, .id = 5, .value = NAN});
    draw(RV_VIEW_MODE_FLAME);
    cr_assert_eq(layout.lanes[3].n_graphs, 2);
    cr_assert(rv_note_shapes_range(&view, 3, 5, &low, &high));
    cr_assert(low == -2.0f && high == 30.0f, "%g to %g", (double)low, (double)high);
    cr_assert_not(rv_note_shapes_range(&view, 2, 5, &low, &high));
    rv_lane_layout_graph(&layout, &layout.lanes[3], 0, &base, &peak);
    float least = 1e9f, most = -1e9f;
    for (size_t i = 0; i < mesh.n; i++) {
        least = fminf(least, mesh.vertices[i].y);
        most = fmaxf(most, mesh.vertices[i].y);
    }
    cr_assert_float_eq(most, peak, 1e-4f, "the greatest value");
    float y_before = layout.lanes[0].y;
    view.n_notes = 0;
    lanes[3].n_notes = 0;
    draw(RV_VIEW_MODE_FLAME);
    cr_assert_eq(layout.lanes[3].n_graphs, 2, "room once given is kept");
    cr_assert_eq(layout.lanes[0].y, y_before);
    cr_assert_eq(mesh.n, 0);
}
