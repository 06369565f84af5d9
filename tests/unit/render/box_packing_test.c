#include <criterion/criterion.h>

#include <math.h>

#include "model/color.h"
#include "render/box_packing.h"

#define HOUR_NS 3600000000000u
#define WIDTH_PX 1600.0

/* Where the shader, in its own arithmetic, puts the box: pixels from the window's left. */
static void shader_edges(const struct rv_box_packing *pack, const struct rv_box_record *record, float out_px[2])
{
    float scale = (float)(rv_box_packing_scale(pack) * WIDTH_PX),
          centre = (float)(rv_box_packing_centre(pack) * WIDTH_PX);
    out_px[0] = centre + (float)record->start * scale;
    out_px[1] = out_px[0] + (float)record->duration * scale;
}

static double exact_px(uint64_t time_ns, uint64_t from_ns, uint64_t to_ns)
{
    return (double)((int64_t)(time_ns - from_ns)) / (double)(to_ns - from_ns) * WIDTH_PX;
}

Test(pack, boxes_stand_within_a_hundredth_of_a_pixel_anywhere, .timeout = 60)
{
    static const uint64_t froms_ns[] = {0, 5u * HOUR_NS, 9000u * HOUR_NS};
    static const uint64_t windows_ns[] = {100, 10000, 1000000, 4000000000u, HOUR_NS, 3000u * (uint64_t)HOUR_NS};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 6; j++) {
            uint64_t from_ns = froms_ns[i], window_ns = windows_ns[j], to_ns = from_ns + window_ns;
            struct rv_box_packing pack;
            rv_box_packing_init(&pack, from_ns, to_ns, (double)window_ns / WIDTH_PX);
            cr_assert(window_ns >> pack.shift < 1u << 30);
            for (uint64_t part = 0; part < 100; part += 7) {
                struct rv_box box = {
                    .start_ns = from_ns + window_ns / 100 * part, .duration_ns = window_ns / 20 + 1, .coverage = 65535};
                struct rv_box_record record = rv_box_packing_box(&pack, &box, 0, 0);
                float edges_px[2];
                shader_edges(&pack, &record, edges_px);
                uint64_t end_ns = box.start_ns + box.duration_ns < to_ns ? box.start_ns + box.duration_ns : to_ns;
                cr_assert_float_eq((double)edges_px[0], exact_px(box.start_ns, from_ns, to_ns), 0.01);
                cr_assert_float_eq((double)edges_px[1], exact_px(end_ns, from_ns, to_ns), 0.01);
            }
        }
}

Test(pack, boxes_are_clipped_to_the_window, .timeout = 60)
{
    struct rv_box_packing pack;
    uint64_t from_ns = 5u * HOUR_NS, to_ns = from_ns + 10000;
    rv_box_packing_init(&pack, from_ns, to_ns, 10000 / WIDTH_PX);
    static const struct rv_box boxes[] = {
        {.start_ns = 0, .duration_ns = UINT64_MAX, .coverage = 65535},
        {.start_ns = 1000, .duration_ns = 10u * HOUR_NS, .coverage = 65535},
    };
    for (size_t i = 0; i < 2; i++) {
        struct rv_box_record record = rv_box_packing_box(&pack, &boxes[i], 0, 0);
        cr_assert_eq(record.start, -5000);
        cr_assert_eq(record.duration, 10000);
    }
    struct rv_box outside = {.start_ns = to_ns + 500, .duration_ns = 10, .coverage = 65535};
    cr_assert_eq(rv_box_packing_box(&pack, &outside, 0, 0).duration, 0);
}

Test(pack, neighbours_share_their_edge, .timeout = 60)
{
    struct rv_box_packing pack;
    uint64_t from_ns = 12345, to_ns = from_ns + 7 * HOUR_NS;
    rv_box_packing_init(&pack, from_ns, to_ns, 1.0);
    cr_assert_gt(pack.shift, 0);
    uint64_t at_ns = from_ns + 1001;
    struct rv_box_record last = {0};
    for (int i = 0; i < 1000; i++, at_ns += 7000003) {
        struct rv_box box = {.start_ns = at_ns, .duration_ns = 7000003, .coverage = 65535};
        struct rv_box_record record = rv_box_packing_box(&pack, &box, 0, 0);
        if (i)
            cr_assert_eq((int64_t)last.start + last.duration, record.start, "gap after box %d", i);
        last = record;
    }
}

Test(pack, the_shortest_box_is_visible, .timeout = 60)
{
    struct rv_box_packing pack;
    rv_box_packing_init(&pack, 0, 1600000, 1000.0);
    struct rv_box exact = {.start_ns = 800000, .duration_ns = 1, .coverage = 65535};
    struct rv_box cell = {.start_ns = 800000, .duration_ns = 1, .coverage = 30000};
    cr_assert_geq(rv_box_packing_box(&pack, &exact, 0, 0).duration, 1000);
    cr_assert_geq(rv_box_packing_box(&pack, &cell, 0, 0).duration, 1000);
}

Test(pack, fields_keep_apart, .timeout = 60)
{
    struct rv_box_packing pack;
    rv_box_packing_init(&pack, 0, 1000, 1.0);
    struct rv_box box = {.duration_ns = 500, .depth = 100000, .coverage = 12345, .flags = RV_SPAN_OPEN};
    struct rv_box_record record = rv_box_packing_box(&pack, &box, 77, 2559);
    cr_assert_eq(record.place & 0xFFFF, RV_PLACE_MAX);
    cr_assert_eq(record.place >> RV_PLACE_LANE_SHIFT, 77);
    cr_assert_eq(record.paint & 0xFFF, 2559);
    cr_assert_eq(record.paint >> RV_PAINT_COVERAGE_SHIFT, 12345);
    cr_assert(record.paint & RV_PAINT_CELL);
}

Test(pack, an_end_is_marked_only_inside_the_window, .timeout = 60)
{
    struct rv_box_packing pack;
    rv_box_packing_init(&pack, 1000, 2000, 1.0);
    static const struct {
        uint64_t start_ns, duration_ns;
        uint16_t flags, coverage;
        uint32_t marks;
    } cases[] = {
        {1100, 100, RV_SPAN_ORPHAN, 65535, RV_PAINT_ORPHAN},
        {900, 200, RV_SPAN_ORPHAN, 65535, 0},
        {900, 200, RV_SPAN_CUT, 65535, RV_PAINT_CUT},
        {1100, 2000, RV_SPAN_CUT, 65535, 0},
        {1100, 900, RV_SPAN_OPEN, 65535, RV_PAINT_OPEN},
        {1100, UINT64_MAX, RV_SPAN_OPEN, 65535, 0},
        {1100, 100, RV_SPAN_CUT | RV_SPAN_ORPHAN, 65535, RV_PAINT_CUT | RV_PAINT_ORPHAN},
        {1100, 100, RV_SPAN_CUT, 7, RV_PAINT_CELL | 7u << RV_PAINT_COVERAGE_SHIFT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv_box box = {.start_ns = cases[i].start_ns,
                             .duration_ns = cases[i].duration_ns,
                             .flags = cases[i].flags,
                             .coverage = cases[i].coverage};
        cr_assert_eq(rv_box_packing_box(&pack, &box, 0, 0).paint, cases[i].marks, "case %zu", i);
    }
}

/* The next record of a form and depth at or after i, n where there is none. */
static size_t next_of(const struct rv_box_record *records, size_t i, size_t n, const enum rv_box_packing_form *forms,
                      enum rv_box_packing_form form, uint32_t depth)
{
    while (i < n && (forms[i] != form || (records[i].place & RV_PLACE_MAX) != depth))
        i++;
    return i;
}

/* Two lanes, one after the other: the plain ones of both, then the rich ones, then cells; each lane from its deepest up, of cells the last one first. */
Test(pack, deeper_boxes_come_first_and_forms_one_after_another, .timeout = 60)
{
    enum { N_LANES = 2, N_BOXES = 40, N_DEPTHS = 5, N = N_LANES * N_BOXES };
    static const uint32_t paints[] = {0,
                                      (RV_COLOR_HUES - 1) * RV_COLOR_SHADES,
                                      RV_COLOR_NEUTRAL * RV_COLOR_SHADES,
                                      RV_COLOR_HUES * RV_COLOR_SHADES,
                                      (RV_COLOR_SLOTS - 1) * RV_COLOR_SHADES + 63,
                                      RV_PAINT_CELL,
                                      RV_PAINT_ORPHAN,
                                      RV_PAINT_CUT,
                                      RV_PAINT_OPEN};
    struct rv_box_record records[N], ordered[N], expected[N], *ends[RV_BOX_PACKING_FORM_COUNT] = {ordered};
    enum rv_box_packing_form forms[N];
    size_t counts[RV_BOX_PACKING_FORM_COUNT] = {0}, counted[RV_BOX_PACKING_FORM_COUNT] = {0}, n = 0;
    for (uint32_t i = 0; i < N; i++) {
        records[i] = (struct rv_box_record){.start = (int32_t)i,
                                            .paint = paints[i * 7 % 9],
                                            .place = i * 11 % N_DEPTHS | i / N_BOXES << RV_PLACE_LANE_SHIFT};
        uint32_t paint = i * 7 % 9;
        forms[i] = paint < 3 ? RV_BOX_PACKING_PLAIN : paint == 5 ? RV_BOX_PACKING_CELL : RV_BOX_PACKING_RICH;
        counts[forms[i]]++;
    }
    for (enum rv_box_packing_form form = 0; form < RV_BOX_PACKING_FORM_COUNT; form++)
        for (size_t place = 0; place < N_LANES; place++)
            for (uint32_t depth = N_DEPTHS; depth-- > 0;)
                for (size_t lane = form == RV_BOX_PACKING_CELL ? N_LANES - 1 - place : place, i = lane * N_BOXES,
                            end = i + N_BOXES;
                     (i = next_of(records, i, end, forms, form, depth)) < end; i++)
                    expected[n++] = records[i];
    cr_assert_eq(n, N);
    rv_box_packing_count(records, N, false, counted);
    cr_assert_arr_eq(counted, counts, sizeof counts);
    ends[RV_BOX_PACKING_RICH] = ordered + counts[RV_BOX_PACKING_PLAIN];
    ends[RV_BOX_PACKING_CELL] = ordered + N;
    for (size_t lane = 0; lane < N_LANES; lane++)
        rv_box_packing_order(records + lane * N_BOXES, N_BOXES, false, ends);
    cr_assert_eq(ends[RV_BOX_PACKING_PLAIN], ordered + counts[RV_BOX_PACKING_PLAIN]);
    cr_assert_eq(ends[RV_BOX_PACKING_RICH], ends[RV_BOX_PACKING_CELL]);
    cr_assert_arr_eq(ordered, expected, sizeof ordered);
}
