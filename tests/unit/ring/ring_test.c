#include "fixture.h"

#include <pthread.h>

#include "base/os.h"

enum { N = 64 };

static void open_ring(struct fixture *f, struct rv_ring *ring, enum rv_policy policy)
{
    struct rv_map_params params = small_params();
    params.policy = policy;
    open_fixture(f, &params);
    cr_assert_eq(rv_ownership_claim(&f->other, 0), 0);
    rv_ring_view(ring, &f->map, 0);
}

static void expect_run(const struct rv_event *events, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(events[i].when, first + i, "event %zu is %lu", i, (unsigned long)events[i].when);
}

static void expect_account(const struct rv_ring *ring, uint64_t produced, uint64_t consumed, uint64_t dropped)
{
    struct rv_ring_account account = rv_ring_account(ring);
    cr_assert_eq(account.n_produced, produced, "produced %lu", (unsigned long)account.n_produced);
    cr_assert_eq(account.n_consumed, consumed, "consumed %lu", (unsigned long)account.n_consumed);
    cr_assert_eq(account.n_dropped, dropped, "dropped %lu", (unsigned long)account.n_dropped);
}

Test(ring, events_come_out_in_order_around_every_wrap, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_event events[N];
    open_ring(&f, &ring, RV_POLICY_BLOCK);
    uint64_t next = 0;
    for (uint32_t n = 0; n <= N; n++) {
        push(&ring, n);
        cr_assert_eq(rv_ring_n_waiting(&ring), n);
        struct rv_ring_read read = rv_ring_pop(&ring, events, N);
        cr_assert_eq(read.n, n);
        cr_assert_eq(read.n_overwritten, 0);
        expect_run(events, n, next);
        next += n;
    }
    expect_account(&ring, next, next, 0);
    close_fixture(&f);
}

Test(ring, pop_takes_no_more_than_asked_for, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_event events[N];
    open_ring(&f, &ring, RV_POLICY_SWITCH);
    push(&ring, N);
    for (uint64_t next = 0; next < N; next += 16) {
        cr_assert_eq(rv_ring_pop(&ring, events, 16).n, 16);
        expect_run(events, 16, next);
    }
    cr_assert_eq(rv_ring_pop(&ring, events, 16).n, 0);
    close_fixture(&f);
}

Test(ring, a_head_behind_tail_means_nothing_is_there, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_event events[N];
    open_ring(&f, &ring, RV_POLICY_BLOCK);
    push(&ring, 10);
    rv_ring_pop(&ring, events, N);
    const uint64_t lies[] = {9, 0, UINT64_MAX, (1ull << 63) + 10};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        ring.control->head = lies[i];
        struct rv_ring_read read = rv_ring_pop(&ring, events, N);
        cr_assert_eq(read.n, 0, "head %lx", (unsigned long)lies[i]);
        cr_assert_eq(read.n_overwritten, 0);
        cr_assert_eq(rv_ring_n_waiting(&ring), 0);
        cr_assert_eq(ring.control->tail, 10);
    }
    close_fixture(&f);
}

Test(ring, overwritten_heads_and_tails_are_repaired, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_event events[N];
    open_ring(&f, &ring, RV_POLICY_BLOCK);
    push(&ring, 10);
    rv_ring_pop(&ring, events, 6);
    cr_assert_not(rv_ring_settle(&ring));
    const uint64_t lies[] = {0, 5, 11, UINT64_MAX};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        ring.control->tail = lies[i];
        cr_assert_eq(rv_ring_n_waiting(&ring), 4, "tail %lx", (unsigned long)lies[i]);
        cr_assert(rv_ring_settle(&ring));
        cr_assert_eq(ring.control->tail, 6);
    }
    ring.control->head = 3;
    cr_assert(rv_ring_settle(&ring));
    push(&ring, 2);
    cr_assert_eq(rv_ring_pop(&ring, events, N).n, 2, "read on from where the head went");
    expect_run(events, 2, 3);
    cr_assert_eq(ring.control->tail, 5);
    close_fixture(&f);
}

Test(ring, a_head_too_far_ahead_gives_the_newest_and_counts_the_rest, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_event events[2 * N];
    open_ring(&f, &ring, RV_POLICY_BLOCK);
    ring.control->head = 1000;
    cr_assert_eq(rv_ring_n_waiting(&ring), N);
    struct rv_ring_read read = rv_ring_pop(&ring, events, 2 * N);
    cr_assert_eq(read.n, N);
    cr_assert_eq(read.n_overwritten, 1000 - N);
    expect_account(&ring, 1000, N, 1000 - N);
    close_fixture(&f);
}

Test(ring, the_flight_recorder_keeps_exactly_the_newest, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_event events[N];
    open_ring(&f, &ring, RV_POLICY_RING);
    push(&ring, 1000);
    rv_ownership_release(&f.other, 0);
    struct rv_ring_read read = rv_ring_pop(&ring, events, N);
    cr_assert_eq(read.n, N);
    cr_assert_eq(read.n_overwritten, 1000 - N);
    expect_run(events, N, 1000 - N);
    expect_account(&ring, 1000, N, 1000 - N);
    close_fixture(&f);
}

Test(ring, while_the_owner_runs_the_slot_it_may_be_writing_is_not_read, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_event events[N];
    open_ring(&f, &ring, RV_POLICY_RING);
    push(&ring, N);
    memset(&ring.events[0], 0xee, sizeof *events / 2); /* half of event N */
    struct rv_ring_read read = rv_ring_pop(&ring, events, N);
    cr_assert_eq(read.n, N - 1);
    cr_assert_eq(read.n_overwritten, 1);
    expect_run(events, N - 1, 1);
    expect_account(&ring, N, N - 1, 1);
    close_fixture(&f);
}

Test(ring, a_blocking_producer_that_gave_up_waiting_is_read_with_the_same_care, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_event events[N];
    open_ring(&f, &ring, RV_POLICY_BLOCK);
    push(&ring, N);
    ring.control->is_overwriting = 1;
    cr_assert_eq(rv_ring_pop(&ring, events, N).n, N - 1);
    ring.control->is_overwriting = 0;
    push(&ring, N);
    cr_assert_eq(rv_ring_pop(&ring, events, N).n, N);
    expect_account(&ring, 2 * N, 2 * N - 1, 1);
    close_fixture(&f);
}

Test(ring, peek_changes_nothing_and_follows_at_its_own_pace, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_event events[N];
    open_ring(&f, &ring, RV_POLICY_BLOCK);
    struct rv_map map;
    cr_assert_eq(rv_map_open(&map, f.path, RV_MAP_OBSERVER, false), 0);
    struct rv_ring view;
    rv_ring_view(&view, &map, 0);
    uint64_t cursor = 0;
    push(&ring, 40);
    cr_assert_eq(rv_ring_peek(&view, &cursor, events, 30).n, 30);
    expect_run(events, 30, 0);
    rv_ring_pop(&ring, events, N);
    push(&ring, 60);
    struct rv_ring_read read = rv_ring_peek(&view, &cursor, events, N);
    cr_assert_eq(read.n, N - 1);
    cr_assert_eq(read.n_overwritten, 100 - (N - 1) - 30);
    expect_run(events, N - 1, 100 - (N - 1));
    cr_assert_eq(cursor, 100);
    cr_assert_eq(ring.control->tail, 40);
    rv_map_close(&map);
    close_fixture(&f);
}

Test(ring, lost_marks_and_refused_events_are_kept_apart, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_event events[N];
    open_ring(&f, &ring, RV_POLICY_SWITCH);
    push(&ring, 20);
    ring.control->n_refused = 5;
    ring.control->n_lost_marks = 1;
    rv_ring_pop(&ring, events, N);
    expect_account(&ring, 19 + 5, 19, 5);
    close_fixture(&f);
}

static void *wait_for_turn(void *argument)
{
    struct rv_wire_header *header = argument;
    return (void *)(intptr_t)rv_os_futex_wait(&header->drain_turns, 0, 60000000000);
}

Test(ring, the_end_of_a_turn_wakes_producers_that_wait, .timeout = 100)
{
    struct fixture f;
    open_fixture(&f, NULL);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, wait_for_turn, f.other.header), 0);
    rv_ring_turn_done(f.map.header);
    void *result;
    cr_assert_eq(pthread_join(thread, &result), 0);
    cr_assert((intptr_t)result == 0 || (intptr_t)result == -EAGAIN);
    cr_assert_eq(f.map.header->drain_turns, 1);
    close_fixture(&f);
}
