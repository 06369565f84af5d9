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

static void add_wait(struct rv_waits *waits, uint32_t lane, uint64_t from_ns, uint64_t to_ns, enum rv_wait_kind kind)
{
    rv_waits_add(waits, &(struct rv_wait){.start_ns = from_ns, .end_ns = to_ns, .lane = lane, .kind = kind});
}

static void expect_between(struct rv_lanes *lanes, struct rv_waits *waits, uint64_t from_ns, uint64_t to_ns,
                           const struct rv_full_rings *wanted)
{
    const struct rv_full_rings sum = rv_full_rings_between(lanes, waits, from_ns, to_ns);
    cr_expect(
        sum.n_threads == wanted->n_threads && sum.waited_ns == wanted->waited_ns && sum.lasted_ns == wanted->lasted_ns,
        "%zu threads waited %lu of %lu", sum.n_threads, (unsigned long)sum.waited_ns, (unsigned long)sum.lasted_ns);
}

/* They last from 1 s to 5 s and to 3 s. */
Test(full_rings, waits_in_a_range_are_cut_at_its_ends, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_waits *waits = rv_waits_create(lanes, 0);
    add_thread(lanes, 1, 4 * S, 3 * S);
    add_thread(lanes, 2, 2 * S, S / 2);
    add_wait(waits, 0, S, 2 * S, RV_WAIT_FULL_RING);
    add_wait(waits, 0, 2 * S, 2 * S + S / 4, RV_WAIT_MUTEX);
    add_wait(waits, 0, 3 * S, 5 * S, RV_WAIT_FULL_RING);
    add_wait(waits, 1, 2 * S, 2 * S + S / 2, RV_WAIT_FULL_RING);
    expect_between(lanes, waits, 0, UINT64_MAX, &(struct rv_full_rings){3 * S + S / 2, 6 * S, 2});
    expect_between(lanes, waits, S + S / 2, 4 * S, &(struct rv_full_rings){2 * S, 4 * S, 2});
    expect_between(lanes, waits, 3 * S + S / 2, 4 * S, &(struct rv_full_rings){S / 2, S / 2, 1});
    expect_between(lanes, waits, 2 * S + S / 2, 3 * S, &(struct rv_full_rings){0, 0, 0});
    rv_waits_destroy(waits);
    rv_lanes_destroy(lanes);
}

Test(full_rings, of_waits_that_were_discarded_nothing_is_told, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_waits *waits = rv_waits_create(lanes, 1 << 16);
    add_thread(lanes, 1, 100 * S, 3 * S);
    for (uint64_t i = 0; i < 100000; i++)
        add_wait(waits, 0, S + i * 1000, S + i * 1000 + 900, RV_WAIT_FULL_RING);
    const uint64_t gone_ns = rv_waits_state(waits).gone_ns, end_ns = S + 100000 * 1000;
    cr_assert(gone_ns > S && gone_ns < end_ns);
    expect_between(lanes, waits, S, end_ns, &(struct rv_full_rings){0, 0, 0});
    expect_between(lanes, waits, end_ns - 10000, end_ns, &(struct rv_full_rings){9000, 10000, 1});
    rv_waits_destroy(waits);
    rv_lanes_destroy(lanes);
}
