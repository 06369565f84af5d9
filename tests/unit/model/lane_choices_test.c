#include "model/lane_choices.h"
#include "model/lane_sort.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct rv_lanes *lanes;
static struct rv_lane_choices lane_order;

static void begin(void)
{
    lanes = rv_lanes_create();
    lane_order = (struct rv_lane_choices){0};
}

static void finish(void)
{
    rv_lane_choices_fini(&lane_order);
    rv_lanes_destroy(lanes);
}

TestSuite(lane_choices, .init = begin, .fini = finish, .timeout = 60);

static void come(uint32_t pid, uint32_t parent_pid)
{
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = pid,
                                                   .parent_pid = parent_pid,
                                                   .tid = (uint32_t)rv_lanes_n(lanes),
                                                   .process_key = pid * UINT64_C(1000),
                                                   .process_name = "prog"});
    rv_lane_choices_update(&lane_order, lanes);
}

/* The lanes shown, as digits. */
static const char *shown(void)
{
    static char text[64];
    uint32_t out[32];
    size_t n = rv_lane_choices_list(&lane_order, out);
    for (size_t i = 0; i < n; i++)
        snprintf(text + i, sizeof text - i, "%u", out[i]);
    text[n] = '\0';
    return text;
}

Test(lane_choices, a_forked_process_stands_behind_its_parent_and_its_parents_other_children)
{
    come(10, 1); /* 0 */
    come(50, 1); /* 1: its parent is not seen */
    come(11, 10);
    come(12, 11);
    come(13, 10); /* 4: behind 10's child and grandchild */
    cr_assert_str_eq(shown(), "02341");
    cr_assert_eq(lane_order.processes[lane_order.lanes[3].process].generation, 2);
    come(10, 1); /* 5: another thread, beside its own */
    come(12, 11);
    cr_assert_str_eq(shown(), "0523641");
}

Test(lane_choices, existing_lanes_keep_their_order)
{
    uint32_t before[32], after[32];
    uint64_t random = 7;
    for (unsigned i = 0; i < 30; i++) {
        size_t n = rv_lane_choices_list(&lane_order, before);
        random = random * 6364136223846793005u + 1442695040888963407u;
        come(10 + (uint32_t)(random >> 60), 10 + (uint32_t)(random >> 56 & 7));
        size_t n_after = rv_lane_choices_list(&lane_order, after), at = 0;
        cr_assert_eq(n_after, n + 1);
        for (size_t j = 0; j < n_after && at < n; j++)
            at += after[j] == before[at];
        cr_assert_eq(at, n, "those of before, in their order, among those of after");
    }
}

Test(lane_choices, lanes_are_hidden_pinned_and_shown_again)
{
    for (unsigned i = 0; i < 4; i++)
        come(10, 1);
    rv_lane_choices_toggle_hidden(&lane_order, 1);
    cr_assert_str_eq(shown(), "023");
    cr_assert_eq(rv_lane_choices_n_hidden(&lane_order), 1);
    rv_lane_choices_toggle_hidden(&lane_order, 1);
    cr_assert_str_eq(shown(), "0123");
    rv_lane_choices_toggle_hidden(&lane_order, 1);
    rv_lane_choices_toggle_pinned(&lane_order, 3);
    cr_assert_str_eq(shown(), "302");
    rv_lane_choices_toggle_pinned(&lane_order, 3);
    rv_lane_choices_toggle_hidden(&lane_order, 99);
    rv_lane_choices_show_all(&lane_order);
    cr_assert_str_eq(shown(), "0123");
}

Test(lane_choices, a_lane_moves_past_shown_lanes_only)
{
    for (unsigned i = 0; i < 5; i++)
        come(10, 1);
    rv_lane_choices_move(&lane_order, 0, -1);
    cr_assert_str_eq(shown(), "01234");
    rv_lane_choices_move(&lane_order, 4, 1);
    cr_assert_str_eq(shown(), "01234");
    rv_lane_choices_toggle_hidden(&lane_order, 2);
    rv_lane_choices_move(&lane_order, 3, -1);
    cr_assert_str_eq(shown(), "0314");
    rv_lane_choices_toggle_pinned(&lane_order, 4);
    rv_lane_choices_move(&lane_order, 4, 1);
    cr_assert_str_eq(shown(), "4031", "pinned lanes change places among themselves");
}

Test(lane_choices, a_collapsed_process_is_one_row)
{
    come(10, 1);
    come(10, 1);
    come(11, 10);
    come(11, 10);
    rv_lane_choices_toggle_process(&lane_order, 3);
    cr_assert_str_eq(shown(), "012");
    cr_assert(rv_lane_choices_is_row(&lane_order, 2));
    cr_assert_not(rv_lane_choices_is_row(&lane_order, 1));
    rv_lane_choices_toggle_hidden(&lane_order, 2);
    cr_assert_str_eq(shown(), "013", "the next one stands for all");
    rv_lane_choices_toggle_collapsed(&lane_order, 3);
    cr_assert_str_eq(shown(), "013");
    cr_assert_not(rv_lane_choices_is_row(&lane_order, 3));
    rv_lane_choices_toggle_collapsed(&lane_order, 1);
    cr_assert(rv_lane_choices_is_row(&lane_order, 1));
}

Test(lane_choices, depth_is_cropped_row_by_row)
{
    rv_lane_choices_crop(&lane_order, -1, 10);
    cr_assert_eq(lane_order.most_depth, 9);
    rv_lane_choices_crop(&lane_order, 1, 10);
    cr_assert_eq(lane_order.most_depth, 0, "all");
    for (unsigned i = 0; i < 20; i++)
        rv_lane_choices_crop(&lane_order, -1, 10);
    cr_assert_eq(lane_order.most_depth, 1);
    rv_lane_choices_crop(&lane_order, 1, 10);
    cr_assert_eq(lane_order.most_depth, 2);
}

static void come_stack(uint32_t thread, uint32_t stack)
{
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 10, .tid = thread, .thread = thread, .stack = stack});
    rv_lane_choices_update(&lane_order, lanes);
}

Test(lane_choices, a_threads_stacks_stand_together_whichever_were_seen_first)
{
    come_stack(0, 0); /* lane 0 */
    come_stack(1, 0);
    come_stack(1, 7); /* lane 2 */
    come_stack(0, 5);
    come_stack(1, 8); /* lane 4 */
    come_stack(2, 0);
    come_stack(0, 6); /* lane 6 */
    cr_assert_str_eq(shown(), "0361245");
}

/* The user has the last word. */
Test(lane_choices, a_group_of_more_lanes_than_fit_is_one_row)
{
    uint32_t out[3 * RV_LANE_CHOICES_MOST_ROWS];
    for (uint32_t i = 0; i < RV_LANE_CHOICES_MOST_ROWS; i++)
        come_stack(0, i);
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), RV_LANE_CHOICES_MOST_ROWS);
    come_stack(0, RV_LANE_CHOICES_MOST_ROWS);
    come_stack(1, 0);
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), 2);
    cr_assert_eq(out[0], 0);
    cr_assert_eq(rv_lane_choices_representative(&lane_order, RV_LANE_CHOICES_MOST_ROWS), 0);
    cr_assert_eq(rv_lane_choices_representative(&lane_order, out[1]), out[1]);
    cr_assert(rv_lane_choices_is_row(&lane_order, 0));
    rv_lane_choices_toggle_collapsed(&lane_order, 0);
    come_stack(0, RV_LANE_CHOICES_MOST_ROWS + 1);
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), RV_LANE_CHOICES_MOST_ROWS + 3);
    cr_assert_not(rv_lane_choices_is_row(&lane_order, 0));
}

Test(lane_choices, a_lane_of_a_collapsed_group_is_expanded)
{
    for (uint32_t i = 0; i <= RV_LANE_CHOICES_MOST_ROWS; i++)
        come_stack(0, i);
    cr_assert_not(rv_lane_choices_shows(&lane_order, 5));
    rv_lane_choices_expand(&lane_order, 5);
    cr_assert(rv_lane_choices_shows(&lane_order, 5));
}

/* A name that no other has, whatever number is taken out of it. */
static void come_named(uint32_t pid, const char *name)
{
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = pid,
                                                   .tid = 1000 + (uint32_t)rv_lanes_n(lanes),
                                                   .process_key = pid * UINT64_C(1000),
                                                   .name = name,
                                                   .process_name = "prog"});
    rv_lane_choices_update(&lane_order, lanes);
}

static void come_alone(uint32_t pid)
{
    char name[] = "aa";
    name[0] = (char)('a' + rv_lanes_n(lanes) / 16);
    name[1] = (char)('a' + rv_lanes_n(lanes) % 16);
    come_named(pid, name);
}

Test(lane_choices, the_processes_of_a_crowd_are_one_row_each_at_first)
{
    uint32_t out[2 * RV_LANE_CHOICES_MOST_LANES];
    for (uint32_t i = 0; i < RV_LANE_CHOICES_MOST_LANES; i++)
        come_alone(10 + i % 9);
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), RV_LANE_CHOICES_MOST_LANES);
    rv_lane_choices_toggle_process(&lane_order, 0);
    rv_lane_choices_toggle_process(&lane_order, 0);
    come_alone(11);
    size_t n_of_first = (RV_LANE_CHOICES_MOST_LANES + 8) / 9;
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), n_of_first + 8, "the user chose the first process");
    come_alone(99);
    come_alone(99);
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), n_of_first + 9);
    rv_lane_choices_show_all(&lane_order);
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), RV_LANE_CHOICES_MOST_LANES + 3);
}

Test(lane_choices, few_processes_of_many_unrelated_threads_are_shown_whole)
{
    uint32_t out[4 * RV_LANE_CHOICES_MOST_LANES];
    for (uint32_t i = 0; i < 3 * RV_LANE_CHOICES_MOST_LANES; i++)
        come_alone(10 + i % RV_LANE_CHOICES_MOST_PROCESSES);
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), 3 * RV_LANE_CHOICES_MOST_LANES);
}

Test(lane_choices, of_more_threads_than_fit_each_family_is_one_row_at_first)
{
    uint32_t out[2 * RV_LANE_CHOICES_MOST_LANES];
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 10, .tid = 10, .process_key = 10000, .name = "worker"});
    for (uint32_t i = 1; i < RV_LANE_CHOICES_MOST_LANES; i++) {
        char io[16];
        (void)snprintf(io, sizeof io, "io-%u", i);
        come_named(10, i % 9 ? "worker" : io);
    }
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), RV_LANE_CHOICES_MOST_LANES, "as many as fit");
    cr_assert_eq(rv_lane_choices_fold(&lane_order, 1), RV_LANE_FOLD_OPEN);
    come_named(10, "log");
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), 4);
    const uint32_t wanted[] = {0, 1, 9, RV_LANE_CHOICES_MOST_LANES};
    cr_assert_arr_eq(out, wanted, sizeof wanted, "the first thread, the workers, io, log");
    cr_assert_eq(rv_lane_choices_fold(&lane_order, 0), RV_LANE_FOLD_NONE, "the first thread is no worker");
    cr_assert_eq(rv_lane_choices_fold(&lane_order, 1), RV_LANE_FOLD_CLOSED);
    cr_assert_eq(rv_lane_choices_fold(&lane_order, out[3]), RV_LANE_FOLD_NONE);
    cr_assert_eq(rv_lane_choices_representative(&lane_order, 18), 9, "behind which thread it came is no matter");
    rv_lane_choices_toggle_group(&lane_order, 9);
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), 3 + (RV_LANE_CHOICES_MOST_LANES - 1) / 9);
    cr_assert_eq(out[3], 18, "a family stands together");
    rv_lane_choices_toggle_group(&lane_order, 18);
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), 4);
    rv_lane_choices_expand(&lane_order, 5);
    cr_assert(rv_lane_choices_shows(&lane_order, 5));
}

static void come_to_ractor(uint32_t tid, uint32_t stack, const char *name)
{
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 10, .tid = tid, .thread = tid, .stack = stack, .name = name});
    rv_lane_choices_update(&lane_order, lanes);
}

Test(lane_choices, the_stacks_and_the_threads_of_an_owner_are_a_group)
{
    come_to_ractor(10, 0, "app.rb");   /* lane 0 */
    come_to_ractor(11, 0, "Ractor 2"); /* 1 */
    come_to_ractor(12, 0, "Ractor 3");
    come_to_ractor(13, 0, "Ractor 2: app.rb:4"); /* 3 */
    come_to_ractor(11, 5, "Ractor 2");
    come_to_ractor(11, 6, "Ractor 2"); /* 5 */
    cr_assert_str_eq(shown(), "014532");
    rv_lane_choices_toggle_group(&lane_order, 3);
    cr_assert_str_eq(shown(), "012", "the smallest group that it is in");
    rv_lane_choices_toggle_group(&lane_order, 1);
    rv_lane_choices_toggle_group(&lane_order, 4);
    cr_assert_str_eq(shown(), "0132", "the stacks of its thread");
    rv_lane_choices_toggle_group(&lane_order, 4);
    rv_lane_choices_toggle_group(&lane_order, 1);
    cr_assert_str_eq(shown(), "012", "all that begins with it");
    rv_lane_choices_toggle_group(&lane_order, 2);
    cr_assert_str_eq(shown(), "01", "alone, it is one of the Ractors");
    rv_lane_choices_toggle_group(&lane_order, 1);
    cr_assert_str_eq(shown(), "012", "from outside inwards");
    rv_lane_choices_toggle_group(&lane_order, 1);
    cr_assert_eq(rv_lane_choices_fold(&lane_order, 1), RV_LANE_FOLD_OPEN);
    cr_assert_eq(rv_lane_choices_fold(&lane_order, 2), RV_LANE_FOLD_NONE);
}

Test(lane_choices, who_has_a_tid_after_another_is_a_thread_of_its_own)
{
    come_to_ractor(10, 0, "app.rb"); /* lane 0 */
    come_to_ractor(11, 0, "Ractor 2");
    come_to_ractor(12, 0, "Ractor 2: app.rb:4");
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 10, .tid = 11, .thread = 20, .name = "Ractor 3"});
    rv_lane_choices_update(&lane_order, lanes);
    rv_lane_choices_toggle_group(&lane_order, 1);
    cr_assert_str_eq(shown(), "013");
}

/* As importers name them. */
static void come_as(uint32_t tid, const char *name)
{
    rv_lanes_add(lanes,
                 &(struct rv_lane_identity){.pid = 10, .tid = tid, .thread = tid, .process_key = 10, .name = name});
    rv_lane_choices_update(&lane_order, lanes);
}

Test(lane_choices, relatives_stand_by_their_tids_behind_the_first_thread)
{
    come_as(14, "worker-4"); /* 0 */
    come_as(20, "log");
    come_as(12, "worker-2");
    come_as(16, "worker-2"); /* 3 */
    come_as(13, "worker-2");
    come_as(10, "worker-1"); /* 5: the process's first */
    come_as(11, "io");
    cr_assert_str_eq(shown(), "5243016");
}

Test(lane_choices, rows_of_asynchronous_calls_are_one_row_where_there_are_many)
{
    uint32_t out[RV_LANE_CHOICES_MOST_ROWS + 2];
    for (uint32_t i = 1; i <= RV_LANE_CHOICES_MOST_ROWS + 1; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "async %u", i);
        rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 10, .tid = 5, .thread = i, .name = name});
    }
    rv_lane_choices_update(&lane_order, lanes);
    cr_assert_eq(rv_lane_choices_list(&lane_order, out), 1);
    cr_assert_eq(lane_order.groups[lane_order.lanes[0].group].n_lanes, 1);
}

Test(lane_choices, a_thread_with_another_name_goes_to_its_family)
{
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 10, .tid = 10, .process_key = 10000, .name = "prog"});
    come_named(10, "worker-1");
    come_named(10, "prog"); /* 2 */
    come_named(10, "prog");
    come_named(50, "prog"); /* 4 */
    rv_lane_choices_toggle_group(&lane_order, 2);
    cr_assert_str_eq(shown(), "0124", "of another process, it is no relative");
    rv_lanes_rename(lanes, rv_lanes_get(lanes, 3), "worker-2");
    rv_lane_choices_update(&lane_order, lanes);
    cr_assert_str_eq(shown(), "01324", "nothing is collapsed with it");
    struct rv_lane_choices copy = {0};
    rv_lane_choices_copy(&copy, &lane_order);
    rv_lanes_rename(lanes, rv_lanes_get(lanes, 0), "main");
    rv_lanes_rename(lanes, rv_lanes_get(lanes, 1), "log");
    rv_lanes_rename(lanes, rv_lanes_get(lanes, 4), "worker-3");
    rv_lane_choices_update(&copy, lanes);
    cr_assert_eq(copy.order[0], 0);
    cr_assert_eq(copy.order[4], 4, "one that is alone stays where it is");
    rv_lane_choices_toggle_group(&copy, 3);
    cr_assert_eq(rv_lane_choices_representative(&copy, 1), 0, "no family of its own: its process");
    cr_assert_eq(rv_lane_choices_representative(&copy, 4), 4);
    rv_lane_choices_fini(&copy);
}

Test(lane_choices, a_copy_that_met_other_names_is_made_alike)
{
    struct rv_lane_choices copy = {0}, before = {0};
    come_named(10, "a");
    rv_lane_choices_copy(&before, &lane_order);
    come_named(10, "c");
    rv_lane_choices_copy(&copy, &lane_order);
    rv_lane_choices_copy(&copy, &before);
    rv_lanes_rename(lanes, rv_lanes_get(lanes, 1), "d");
    rv_lane_choices_update(&copy, lanes);
    come_named(10, "c");
    come_named(10, "d");
    rv_lane_choices_update(&copy, lanes);
    cr_assert_eq(copy.order[1], 1);
    cr_assert_eq(copy.order[2], 3, "behind the other d");
    rv_lane_choices_toggle_group(&copy, 1);
    cr_assert_eq(rv_lane_choices_representative(&copy, 3), 1);
    cr_assert_eq(rv_lane_choices_representative(&copy, 2), 2);
    rv_lane_choices_fini(&copy);
    rv_lane_choices_fini(&before);
}

Test(lane_choices, groups_are_named_by_what_they_share)
{
    static const struct {
        enum rv_lane_group_kind kind;
        uint32_t stack, n_lanes, n_threads;
        const char *name, *wanted;
    } rows[] = {
        {RV_LANE_GROUP_PROCESS, 0, 3, 3, "worker-1", "prog 10: 3 threads"},
        {RV_LANE_GROUP_FAMILY, 0, 180, 180, "worker-1", "worker: 180 threads"},
        {RV_LANE_GROUP_FAMILY, 0, 2, 2, "17", "2 threads"},
        {RV_LANE_GROUP_OWNER, 4, 7, 2, "Ractor 2 five", "Ractor 2 five: 2 threads"},
        {RV_LANE_GROUP_OWNER, 0, 7, 1, "Ractor 2 five", "Ractor 2 five: 7 rows"},
        {RV_LANE_GROUP_THREAD, 0, 7, 1, "Ractor 2 five", "Ractor 2 five: 7 rows"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[RV_LANE_NAME_BYTES];
        const struct rv_lane *lane =
            rv_lanes_add(lanes, &(struct rv_lane_identity){
                                    .pid = 10, .stack = rows[i].stack, .name = rows[i].name, .process_name = "prog"});
        rv_lane_choices_name_group(lane, rows[i].kind, rows[i].n_lanes, rows[i].n_threads, name);
        cr_expect_str_eq(name, rows[i].wanted, "'%s'", name);
    }
}

Test(lane_choices, groups_and_processes_are_collapsed_and_expanded_in_place)
{
    come_stack(1, 0); /* lane 0 */
    come_stack(1, 1);
    come_stack(2, 0);
    cr_assert_eq(rv_lane_choices_fold(&lane_order, 0), RV_LANE_FOLD_OPEN);
    cr_assert_eq(rv_lane_choices_fold(&lane_order, 2), RV_LANE_FOLD_NONE);
    rv_lane_choices_toggle_group(&lane_order, 1);
    cr_assert_str_eq(shown(), "02");
    cr_assert_eq(rv_lane_choices_fold(&lane_order, 0), RV_LANE_FOLD_CLOSED);
    rv_lane_choices_toggle_hidden(&lane_order, 0);
    cr_assert_str_eq(shown(), "12", "the next one stands for the group");
    rv_lane_choices_toggle_hidden(&lane_order, 0);
    rv_lane_choices_toggle_group(&lane_order, 0);
    cr_assert_str_eq(shown(), "012");
    rv_lane_choices_toggle_group(&lane_order, 2);
    cr_assert_str_eq(shown(), "0", "a thread's only lane stands for its process");
    rv_lane_choices_toggle_group(&lane_order, 0);
    rv_lane_choices_toggle_all(&lane_order);
    cr_assert_str_eq(shown(), "0");
    rv_lane_choices_toggle_all(&lane_order);
    cr_assert_str_eq(shown(), "012");
}

static void name(uint32_t lane_idx, const char *text, uint64_t n_events)
{
    struct rv_lane *lane = rv_lanes_get(lanes, lane_idx);
    snprintf(lane->name, sizeof lane->name, "%s", text);
    lane->n_events = n_events;
}

Test(lane_choices, lanes_are_sorted_within_their_processes_and_back_again)
{
    come(10, 1);
    come(50, 1);
    come(10, 1);
    come(50, 1);
    come(10, 1);
    name(0, "worker-10", 5);
    name(1, "main", 90);
    name(2, "worker-2", 7);
    name(3, "idle", 1);
    name(4, "acceptor", 6);
    cr_assert_str_eq(shown(), "02413");
    rv_lane_sort(&lane_order, lanes, RV_LANES_BY_NAME);
    cr_assert_str_eq(shown(), "42031");
    rv_lane_sort(&lane_order, lanes, RV_LANES_BY_EVENTS);
    cr_assert_str_eq(shown(), "13240");
    come(50, 1); /* 5: beside its own, in both orders */
    cr_assert_str_eq(shown(), "135240");
    struct rv_lane_choices copy = {0};
    rv_lane_choices_copy(&copy, &lane_order);
    rv_lane_sort(&copy, lanes, RV_LANES_AS_THEY_CAME);
    rv_lane_sort(&lane_order, lanes, RV_LANES_AS_THEY_CAME);
    cr_assert_str_eq(shown(), "024135");
    cr_assert_arr_eq(copy.order, lane_order.order, copy.n_lanes * sizeof *copy.order);
    rv_lane_choices_fini(&copy);
}
