#include "render/off_cpu.h"

#include <criterion/criterion.h>

#define FROM_NS 1000u
#define COLUMN_NS 100u
#define TO_NS (FROM_NS + RV_OFF_CPU_COLUMNS * COLUMN_NS)

static uint64_t at(double column)
{
    return FROM_NS + (uint64_t)(column * COLUMN_NS);
}

static struct rv_view make_view(struct rv_view_lane *lanes, size_t n_lanes, struct rv_lane_note *notes)
{
    return (struct rv_view){.from_ns = FROM_NS, .to_ns = TO_NS, .lanes = lanes, .n_lanes = n_lanes, .notes = notes};
}

static const uint8_t *texel(const struct rv_off_cpu *off_cpu, size_t lane, size_t column)
{
    return &off_cpu->texels[(off_cpu->rows[lane] * RV_OFF_CPU_COLUMNS + column) * RV_OFF_CPU_BANDS];
}

Test(off_cpu, a_column_has_the_share_of_its_time, .timeout = 60)
{
    struct rv_lane_note notes[] = {{.start_ns = 0, .end_ns = at(2.5), .kind = RV_NOTE_BLOCKED},
                                   {.start_ns = at(10), .end_ns = at(10.25), .kind = RV_NOTE_PREEMPTED},
                                   {.start_ns = at(10.5), .end_ns = at(10.75), .kind = RV_NOTE_PREEMPTED},
                                   {.start_ns = at(20), .end_ns = at(24), .kind = RV_NOTE_MARK},
                                   {.start_ns = at(2000), .end_ns = UINT64_MAX, .kind = RV_NOTE_BLOCKED}};
    struct rv_view_lane lanes[] = {{.n_notes = 0}, {.n_notes = 5}};
    struct rv_view view = make_view(lanes, 2, notes);
    struct rv_off_cpu off_cpu = {0};
    rv_off_cpu_make(&off_cpu, &view);
    cr_assert_eq(off_cpu.n_rows, 2, "a lane that was running has a row");
    cr_assert_eq(off_cpu.rows[0], 0);
    cr_assert_eq(texel(&off_cpu, 1, 0)[0], 255);
    cr_assert_eq(texel(&off_cpu, 1, 1)[0], 255);
    cr_assert_eq(texel(&off_cpu, 1, 2)[0], 128);
    cr_assert_eq(texel(&off_cpu, 1, 3)[0], 0);
    cr_assert_eq(texel(&off_cpu, 1, 10)[1], 128);
    cr_assert_eq(texel(&off_cpu, 1, 10)[0], 0);
    cr_assert_eq(texel(&off_cpu, 1, 21)[0], 0);
    cr_assert_eq(texel(&off_cpu, 1, RV_OFF_CPU_COLUMNS - 1)[0], 255);
    rv_off_cpu_fini(&off_cpu);
}

Test(off_cpu, merged_notes_cover_a_part_of_their_time, .timeout = 60)
{
    struct rv_lane_note notes[] = {
        {.start_ns = at(4), .end_ns = at(8), .kind = RV_NOTE_BLOCKED, .n_more = 9, .covered_ns = COLUMN_NS}};
    struct rv_view_lane lanes[] = {{.n_notes = 1}};
    struct rv_view view = make_view(lanes, 1, notes);
    struct rv_off_cpu off_cpu = {0};
    rv_off_cpu_make(&off_cpu, &view);
    for (size_t column = 4; column < 8; column++)
        cr_assert_eq(texel(&off_cpu, 0, column)[0], 64);
    rv_off_cpu_fini(&off_cpu);
}

Test(off_cpu, calls_are_touched_where_their_thread_was_off_the_cpu, .timeout = 60)
{
    struct rv_lane_note notes[] = {{.start_ns = at(512), .end_ns = at(1024), .kind = RV_NOTE_BLOCKED}};
    struct rv_view_lane lanes[] = {{.n_notes = 1}, {.n_notes = 0}};
    struct rv_view view = make_view(lanes, 2, notes);
    struct rv_off_cpu off_cpu = {0};
    rv_off_cpu_make(&off_cpu, &view);
    cr_assert(rv_off_cpu_touches(&off_cpu, 0, 0.0, 1.0));
    cr_assert(rv_off_cpu_touches(&off_cpu, 0, 0.3, 0.3));
    cr_assert(rv_off_cpu_touches(&off_cpu, 0, -1.0, 0.26));
    cr_assert_not(rv_off_cpu_touches(&off_cpu, 0, 0.0, 0.24));
    cr_assert_not(rv_off_cpu_touches(&off_cpu, 0, 0.51, 2.0));
    cr_assert_not(rv_off_cpu_touches(&off_cpu, 1, 0.0, 1.0));
    cr_assert_not(rv_off_cpu_touches(&(struct rv_off_cpu){0}, 0, 0.0, 1.0));
    rv_off_cpu_clear(&off_cpu);
    cr_assert_not(rv_off_cpu_touches(&off_cpu, 0, 0.0, 1.0));
    rv_off_cpu_fini(&off_cpu);
}

Test(off_cpu, lanes_beyond_the_last_row_are_shown_as_running, .timeout = 60)
{
    static struct rv_view_lane lanes[RV_OFF_CPU_ROWS_MAX + 5];
    struct rv_lane_note notes[] = {{.start_ns = at(0), .end_ns = at(9), .kind = RV_NOTE_BLOCKED}};
    for (size_t i = 0; i < RV_OFF_CPU_ROWS_MAX + 5; i++)
        lanes[i].n_notes = 1;
    struct rv_view view = make_view(lanes, RV_OFF_CPU_ROWS_MAX + 5, notes);
    struct rv_off_cpu off_cpu = {0};
    rv_off_cpu_make(&off_cpu, &view);
    cr_assert_eq(off_cpu.n_rows, RV_OFF_CPU_ROWS_MAX);
    cr_assert_eq(off_cpu.rows[RV_OFF_CPU_ROWS_MAX + 4], 0);
    rv_off_cpu_fini(&off_cpu);
}
