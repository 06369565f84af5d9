/* The state of stacks at a block's beginning, from the rows of an INDEX. */
#include <criterion/criterion.h>

#include "source/block_entry.h"

TestSuite(block_entry, .timeout = 60);

static void apply(struct rv_block_entry *entry, uint32_t stack, uint32_t n_kept, uint32_t n_frames, uint16_t level)
{
    struct rv_rec_index_frame frames[4];
    for (uint32_t i = 0; i < n_frames; i++)
        frames[i] = (struct rv_rec_index_frame){
            .start_ns = 100u * level + i, .id = level + i, .frame = (uint16_t)(level + i), .flags = 0xffff};
    const struct rv_rec_index_stack row = {.stack = stack, .n_kept = n_kept, .n_frames = n_frames, .base_depth = level};
    cr_assert(rv_block_entry_apply(entry, &row, NULL, frames));
}

Test(block_entry, frames_are_kept_replaced_and_removed)
{
    struct rv_block_entry entry = {0};
    apply(&entry, 7, 0, 3, 10);
    apply(&entry, 9, 0, 2, 65535); /* the second frame wraps */
    apply(&entry, 7, 1, 2, 30);
    cr_assert_eq(entry.n, 2);
    struct rv_page_stack stack = rv_block_entry_stack(&entry, 0);
    cr_assert_eq(stack.stack, 7);
    cr_assert_eq(stack.n_frames, 3);
    const uint32_t ids[] = {10, 30, 31};
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(stack.ids[i], ids[i]);
        cr_assert_eq(stack.levels[i], ids[i]);
        cr_assert_eq(stack.flags[i], 8);
    }
    stack = rv_block_entry_stack(&entry, 1);
    cr_assert_eq(stack.levels[0], 65535);
    cr_assert_eq(stack.levels[1], 65536);
    cr_assert_eq(stack.depth.last, 65536);
    apply(&entry, 7, 2, 0, 0);
    cr_assert_eq(rv_block_entry_stack(&entry, 0).n_frames, 2, "read or not, frames stay");
    apply(&entry, 7, 0, 0, 0);
    cr_assert_eq(rv_block_entry_stack(&entry, 0).n_frames, 0);
    rv_block_entry_fini(&entry);
}

Test(block_entry, rows_that_keep_too_much_are_refused)
{
    struct rv_block_entry entry = {0};
    apply(&entry, 1, 0, 2, 5);
    const struct rv_rec_index_stack row = {.stack = 1, .n_kept = 3};
    cr_assert_not(rv_block_entry_apply(&entry, &row, NULL, NULL));
    cr_assert_eq(rv_block_entry_stack(&entry, 0).n_frames, 0);
    rv_block_entry_clear(&entry);
    cr_assert_eq(entry.n, 0);
    apply(&entry, 1, 0, 1, 5);
    cr_assert_eq(rv_block_entry_stack(&entry, 0).n_frames, 1);
    rv_block_entry_fini(&entry);
}
