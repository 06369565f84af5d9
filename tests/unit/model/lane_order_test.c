#include "model/lane_order.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct rv_lanes *lanes;
static struct rv_arrangement arrangement;

static void begin(void)
{
    lanes = rv_lanes_create();
    arrangement = (struct rv_arrangement){0};
}

static void finish(void)
{
    rv_arrangement_fini(&arrangement);
    rv_lanes_destroy(lanes);
}

TestSuite(arrangement, .init = begin, .fini = finish, .timeout = 60);

static void come(uint32_t pid, uint32_t parent_pid)
{
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = pid,
                                                   .parent_pid = parent_pid,
                                                   .tid = (uint32_t)rv_lanes_n(lanes),
                                                   .process_key = pid * UINT64_C(1000),
                                                   .process_name = "prog"});
    rv_arrangement_update(&arrangement, lanes);
}

/* The lanes shown, as digits. */
static const char *shown(void)
{
    static char text[64];
    uint32_t out[32];
    size_t n = rv_arrangement_list(&arrangement, out);
    for (size_t i = 0; i < n; i++)
        snprintf(text + i, sizeof text - i, "%u", out[i]);
    text[n] = '\0';
    return text;
}

Test(arrangement, a_forked_process_stands_behind_its_parent_and_its_parents_other_children)
{
    come(10, 1); /* 0 */
    come(50, 1); /* 1: of nobody that is seen */
    come(11, 10);
    come(12, 11);
    come(13, 10); /* 4: behind 10's child and grandchild */
    cr_assert_str_eq(shown(), "02341");
    cr_assert_eq(arrangement.processes[arrangement.lanes[3].process].generation, 2);
    come(10, 1); /* 5: another thread, beside its own */
    come(12, 11);
    cr_assert_str_eq(shown(), "0523641");
}

Test(arrangement, what_stands_keeps_its_order_when_others_come)
{
    uint32_t before[32], after[32];
    uint64_t random = 7;
    for (unsigned i = 0; i < 30; i++) {
        size_t n = rv_arrangement_list(&arrangement, before);
        random = random * 6364136223846793005u + 1442695040888963407u;
        come(10 + (uint32_t)(random >> 60), 10 + (uint32_t)(random >> 56 & 7));
        size_t n_after = rv_arrangement_list(&arrangement, after), at = 0;
        cr_assert_eq(n_after, n + 1);
        for (size_t j = 0; j < n_after && at < n; j++)
            at += after[j] == before[at];
        cr_assert_eq(at, n, "those of before, in their order, among those of after");
    }
}

Test(arrangement, lanes_are_hidden_pinned_and_shown_again)
{
    for (unsigned i = 0; i < 4; i++)
        come(10, 1);
    rv_arrangement_toggle_hidden(&arrangement, 1);
    cr_assert_str_eq(shown(), "023");
    cr_assert_eq(rv_arrangement_n_hidden(&arrangement), 1);
    rv_arrangement_toggle_hidden(&arrangement, 1);
    cr_assert_str_eq(shown(), "0123");
    rv_arrangement_toggle_hidden(&arrangement, 1);
    rv_arrangement_toggle_pinned(&arrangement, 3);
    cr_assert_str_eq(shown(), "302");
    rv_arrangement_toggle_pinned(&arrangement, 3);
    rv_arrangement_toggle_hidden(&arrangement, 99);
    rv_arrangement_show_all(&arrangement);
    cr_assert_str_eq(shown(), "0123");
}

Test(arrangement, a_lane_moves_past_what_is_shown)
{
    for (unsigned i = 0; i < 5; i++)
        come(10, 1);
    rv_arrangement_move(&arrangement, 0, -1);
    cr_assert_str_eq(shown(), "01234");
    rv_arrangement_move(&arrangement, 4, 1);
    cr_assert_str_eq(shown(), "01234");
    rv_arrangement_toggle_hidden(&arrangement, 2);
    rv_arrangement_move(&arrangement, 3, -1);
    cr_assert_str_eq(shown(), "0314");
    rv_arrangement_toggle_pinned(&arrangement, 4);
    rv_arrangement_move(&arrangement, 4, 1);
    cr_assert_str_eq(shown(), "4031", "pinned lanes change places among themselves");
}

Test(arrangement, a_collapsed_process_is_one_row)
{
    come(10, 1);
    come(10, 1);
    come(11, 10);
    come(11, 10);
    rv_arrangement_toggle_process(&arrangement, 3);
    cr_assert_str_eq(shown(), "012");
    cr_assert(rv_arrangement_is_row(&arrangement, 2));
    cr_assert_not(rv_arrangement_is_row(&arrangement, 1));
    rv_arrangement_toggle_hidden(&arrangement, 2);
    cr_assert_str_eq(shown(), "013", "the next one stands for all");
    rv_arrangement_toggle_collapsed(&arrangement, 3);
    cr_assert_str_eq(shown(), "013");
    cr_assert_not(rv_arrangement_is_row(&arrangement, 3));
    rv_arrangement_toggle_collapsed(&arrangement, 1);
    cr_assert(rv_arrangement_is_row(&arrangement, 1));
}

Test(arrangement, depth_is_cropped_row_by_row)
{
    rv_arrangement_crop(&arrangement, -1, 10);
    cr_assert_eq(arrangement.most_depth, 9);
    rv_arrangement_crop(&arrangement, 1, 10);
    cr_assert_eq(arrangement.most_depth, 0, "all");
    for (unsigned i = 0; i < 20; i++)
        rv_arrangement_crop(&arrangement, -1, 10);
    cr_assert_eq(arrangement.most_depth, 1);
    rv_arrangement_crop(&arrangement, 1, 10);
    cr_assert_eq(arrangement.most_depth, 2);
}

static void come_stack(uint32_t thread, uint32_t stack)
{
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 10, .tid = thread, .thread = thread, .stack = stack});
    rv_arrangement_update(&arrangement, lanes);
}

Test(arrangement, a_threads_stacks_stand_together_whichever_were_seen_first)
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
