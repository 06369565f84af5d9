#include "model/lanes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/subroutines.h"
#include "model/timeline_query.h"

Test(lanes, a_lane_keeps_its_slot_and_its_address, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    static struct rv_lane *added[1000];
    for (uint32_t i = 0; i < 1000; i++)
        added[i] = rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = i, .process_key = i % 3});
    cr_assert_eq(rv_lanes_n(lanes), 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert_eq(rv_lanes_get(lanes, i), added[i]);
        cr_assert_eq(added[i]->idx, i);
        cr_assert_eq(added[i]->tid, i);
    }
    cr_assert_null(rv_lanes_get(lanes, 1000));
    rv_lanes_destroy(lanes);
    rv_lanes_destroy(NULL);
}

Test(lanes, the_order_by_threads_does_not_depend_on_arrival, .timeout = 60)
{
    static const struct rv_lane_identity come[2][4] = {
        {{.thread = 1}, {.thread = 0}, {.thread = 1, .stack = 9}, {.thread = 0, .stack = 2}},
        {{.thread = 0}, {.thread = 0, .stack = 2}, {.thread = 1}, {.thread = 1, .stack = 9}}};
    static const uint32_t threads[] = {0, 0, 1, 1}, stacks[] = {0, 2, 0, 9};
    for (size_t way = 0; way < 2; way++) {
        struct rv_lanes *lanes = rv_lanes_create();
        for (size_t i = 0; i < 4; i++)
            rv_lanes_add(lanes, &come[way][i]);
        size_t n;
        struct rv_lane **sorted = rv_lanes_take_by_thread(lanes, &n);
        cr_assert_eq(n, 4);
        for (size_t i = 0; i < 4; i++)
            cr_assert(sorted[i]->thread == threads[i] && sorted[i]->stack == stacks[i], "way %zu: %zu", way, i);
        free(sorted);
        rv_lanes_destroy(lanes);
    }
}

Test(lanes, a_thread_without_a_name_is_called_by_process_and_number, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    char longest[200];
    memset(longest, 'x', sizeof longest);
    longest[199] = 0;
    struct rv_lane *named =
        rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = 5, .name = "worker", .process_name = "prog"});
    struct rv_lane *nameless =
        rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = 5, .name = "", .process_name = "prog"});
    struct rv_lane *cut = rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = 4294967295u, .process_name = longest});
    cr_assert_str_eq(named->name, "worker");
    cr_assert_str_eq(nameless->name, "prog 5");
    cr_assert_str_eq(nameless->process_name, "prog");
    cr_assert_str_eq(strchr(cut->name, ' '), " 4294967295");
    rv_lanes_destroy(lanes);
}

Test(lanes, bounds_cover_spans_open_frames_and_notes, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    uint64_t first, last;
    cr_assert_not(rv_lanes_bounds(lanes, &first, &last));
    struct rv_lane *a = rv_lanes_add(lanes, &(struct rv_lane_identity){0}),
                   *b = rv_lanes_add(lanes, &(struct rv_lane_identity){0});
    cr_assert_not(rv_lanes_bounds(lanes, &first, &last));
    rv_timeline_add(a->timeline, &(struct rv_span){.start = 500, .end = 700}, 1);
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    cr_assert_eq(first, 500);
    cr_assert_eq(last, 700);
    b->open = rv_vec_reserve(NULL, &b->open_capacity, 1, sizeof *b->open);
    b->open[b->n_open++] = (struct rv_lane_frame){.start_ns = 300};
    b->last_ns = 900;
    cr_assert(rv_lanes_bounds(lanes, &first, &last));
    cr_assert_eq(first, 300);
    cr_assert_eq(last, 900);
    rv_lanes_destroy(lanes);
}

Test(lanes, memory_is_taken_from_the_largest_first, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    for (uint32_t i = 0; i < 4; i++) {
        struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = i});
        for (uint64_t j = 0; j < (i == 0 ? 1000u : 200000u * i); j++)
            rv_timeline_add(lane->timeline, &(struct rv_span){.start = j * 100, .end = j * 100 + 50, .id = 1}, 1);
    }
    size_t sum = 0, after = 0;
    for (size_t i = 0; i < 4; i++)
        sum += rv_timeline_bytes(rv_lanes_get(lanes, i)->timeline);
    rv_lanes_limit_memory(lanes, sum);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(rv_timeline_n_evicted(rv_lanes_get(lanes, i)->timeline), 0);
    rv_lanes_limit_memory(lanes, sum / 2);
    for (size_t i = 0; i < 4; i++)
        after += rv_timeline_bytes(rv_lanes_get(lanes, i)->timeline);
    cr_assert_leq(after, sum / 2);
    cr_assert_geq(after, sum / 3);
    cr_assert_eq(rv_timeline_n_evicted(rv_lanes_get(lanes, 0)->timeline), 0);
    cr_assert_gt(rv_timeline_n_evicted(rv_lanes_get(lanes, 3)->timeline), 0);
    rv_lanes_destroy(lanes);
}

Test(lanes, texts_and_objects_take_half_of_the_memory_together, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = 1});
    for (uint64_t i = 1; i <= 200000; i++) {
        rv_timeline_add(lane->timeline, &(struct rv_span){.start = i * 100, .end = i * 100 + 50, .id = 1}, 1);
        rv_made_objects_add(&lane->made, i * 100, 1);
        rv_argument_texts_add(&lane->texts, &(struct rv_argument_text){.at_ns = i * 100, .id = 1});
    }
    const size_t most = rv_made_objects_bytes(&lane->made);
    rv_lanes_limit_memory(lanes, most);
    const size_t n_bytes = rv_argument_texts_bytes(&lane->texts) + rv_made_objects_bytes(&lane->made);
    cr_assert_leq(n_bytes, most / 2);
    cr_assert_gt(n_bytes, most / 4);
    cr_assert_leq(rv_lanes_bytes(lanes), most);
    rv_lanes_destroy(lanes);
}

Test(subroutines, names_are_kept_and_packages_are_numbered_by_first_sight, .timeout = 60)
{
    struct rv_subroutines *subroutines = rv_subroutines_create();
    char name[64], text[32];
    for (uint32_t i = 0; i < 5000; i++) {
        (void)snprintf(name, sizeof name, "name%u", i);
        rv_subroutines_define(subroutines, i, i % 2 ? "Odd" : "Even", name, "file.c", i);
    }
    struct rv_subroutine first = rv_subroutines_get(subroutines, 0), last = rv_subroutines_get(subroutines, 4999);
    cr_assert_str_eq(first.name, "name0");
    cr_assert_str_eq(first.package, "Even");
    cr_assert_eq(first.package_idx, 1);
    cr_assert_str_eq(last.name, "name4999");
    cr_assert_eq(last.package_idx, 2);
    cr_assert_eq(last.line, 4999);
    cr_assert_eq(first.file, last.file);
    cr_assert_eq(rv_subroutines_count(subroutines), 5000);
    cr_assert_str_eq(last.package, "Odd");
    cr_assert_str_eq(rv_subroutine_full_name(&last, text, sizeof text), "Odd::name4999");
    rv_subroutines_destroy(subroutines);
}

Test(subroutines, an_id_without_definition_has_a_number_for_a_name, .timeout = 60)
{
    struct rv_subroutines *subroutines = rv_subroutines_create();
    rv_subroutines_define(subroutines, 9, NULL, "main", NULL, 0);
    struct rv_subroutine unknown = rv_subroutines_get(subroutines, 3),
                         beyond = rv_subroutines_get(subroutines, 4294967295u);
    cr_assert_str_eq(unknown.name, "#3");
    cr_assert_str_eq(unknown.package, "");
    cr_assert_str_eq(unknown.file, "");
    cr_assert_eq(unknown.package_idx, 0);
    cr_assert_str_eq(beyond.name, "#4294967295");
    rv_subroutines_define(subroutines, 3, "P", "known", "f", 1);
    cr_assert_str_eq(rv_subroutines_get(subroutines, 3).name, "known");
    cr_assert_str_eq(unknown.name, "#3");
    char text[8];
    struct rv_subroutine plain = rv_subroutines_get(subroutines, 9);
    cr_assert_str_eq(rv_subroutine_full_name(&plain, text, sizeof text), "main");
    rv_subroutines_destroy(subroutines);
}

/* Reports of lanes do not need the calls. */
Test(lanes, bounds_are_the_same_where_no_calls_are_kept, .timeout = 60)
{
    enum { N = 300000 };
    struct rv_lanes *lanes[2] = {rv_lanes_create(), rv_lanes_create()};
    struct rv_lane *lane[2];
    rv_lanes_leave_calls(lanes[1]);
    for (int k = 0; k < 2; k++) {
        lane[k] = rv_lanes_add(lanes[k], &(struct rv_lane_identity){0});
        for (uint32_t i = 0; i < N; i++) {
            struct rv_span span = {.start = 1000 + i * 100u, .end = 1050 + i * 100u, .id = 1, .depth = i % 7};
            struct rv_lane_note note = {.kind = RV_NOTE_MARK, .start_ns = span.start - 500, .end_ns = span.start - 500};
            rv_timeline_add(lane[k]->timeline, &span, 1);
            rv_lane_add_note(lane[k], &note);
        }
    }
    uint64_t first[2], last[2];
    for (int k = 0; k < 2; k++)
        cr_assert(rv_lanes_bounds(lanes[k], &first[k], &last[k]));
    cr_assert_eq(first[0], 500);
    cr_assert_eq(first[0], first[1]);
    cr_assert_eq(last[0], last[1]);
    cr_assert_eq(rv_timeline_n_spans(lane[1]->timeline), N);
    cr_assert_eq(rv_timeline_max_depth(lane[1]->timeline), 7);
    cr_assert_gt(rv_timeline_bytes(lane[0]->timeline), 16 * N);
    cr_assert_lt(rv_timeline_bytes(lane[1]->timeline), 16384);
    cr_assert_leq(lane[1]->n_notes, RV_LANE_NOTES_LEFT);
    for (uint32_t level = 0; level < RV_TIMELINE_LEVELS; level++)
        cr_assert_eq(rv_timeline_query_count(lane[1]->timeline, 0, UINT64_MAX, level), 0);
    for (int k = 0; k < 2; k++)
        rv_lanes_destroy(lanes[k]);
}

Test(lanes, are_found_by_thread_and_stack, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    for (uint32_t i = 0; i < 3000; i++)
        (void)rv_lanes_add(lanes, &(struct rv_lane_identity){.thread = i / 3, .stack = i % 3 * 1000});
    for (uint32_t i = 0; i < 3000; i++)
        cr_assert_eq(rv_lanes_find(lanes, i / 3, i % 3 * 1000)->idx, i);
    cr_assert_null(rv_lanes_find(lanes, 1000, 0));
    cr_assert_null(rv_lanes_find(lanes, 0, 1));
    struct rv_lane *last = rv_lanes_add(lanes, &(struct rv_lane_identity){.thread = 7, .stack = 0});
    cr_assert_eq(rv_lanes_find(lanes, 7, 0), last);
    rv_lanes_destroy(lanes);
}
