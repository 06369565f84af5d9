/* From a number to a call and back, without a window. */
#include "viewer/statistics.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../pipeline/recorded.h"
#include "base/os.h"
#include "source/recording_on_demand.h"
#include "source/replay.h"
#include "viewer/navigation.h"
#include "viewer/subroutine_calls.h"
#include "viewer/viewer.h"

#define MS UINT64_C(1000000)
#define BEGIN (1000 * MS)
#define LENGTH (100 * MS)

enum { OUTER = 1, INNER = 2, OTHER = 3 };

struct fixture {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_viewer viewer;
};

static void add(struct rv_lane *lane, uint32_t id, const uint64_t ms[2], uint32_t depth)
{
    struct rv_span span = {.start = BEGIN + ms[0] * MS, .end = BEGIN + ms[1] * MS, .id = id, .depth = depth};
    rv_timeline_add(lane->timeline, &span, 1);
    lane->last_ns = span.end;
}

/* Inner calls of 10, 20 and 15 ms on one thread, of 5 ms on another; there the caller is another subroutine. */
static void init(struct fixture *fixture)
{
    *fixture = (struct fixture){.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create()};
    rv_subroutines_define(fixture->subroutines, OUTER, "", "outer", "", 0);
    rv_subroutines_define(fixture->subroutines, INNER, "", "inner", "", 0);
    rv_subroutines_define(fixture->subroutines, OTHER, "", "other", "", 0);
    struct rv_lane *lanes[2];
    for (uint32_t i = 0; i < 2; i++)
        lanes[i] =
            rv_lanes_add(fixture->lanes, &(struct rv_lane_identity){.pid = 1, .tid = i, .thread = i, .process_key = 1});
    add(lanes[0], INNER, (uint64_t[2]){10, 20}, 1);
    add(lanes[0], INNER, (uint64_t[2]){30, 50}, 1);
    add(lanes[0], INNER, (uint64_t[2]){60, 75}, 1);
    add(lanes[0], OUTER, (uint64_t[2]){0, 100}, 0);
    add(lanes[1], INNER, (uint64_t[2]){40, 45}, 0);
    add(lanes[1], OTHER, (uint64_t[2]){50, 80}, 0);
    struct rv_viewer_params params = {
        .now_ns = BEGIN, .window_ns = 10 * MS, .lanes = fixture->lanes, .subroutines = fixture->subroutines};
    rv_settings_init(&params.settings);
    rv_viewer_init(&fixture->viewer, &params);
    rv_viewer_advance(&fixture->viewer, fixture->lanes, true, 0.0);
}

static void fini(struct fixture *fixture)
{
    rv_viewer_fini(&fixture->viewer);
    rv_lanes_destroy(fixture->lanes);
    rv_subroutines_destroy(fixture->subroutines);
}

static void wait(struct fixture *fixture)
{
    rv_viewer_statistics_wait(&fixture->viewer);
}

static void act_on(struct fixture *fixture, enum rv_action action, uint32_t idx)
{
    rv_viewer_act(&fixture->viewer, &(struct rv_act){.action = action, .idx = idx});
    wait(fixture);
}

static void act(struct fixture *fixture, enum rv_action action)
{
    act_on(fixture, action, 0);
}

static uint64_t pinned_ms(const struct fixture *fixture)
{
    const struct rv_hover *hover = &fixture->viewer.pointer.hover;
    return hover->is_pinned ? (hover->box.start_ns - BEGIN) / MS : UINT64_MAX;
}

static const struct rv_stats_row *row_of(const struct fixture *fixture, uint32_t id)
{
    const struct rv_viewer_statistics *statistics = &fixture->viewer.statistics;
    for (size_t i = 0; i < statistics->n_rows; i++)
        if (statistics->rows[i].id == id)
            return &statistics->rows[i];
    return NULL;
}

Test(statistics, the_whole_capture_is_measured_without_a_range, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    cr_assert_eq(fixture.viewer.statistics.n_rows, 3);
    cr_assert_eq(row_of(&fixture, INNER)->n_calls, 4);
    cr_assert_eq(row_of(&fixture, INNER)->total_ns, 50 * MS);
    cr_assert_eq(row_of(&fixture, OUTER)->self_ns, 55 * MS);
    cr_assert_eq(fixture.viewer.statistics.rows[0].id, OUTER, "sorted by own time");
    act(&fixture, RV_ACTION_STATISTICS);
    cr_assert_eq(fixture.viewer.statistics.scope, RV_SCOPE_CLOSED);
    fini(&fixture);
}

Test(statistics, rows_of_one_name_are_told_apart, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    rv_subroutines_define(fixture.subroutines, INNER, "Thing", "allocate", "a.rb", 3);
    rv_subroutines_define(fixture.subroutines, OTHER, "Thing", "allocate", "a.rb", 4);
    act(&fixture, RV_ACTION_STATISTICS);
    const struct rv_name_set *namesakes = &fixture.viewer.statistics.namesakes;
    cr_assert_eq(fixture.viewer.statistics.n_rows, 3);
    cr_assert(rv_name_set_has(namesakes, INNER) && rv_name_set_has(namesakes, OTHER));
    cr_assert_not(rv_name_set_has(namesakes, OUTER));
    fini(&fixture);
}

Test(statistics, what_is_in_view_is_measured_again_as_the_window_moves, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    rv_viewer_act(&fixture.viewer,
                  &(struct rv_act){.action = RV_ACTION_SHOW, .from_ns = BEGIN + 10 * MS, .to_ns = BEGIN + 20 * MS});
    act_on(&fixture, RV_ACTION_STATISTICS_OF, RV_SCOPE_VIEW);
    cr_assert_eq(row_of(&fixture, INNER)->n_calls, 1);
    rv_viewer_act(&fixture.viewer,
                  &(struct rv_act){.action = RV_ACTION_SHOW, .from_ns = BEGIN + 40 * MS, .to_ns = BEGIN + 48 * MS});
    wait(&fixture);
    cr_assert_eq(row_of(&fixture, INNER)->n_calls, 2);
    cr_assert_eq(row_of(&fixture, INNER)->total_ns, 13 * MS);
    fini(&fixture);
}

Test(statistics, a_range_is_selected_without_a_mouse, .timeout = 60)
{
    struct fixture fixture;
    struct rv_viewer *viewer = &fixture.viewer;
    char offered[128];
    init(&fixture);
    rv_viewer_act(viewer,
                  &(struct rv_act){.action = RV_ACTION_SHOW, .from_ns = BEGIN + 10 * MS, .to_ns = BEGIN + 20 * MS});
    act(&fixture, RV_ACTION_SELECT_BETWEEN);
    cr_assert(viewer->panels.has_select);
    cr_assert_str_eq(rv_navigation_offer_range(viewer, offered, sizeof offered), "10ms..20ms");
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_SELECT_BETWEEN, .text = "40ms..soon"});
    cr_assert(viewer->panels.has_select && viewer->panels.is_entry_wrong);
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_SELECT_BETWEEN, .text = "40ms..+8ms"});
    wait(&fixture);
    cr_assert_not(viewer->panels.has_select);
    cr_assert_eq(viewer->statistics.scope, RV_SCOPE_SELECTED);
    cr_assert_eq(row_of(&fixture, INNER)->n_calls, 2);
    cr_assert_eq(row_of(&fixture, INNER)->total_ns, 13 * MS);
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_SELECT_BETWEEN});
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_UNPIN});
    cr_assert(!viewer->panels.has_select && viewer->statistics.scope == RV_SCOPE_SELECTED, "only the field is closed");
    fini(&fixture);
}

Test(statistics, a_filter_is_obeyed_as_soon_as_it_is_set, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_LET, .text = "name:inner"});
    wait(&fixture);
    cr_assert_eq(fixture.viewer.statistics.n_rows, 1);
    act(&fixture, RV_ACTION_RESET_FILTER);
    cr_assert_eq(fixture.viewer.statistics.n_rows, 3);
    fini(&fixture);
}

Test(statistics, a_row_leads_to_its_calls_by_length_and_by_time_and_back, .timeout = 60)
{
    static const struct {
        enum rv_action action;
        uint64_t ms;
    } steps[] = {{RV_ACTION_LONGEST_CALL, 30}, {RV_ACTION_LONGEST_CALL, 60},  {RV_ACTION_LONGEST_CALL, 10},
                 {RV_ACTION_LONGEST_CALL, 40}, {RV_ACTION_LONGER_CALL, 10},   {RV_ACTION_FIRST_CALL, 10},
                 {RV_ACTION_NEXT_CALL, 30},    {RV_ACTION_NEXT_CALL, 40},     {RV_ACTION_NEXT_CALL, 60},
                 {RV_ACTION_NEXT_CALL, 10},    {RV_ACTION_PREVIOUS_CALL, 60}, {RV_ACTION_PREVIOUS_CALL, 40}};
    struct fixture fixture;
    uint64_t from_ns[2], to_ns[2];
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    act_on(&fixture, RV_ACTION_CHOOSE_ROW, INNER);
    rv_time_window_get(&fixture.viewer.time_window, &from_ns[0], &to_ns[0]);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        act(&fixture, steps[i].action);
        cr_assert_eq(pinned_ms(&fixture), steps[i].ms, "step %zu leads to %llu ms", i,
                     (unsigned long long)pinned_ms(&fixture));
    }
    rv_time_window_get(&fixture.viewer.time_window, &from_ns[1], &to_ns[1]);
    cr_assert(from_ns[1] <= BEGIN + 40 * MS && to_ns[1] >= BEGIN + 45 * MS);
    fini(&fixture);
}

Test(statistics, the_way_back_is_the_history_of_windows, .timeout = 60)
{
    struct fixture fixture;
    uint64_t from_ns, to_ns;
    init(&fixture);
    rv_viewer_act(&fixture.viewer,
                  &(struct rv_act){.action = RV_ACTION_SHOW, .from_ns = BEGIN + 95 * MS, .to_ns = BEGIN + 97 * MS});
    act(&fixture, RV_ACTION_STATISTICS);
    act_on(&fixture, RV_ACTION_CHOOSE_ROW, INNER);
    fixture.viewer.history.last_ns = 0;
    act(&fixture, RV_ACTION_LONGEST_CALL);
    act(&fixture, RV_ACTION_BACK);
    rv_time_window_get(&fixture.viewer.time_window, &from_ns, &to_ns);
    cr_assert_eq(from_ns, BEGIN + 95 * MS);
    cr_assert_eq(to_ns, BEGIN + 97 * MS);
    fini(&fixture);
}

Test(statistics, keys_alone_choose_a_row_and_go_to_its_longest_call, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    act(&fixture, rv_key_bindings_action("I", 0));
    act(&fixture, rv_key_bindings_action("J", 0));
    cr_assert_eq(fixture.viewer.statistics.calls.id, OUTER);
    act(&fixture, rv_key_bindings_action("J", 0));
    cr_assert_eq(fixture.viewer.statistics.calls.id, INNER);
    act(&fixture, rv_key_bindings_action("Return", 0));
    cr_assert_eq(pinned_ms(&fixture), 30);
    act(&fixture, rv_key_bindings_action("K", 0));
    cr_assert_eq(fixture.viewer.statistics.calls.id, OUTER);
    fini(&fixture);
}

Test(statistics, a_list_is_sorted_and_its_rows_lead_to_their_calls, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    act_on(&fixture, RV_ACTION_CHOOSE_ROW, INNER);
    act_on(&fixture, RV_ACTION_SHOW_CALL, 1);
    cr_assert_eq(pinned_ms(&fixture), 60);
    act_on(&fixture, RV_ACTION_SORT_CALLS, RV_CALL_START + 1);
    act_on(&fixture, RV_ACTION_SHOW_CALL, 1);
    cr_assert_eq(pinned_ms(&fixture), 30);
    act_on(&fixture, RV_ACTION_SORT_CALLS, RV_CALL_THREAD + 1);
    act_on(&fixture, RV_ACTION_SHOW_CALL, 3);
    cr_assert_eq(pinned_ms(&fixture), 40);
    fini(&fixture);
}

/* Where listing all of them takes long. */
Test(statistics, the_longest_calls_are_shown_until_all_are_listed, .timeout = 60)
{
    struct fixture fixture;
    struct rv_viewer_subroutine_calls *calls = &fixture.viewer.statistics.calls;
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = INNER});
    rv_range_renewal_stop(&calls->listed);
    rv_first_calls_job_wait(&calls->first);
    cr_assert_null(rv_viewer_subroutine_calls_list(calls));
    const struct rv_call_list *shown = rv_viewer_subroutine_calls_shown(calls);
    cr_assert_eq(shown->n, 4);
    cr_assert_eq(shown->calls[0].duration_ns, 20 * MS);
    cr_assert_eq(shown->calls[0].self_ns, 20 * MS);
    cr_assert_eq(shown->calls[0].caller, OUTER);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_LONGEST_CALL});
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_LONGEST_CALL});
    cr_assert_eq(pinned_ms(&fixture), 60);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_SORT_CALLS, .idx = RV_CALL_START + 1});
    rv_first_calls_job_wait(&calls->first);
    cr_assert_eq(rv_viewer_subroutine_calls_shown(calls)->calls[0].start_ns, BEGIN + 10 * MS);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_FIRST_CALL});
    cr_assert_eq(pinned_ms(&fixture), 10);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_SORT_CALLS, .idx = RV_CALL_THREAD + 1});
    cr_assert_null(rv_viewer_subroutine_calls_shown(calls), "of another column they are not known");
    rv_viewer_act(&fixture.viewer,
                  &(struct rv_act){.action = RV_ACTION_SORT_CALLS, .idx = RV_CALL_DURATION + 1, .amount = 1.0});
    rv_first_calls_job_wait(&calls->first);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_LONGEST_CALL});
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_LONGEST_CALL});
    cr_assert_eq(pinned_ms(&fixture), 60);
    calls->measured = 0;
    wait(&fixture);
    cr_assert_eq(rv_viewer_subroutine_calls_shown(calls), rv_viewer_subroutine_calls_list(calls));
    act(&fixture, RV_ACTION_LONGEST_CALL);
    cr_assert_eq(pinned_ms(&fixture), 10, "the next one, in the complete list, too");
    fini(&fixture);
}

Test(statistics, the_longest_calls_are_those_of_the_range_that_is_asked_for, .timeout = 60)
{
    struct fixture fixture;
    struct rv_viewer_subroutine_calls *calls = &fixture.viewer.statistics.calls;
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = INNER});
    rv_range_renewal_stop(&calls->listed); /* the complete list takes its time */
    rv_first_calls_job_wait(&calls->first);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_SELECT_BETWEEN, .text = "40ms..+8ms"});
    rv_range_renewal_wait(&fixture.viewer.statistics.measured);
    (void)rv_viewer_statistics_advance(&fixture.viewer);
    rv_range_renewal_stop(&calls->listed);
    rv_first_calls_job_wait(&calls->first);
    const struct rv_call_list *shown = rv_viewer_subroutine_calls_shown(calls);
    cr_assert(shown && shown->n > 0);
    for (size_t i = 0; i < shown->n; i++) {
        const struct rv_call *call = &shown->calls[i];
        cr_expect(call->start_ns < BEGIN + 48 * MS && call->start_ns + call->duration_ns > BEGIN + 40 * MS, "%zu", i);
    }
    fini(&fixture);
}

Test(statistics, the_calls_of_the_chosen_row_stand_out_in_the_picture, .timeout = 60)
{
    struct fixture fixture;
    struct rv_view_params params = {.hits = NULL};
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    rv_viewer_apply(&fixture.viewer, &params);
    cr_assert_null(params.hits);
    act_on(&fixture, RV_ACTION_CHOOSE_ROW, INNER);
    rv_viewer_apply(&fixture.viewer, &params);
    cr_assert(rv_name_set_has(params.hits, INNER) && !rv_name_set_has(params.hits, OUTER));
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_FIND, .text = "other"});
    rv_viewer_advance(&fixture.viewer, fixture.lanes, true, 0.0);
    rv_viewer_apply(&fixture.viewer, &params);
    cr_assert(rv_name_set_has(params.hits, OTHER) && !rv_name_set_has(params.hits, INNER), "what was asked for last");
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_FIND, .text = ""});
    act(&fixture, RV_ACTION_UNPIN);
    params.hits = NULL;
    rv_viewer_apply(&fixture.viewer, &params);
    cr_assert_null(params.hits, "Escape closes the statistics");
    fini(&fixture);
}

Test(statistics, a_call_of_a_hidden_thread_shows_its_thread, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture);
    rv_lane_choices_update(&fixture.viewer.lane_order, fixture.lanes);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_HIDE_LANE, .idx = 2});
    cr_assert_not(rv_lane_choices_shows(&fixture.viewer.lane_order, 1));
    act(&fixture, RV_ACTION_STATISTICS);
    act_on(&fixture, RV_ACTION_CHOOSE_ROW, OTHER);
    act(&fixture, RV_ACTION_LONGEST_CALL);
    cr_assert(rv_lane_choices_shows(&fixture.viewer.lane_order, 1));
    fini(&fixture);
}

static void expect_rows(const struct rv_viewer_call_tree *tree, const char *expected)
{
    char text[64] = "";
    for (size_t i = 0; i < tree->n_rows; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%*s%u ", (int)tree->rows[i].depth, "",
                 tree->job.tree.nodes[tree->rows[i].node].id);
    cr_assert_str_eq(text, expected);
}

Test(statistics, trees_open_and_close_row_by_row_and_level_by_level, .timeout = 60)
{
    struct fixture fixture;
    const struct rv_viewer_call_tree *trees = fixture.viewer.statistics.trees;
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    act_on(&fixture, RV_ACTION_STATISTICS_TAB, RV_STATISTICS_TOP_DOWN + 1);
    expect_rows(&trees[0], "1  2 3 2 ");
    act_on(&fixture, RV_ACTION_OPEN_NODE, trees[0].rows[0].node);
    expect_rows(&trees[0], "1 3 2 ");
    act(&fixture, RV_ACTION_OPEN_LEVEL);
    expect_rows(&trees[0], "1  2 3 2 ");
    act(&fixture, RV_ACTION_CLOSE_LEVEL);
    expect_rows(&trees[0], "1 3 2 ");
    act_on(&fixture, RV_ACTION_STATISTICS_TAB, RV_STATISTICS_SANDWICH + 1);
    act_on(&fixture, RV_ACTION_CHOOSE_ROW, INNER);
    expect_rows(&trees[0], "2  1 ");
    expect_rows(&trees[1], "2 ");
    fini(&fixture);
}

Test(statistics, calls_are_grouped_by_caller_thread_and_process, .timeout = 60)
{
    static const size_t n_groups[RV_CALL_GROUPINGS] = {2, 2, 1, 1};
    struct fixture fixture;
    const struct rv_viewer_subroutine_calls *calls = &fixture.viewer.statistics.calls;
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    act_on(&fixture, RV_ACTION_CHOOSE_ROW, INNER);
    for (uint32_t i = 0; i < RV_CALL_GROUPINGS; i++) {
        act_on(&fixture, RV_ACTION_GROUP_CALLS, i + 1);
        cr_assert_eq(calls->n_groups, n_groups[i]);
        cr_assert_eq(calls->groups[0].n_calls, n_groups[i] == 1 ? 4 : 3);
    }
    fini(&fixture);
}

static uint32_t focused_id(const struct fixture *fixture)
{
    size_t n;
    const struct rv_viewer_statistics *statistics = &fixture->viewer.statistics;
    const struct rv_range_node *nodes = rv_range_statistics_nodes(rv_viewer_statistics_range(statistics), &n);
    return nodes[rv_viewer_statistics_focus(statistics)].id;
}

Test(statistics, the_flame_graph_is_focused_and_goes_back, .timeout = 60)
{
    struct fixture fixture;
    const struct rv_viewer_statistics *statistics = &fixture.viewer.statistics;
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    act_on(&fixture, RV_ACTION_CHOOSE_ROW, INNER);
    act(&fixture, RV_ACTION_FOCUS_CHOSEN);
    cr_assert_eq(focused_id(&fixture), INNER);
    act_on(&fixture, RV_ACTION_CHOOSE_ROW, OTHER);
    act(&fixture, RV_ACTION_FOCUS_CHOSEN);
    cr_assert_eq(focused_id(&fixture), OTHER);
    act(&fixture, RV_ACTION_UNFOCUS_NODE);
    cr_assert_eq(focused_id(&fixture), INNER);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_LET, .text = "!name:other"});
    wait(&fixture);
    cr_assert_eq(focused_id(&fixture), INNER, "the same path in another range");
    act(&fixture, RV_ACTION_UNFOCUS_NODE);
    cr_assert_eq(rv_viewer_statistics_focus(statistics), 0);
    fini(&fixture);
}

Test(statistics, a_brush_is_a_rule_over_durations_that_can_be_removed, .timeout = 60)
{
    struct fixture fixture;
    struct rv_viewer *viewer = &fixture.viewer;
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_BRUSH, .from_ns = 9999999, .to_ns = 15000001});
    wait(&fixture);
    cr_assert_str_eq(rv_viewer_statistics_brush(viewer), "duration:9.99ms..15.1ms");
    cr_assert_eq(fixture.viewer.statistics.n_rows, 1);
    cr_assert_eq(row_of(&fixture, INNER)->n_calls, 2);
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_BRUSH, .from_ns = 100, .to_ns = 5000000});
    wait(&fixture);
    cr_assert_str_eq(rv_viewer_statistics_brush(viewer), "duration:100ns..5ms");
    cr_assert_eq(rv_filter_n_rules(viewer->search.filter), 1);
    cr_assert_eq(row_of(&fixture, INNER)->n_calls, 1);
    act(&fixture, RV_ACTION_BRUSH);
    cr_assert_eq(rv_filter_n_rules(viewer->search.filter), 0);
    cr_assert_eq(row_of(&fixture, INNER)->n_calls, 4);
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_BRUSH, .from_ns = 1, .to_ns = 2});
    act(&fixture, RV_ACTION_RESET_FILTER);
    cr_assert_str_eq(rv_viewer_statistics_brush(viewer), "", "it was removed elsewhere");
    fini(&fixture);
}

Test(statistics, a_growing_range_and_its_list_are_measured_again, .timeout = 60)
{
    struct fixture fixture;
    const struct rv_viewer_subroutine_calls *calls = &fixture.viewer.statistics.calls;
    init(&fixture);
    fixture.viewer.live_edge.is_done = false;
    act(&fixture, RV_ACTION_STATISTICS);
    act_on(&fixture, RV_ACTION_CHOOSE_ROW, INNER);
    cr_assert_eq(rv_viewer_subroutine_calls_list(calls)->n_calls, 4);
    add(rv_lanes_get(fixture.lanes, 1), INNER, (uint64_t[2]){110, 120}, 0);
    do {
        rv_viewer_advance(&fixture.viewer, fixture.lanes, false, 0.0);
        cr_assert(rv_viewer_statistics_range(&fixture.viewer.statistics), "what is shown stays until there is another");
        cr_assert(rv_viewer_subroutine_calls_list(calls));
    } while (rv_viewer_subroutine_calls_list(calls)->n_calls != 5);
    cr_assert_eq(row_of(&fixture, INNER)->n_calls, 5);
    fini(&fixture);
}

Test(statistics, the_table_of_a_comparison_is_there_only_where_captures_are_compared, .timeout = 60)
{
    const struct rv_diff diff = {.rows = NULL};
    struct fixture fixture;
    init(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    act_on(&fixture, RV_ACTION_STATISTICS_TAB, RV_STATISTICS_LINES + 1);
    act(&fixture, RV_ACTION_STATISTICS_TAB);
    cr_assert_eq(fixture.viewer.statistics.tab, RV_STATISTICS_FLAME);
    fixture.viewer.diff = &diff;
    act_on(&fixture, RV_ACTION_STATISTICS_TAB, RV_STATISTICS_LINES + 1);
    act(&fixture, RV_ACTION_STATISTICS_TAB);
    cr_assert_eq(fixture.viewer.statistics.tab, RV_STATISTICS_DIFF);
    fini(&fixture);
}

/* ---- many calls ---- */

#define MANY (5 * RV_SAMPLED_CALLS)

static void add_many(struct fixture *fixture)
{
    struct rv_lane *lane = rv_lanes_get(fixture->lanes, 1);
    for (uint64_t i = 0; i < MANY; i++) {
        const uint64_t start_ns = BEGIN + LENGTH + 100 * i;
        rv_timeline_add(lane->timeline, &(struct rv_span){.start = start_ns, .end = start_ns + 50 + i % 7, .id = OTHER},
                        1);
    }
    lane->last_ns = rv_timeline_last_ns(lane->timeline);
    rv_viewer_advance(&fixture->viewer, fixture->lanes, true, 0.0);
    rv_range_ahead_stop(&fixture->viewer.statistics.ahead);
}

/* Until its sample is there, which is shown if not all has been measured since. */
static void wait_for_sample(struct fixture *fixture, struct rv_range_renewal *renewal)
{
    while (!rv_range_renewal_is_ready(renewal) &&
           !atomic_load_explicit(&renewal->jobs[!renewal->shown].has_sample, memory_order_relaxed))
        rv_os_sleep_ns(MS);
    (void)rv_viewer_statistics_advance(&fixture->viewer);
}

Test(statistics, a_sample_is_shown_until_all_is_measured, .timeout = 120)
{
    struct fixture fixture;
    struct rv_viewer_statistics *statistics = &fixture.viewer.statistics;
    init(&fixture);
    add_many(&fixture);
    do {
        (void)rv_viewer_statistics_close(&fixture.viewer);
        rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_STATISTICS});
        wait_for_sample(&fixture, &statistics->measured);
    } while (!statistics->shows_sample);
    const double share = rv_viewer_statistics_sampled(statistics);
    cr_assert(share > 0.1 && share < 0.25, "%g", share);
    cr_assert_float_eq((double)row_of(&fixture, OTHER)->n_calls, share * MANY, 0.02 * MANY);
    cr_assert_not_null(rv_viewer_statistics_range(statistics));
    rv_viewer_act(&fixture.viewer,
                  &(struct rv_act){.action = RV_ACTION_STATISTICS_TAB, .idx = RV_STATISTICS_TOP_DOWN + 1});
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = OTHER});
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_FOCUS_CHOSEN});
    cr_assert_neq(rv_viewer_statistics_focus(statistics), 0);
    wait(&fixture);
    size_t n;
    const struct rv_range_node *nodes = rv_range_statistics_nodes(rv_viewer_statistics_range(statistics), &n);
    cr_assert_eq(rv_viewer_statistics_sampled(statistics), 1.0);
    cr_assert_eq(row_of(&fixture, OTHER)->n_calls, MANY + 1);
    cr_assert_eq(nodes[rv_viewer_statistics_focus(statistics)].id, OTHER, "the focus stays on its path");
    fini(&fixture);
}

Test(statistics, the_calls_of_a_sample_are_listed_in_any_order_until_all_are, .timeout = 120)
{
    struct fixture fixture;
    struct rv_viewer_subroutine_calls *calls = &fixture.viewer.statistics.calls;
    init(&fixture);
    add_many(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    rv_viewer_act(&fixture.viewer,
                  &(struct rv_act){.action = RV_ACTION_SORT_CALLS, .idx = RV_CALL_SELF + 1, .amount = 0.0});
    do {
        rv_viewer_subroutine_calls_choose_none(calls);
        rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = OTHER});
        wait_for_sample(&fixture, &calls->listed);
    } while (!calls->sample.range);
    const struct rv_call_list *shown = rv_viewer_subroutine_calls_shown(calls);
    cr_assert(shown && shown->n > 0);
    cr_assert_lt(rv_viewer_subroutine_calls_sampled(calls), 0.25);
    cr_assert_eq(calls->n_groups, 1);
    cr_assert_eq(calls->groups[0].n_calls, shown->n_calls);
    rv_job_thread_wait(&calls->sorting.thread);
    (void)rv_viewer_statistics_advance(&fixture.viewer);
    if (rv_viewer_subroutine_calls_shown(calls) == shown)
        for (size_t i = 1; i < shown->n; i++)
            cr_assert_leq(shown->calls[calls->order[i - 1]].self_ns, shown->calls[calls->order[i]].self_ns);
    wait(&fixture);
    cr_assert_eq(rv_viewer_subroutine_calls_sampled(calls), 1.0);
    cr_assert_eq(rv_viewer_subroutine_calls_list(calls)->n_calls, MANY + 1);
    cr_assert_eq(calls->groups[0].n_calls, MANY + 1);
    fini(&fixture);
}

/* More calls than are kept. */
Test(statistics, a_list_has_the_first_calls_in_the_order_of_its_column, .timeout = 120)
{
    struct fixture fixture;
    struct rv_viewer_subroutine_calls *calls = &fixture.viewer.statistics.calls;
    init(&fixture);
    add_many(&fixture);
    act(&fixture, RV_ACTION_STATISTICS);
    act_on(&fixture, RV_ACTION_CHOOSE_ROW, OTHER);
    cr_assert_eq(rv_viewer_subroutine_calls_list(calls)->calls[0].duration_ns, 30 * MS);
    act_on(&fixture, RV_ACTION_SORT_CALLS, RV_CALL_DURATION + 1);
    const struct rv_call_list *list = rv_viewer_subroutine_calls_list(calls);
    cr_assert_eq(list->n_calls, MANY + 1);
    for (size_t i = 0; i < list->n; i++)
        cr_assert_eq(list->calls[i].start_ns, BEGIN + LENGTH + 700 * i, "the shortest, the earlier first");
    act_on(&fixture, RV_ACTION_FIRST_CALL, 0);
    act_on(&fixture, RV_ACTION_FIRST_CALL, 0);
    cr_assert_eq(calls->column, RV_CALL_START);
    cr_assert_eq(pinned_ms(&fixture), 50, "it is long");
    list = rv_viewer_subroutine_calls_list(calls);
    for (size_t i = 1; i < list->n; i++)
        cr_assert_eq(list->calls[i].start_ns, BEGIN + LENGTH + 100 * (i - 1));
    act_on(&fixture, RV_ACTION_NEXT_CALL, 0);
    cr_assert_eq(pinned_ms(&fixture), 100);
    act_on(&fixture, RV_ACTION_LONGEST_CALL, 0);
    act_on(&fixture, RV_ACTION_LONGEST_CALL, 0);
    cr_assert_eq(calls->column, RV_CALL_DURATION);
    cr_assert_eq(pinned_ms(&fixture), (BEGIN + LENGTH + 100 * 6 - BEGIN) / MS, "the second");
    fini(&fixture);
}

/* ---- a capture that has ended ---- */

static struct rv_session *open_random_calls(uint32_t n_names, bool is_indexed)
{
    const struct recorded_params params = {
        .n_events = {40000, 20000, 500, 100}, .step_ns = {300, 900, 20000, 90000}, .n_names = n_names};
    struct rv_source *source = NULL;
    char path[] = "/tmp/ringviz-statistics-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    recorded_make(path, &params);
    if (is_indexed)
        cr_assert_eq(rv_recording_on_demand_open(&source, path, 0), 0);
    else
        source = rv_replay_open(path);
    struct rv_session *session = rv_session_start(&(struct rv_session_params){.n_workers = 2}, source);
    while (!rv_session_wait(session, 100 * MS))
        continue;
    (void)close(fd);
    (void)unlink(path);
    return session;
}

static struct rv_session *replay_random_calls(void)
{
    return open_random_calls(0, false);
}

static struct rv_stats_row *copy_rows(const struct rv_viewer_statistics *statistics)
{
    struct rv_stats_row *rows = calloc(statistics->n_rows + 1, sizeof *rows);
    memcpy(rows, statistics->rows, statistics->n_rows * sizeof *rows);
    return rows;
}

/* Nothing can be measured while a lane's lock is held. */
Test(statistics, rows_of_a_capture_that_has_ended_are_there_before_they_are_measured, .timeout = 60)
{
    struct rv_session *session = replay_random_calls();
    struct rv_lanes *lanes = rv_session_lanes(session);
    struct rv_viewer viewer;
    struct rv_viewer_params params = {.now_ns = 1,
                                      .window_ns = MS,
                                      .lanes = lanes,
                                      .subroutines = rv_session_subroutines(session),
                                      .session = session};
    rv_settings_init(&params.settings);
    rv_viewer_init(&viewer, &params);
    rv_viewer_advance(&viewer, lanes, true, 0.0);
    rv_range_ahead_stop(&viewer.statistics.ahead); /* else it is waited for */
    pthread_rwlock_wrlock(&rv_lanes_get(lanes, 0)->lock);
    rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_STATISTICS});
    while (!rv_viewer_statistics_stats(&viewer.statistics)) {
        (void)rv_viewer_statistics_advance(&viewer);
        rv_os_sleep_ns(MS);
    }
    cr_assert_null(rv_viewer_statistics_range(&viewer.statistics));
    const size_t n = viewer.statistics.n_rows;
    cr_assert_gt(n, 10);
    struct rv_stats_row *rows = copy_rows(&viewer.statistics);
    const uint64_t self_ns = rv_viewer_statistics_self_ns(&viewer.statistics);
    pthread_rwlock_unlock(&rv_lanes_get(lanes, 0)->lock);
    rv_viewer_statistics_wait(&viewer);
    cr_assert_not_null(rv_viewer_statistics_range(&viewer.statistics));
    cr_assert_eq(viewer.statistics.n_rows, n);
    cr_assert_eq(rv_viewer_statistics_self_ns(&viewer.statistics), self_ns);
    for (size_t i = 0; i < n; i++) {
        const struct rv_stats_row *row = &viewer.statistics.rows[i];
        cr_assert_eq(row->id, rows[i].id);
        cr_assert_eq(row->n_calls, rows[i].n_calls);
        cr_assert_eq(row->total_ns, rows[i].total_ns);
        cr_assert_eq(row->self_ns, rows[i].self_ns);
        cr_assert_eq(row->p99_ns, rows[i].p99_ns);
        cr_assert_eq(row->max_ns, rows[i].max_ns);
    }
    free(rows);
    cr_assert(rv_totals_job_is_current(&viewer.statistics.totals));
    const uint32_t least = viewer.statistics.rows[0].id < viewer.statistics.rows[1].id ? 0 : 1;
    const struct rv_subroutine name = rv_subroutines_get(params.subroutines, viewer.statistics.rows[least].id);
    rv_subroutines_define(params.subroutines, viewer.statistics.rows[!least].id, name.package, name.name, name.file,
                          name.line_form);
    rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_STATISTICS});
    rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_STATISTICS});
    rv_totals_job_wait(&viewer.statistics.totals);
    cr_assert_eq(viewer.statistics.totals.n_rows, n - 1, "a name that comes later is known");
    rv_viewer_fini(&viewer);
    rv_session_destroy(session);
}

/* The recorder of a part of a session knows no names: its totals are of ids. */
Test(statistics, totals_that_may_count_calls_twice_are_not_shown, .timeout = 60)
{
    for (uint32_t n_names = 0; n_names <= 3; n_names += 3) {
        struct rv_session *session = open_random_calls(n_names, true);
        struct rv_viewer viewer;
        struct rv_viewer_params params = {.now_ns = 1,
                                          .window_ns = MS,
                                          .lanes = rv_session_lanes(session),
                                          .subroutines = rv_session_subroutines(session),
                                          .session = session};
        rv_settings_init(&params.settings);
        rv_viewer_init(&viewer, &params);
        rv_viewer_advance(&viewer, params.lanes, true, 0.0);
        rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_STATISTICS});
        rv_totals_job_wait(&viewer.statistics.totals);
        cr_assert_eq(viewer.statistics.totals.is_doubtful, n_names != 0);
        rv_viewer_statistics_wait(&viewer);
        cr_assert_not(viewer.statistics.wants_totals || viewer.statistics.shows_totals);
        uint64_t measured_ns = 0, totals_ns = 0;
        cr_assert_eq(viewer.statistics.n_rows, viewer.statistics.totals.n_rows);
        for (size_t i = 0; i < viewer.statistics.n_rows; i++) {
            measured_ns += viewer.statistics.rows[i].total_ns;
            totals_ns += viewer.statistics.totals.rows[i].total_ns;
        }
        cr_assert_eq(measured_ns < totals_ns, n_names != 0);
        rv_viewer_fini(&viewer);
        rv_session_destroy(session);
    }
}

Test(statistics, paths_that_are_shown_when_the_capture_ends_stay_until_all_is_measured, .timeout = 60)
{
    struct rv_session *session = replay_random_calls();
    struct rv_lanes *lanes = rv_session_lanes(session);
    struct rv_viewer viewer;
    struct rv_viewer_params params = {.now_ns = 1,
                                      .window_ns = MS,
                                      .lanes = lanes,
                                      .subroutines = rv_session_subroutines(session),
                                      .session = session};
    rv_settings_init(&params.settings);
    rv_viewer_init(&viewer, &params);
    rv_viewer_advance(&viewer, lanes, false, 0.0);
    rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_STATISTICS});
    rv_viewer_statistics_wait(&viewer);
    const struct rv_range_statistics *shown = rv_viewer_statistics_range(&viewer.statistics);
    cr_assert_not_null(shown);
    rv_range_ahead_stop(&viewer.statistics.ahead); /* else it is waited for */
    pthread_rwlock_wrlock(&rv_lanes_get(lanes, 0)->lock);
    viewer.live_edge.last_ns++;
    viewer.live_edge.is_done = true;
    for (unsigned i = 0; i < 20; i++) {
        (void)rv_viewer_statistics_advance(&viewer);
        rv_totals_job_wait(&viewer.statistics.totals);
        cr_assert_eq(rv_viewer_statistics_range(&viewer.statistics), shown);
    }
    cr_assert(rv_range_renewal_is_on(&viewer.statistics.measured));
    pthread_rwlock_unlock(&rv_lanes_get(lanes, 0)->lock);
    rv_viewer_statistics_wait(&viewer);
    cr_assert_neq(viewer.statistics.version, 0);
    cr_assert(viewer.statistics.was_over);
    cr_assert_not_null(rv_viewer_statistics_range(&viewer.statistics));
    rv_viewer_fini(&viewer);
    rv_session_destroy(session);
}
