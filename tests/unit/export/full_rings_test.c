#include "export/full_rings.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define S 1000000000ull

/* A thread that lasts so long, and waited for so long in it. */
static void add_thread(struct rv_lanes *lanes, uint32_t tid, uint64_t lasted_ns, uint64_t waited_ns)
{
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 7, .tid = tid, .thread = tid});
    rv_lane_add_note(lane, &(struct rv_lane_note){.kind = RV_NOTE_MARK, .start_ns = S, .end_ns = S});
    lane->last_ns = S + lasted_ns;
    lane->full_ring_ns = waited_ns;
}

Test(full_rings, those_that_waited_are_told_with_their_own_time, .timeout = 60)
{
    char words[RV_FULL_RINGS_BYTES];
    struct rv_text_buffer text = {0};
    struct rv_lanes *lanes = rv_lanes_create();
    add_thread(lanes, 1, 4 * S, 3 * S);
    add_thread(lanes, 2, 2 * S, S / 2);
    add_thread(lanes, 3, 100 * S, 0);
    const struct rv_full_rings sum = rv_full_rings_sum(lanes);
    cr_expect(sum.n_threads == 2 && sum.waited_ns == 3 * S + S / 2 && sum.lasted_ns == 6 * S);
    cr_expect(strncmp(rv_full_rings_words(&sum, words), "of 6.00 s, 2 threads waited 3.50 s until ", 40) == 0, "%s",
              words);
    rv_full_rings_add_json(&text, &sum);
    rv_text_buffer_add_bytes(&text, "", 1);
    cr_expect_str_eq(text.bytes, ",\"full_rings\":{\"threads\":2,\"waited_ns\":3500000000,\"lasted_ns\":6000000000}");
    rv_text_buffer_fini(&text);
    rv_lanes_destroy(lanes);
}

Test(full_rings, little_is_not_worth_a_sentence, .timeout = 60)
{
    char words[RV_FULL_RINGS_BYTES];
    struct rv_lanes *lanes = rv_lanes_create();
    add_thread(lanes, 1, 20 * S, S);
    const struct rv_full_rings sum = rv_full_rings_sum(lanes);
    cr_expect_str_empty(rv_full_rings_words(&sum, words), "a twentieth");
    cr_expect_str_empty(
        rv_full_rings_words(&(struct rv_full_rings){.n_threads = 1, .waited_ns = S / 4, .lasted_ns = S}, words));
    cr_expect_str_empty(rv_full_rings_words(&(struct rv_full_rings){.n_threads = 0}, words));
    rv_lanes_destroy(lanes);
}
