#include "query/lock_lanes.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define BEGIN 1000000u
#define WINDOW 1000000u

enum { LOCK = 7, HOLDS_IN = 21, WAITS_IN = 20 };

static struct rv_lanes *lanes;
static struct rv_subroutines *subroutines;
static struct rv_view view;

static void setup(void)
{
    lanes = rv_lanes_create();
    subroutines = rv_subroutines_create();
    for (uint32_t i = 0; i < 2; i++) {
        struct rv_lane *lane = rv_lanes_add(
            lanes, &(struct rv_lane_identity){.pid = 1, .tid = i + 1, .thread = i, .name = "", .process_name = ""});
        const struct rv_span span = {.start = BEGIN + i, .end = BEGIN + WINDOW, .id = 1};
        rv_timeline_add(lane->timeline, &span, 1);
        lane->last_ns = span.end;
    }
}

static void teardown(void)
{
    rv_view_fini(&view);
    rv_subroutines_destroy(subroutines);
    rv_lanes_destroy(lanes);
}

TestSuite(lock_lanes, .init = setup, .fini = teardown, .timeout = 60);

static const struct rv_holders *hold(void)
{
    struct rv_holder_collector collector = {0};
    rv_holder_collector_add(&collector, &(struct rv_wait_edge){.wait = {.start_ns = BEGIN + WINDOW / 4,
                                                                        .end_ns = BEGIN + WINDOW / 2,
                                                                        .object = LOCK,
                                                                        .call = WAITS_IN,
                                                                        .kind = RV_WAIT_MUTEX,
                                                                        .wake = RV_WAKE_EXACT}});
    rv_holder_collector_add_release(
        &collector, &(struct rv_release){.at_ns = BEGIN + WINDOW / 2, .lane = 1, .object = LOCK, .call = HOLDS_IN});
    return rv_holders_create(&collector);
}

static void update(const struct rv_holders *holders, uint64_t until_ns)
{
    const struct rv_view_params params = {
        .from_ns = BEGIN, .to_ns = BEGIN + WINDOW, .width_px = 1000, .is_past = until_ns != 0, .until_ns = until_ns};
    rv_view_update(&view, lanes, &params);
    rv_lock_lanes_add(&view, &(struct rv_lock_lanes_params){holders, lanes, subroutines}, &params);
}

Test(lock_lanes, lock_lanes_stand_before_those_of_threads)
{
    const struct rv_holders *holders = hold();
    update(holders, 0);
    cr_assert(view.n_lanes == 3 && view.n_boxes == 4);
    cr_expect(view.lanes[0].object == LOCK && view.lanes[0].first_box == 0 && view.lanes[0].n_boxes == 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct rv_view_lane *lane = &view.lanes[1 + i];
        cr_assert(lane->lane_idx == i && lane->n_boxes == 1 && !lane->object);
        cr_expect(view.boxes[lane->first_box].start_ns == BEGIN + i && view.boxes[lane->first_box].id == 1);
    }
    rv_holders_release(holders);
}

Test(lock_lanes, a_hold_names_its_thread)
{
    const struct rv_holders *holders = hold();
    update(holders, 0);
    const struct rv_held_object *object = rv_lock_lanes_object(holders, &view.lanes[0]);
    cr_assert_not_null(object);
    cr_expect_null(rv_lock_lanes_object(holders, &view.lanes[1]));
    for (uint32_t i = 0; i < 2; i++) {
        const struct rv_box *box = &view.boxes[i];
        const struct rv_hold *found = rv_lock_lanes_at(holders, object, box);
        cr_assert_not_null(found);
        cr_expect_eq(found->is_wait, box->depth == 1);
        cr_expect_eq(box->id, found->is_wait ? WAITS_IN : HOLDS_IN);
        cr_expect_eq(found->lane, found->is_wait ? 0 : 1);
    }
    rv_holders_release(holders);
}

Test(lock_lanes, holds_after_the_playhead_are_not_shown)
{
    const struct rv_holders *holders = hold();
    update(holders, BEGIN + WINDOW / 8);
    cr_assert_eq(view.lanes[0].object, LOCK);
    cr_expect_eq(view.lanes[0].n_boxes, 0);
    update(holders, BEGIN + WINDOW / 3);
    cr_assert_eq(view.lanes[0].n_boxes, 2);
    cr_expect_eq(rv_box_end_ns(&view.boxes[0]), BEGIN + WINDOW / 3);
    rv_holders_release(holders);
}

Test(lock_lanes, a_lock_lane_that_lacks_holds_is_marked)
{
    struct rv_holder_collector collector = {.most = 1};
    for (uint32_t i = 0; i < 2; i++)
        rv_holder_collector_add(&collector, &(struct rv_wait_edge){.wait = {.start_ns = BEGIN + i,
                                                                            .end_ns = BEGIN + WINDOW / 2,
                                                                            .object = LOCK,
                                                                            .kind = RV_WAIT_MUTEX,
                                                                            .wake = RV_WAKE_EXACT}});
    const struct rv_holders *holders = rv_holders_create(&collector);
    update(holders, 0);
    cr_expect(view.lanes[0].object == LOCK && view.lanes[0].is_in_part);
    rv_holders_release(holders);
    holders = hold();
    update(holders, 0);
    cr_expect_not(view.lanes[0].is_in_part);
    rv_holders_release(holders);
}

Test(lock_lanes, without_waits_there_are_no_lock_lanes)
{
    struct rv_holder_collector collector = {0};
    const struct rv_holders *holders = rv_holders_create(&collector);
    update(holders, 0);
    cr_expect_eq(view.n_lanes, 2);
    update(NULL, 0);
    cr_expect_eq(view.n_lanes, 2);
    rv_holders_release(holders);
}
