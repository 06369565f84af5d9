/* Blocks keep their numbers when others are discarded, and the list has memory for the remaining blocks only. */
#include <criterion/criterion.h>

#include "pipeline/block_list.h"

Test(block_list, blocks_keep_their_numbers_and_little_memory_stays, .timeout = 60)
{
    struct rv_block_list list = {0};
    for (size_t i = 0; i < 100000; i++) {
        rv_block_list_add(&list, &(struct rv_summed_block){.offset = i, .to_ns = 10 * i});
        cr_assert_eq(rv_block_list_at(&list, list.end - 1)->offset, i);
        if (i >= 100)
            rv_block_list_discard(&list, i - 99);
        cr_assert_eq(rv_block_list_at(&list, list.first)->offset, list.first);
        cr_assert_leq(rv_block_list_n(&list), 100);
        cr_assert_leq(rv_block_list_bytes(&list), 600 * sizeof(struct rv_summed_block));
    }
    cr_assert(rv_block_list_has(&list, 99999));
    cr_assert_not(rv_block_list_has(&list, 99899));
    rv_block_list_discard(&list, list.end);
    cr_assert_eq(rv_block_list_n(&list), 0);
    cr_assert_leq(rv_block_list_bytes(&list), sizeof(struct rv_summed_block));
    cr_assert_eq(list.end_ns, 999990);
    rv_block_list_add(&list, &(struct rv_summed_block){.offset = 5});
    cr_assert_eq(rv_block_list_at(&list, 100000)->offset, 5);
    rv_block_list_fini(&list);
}
