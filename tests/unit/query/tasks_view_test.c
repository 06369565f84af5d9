#include "query/tasks_view.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define MS UINT64_C(1000000)
#define WIDE (&(struct rv_view_params){0, 1000 * MS, 1000, 20000})

static struct rv_lanes *lanes;
static struct rv_flows *flows;
static struct rv_subroutines *subroutines;
static struct rv_view view;

static void setup(void)
{
    lanes = rv_lanes_create();
    flows = rv_flows_create();
    subroutines = rv_subroutines_create();
    view = (struct rv_view){0};
    for (uint32_t i = 0; i < 3; i++)
        rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 2 + i, .thread = 10 + i, .process_key = 1});
}

static void teardown(void)
{
    rv_view_fini(&view);
    rv_flows_destroy(flows);
    rv_subroutines_destroy(subroutines);
    rv_lanes_destroy(lanes);
}

TestSuite(tasks_view, .init = setup, .fini = teardown, .timeout = 60);

static void call(uint32_t lane, uint32_t id, uint32_t depth, uint64_t start_ms, uint64_t end_ms)
{
    struct rv_lane *to = rv_lanes_get(lanes, lane);
    rv_timeline_add(to->timeline,
                    &(struct rv_span){.start = start_ms * MS, .end = end_ms * MS, .id = id, .depth = (uint16_t)depth},
                    1);
    to->last_ns = end_ms * MS > to->last_ns ? end_ms * MS : to->last_ns;
}

static void step(enum rv_step_kind kind, uint64_t id, uint32_t lane, uint64_t at_ns, uint32_t told_in)
{
    (void)rv_flows_add(
        flows,
        &(struct rv_flow_step){
            .at_ns = at_ns, .until_ns = at_ns, .id = id, .name = 9, .lane = lane, .call = told_in, .kind = kind});
}

static void turn(uint64_t id, uint32_t lane, uint64_t from_ns, uint64_t to_ns, bool is_first)
{
    const size_t number =
        rv_flows_add(flows, &(struct rv_flow_step){.at_ns = from_ns,
                                                   .until_ns = UINT64_MAX,
                                                   .id = id,
                                                   .name = is_first ? 9 : 0,
                                                   .lane = lane,
                                                   .kind = is_first ? RV_STEP_TASK_BEGIN : RV_STEP_TASK_SWITCH});
    rv_flows_leave(flows, number, to_ns);
}

static void update(struct rv_tasks_view_params params, const struct rv_view_params *view_params)
{
    const struct rv_flow_table *table = rv_flow_table_create(flows, lanes);
    params.table = table;
    params.lanes = lanes;
    params.subroutines = subroutines;
    rv_tasks_view_update(&view, &params, view_params);
    rv_flow_table_release(table);
}

/* The box of this id in a lane of the view. */
static const struct rv_box *find(size_t lane, uint32_t id)
{
    for (size_t i = view.lanes[lane].first_box; i < (size_t)view.lanes[lane].first_box + view.lanes[lane].n_boxes; i++)
        if (view.boxes[i].id == id)
            return &view.boxes[i];
    return NULL;
}

static void expect_box(size_t lane, uint32_t id, uint64_t start_ms, uint64_t end_ms, uint32_t depth)
{
    const struct rv_box *box = find(lane, id);
    cr_assert(box, "no box of %u", id);
    cr_assert_eq(box->start_ns, start_ms * MS, "%u begins at %lu", id, (unsigned long)box->start_ns);
    cr_assert_eq(rv_box_end_ns(box), end_ms * MS, "%u ends at %lu", id, (unsigned long)rv_box_end_ns(box));
    cr_assert_eq(box->depth, depth, "%u is at depth %u", id, box->depth);
}

static void expect_place(size_t lane, uint32_t id, uint32_t lane_idx, uint64_t start_ms, uint32_t depth)
{
    struct rv_view_part part;
    const struct rv_box *box = find(lane, id);
    cr_assert(rv_view_part_of(&view, &view.lanes[lane], box, &part));
    const struct rv_box placed = rv_view_part_place(&part, box);
    cr_assert_eq(part.lane_idx, lane_idx);
    cr_assert_eq(part.thread, 10 + lane_idx);
    cr_assert_eq(placed.start_ns, start_ms * MS);
    cr_assert_eq(placed.depth, depth);
}

/* A task whose calls are in a loop of one thread first, then in another thread at another depth. */
static void make_task(void)
{
    call(0, 3, 2, 12, 18);
    call(0, 2, 1, 10, 20);
    call(0, 2, 1, 30, 40); /* for another task */
    call(0, 1, 0, 0, 100);
    call(1, 4, 3, 50, 60);
    turn(7, 0, 11 * MS, 20 * MS, true);
    turn(7, 1, 50 * MS, 60 * MS, false);
}

Test(tasks_view, a_task_is_a_lane_with_its_turns_on_it)
{
    make_task();
    update((struct rv_tasks_view_params){0}, WIDE);
    cr_assert_eq(view.n_lanes, 1);
    cr_assert_eq(view.n_meant, 1);
    cr_assert_eq(view.lanes[0].n_boxes, 4);
    expect_box(0, 9, 11, 60, 0);
    expect_box(0, 2, 11, 20, 1);
    expect_box(0, 3, 12, 18, 2);
    expect_box(0, 4, 50, 60, 1);
    cr_assert(find(0, 2)->flags & RV_BOX_CLIPPED);
    cr_assert_not(find(0, 3)->flags & RV_BOX_CLIPPED);
    cr_assert_eq(view.lanes[0].max_depth, 3);
}

Test(tasks_view, parts_lead_back_to_the_lanes_of_their_threads)
{
    make_task();
    for (int is_aligned = 0; is_aligned < 2; is_aligned++) {
        struct rv_view_part part;
        update((struct rv_tasks_view_params){.is_aligned = is_aligned}, WIDE);
        cr_assert_eq(find(0, 9)->start_ns, is_aligned ? 0 : 11 * MS);
        cr_assert_not(rv_view_part_of(&view, &view.lanes[0], find(0, 9), &part));
        expect_place(0, 3, 0, 12, 2);
        expect_place(0, 4, 1, 50, 3);
        cr_assert_eq(view.n_links, 1);
        cr_assert_eq(view.links[0].from_ns, 20 * MS);
        cr_assert_eq(view.links[0].to_ns, 50 * MS);
        cr_assert_eq(view.links[0].shift_ns, is_aligned ? 11 * MS : 0);
        cr_assert_eq(view.links[0].to_lane, 1);
    }
}

Test(tasks_view, parts_of_a_flow_are_the_calls_that_tell_it_and_stand_on_each_other_at_the_same_time)
{
    call(0, 2, 1, 10, 90); /* the client waits */
    call(0, 1, 0, 0, 100);
    call(1, 4, 1, 30, 70); /* while another thread works for it */
    call(1, 3, 0, 20, 80);
    step(RV_STEP_FLOW_BEGIN, 5, 0, 15 * MS, 2);
    step(RV_STEP_FLOW, 5, 1, 25 * MS, 3);
    step(RV_STEP_FLOW_END, 5, 0, 85 * MS, 2);
    update((struct rv_tasks_view_params){0}, WIDE);
    cr_assert_eq(view.n_lanes, 1);
    expect_box(0, 9, 15, 85, 0);
    expect_box(0, 2, 10, 90, 1);
    expect_box(0, 3, 20, 80, 2);
    expect_box(0, 4, 30, 70, 3);
    expect_place(0, 4, 1, 30, 1);
    cr_assert_not(find(0, 1), "the caller of who tells it is in its lane");
}

Test(tasks_view, a_hundred_thousand_tasks_are_a_thousand_lanes_and_the_longest_is_among_them)
{
    for (uint64_t i = 0; i < 100000; i++)
        turn(i, (uint32_t)(i % 3), i * 1000, i * 1000 + (i == 54321 ? 900 : 100 + i % 97), true);
    update((struct rv_tasks_view_params){0}, WIDE);
    cr_assert_eq(view.n_lanes, RV_TASKS_VIEW_MOST);
    cr_assert_eq(view.n_meant, 100000);
    bool has_longest = false;
    for (size_t i = 0; i < view.n_lanes; i++)
        has_longest |= find(i, 9)->duration_ns == 900;
    cr_assert(has_longest);
    update((struct rv_tasks_view_params){0}, &(struct rv_view_params){5000000, 5099999, 1000, 20000});
    cr_assert_eq(view.n_meant, 100);
    for (size_t i = 0; i < view.n_lanes; i++)
        cr_assert_eq(find(i, 9)->start_ns, 5000000 + i * 1000);
    update((struct rv_tasks_view_params){.is_aligned = true, .is_longest_first = true}, WIDE);
    cr_assert_eq(find(0, 9)->duration_ns, 900);
}

Test(tasks_view, turns_that_are_too_many_are_summarized)
{
    double covered_ns = 0.0;
    uint64_t n = 0;
    for (uint64_t i = 0; i < 10000; i++)
        turn(1, (uint32_t)(i % 3), i * 10000, i * 10000 + 2500, i == 0);
    update((struct rv_tasks_view_params){0}, &(struct rv_view_params){0, 100 * MS, 1000, 20000});
    cr_assert_eq(view.n_lanes, 1);
    for (size_t i = 0; i < view.n_boxes; i++)
        if (view.boxes[i].depth == 1) {
            covered_ns += (double)view.boxes[i].coverage * (double)view.boxes[i].duration_ns / (RV_BOX_EXACT - 1);
            n += view.boxes[i].count;
        }
    cr_assert_eq(n, 10000);
    cr_assert(covered_ns > 24.9e6 && covered_ns < 25.1e6, "%f", covered_ns);
}

Test(tasks_view, turns_beside_one_that_lasts_are_summarized)
{
    uint64_t n = 0;
    turn(1, 0, 0, 3000 * MS, true);
    for (uint64_t i = 0; i < 300000; i++)
        turn(1, 1, 1 + i * 10000, 1 + i * 10000 + 2500, false);
    update((struct rv_tasks_view_params){0}, &(struct rv_view_params){0, 3000 * MS, 1000, 20000});
    cr_assert_eq(view.n_lanes, 1);
    for (size_t i = 0; i < view.n_boxes; i++)
        if (view.boxes[i].depth == 1) {
            cr_assert_eq(view.boxes[i].coverage, RV_BOX_EXACT - 1);
            n += view.boxes[i].count;
        }
    cr_assert_eq(n, 300001);
}

Test(tasks_view, of_a_followed_task_the_others_are_dimmed_and_it_is_always_shown)
{
    for (uint64_t i = 0; i < 5000; i++)
        turn(i, 0, i * 1000, i * 1000 + 100 + i % 97, true);
    update((struct rv_tasks_view_params){.followed = {true, true, 3003, 3003000}}, WIDE);
    size_t n = 0;
    for (size_t i = 0; i < view.n_boxes; i++)
        if (!(view.boxes[i].flags & RV_BOX_DIMMED)) {
            cr_assert_eq(view.boxes[i].start_ns, 3003000);
            n++;
        }
    cr_assert_geq(n, 1);
}

Test(tasks_view, without_tasks_it_is_empty)
{
    update((struct rv_tasks_view_params){0}, WIDE);
    cr_assert_eq(view.n_lanes, 0);
    rv_tasks_view_update(&view, &(struct rv_tasks_view_params){.lanes = lanes, .subroutines = subroutines}, WIDE);
    cr_assert_eq(view.n_boxes, 0);
}
