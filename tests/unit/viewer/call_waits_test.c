/* What a call waited for: its rows, and the way to the call that ended its wait. */
#include "viewer/call_waits.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/os.h"
#include "viewer/tooltip_rows.h"
#include "viewer/viewer.h"

enum { CALLER = 1, WAITS_IN, HOLDS_IN, HELD_WITHIN, LOCK };

static const struct rv_box BLOCKED = {
    .start_ns = 1000, .duration_ns = 9000, .id = WAITS_IN, .count = 1, .depth = 1, .coverage = RV_BOX_EXACT};

static struct rv_lanes *lanes;
static struct rv_subroutines *subroutines;
static struct rv_waits *waits;
static struct rv_call_waits found;

static void add_span(uint32_t lane, uint32_t id, uint64_t start_ns, uint64_t end_ns, uint32_t depth)
{
    rv_timeline_add(rv_lanes_get(lanes, lane)->timeline,
                    &(struct rv_span){.start = start_ns, .end = end_ns, .id = id, .depth = depth}, 1);
}

static void begin(void)
{
    static const char *const names[] = {"", "caller", "waits_in", "holds_in", "held_within", "lock"};
    lanes = rv_lanes_create();
    subroutines = rv_subroutines_create();
    waits = rv_waits_create(lanes, 0);
    for (uint32_t id = CALLER; id <= LOCK; id++)
        rv_subroutines_define(subroutines, id, "", names[id], "", 0);
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 1, .thread = 0, .name = "waiter"});
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 2, .thread = 1, .name = "holder"});
    add_span(1, HELD_WITHIN, 7000, 7500, 1);
    add_span(1, HOLDS_IN, 500, 8500, 0);
}

static void finish(void)
{
    rv_waits_destroy(waits);
    rv_subroutines_destroy(subroutines);
    rv_lanes_destroy(lanes);
}

TestSuite(call_waits, .init = begin, .fini = finish, .timeout = 60);

static void wait_until(uint64_t end_ns, uint64_t n_ns, enum rv_wake wake)
{
    rv_waits_add(waits, &(struct rv_wait){.start_ns = end_ns - n_ns,
                                          .end_ns = end_ns,
                                          .woke_ns = end_ns,
                                          .object = LOCK,
                                          .call = WAITS_IN,
                                          .waker = wake == RV_WAKE_TIMEOUT ? 0 : 2,
                                          .kind = RV_WAIT_MUTEX,
                                          .wake = wake});
}

/* As the kernel has reported it; with 0, by an interrupt. */
static void wake_from_outside(uint64_t end_ns, uint32_t tid)
{
    rv_waits_add(waits, &(struct rv_wait){.start_ns = end_ns - 1000,
                                          .end_ns = end_ns,
                                          .woke_ns = end_ns,
                                          .call = WAITS_IN,
                                          .waker = RV_WIRE_OUTSIDE | tid,
                                          .kind = RV_WAIT_READ,
                                          .wake = RV_WAKE_EXACT});
}

static const char *row(const char *label)
{
    static struct rv_tooltip tooltip;
    const struct rv_hover hover = {.is_on = true, .box = BLOCKED};
    rv_call_waits_find(&found, waits, &BLOCKED, 0);
    cr_assert(rv_tooltip_rows_fill(
        &hover, &(struct rv_tooltip_rows_about){.subroutines = subroutines, .waits = &found, .lanes = lanes},
        &tooltip));
    for (size_t i = 0; i < tooltip.n_lines; i++)
        if (strcmp(tooltip.lines[i].label, label) == 0)
            return tooltip.lines[i].text;
    return "";
}

Test(call_waits, rows_have_object_duration_and_waker)
{
    cr_assert_str_eq(row("waited"), "");
    wait_until(8000, 6000, RV_WAKE_EXACT);
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 8000, .lane = 1, .object = LOCK, .call = HOLDS_IN});
    cr_assert_str_eq(row("waited"), "6.00 us for mutex lock");
    cr_assert_str_eq(row("ended by"), "holder 2 in holds_in");
    wait_until(9000, 500, RV_WAKE_LIKELY);
    cr_assert_str_eq(row("waited"), "6.50 us in 2 waits, 6.00 us for mutex lock");
    cr_assert_str_eq(row("ended by"), "holder 2 in holds_in");
}

Test(call_waits, a_timeout_and_a_guessed_waker_are_named)
{
    wait_until(3000, 1000, RV_WAKE_LIKELY);
    cr_assert_str_eq(row("ended by"), "holder 2, likely");
    wait_until(9000, 5000, RV_WAKE_TIMEOUT);
    cr_assert_str_eq(row("ended by"), "(timed out)");
}

static void open_viewer(struct rv_viewer *viewer)
{
    struct rv_settings settings;
    rv_settings_init(&settings);
    rv_viewer_init(
        viewer,
        &(struct rv_viewer_params){
            .settings = settings, .now_ns = 20000, .window_ns = 20000, .lanes = lanes, .subroutines = subroutines});
}

Test(call_waits, a_waker_that_is_not_traced_has_its_name)
{
    rv_lanes_name_outside(lanes, 1234, "postgres");
    wake_from_outside(3000, 1234);
    cr_assert_str_eq(row("ended by"), "postgres 1234");
    cr_assert_null(found.longest.waker);
}

Test(call_waits, a_waker_that_was_gone_before_it_was_asked_for_its_name_has_none)
{
    rv_lanes_name_outside(lanes, 1234, "");
    wake_from_outside(3000, 1234);
    cr_assert_str_eq(row("ended by"), "a thread that is not traced");
}

Test(call_waits, a_wait_may_be_ended_by_an_interrupt)
{
    wake_from_outside(3000, 0);
    cr_assert_str_eq(row("ended by"), "interrupt");
}

Test(call_waits, the_innermost_call_that_released_is_gone_to)
{
    static struct rv_viewer viewer;
    open_viewer(&viewer);
    wait_until(8000, 6000, RV_WAKE_EXACT);
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 7200, .lane = 1, .object = LOCK, .call = HELD_WITHIN});
    viewer.pointer.hover = (struct rv_hover){.is_on = true, .is_pinned = true, .box = BLOCKED};
    rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_SHOW_WAKER});
    cr_assert_eq(viewer.pointer.hover.box.id, WAITS_IN, "nothing is known yet");
    (void)rv_call_waits_ask(&viewer.pointer.waits, waits, &BLOCKED, 0);
    while (!rv_call_waits_advance(&viewer.pointer.waits))
        rv_os_sleep_ns(1000000);
    rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_SHOW_WAKER});
    cr_assert_eq(viewer.pointer.hover.box.id, HELD_WITHIN);
    cr_assert_eq(viewer.pointer.hover.box.start_ns, 7000);
    cr_assert_eq(viewer.pointer.hover.lane_idx, 1);
    cr_assert(viewer.pointer.hover.is_pinned);
    rv_viewer_fini(&viewer);
}

Test(call_waits, the_time_of_an_arc_is_shown_where_the_call_that_waited_is_not_in_memory)
{
    static struct rv_viewer viewer;
    uint64_t from_ns, to_ns;
    open_viewer(&viewer);
    rv_viewer_show_arc(&viewer, &(struct rv_arc){.to_ns = 18000, .from_lane = 1, .n = 1, .longest_ns = 4000});
    rv_time_window_get(&viewer.time_window, &from_ns, &to_ns);
    cr_assert_eq(from_ns, 10000);
    cr_assert_eq(to_ns, 22000);
    cr_assert_not(viewer.pointer.hover.is_pinned);
    rv_viewer_fini(&viewer);
}
