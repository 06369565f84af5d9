#include "model/view.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/density.h"
#include "model/timeline_query.h"
#include "spans.h"

static struct rv_lane *add_lane(struct rv_lanes *lanes, uint64_t process_key, uint32_t tid)
{
    return rv_lanes_add(
        lanes, &(struct rv_lane_identity){
                   .pid = (uint32_t)process_key, .tid = tid, .process_key = process_key, .process_name = "prog"});
}

static void fill_lane(struct rv_lane *lane, uint64_t seed, size_t n)
{
    struct spans random;
    spans_init(&random, seed, 20, 20, 12);
    struct rv_span *spans = malloc(n * sizeof *spans);
    spans_make(&random, spans, n);
    rv_timeline_add(lane->timeline, spans, n);
    lane->last_ns = rv_timeline_last_ns(lane->timeline);
    free(spans);
    spans_fini(&random);
}

static void open_frames(struct rv_lane *lane, size_t n, uint64_t first_ns)
{
    lane->open = rv_vec_reserve(lane->open, &lane->open_capacity, n, sizeof *lane->open);
    for (size_t i = 0; i < n; i++)
        lane->open[i] = (struct rv_lane_frame){.start_ns = first_ns + i, .id = 7, .depth = (uint32_t)i};
    lane->n_open = n;
}

static void add_note(struct rv_lane *lane, uint64_t start_ns, uint64_t end_ns, uint32_t kind, uint32_t id)
{
    rv_lane_add_note(lane, &(struct rv_lane_note){.start_ns = start_ns, .end_ns = end_ns, .kind = kind, .id = id});
}

Test(view, the_finest_level_that_fits_the_budget_is_shown, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    for (uint32_t i = 0; i < 4; i++)
        fill_lane(add_lane(lanes, 1, i), i + 1, 100000);
    uint64_t first, last;
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    struct rv_view view = {0};
    size_t budgets[] = {500, 3000, 20000, 100000};
    for (unsigned i = 0; i < 4; i++) {
        rv_view_update(&view, lanes, &(struct rv_view_params){first, last + 1, 16000000, budgets[i]});
        cr_assert_leq(view.n_boxes, budgets[i]);
        cr_assert_gt(view.level, 0);
        uint64_t finer = 0;
        for (size_t j = 0; j < 4; j++)
            finer += rv_timeline_query_count(rv_lanes_get(lanes, j)->timeline, first, last + 1, view.level - 1);
        cr_assert_gt(finer, budgets[i], "level %u would have fitted", view.level - 1);
        uint64_t n_exact = 0;
        for (size_t j = 0; j < view.n_boxes; j++)
            n_exact += view.boxes[j].coverage == 65535;
        cr_assert_eq(n_exact + view.n_folded, 400000);
    }
    uint32_t level = rv_timeline_level_for((double)(last + 1 - first) / 100 / 2);
    rv_view_update(&view, lanes, &(struct rv_view_params){first, last + 1, 100, 100000000});
    cr_assert_eq(view.level, level);
    uint64_t n_counted = 0;
    for (size_t j = 0; j < 4; j++)
        n_counted += rv_timeline_query_count(rv_lanes_get(lanes, j)->timeline, first, last + 1, level);
    cr_assert_eq(view.n_boxes + view.n_joined, n_counted);
    cr_assert_gt(view.n_joined, view.n_boxes, "most are narrower than a pixel");
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
}

#define COUNTED_LANES 3u
#define COUNTED_SPANS 10000u

static const struct rv_view_lane *lane_of(const struct rv_view *view, size_t box)
{
    const struct rv_view_lane *lane = view->lanes;
    while (box >= (size_t)lane->first_box + lane->n_boxes)
        lane++;
    return lane;
}

/* The number of calls of a depth that a window shows at a level: short ones by the cells that they end in, others by
 * their own times. */
static uint64_t count_shown(const struct rv_span *spans, uint32_t depth, const struct rv_view *view, uint32_t level)
{
    const uint64_t width_ns = level ? UINT64_C(1) << rv_density_shift(level) : 0;
    const uint64_t first_ns = view->from_ns & -width_ns, last_ns = (view->to_ns - 1) | (width_ns - 1);
    uint64_t n = 0;
    for (const struct rv_span *span = spans; span < spans + COUNTED_SPANS; span++)
        if (span->depth != depth)
            continue;
        else if (span->end - span->start < width_ns)
            n += span->end >= first_ns && span->end <= last_ns;
        else
            n += span->start < view->to_ns && (span->start >= view->from_ns || span->end > view->from_ns);
    return n;
}

static uint64_t count_boxes(const struct rv_view *view, const struct rv_view_lane *lane, uint32_t depth)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < lane->n_boxes; i++)
        n += view->boxes[lane->first_box + i].depth == depth ? view->boxes[lane->first_box + i].count : 0;
    return n;
}

/* Calls that a box may stand for: one call itself; for a cell, all calls that overlap it. */
static uint64_t count_in(const struct rv_span *spans, const struct rv_box *box)
{
    const bool is_cell = box->coverage != RV_BOX_EXACT;
    const uint64_t from_ns = box->start_ns, end_ns = rv_box_end_ns(box);
    uint64_t n = 0;
    for (const struct rv_span *span = spans; span < spans + COUNTED_SPANS; span++)
        if (span->depth == box->depth)
            n += is_cell ? span->start <= end_ns && span->end >= from_ns
                         : span->start == from_ns && span->end == end_ns && span->id == box->id;
    return n;
}

static struct rv_view_params random_window(struct spans *random, uint64_t first_ns, uint64_t last_ns)
{
    const uint64_t most_ns = (last_ns - first_ns) >> spans_random(random) % 20;
    const uint64_t width_ns = spans_random(random) % most_ns + 1;
    const uint64_t from_ns = first_ns + spans_random(random) % (last_ns - first_ns);
    return (struct rv_view_params){.from_ns = from_ns,
                                   .to_ns = from_ns + width_ns,
                                   .width_px = (uint32_t)(spans_random(random) % 2000 + 1),
                                   .box_budget = UINT64_C(1) << (5 + spans_random(random) % 12),
                                   .has_front_first = spans_random(random) % 2};
}

Test(view, at_every_zoom_boxes_count_each_call_once, .timeout = 60)
{
    static struct rv_span spans[COUNTED_LANES][COUNTED_SPANS];
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_view view = {0};
    struct spans random;
    uint64_t first_ns, last_ns;
    size_t n_cells = 0, n_calls = 0;
    for (uint32_t i = 0; i < COUNTED_LANES; i++) {
        spans_init(&random, i + 1, 20, 12, 13);
        spans_make(&random, spans[i], COUNTED_SPANS);
        struct rv_lane *lane = add_lane(lanes, 1, i + 1);
        rv_timeline_add(lane->timeline, spans[i], COUNTED_SPANS);
        lane->last_ns = rv_timeline_last_ns(lane->timeline);
        spans_fini(&random);
    }
    cr_assert(rv_lanes_bounds(lanes, &first_ns, &last_ns));
    spans_init(&random, 4, 1, 1, 1);
    while (n_cells + n_calls < 1000) {
        const struct rv_view_params params = random_window(&random, first_ns, last_ns);
        rv_view_update(&view, lanes, &params);
        if (view.n_boxes == 0)
            continue;
        const size_t at = spans_random(&random) % view.n_boxes;
        const struct rv_box *box = &view.boxes[at];
        const struct rv_view_lane *lane = lane_of(&view, at);
        const struct rv_span *of_lane = spans[lane->lane_idx];
        const bool is_cell = box->coverage != RV_BOX_EXACT;
        const uint64_t n_shown = count_boxes(&view, lane, box->depth), n_in = count_in(of_lane, box);
        const uint64_t n = count_shown(of_lane, box->depth, &view, lane->level);
        cr_assert_eq(n_shown, n, "%zu: %llu calls, %llu by the list of all, at level %u", n_cells + n_calls,
                     (unsigned long long)n_shown, (unsigned long long)n, lane->level);
        cr_assert(is_cell ? box->count <= n_in : box->count == n_in, "%zu: %u calls, %llu by the list of all",
                  n_cells + n_calls, box->count, (unsigned long long)n_in);
        n_cells += is_cell;
        n_calls += !is_cell;
    }
    cr_assert(n_cells > 100 && n_calls > 100, "%zu cells, %zu calls", n_cells, n_calls);
    spans_fini(&random);
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
}

static bool is_before(const struct rv_box *box, const struct rv_box *next)
{
    return box->start_ns < next->start_ns || (box->start_ns == next->start_ns && box->depth <= next->depth);
}

Test(view, boxes_of_a_lane_rise_by_start_then_depth_and_are_the_same_every_time, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = add_lane(lanes, 1, 1);
    fill_lane(lane, 5, 50000);
    fill_lane(add_lane(lanes, 1, 2), 6, 30);
    open_frames(lane, 3, lane->last_ns - 100);
    uint64_t first, last;
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    struct rv_view view = {0}, again = {0};
    for (unsigned i = 0; i < 50; i++) {
        struct rv_view_params params = {first + (last - first) * i / 100, last - (last - first) * i / 200, 1000, 0};
        rv_view_update(&view, lanes, &params);
        rv_view_update(&again, lanes, &params);
        cr_assert_eq(view.n_boxes, again.n_boxes);
        cr_assert(memcmp(view.boxes, again.boxes, view.n_boxes * sizeof *view.boxes) == 0);
        size_t n = 0;
        for (size_t j = 0; j < view.n_lanes; j++) {
            cr_assert_eq(view.lanes[j].first_box, n);
            n += view.lanes[j].n_boxes;
            const struct rv_box *boxes = &view.boxes[view.lanes[j].first_box];
            for (size_t k = 1; k < view.lanes[j].n_boxes; k++)
                cr_assert(is_before(&boxes[k - 1], &boxes[k]));
        }
        cr_assert_eq(n, view.n_boxes);
    }
    rv_view_fini(&view);
    rv_view_fini(&again);
    rv_lanes_destroy(lanes);
}

Test(view, open_frames_reach_to_the_end_of_their_lane_or_to_now, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = add_lane(lanes, 1, 1), *newer = add_lane(lanes, 1, 2);
    open_frames(lane, 2, 1000);
    lane->last_ns = 5000;
    newer->last_ns = 9000;
    struct rv_view view = {0};
    rv_view_update(&view, lanes, &(struct rv_view_params){0, 20000, 100, 0});
    cr_assert_eq(view.n_boxes, 2);
    cr_assert_eq(view.boxes[0].start_ns + view.boxes[0].duration_ns, 9000);
    cr_assert_eq(view.boxes[0].flags, RV_SPAN_OPEN);
    lane->has_ended = true;
    rv_view_update(&view, lanes, &(struct rv_view_params){0, 20000, 100, 0});
    cr_assert_eq(view.boxes[1].start_ns, 1001);
    cr_assert_eq(view.boxes[1].start_ns + view.boxes[1].duration_ns, 5000);
    rv_view_update(&view, lanes, &(struct rv_view_params){0, 1001, 100, 0});
    cr_assert_eq(view.n_boxes, 1);
    rv_view_update(&view, lanes, &(struct rv_view_params){6000, 20000, 100, 0});
    cr_assert_eq(view.n_boxes, 0);
    open_frames(lane, 100000, 1000);
    lane->last_ns = 500000;
    rv_view_update(&view, lanes, &(struct rv_view_params){0, 600000, 100, 0});
    uint64_t n = 0;
    for (size_t i = 0; i < view.n_boxes; i++)
        n += view.boxes[i].count;
    cr_assert_eq(n, 100000);
    cr_assert_lt(view.n_boxes, 5000);
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
}

Test(view, lanes_stand_by_process_then_slot, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    uint64_t keys[] = {90, 10, 90, 50, 10, 90};
    uint32_t wanted[] = {0, 2, 5, 1, 4, 3};
    for (uint32_t i = 0; i < 6; i++)
        add_lane(lanes, keys[i], i);
    struct rv_view view = {0};
    for (unsigned repeat = 0; repeat < 2; repeat++) {
        rv_view_update(&view, lanes, &(struct rv_view_params){0, 10, 100, 0});
        cr_assert_eq(view.n_lanes, 6);
        for (unsigned i = 0; i < 6; i++)
            cr_assert_eq(view.lanes[i].lane_idx, wanted[i]);
    }
    add_lane(lanes, 10, 9);
    rv_view_update(&view, lanes, &(struct rv_view_params){0, 10, 100, 0});
    cr_assert_eq(view.lanes[5].lane_idx, 6);
    cr_assert_eq(view.lanes[6].lane_idx, 3);
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
}

Test(view, lanes_stand_alike_and_are_of_their_threads_whichever_slots_their_stacks_got, .timeout = 60)
{
    static const struct rv_lane_identity come[2][4] = {{{.name = "a"},
                                                        {.name = "b", .tid = 1, .thread = 1},
                                                        {.name = "a", .stack = 3},
                                                        {.name = "b", .tid = 1, .thread = 1, .stack = 2}},
                                                       {{.name = "a"},
                                                        {.name = "b", .tid = 1, .thread = 1},
                                                        {.name = "b", .tid = 1, .thread = 1, .stack = 2},
                                                        {.name = "a", .stack = 3}}};
    static const char *const names[] = {"a", "a/3", "b", "b/2"};
    for (size_t way = 0; way < 2; way++) {
        struct rv_lanes *lanes = rv_lanes_create();
        struct rv_view view = {0};
        for (size_t i = 0; i < 4; i++)
            fill_lane(rv_lanes_add(lanes, &come[way][i]), i + 1, 10);
        rv_view_update(&view, lanes, &(struct rv_view_params){0, UINT64_MAX, 1000, 1000});
        cr_assert_eq(view.n_lanes, 4);
        for (size_t i = 0; i < 4; i++) {
            cr_assert_str_eq(view.lanes[i].name, names[i], "way %zu, lane %zu", way, i);
            cr_assert_eq(view.lanes[i].thread, i / 2, "way %zu, lane %zu", way, i);
        }
        rv_view_fini(&view);
        rv_lanes_destroy(lanes);
    }
}

Test(view, states_that_their_lane_has_merged_are_told_where_that_is_seen, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = add_lane(lanes, 1, 0);
    struct rv_view view = {0};
    for (uint64_t i = 0; i < RV_LANE_NOTES_MAX + 1000; i++)
        add_note(lane, 1000 * i, 1000 * i + 300, RV_NOTE_BLOCKED, 0);
    const uint64_t end_ns = lane->notes[lane->n_notes - 1].end_ns;
    static const struct {
        uint64_t from_ns, to_ns;
        bool is_seen;
    } windows[] = {{0, 100000, true}, {0, UINT64_MAX, false}, {UINT64_MAX - 100000, UINT64_MAX, false}};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        const uint64_t from_ns = rv_clock_earlier_ns(windows[i].from_ns, end_ns - 100000);
        rv_view_update(&view, lanes,
                       &(struct rv_view_params){from_ns, rv_clock_earlier_ns(windows[i].to_ns, end_ns), 1000, 1000});
        cr_assert_eq(view.lanes[0].merged_ns > from_ns, windows[i].is_seen, "window %zu", i);
    }
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
}

Test(view, notes_in_the_window_are_shown_and_near_ones_joined, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = add_lane(lanes, 1, 1);
    add_note(lane, 100, 2000, RV_NOTE_GC, 0);
    add_note(lane, 200, 200, RV_NOTE_MARK, 1);
    add_note(lane, 1500, 1500, RV_NOTE_LOST, 10);
    add_note(lane, 1501, 1501, RV_NOTE_MARK, 2);
    add_note(lane, 1502, 1502, RV_NOTE_LOST, 20);
    add_note(lane, 3000, UINT64_MAX, RV_NOTE_GC, 0);
    add_note(lane, 9000, 9000, RV_NOTE_MARK, 3);
    struct rv_view view = {0};
    rv_view_update(&view, lanes, &(struct rv_view_params){1000, 9000, 100, 0});
    cr_assert_eq(view.n_notes, 4);
    cr_assert_eq(view.lanes[0].n_notes, 4);
    cr_assert_eq(view.notes[0].kind, RV_NOTE_GC);
    cr_assert_eq(view.notes[1].kind, RV_NOTE_LOST);
    cr_assert_eq(view.notes[1].id, 30);
    cr_assert_eq(view.notes[3].end_ns, UINT64_MAX);
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
}

Test(view, an_arrangement_hides_crops_and_collapses, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane_choices lane_order = {0};
    for (uint32_t i = 0; i < 3; i++)
        fill_lane(add_lane(lanes, 1, 10 + i), i + 1, 500);
    uint64_t first, last;
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    struct rv_view view = {0};
    struct rv_view_params params = {first, last + 1, 1000, 1000000, .lane_order = &lane_order};
    rv_view_update(&view, lanes, &params);
    uint32_t deep = view.lanes[2].max_depth;
    cr_assert_gt(deep, 4);
    rv_lane_choices_toggle_hidden(&lane_order, 0);
    rv_lane_choices_toggle_collapsed(&lane_order, 1);
    lane_order.most_depth = 4;
    rv_view_update(&view, lanes, &params);
    cr_assert_eq(view.n_lanes, 2);
    cr_assert_eq(view.n_hidden, 1);
    cr_assert(view.lanes[0].is_row && !view.lanes[1].is_row);
    cr_assert_eq(view.lanes[1].max_depth, 4);
    cr_assert_eq(view.lanes[1].whole_depth, deep);
    for (size_t i = 0; i < view.n_boxes; i++)
        cr_assert_lt(view.boxes[i].depth, 4);
    rv_lane_choices_toggle_process(&lane_order, 1);
    rv_view_update(&view, lanes, &params);
    cr_assert_eq(view.n_lanes, 1);
    cr_assert_eq(view.lanes[0].n_members, 2, "what is hidden is not in the row");
    cr_assert_str_eq(view.lanes[0].name, "prog 1: 2 threads");
    rv_view_fini(&view);
    rv_lane_choices_fini(&lane_order);
    rv_lanes_destroy(lanes);
}

Test(view, threads_of_one_name_are_labelled_with_their_numbers, .timeout = 60)
{
    static const char *const NAMES[] = {
        "main", "worker", "worker", "a worker with a long näme", "a worker with a long näme", "io", "worker"};
    static const char *const LABELS[] = {
        "", "worker 11", "worker 12", "a worker with a long näme 13", "a worker with a long näme 14", "", "worker 16"};
    enum { N = sizeof NAMES / sizeof *NAMES };
    struct rv_lanes *lanes = rv_lanes_create();
    for (uint32_t i = 0; i < N; i++)
        fill_lane(rv_lanes_add(lanes,
                               &(struct rv_lane_identity){
                                   .pid = 10, .tid = 10 + i, .thread = i, .name = NAMES[i], .process_name = "prog"}),
                  i + 1, 500);
    struct rv_view view = {0};
    struct rv_view_params params = {0, UINT64_C(1) << 40, 1000, 1000000};
    rv_view_update(&view, lanes, &params);
    cr_assert_eq(view.n_lanes, N);
    for (uint32_t i = 0; i < N; i++)
        cr_expect_str_eq(view.lanes[i].label, LABELS[view.lanes[i].lane_idx]);
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
}

/* The process is one row of cells, with the losses and call times of its lanes; what was asked for is pointed out. */
Test(view, a_collapsed_process_is_drawn_by_the_activity_of_its_lanes, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane_choices lane_order = {0};
    for (uint32_t i = 0; i < 3; i++)
        fill_lane(add_lane(lanes, 1, i), i + 1, 5000);
    fill_lane(add_lane(lanes, 2, 9), 4, 500);
    uint64_t first, last;
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    add_note(rv_lanes_get(lanes, 2), first + 500, first + 600, RV_NOTE_LOST, 7);
    add_note(rv_lanes_get(lanes, 1), first + 550, first + 551, RV_NOTE_MARK, 7);
    add_note(rv_lanes_get(lanes, 0), first + 700, first + 800, RV_NOTE_LOST, 7);
    struct rv_view view = {0};
    struct rv_view_params params = {first, last + 1, 1000, .lane_order = &lane_order};
    rv_lane_choices_update(&lane_order, lanes);
    rv_lane_choices_toggle_process(&lane_order, 1);
    rv_view_update(&view, lanes, &params);
    cr_assert_eq(view.n_lanes, 2);
    const struct rv_view_lane *group = &view.lanes[0];
    cr_assert_eq(group->n_members, 3);
    cr_assert_eq(group->fold, RV_LANE_FOLD_CLOSED);
    cr_assert(group->busiest > 0.5 && group->busiest < 3.01, "%g", group->busiest);
    cr_assert(group->n_boxes > 10 && group->n_boxes < 1001, "%u", group->n_boxes);
    for (uint32_t i = 1; i < group->n_boxes; i++)
        cr_assert(view.boxes[i].depth == 0 && view.boxes[i].start_ns >= rv_box_end_ns(&view.boxes[i - 1]));
    cr_assert_eq(group->n_notes, 2, "marks are of a lane of its own");
    cr_assert_eq(view.notes[group->first_note].start_ns, first + 500);
    cr_assert_eq(view.lanes[1].first_box, group->n_boxes);
    params.width_px = 10000000; /* all calls */
    rv_view_update(&view, lanes, &params);
    double self_ns = 0.0, busy_ns = 0.0;
    for (size_t i = 0; i < view.activity.n_times; i++)
        self_ns += view.activity.times[i].self_ns;
    for (uint32_t i = 0; i < group->n_boxes; i++)
        busy_ns += view.boxes[i].coverage / 65534.0 * group->busiest * (double)view.boxes[i].duration_ns;
    cr_assert_float_eq(self_ns / busy_ns, 1.0, 0.01, "%g", self_ns / busy_ns);

    params.is_past = true;
    params.until_ns = first + (last - first) / 2;
    rv_view_update(&view, lanes, &params);
    cr_assert_eq(view.lanes[0].n_members, 3);
    const struct rv_box *latest = &view.boxes[view.lanes[0].n_boxes - 1];
    cr_assert_leq(latest->start_ns, params.until_ns, "nothing of later");
    params.until_ns = first - 1;
    rv_view_update(&view, lanes, &params);
    cr_assert_eq(view.n_boxes, 0);
    rv_view_fini(&view);
    rv_lane_choices_fini(&lane_order);
    rv_lanes_destroy(lanes);
}

Test(view, lanes_in_front_get_what_the_budget_leaves, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    for (uint32_t i = 0; i < 4; i++)
        fill_lane(add_lane(lanes, 1, i), i + 1, 100000);
    uint64_t first, last;
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    struct rv_view view = {0};
    for (size_t budget = 500; budget <= 100000; budget *= 3) {
        rv_view_update(&view, lanes, &(struct rv_view_params){first, last + 1, 16000000, budget});
        uint32_t level = view.level;
        size_t n_boxes = view.n_boxes;
        rv_view_update(&view, lanes,
                       &(struct rv_view_params){first, last + 1, 16000000, budget, .has_front_first = true});
        cr_assert_eq(view.level, level);
        cr_assert_leq(view.n_boxes, budget);
        cr_assert_geq(view.n_boxes, n_boxes);
        uint64_t spare = budget;
        for (size_t i = 0; i < view.n_lanes; i++)
            spare -= rv_timeline_query_count(rv_lanes_get(lanes, i)->timeline, first, last + 1, level);
        for (size_t i = 0; i < view.n_lanes; i++) { /* each lane has the finest level that fits */
            struct rv_timeline *timeline = rv_lanes_get(lanes, i)->timeline;
            uint64_t n_coarse = rv_timeline_query_count(timeline, first, last + 1, level);
            uint64_t n_fine = rv_timeline_query_count(timeline, first, last + 1, view.lanes[i].level);
            cr_assert_leq(n_fine, n_coarse + spare);
            if (view.lanes[i].level > 0)
                cr_assert_gt(rv_timeline_query_count(timeline, first, last + 1, view.lanes[i].level - 1),
                             n_coarse + spare);
            spare -= n_fine - n_coarse;
        }
    }
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
}

Test(view, lanes_that_are_rows_are_of_equal_detail, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane_choices lane_order = {0};
    for (uint32_t i = 0; i < 8; i++)
        fill_lane(add_lane(lanes, 1, i), i + 1, 20000);
    rv_lane_choices_update(&lane_order, lanes);
    rv_lane_choices_toggle_pinned(&lane_order, 5);
    uint64_t first, last;
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    struct rv_view view = {0};
    struct rv_view_params params = {first, last + 1, 16000000, 100000, .has_front_first = true};
    params.lane_order = &lane_order;
    params.most_rows = 20;
    rv_view_update(&view, lanes, &params);
    cr_assert(view.is_flattened);
    cr_assert_lt(view.lanes[0].level, view.level, "the pinned one gets what is left");
    for (size_t i = 1; i < view.n_lanes; i++)
        cr_assert_eq(view.lanes[i].level, view.level, "lane %zu", i);
    rv_lane_choices_toggle_pinned(&lane_order, 5);
    params.most_rows = 0;
    rv_view_update(&view, lanes, &params);
    cr_assert_lt(view.lanes[0].level, view.level, "the first of stacks does");
    rv_view_fini(&view);
    rv_lane_choices_fini(&lane_order);
    rv_lanes_destroy(lanes);
}

/* Twelve lanes, twelve deep, count as ten rows each. */
Test(view, with_too_many_rows_lanes_that_are_not_pinned_are_one_row_each, .timeout = 60)
{
    enum { N_LANES = 12, ROWS_EACH = 10 };
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane_choices lane_order = {0};
    for (uint32_t i = 0; i < N_LANES; i++)
        fill_lane(add_lane(lanes, 1, i), i + 1, 1000);
    rv_lane_choices_update(&lane_order, lanes);
    rv_lane_choices_toggle_pinned(&lane_order, 5);
    uint64_t first, last;
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    struct rv_view view = {0};
    static const uint32_t mosts[] = {0, N_LANES * ROWS_EACH, N_LANES * ROWS_EACH - 1};
    for (size_t i = 0; i < sizeof mosts / sizeof *mosts; i++) {
        rv_view_update(
            &view, lanes,
            &(struct rv_view_params){
                .from_ns = first, .to_ns = last, .width_px = 100, .most_rows = mosts[i], .lane_order = &lane_order});
        cr_assert_eq(view.lanes[0].lane_idx, 5);
        for (size_t j = 0; j < N_LANES; j++)
            cr_assert_eq(view.lanes[j].is_row, i == 2 && j > 0, "lane %zu, at most %u rows", j, mosts[i]);
    }
    rv_view_fini(&view);
    rv_lane_choices_fini(&lane_order);
    rv_lanes_destroy(lanes);
}

Test(view, of_too_many_lanes_some_are_left_out_and_pinned_ones_stay, .timeout = 60)
{
    enum { N_LANES = 12, MOST = 5, PINNED = 7 };
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane_choices lane_order = {0};
    for (uint32_t i = 0; i < N_LANES; i++)
        fill_lane(add_lane(lanes, 1, i), i + 1, 1000);
    rv_lane_choices_update(&lane_order, lanes);
    rv_lane_choices_toggle_pinned(&lane_order, PINNED);
    uint64_t first, last;
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    uint32_t all[N_LANES];
    cr_assert_eq(rv_lane_choices_list(&lane_order, all), N_LANES);
    struct rv_view view = {0};
    struct rv_view_params params = {
        .from_ns = first, .to_ns = last, .width_px = 100, .most_lanes = MOST, .lane_order = &lane_order};
    static const uint32_t firsts[] = {0, 1, 4, N_LANES - MOST, 1000};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        const uint32_t from = firsts[i] < N_LANES - MOST ? firsts[i] : N_LANES - MOST;
        params.first_lane = firsts[i];
        rv_view_update(&view, lanes, &params);
        cr_assert_eq(view.n_lanes, MOST);
        cr_assert_eq(view.n_in_front, from);
        cr_assert_eq(view.n_behind, N_LANES - MOST - from);
        cr_assert_eq(view.lanes[0].lane_idx, PINNED);
        for (uint32_t j = 1; j < MOST; j++) {
            cr_assert_eq(view.lanes[j].lane_idx, all[from + j]);
            cr_assert_eq(view.lanes[j].n_members, 1);
            cr_assert_gt(view.lanes[j].n_boxes, 0);
        }
    }
    params.most_lanes = N_LANES;
    rv_view_update(&view, lanes, &params);
    cr_assert(view.n_lanes == N_LANES && view.n_in_front == 0 && view.n_behind == 0, "there is room for all");
    rv_view_fini(&view);
    rv_lane_choices_fini(&lane_order);
    rv_lanes_destroy(lanes);
}

/* Their finer levels do not have all calls. */
Test(view, lanes_that_are_shown_by_sums_are_not_refined, .timeout = 60)
{
    enum { N_CELLS = 100, LEVEL = 2 };
    static struct rv_timeline_cell cells[N_CELLS];
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *of_sums = add_lane(lanes, 1, 1), *of_calls = add_lane(lanes, 1, 2);
    fill_lane(add_lane(lanes, 1, 3), 1, 200000);
    fill_lane(of_calls, 2, 2000);
    for (uint32_t i = 0; i < N_CELLS; i++)
        cells[i] = (struct rv_timeline_cell){.start_ns = (uint64_t)i << 15, .covered_ns = 1000, .n_calls = 9, .id = 1};
    rv_timeline_add_sums(of_sums->timeline,
                         &(struct rv_timeline_sums){.level = LEVEL, .cells = cells, .n_cells = N_CELLS, .first_ns = 1});
    uint64_t first, last;
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    struct rv_view view = {0};
    rv_view_update(
        &view, lanes,
        &(struct rv_view_params){
            .from_ns = first, .to_ns = last, .width_px = 16000000, .box_budget = 20000, .has_front_first = true});
    cr_assert_geq(view.level, LEVEL);
    cr_assert_eq(view.lanes[0].level, view.level);
    cr_assert_lt(view.lanes[1].level, view.level);
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
}
