/* The push, on a ring in its own memory. A signal handler is simulated by a push while another is under way. */
#include <criterion/criterion.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../own_time.h"
#include "base/os.h"
#include "ring/push.h"
#include "ring/full_ring_policy.h"

enum { N = 64 };
#define STACK 0x7ffff7f00000ull /* of the interrupted function; handlers lie beneath */
#define BENEATH 0x1000ull

struct bed {
    struct rv_wire_header header;
    struct rv_wire_control control;
    struct rv_event events[N];
    struct rv_event out[4 * N];
    struct rv_ring ring;
    struct rv_pusher pusher;
    struct rv_pusher_state *state;
};

static struct bed *make_bed_with(enum rv_policy policy, enum rv_clock_kind clock_kind)
{
    struct bed *bed = calloc(1, sizeof *bed);
    bed->header.state = RV_FILE_READY;
    bed->header.is_recording = 1;
    bed->control.state = RV_RING_LIVE;
    bed->ring = (struct rv_ring){&bed->header, &bed->control, bed->events, N, policy, clock_kind};
    bed->state = calloc(1, sizeof *bed->state);
    bed->state->stash = calloc(RV_PUSH_STASH, sizeof *bed->state->stash);
    rv_pusher_attach(&bed->pusher, bed->state, &bed->ring, 3);
    return bed;
}

static struct bed *make_bed(enum rv_policy policy)
{
    return make_bed_with(policy, RV_CLOCK_MONOTONIC);
}

static void free_bed(struct bed *bed)
{
    free(bed->state->stash);
    free(bed->state);
    free(bed);
}

static void push(struct bed *bed, uint64_t id, uint64_t stack)
{
    rv_push(&bed->pusher, RV_EVENT_CALL_AT, rv_event_word_at(id, 0), stack, rv_push_slow);
}

static void push_many(struct bed *bed, uint64_t first, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        push(bed, first + i, STACK);
}

static size_t pop(struct bed *bed)
{
    size_t n = 0;
    for (struct rv_ring_read read = {.n = 1}; read.n; n += read.n)
        read = rv_ring_pop(&bed->ring, bed->out + n, 4 * N - n);
    return n;
}

static void expect_ids(const struct bed *bed, size_t n, const uint64_t *ids)
{
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(bed->out[i].id, ids[i], "event %zu is %u, not %lu", i, bed->out[i].id, (unsigned long)ids[i]);
        cr_assert(i == 0 || rv_event_ticks(&bed->out[i]) >= rv_event_ticks(&bed->out[i - 1]));
    }
}

static void expect_account(const struct bed *bed, uint64_t produced, uint64_t consumed, uint64_t dropped)
{
    struct rv_ring_account account = rv_ring_account(&bed->ring);
    cr_assert_eq(account.n_produced, produced, "produced %lu", (unsigned long)account.n_produced);
    cr_assert_eq(account.n_consumed, consumed, "consumed %lu", (unsigned long)account.n_consumed);
    cr_assert_eq(account.n_dropped, dropped, "dropped %lu", (unsigned long)account.n_dropped);
}

/* stack: of the interrupted push; handlers lie beneath. */
static void interrupt_a_push(enum rv_clock_kind clock_kind, uint64_t stack)
{
    struct bed *bed = make_bed_with(RV_POLICY_RING, clock_kind);
    push(bed, 1, stack);
    uint64_t next = rv_push_begin(&bed->pusher, stack);
    cr_assert(next < bed->pusher.limit || next < bed->pusher.slow_limit);
    push(bed, 20, stack - BENEATH);
    push(bed, 21, stack - 2 * BENEATH);
    cr_assert_eq(bed->control.head, 1, "a handler published past the push it interrupted");
    rv_push_write(rv_push_slot(next), (uint64_t)RV_EVENT_CALL_AT << 60 | rv_event_ticks(bed->events), 2);
    rv_push_end(&bed->pusher, next);
    push(bed, 3, stack);
    cr_assert_eq(pop(bed), 5);
    expect_ids(bed, 5, (uint64_t[]){1, 2, 20, 21, 3});
    expect_account(bed, 5, 5, 0);
    free_bed(bed);
}

static void abandon_a_push(uint64_t stack, uint64_t up)
{
    struct bed *bed = make_bed(RV_POLICY_RING);
    push(bed, 1, stack);
    rv_push_begin(&bed->pusher, stack);
    push(bed, 20, stack - BENEATH);
    push(bed, 3, stack + up);
    push(bed, 4, stack);
    cr_assert_eq(pop(bed), 4, "jump up by %lu to above %lx", (unsigned long)up, (unsigned long)stack);
    expect_ids(bed, 4, (uint64_t[]){1, 20, 3, 4});
    expect_account(bed, 5, 4, 1);
    free_bed(bed);
}

Test(push, handlers_events_follow_the_push_they_interrupted, .timeout = 60)
{
    interrupt_a_push(RV_CLOCK_TSC, STACK);
    interrupt_a_push(RV_CLOCK_TICK, STACK);
    interrupt_a_push(RV_CLOCK_MONOTONIC, STACK);
}

Test(push, stacks_may_lie_at_any_address, .timeout = 60)
{
    for (uint64_t stack = 1 << 20; stack < 1ull << 47; stack <<= 1) {
        interrupt_a_push(RV_CLOCK_TSC, stack);
        interrupt_a_push(RV_CLOCK_MONOTONIC, stack + 1016);
        abandon_a_push(stack + 4096, 16);
    }
}

/* sigaltstack() does not tell the handler's stack: it was disarmed (SS_AUTODISARM) when the handler began. */
Test(push, a_handler_above_the_stack_is_no_jump, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_RING);
    bed->state->stack_end = STACK + BENEATH;
    push(bed, 1, STACK);
    rv_push_begin(&bed->pusher, STACK);
    push(bed, 20, STACK + 2 * BENEATH);
    rv_push_slow(&bed->pusher, STACK, RV_EVENT_CALL_AT, 2);
    cr_assert_eq(pop(bed), 3);
    expect_ids(bed, 3, (uint64_t[]){1, 20, 2});
    expect_account(bed, 3, 3, 0);
    free_bed(bed);
}

Test(push, a_handler_of_a_handler_is_stashed_too, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_RING);
    push(bed, 1, STACK);
    rv_push_begin(&bed->pusher, STACK);
    rv_push_begin(&bed->pusher, STACK - BENEATH); /* a handler, itself interrupted at once */
    push(bed, 30, STACK - 2 * BENEATH);
    bed->pusher.cursor -= rv_push_poison(STACK - BENEATH);
    push(bed, 20, STACK - BENEATH);
    rv_push_slow(&bed->pusher, STACK, RV_EVENT_CALL_AT, 2);
    cr_assert_eq(pop(bed), 4);
    expect_ids(bed, 4, (uint64_t[]){1, 30, 20, 2});
    expect_account(bed, 4, 4, 0);
    free_bed(bed);
}

Test(push, a_push_abandoned_by_a_jump_is_taken_over, .timeout = 60)
{
    static const uint64_t ups[] = {0, 8, 4096, 65536 - 16, 1 << 20, 1 << 23};
    for (size_t i = 0; i < sizeof ups / sizeof *ups; i++)
        abandon_a_push(STACK, ups[i]);
}

Test(push, an_abandoned_push_that_was_published_counts_once, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_RING);
    push(bed, 1, STACK);
    uint64_t next = rv_push_begin(&bed->pusher, STACK);
    rv_push_write(rv_push_slot(next), bed->events[0].when, 2);
    bed->control.head++;
    push(bed, 3, STACK);
    cr_assert_eq(pop(bed), 3);
    expect_ids(bed, 3, (uint64_t[]){1, 2, 3});
    expect_account(bed, 3, 3, 0);
    free_bed(bed);
}

Test(push, a_push_abandoned_at_the_end_of_a_lap_is_taken_over, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_SWITCH);
    push_many(bed, 0, N);
    cr_assert_eq(pop(bed), N);
    cr_assert_eq(rv_push_begin(&bed->pusher, STACK), (uint64_t)(uintptr_t)(bed->events + N + 1));
    push(bed, 100, STACK);
    cr_assert_eq(pop(bed), 1);
    cr_assert_eq(bed->out[0].id, 100);
    expect_account(bed, N + 2, N + 1, 1);
    free_bed(bed);
}

Test(push, a_long_handler_loses_what_the_stash_cannot_hold, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_RING);
    push(bed, 1, STACK);
    rv_push_begin(&bed->pusher, STACK);
    bed->state->busy_stack = STACK; /* the slow path waits, perhaps for long, while handlers push */
    for (uint64_t i = 0; i < RV_PUSH_STASH + 10; i++)
        push(bed, i, STACK - BENEATH);
    rv_push_slow(&bed->pusher, STACK, RV_EVENT_CALL_AT, 2);
    size_t n = pop(bed);
    expect_account(bed, 1 + RV_PUSH_STASH + 10 + 1, n - bed->control.n_lost_marks,
                   RV_PUSH_STASH + 12 - n + bed->control.n_lost_marks);
    cr_assert_eq(bed->control.n_refused, 10);
    free_bed(bed);
}

/* The thread ends, or calls exec, in its handler: the push that would write the stash never ends. */
Test(push, stashed_events_are_lost_with_their_thread, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_RING);
    push(bed, 1, STACK);
    uint64_t next = rv_push_begin(&bed->pusher, STACK);
    push(bed, 20, STACK - BENEATH);
    push(bed, 21, STACK - BENEATH);
    cr_assert_eq(pop(bed), 1);
    expect_account(bed, 1, 1, 0);
    struct rv_ring_account last = rv_ring_last_account(&bed->ring);
    cr_assert(last.n_produced == 3 && last.n_consumed == 1 && last.n_dropped == 2);

    rv_push_write(rv_push_slot(next), rv_event_ticks(bed->events), 2);
    rv_push_end(&bed->pusher, next);
    rv_pusher_flush(&bed->pusher);
    last = rv_ring_last_account(&bed->ring);
    cr_assert(last.n_produced == 4 && last.n_dropped == 0, "what was written in the end is not lost");
    free_bed(bed);
}

Test(push, events_before_the_ring_are_kept_for_it, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_RING);
    struct rv_ring ring = bed->ring;
    rv_pusher_detach(&bed->pusher);
    rv_push_stash(&bed->pusher, RV_EVENT_CALL_AT, 1);
    rv_push_stash(&bed->pusher, RV_EVENT_CALL_AT, 2);
    cr_assert_eq(rv_pusher_drop_stash(&bed->pusher), 2, "there was no room for them");
    cr_assert_eq(rv_pusher_drop_stash(&bed->pusher), 0);
    rv_push_stash(&bed->pusher, RV_EVENT_CALL_AT, 3);
    rv_push_stash(&bed->pusher, RV_EVENT_CALL_AT, 4);
    rv_pusher_attach(&bed->pusher, bed->state, &ring, 0);
    rv_pusher_flush(&bed->pusher);
    cr_assert_eq(pop(bed), 2);
    expect_ids(bed, 2, (uint64_t[]){3, 4});
    expect_account(bed, 2, 2, 0);
    free_bed(bed);
}

Test(push, a_full_stash_ends_a_push_that_is_never_finished, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_RING);
    push(bed, 1, STACK);
    rv_push_begin(&bed->pusher, STACK);
    for (uint64_t i = 0; i < RV_PUSH_STASH + 100; i++)
        push(bed, i, STACK - BENEATH); /* in fact the program, on another stack */
    cr_assert_eq(bed->state->n_stash, 0);
    cr_assert_not(rv_push_is_under_way(&bed->pusher));
    cr_assert_leq(bed->control.n_refused, 2);
    free_bed(bed);
}

/* A handler makes so many calls that the push which it interrupted is taken for abandoned; then that push resumes after
 * all. Later events must all be right. */
Test(push, a_push_taken_for_abandoned_may_resume, .timeout = 100)
{
    struct bed *bed = make_bed_with(RV_POLICY_RING, RV_CLOCK_TSC);
    uint64_t ids[N - 2];
    bed->state->stack_end = STACK + BENEATH;
    push(bed, 1, STACK);
    uint64_t next = rv_push_begin(&bed->pusher, STACK);
    for (uint64_t i = 0; i < 2 * RV_PUSH_STASH + N / 2; i++)
        push(bed, i, STACK - BENEATH);
    rv_push_commit(&bed->pusher, next, RV_EVENT_CALL_AT, 2);
    for (size_t i = 0; i < N - 2; i++)
        push(bed, ids[i] = 100 + i, STACK);
    cr_assert_eq(pop(bed), N - 1);
    memmove(bed->out, bed->out + 1, sizeof ids / sizeof *ids * sizeof *bed->out);
    expect_ids(bed, N - 2, ids);
    free_bed(bed);
}

Test(push, a_full_ring_drops_the_newest_and_counts_them, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_SWITCH);
    push_many(bed, 0, N + 11);
    cr_assert_eq(pop(bed), N);
    cr_assert_eq(bed->out[N - 1].id, N - 1);
    push_many(bed, 100, 2);
    cr_assert_eq(pop(bed), 3);
    cr_assert_eq(rv_event_kind(&bed->out[0]), RV_EVENT_LOST);
    expect_ids(bed, 3, (uint64_t[]){11, 100, 101});
    expect_account(bed, N + 13, N + 2, 11);
    free_bed(bed);
}

Test(push, fill_stops_all_at_the_first_full_ring, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_FILL);
    push_many(bed, 0, N + 20);
    cr_assert_eq(bed->header.state, RV_FILE_STOPPED);
    cr_assert_eq(bed->header.stop_reason, 4);
    cr_assert_gt(bed->header.stop_ticks, 0);
    cr_assert_eq(bed->control.closing_ticks, bed->header.stop_ticks);
    cr_assert_eq(pop(bed), N);
    cr_assert_eq(bed->out[N - 2].id, N - 2);
    cr_assert_eq(rv_event_kind(&bed->out[N - 1]), RV_EVENT_LOST);
    push_many(bed, 0, 5);
    cr_assert_eq(pop(bed), 0, "a filled ring accepts nothing more, read or not");
    expect_account(bed, N + 25, N - 1, 26);
    free_bed(bed);
}

#define N_TURNS 3000000u
static uint32_t n_turns;

static void *stop_and_go_on(void *context)
{
    struct rv_wire_header *header = context;
    for (uint32_t turn = 0; turn < N_TURNS; turn++) {
        __atomic_store_n(&n_turns, turn + 1, __ATOMIC_RELAXED); /* -> below */
        __atomic_store_n(&header->state, turn % 2 ? RV_FILE_STOPPED : RV_FILE_READY, __ATOMIC_RELEASE);
        for (uint32_t spin = turn % 64; spin; spin--)
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    return NULL;
}

/* Two rings are full at one time: a push counts what it refuses, at whichever of its instructions the push to the other
 * ring stops the capture. */
Test(push, a_full_ring_counts_what_it_refuses_though_another_stopped_all, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_FILL);
    pthread_t stopper;
    push_many(bed, 1, N - 1);
    bed->header.stop_reason = 1;
    cr_assert_eq(pthread_create(&stopper, NULL, stop_and_go_on, &bed->header), 0);
    while (__atomic_load_n(&n_turns, __ATOMIC_RELAXED) < N_TURNS) /* <- above */
        cr_assert_eq(rv_full_ring_make_room(bed->state, 1), RV_FULL_RING_REFUSE);
    cr_assert_eq(pthread_join(stopper, NULL), 0);
    free_bed(bed);
}

Test(push, without_a_consumer_block_overwrites, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_BLOCK);
    push_many(bed, 0, 3 * N);
    cr_assert(bed->control.is_overwriting);
    cr_assert_eq(pop(bed), N - 1);
    cr_assert_eq(bed->out[N - 2].id, 3 * N - 1);
    expect_account(bed, 3 * N, N - 1, 2 * N + 1);
    free_bed(bed);
}

static void *pop_once_it_waits(void *context)
{
    struct bed *bed = context;
    while (!__atomic_load_n(&bed->control.is_waiting, __ATOMIC_RELAXED))
        bed->header.heartbeat_ns = rv_clock_mono_ns();
    pop(bed);
    rv_ring_turn_done(&bed->header);
    return NULL;
}

/* The event that found no room has the time at which it did. */
Test(push, a_sleep_until_there_is_room_is_a_wait_that_is_over, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_BLOCK);
    bed->header.consumer_pid = (uint32_t)getpid();
    bed->header.heartbeat_ns = rv_clock_mono_ns();
    push_many(bed, 0, N);
    pthread_t consumer;
    cr_assert_eq(pthread_create(&consumer, NULL, pop_once_it_waits, bed), 0);
    push(bed, N, STACK);
    cr_assert_eq(pthread_join(consumer, NULL), 0);
    push(bed, N + 1, STACK);
    cr_assert_eq(pop(bed), 5);
    const struct rv_event *out = bed->out;
    cr_expect_eq(out[0].id, N);
    cr_expect_eq(rv_event_kind(&out[1]), RV_EVENT_WAIT);
    cr_expect_eq(out[1].frame, RV_WAIT_FULL_RING | RV_WAIT_PAST);
    cr_expect_eq(out[2].id >> RV_EVENT_WAKE_SHIFT, RV_WAKE_BEGAN);
    const uint64_t began = rv_event_ticks(&out[2]) - rv_event_since_begin(&out[2]);
    cr_expect(began >= rv_event_ticks(&out[0]) && began < rv_event_ticks(&out[1]));
    cr_expect_eq(out[3].id >> RV_EVENT_WAKE_SHIFT, RV_WAKE_UNKNOWN);
    cr_expect_eq(out[4].id, N + 1);
    free_bed(bed);
}

static struct {
    struct bed *bed;
    pthread_t thread;      /* its producer */
    uint64_t pushed_ticks; /* [atomic] when the handler had pushed; 0: not yet */
} interrupted;

static void push_in_handler(int signal_number)
{
    (void)signal_number;
    push(interrupted.bed, N + 1, STACK - BENEATH);
    __atomic_store_n(&interrupted.pushed_ticks, rv_clock_ticks(RV_CLOCK_MONOTONIC), __ATOMIC_RELAXED);
}

static void *interrupt_once_it_waits(void *context)
{
    struct bed *bed = context;
    while (!__atomic_load_n(&bed->control.is_waiting, __ATOMIC_RELAXED))
        bed->header.heartbeat_ns = rv_clock_mono_ns();
    pthread_kill(interrupted.thread, SIGUSR1);
    while (!__atomic_load_n(&interrupted.pushed_ticks, __ATOMIC_RELAXED))
        bed->header.heartbeat_ns = rv_clock_mono_ns();
    return pop_once_it_waits(bed);
}

Test(push, a_handler_that_interrupts_a_sleep_for_room_keeps_its_times, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_BLOCK);
    interrupted.bed = bed;
    interrupted.thread = pthread_self();
    cr_assert_neq(signal(SIGUSR1, push_in_handler), SIG_ERR);
    bed->header.consumer_pid = (uint32_t)getpid();
    bed->header.heartbeat_ns = rv_clock_mono_ns();
    push_many(bed, 0, N);
    pthread_t consumer;
    cr_assert_eq(pthread_create(&consumer, NULL, interrupt_once_it_waits, bed), 0);
    push(bed, N, STACK);
    cr_assert_eq(pthread_join(consumer, NULL), 0);
    cr_assert_geq(pop(bed), 2);
    cr_expect_eq(bed->out[0].id, N);
    cr_expect_eq(bed->out[1].id, N + 1);
    cr_expect_leq(rv_event_ticks(&bed->out[1]), interrupted.pushed_ticks);
    free_bed(bed);
}

/* The time of our own that this took. */
static uint64_t push_to_a_dying_consumer(void)
{
    struct bed *bed = make_bed(RV_POLICY_BLOCK);
    bed->header.consumer_pid = UINT32_MAX >> 1; /* nobody */
    bed->header.heartbeat_ns = rv_clock_mono_ns();
    uint64_t start_ns = own_time_ns();
    push_many(bed, 0, 100 * N);
    uint64_t took_ns = own_time_ns() - start_ns;
    bed->header.heartbeat_ns++; /* the consumer is alive after all */
    bed->control.tail = bed->control.head;
    push_many(bed, 0, N + 1);
    cr_assert_eq(bed->state->gone_heartbeat_ns, bed->header.heartbeat_ns, "it was not read again");
    free_bed(bed);
    return took_ns;
}

/* The shortest of several: a virtual machine that stands still counts as one that runs. */
Test(push, block_waits_for_a_dying_consumer_only_so_long, .timeout = 60)
{
    uint64_t took_ns = UINT64_MAX;
    for (unsigned i = 0; i < 8 && took_ns >= 100000000u; i++) {
        uint64_t ns = push_to_a_dying_consumer();
        took_ns = ns < took_ns ? ns : took_ns;
    }
    cr_assert_lt(took_ns, 100000000u);
}

Test(push, one_withdrawn_by_a_handler_leaves_the_interrupted_one_as_it_was, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_SWITCH);
    push(bed, 1, STACK);
    rv_push_begin(&bed->pusher, STACK);
    const uint64_t cursor = bed->pusher.cursor, stack = STACK - BENEATH;
    rv_push_begin(&bed->pusher, stack);
    rv_push_withdraw(&bed->pusher, rv_push_next(&bed->pusher, stack), stack);
    cr_expect_eq(bed->pusher.cursor, cursor);
    rv_push_withdraw(&bed->pusher, rv_push_next(&bed->pusher, STACK), STACK);
    push(bed, 2, STACK);
    expect_ids(bed, pop(bed), (const uint64_t[]){1, 2});
    free_bed(bed);
}

Test(push, an_invalid_tail_only_costs_events, .timeout = 60)
{
    static const uint64_t tails[] = {1, 1000, UINT64_MAX, UINT64_MAX / 2};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        struct bed *bed = make_bed(RV_POLICY_SWITCH);
        bed->control.tail = tails[i];
        push_many(bed, 0, 3 * N);
        cr_assert_leq(bed->control.head, N + 1);
        cr_assert_eq(bed->control.head + bed->control.n_refused - bed->control.n_lost_marks, 3 * N);
        free_bed(bed);
    }
}

Test(push, events_not_recorded_are_not_counted, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_BLOCK);
    push_many(bed, 0, 1);
    bed->header.is_recording = 0;
    push_many(bed, 1, 3 * N);
    size_t n = pop(bed);
    cr_assert_leq(n, N, "it went on past its next slow path");
    bed->header.is_recording = 1;
    push_many(bed, 1000, 2);
    cr_assert_eq(pop(bed), 2);
    expect_ids(bed, 2, (uint64_t[]){1000, 1001});
    expect_account(bed, n + 2, n + 2, 0);
    free_bed(bed);
}

/* A ring's first event does not end the consumer's nap, so the ring may be half full before the consumer has come. */
Test(push, a_new_ring_that_is_half_full_wakes_the_consumer, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_SWITCH);
    bed->header.consumer_is_asleep = 1;
    push_many(bed, 0, 1);
    cr_assert_eq(bed->header.n_new_rings, 1);
    cr_assert_eq(bed->header.consumer_wake, 0);
    push_many(bed, 1, N);
    cr_assert_eq(bed->header.consumer_wake, 1);
    push_many(bed, N, N);
    cr_assert_eq(bed->header.consumer_wake, 1, "once until it has come");
    cr_assert_eq(bed->header.n_new_rings, 1);
    free_bed(bed);
}

Test(push, errno_is_kept, .timeout = 60)
{
    struct bed *bed = make_bed(RV_POLICY_BLOCK);
    bed->header.consumer_is_asleep = 1;
    errno = 12345;
    push_many(bed, 0, 10 * N);
    cr_assert_eq(errno, 12345);
    free_bed(bed);
}

Test(push, a_push_that_a_fork_leaves_behind_opens_no_ring, .timeout = 60)
{
    struct bed *bed = make_bed_with(RV_POLICY_RING, RV_CLOCK_TSC);
    push(bed, 1, STACK);
    uint64_t next = rv_push_begin(&bed->pusher, STACK);
    push(bed, 20, STACK - BENEATH); /* the handler's; the parent writes it */
    bed->header.is_recording = 0;
    rv_pusher_leave(&bed->pusher);
    rv_push_commit(&bed->pusher, next, RV_EVENT_CALL_AT, 2);
    push_many(bed, 3, 10);
    cr_assert_eq(bed->pusher.limit, 0);
    cr_assert_eq(pop(bed), 2);
    expect_account(bed, 2, 2, 0);
    free_bed(bed);
}

/* A handler whose event finds the stash full takes the push that it interrupted for abandoned, and removes its poison. That
 * push resumes all the same, and is written as any other. With stacks at high and at low addresses. */
Test(push, a_push_that_loses_its_poison_is_a_plain_one, .timeout = 60)
{
    static const uint64_t stacks[] = {STACK, 1ull << 40, 1 << 30};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        struct bed *bed = make_bed(RV_POLICY_RING);
        push(bed, 1, stacks[i]);
        bed->pusher.cursor += rv_push_poison(stacks[i]);
        bed->state->n_stash = RV_PUSH_STASH + 1;
        push(bed, 2, stacks[i] - BENEATH);
        cr_assert_not(rv_push_is_under_way(&bed->pusher));
        bed->state->n_suspect -= 4090; /* of those that are slow */
        push_many(bed, 3, 999);
        uint64_t next = bed->pusher.cursor - rv_push_poison(stacks[i]) + sizeof(struct rv_event);
        cr_assert_geq(next, bed->pusher.limit);
        rv_push_slow(&bed->pusher, stacks[i], RV_EVENT_CALL_AT, 7000);
        cr_assert_eq(pop(bed), N - 1);
        cr_assert_eq(bed->out[N - 2].id, 7000);
        expect_account(bed, 1004, N - 2, 1004 - (N - 2)); /* and the abandoned one, and one too many */
        free_bed(bed);
    }
}

Test(push, a_tick_is_read_only_when_its_word_has_moved, .timeout = 60)
{
    struct bed *bed = make_bed_with(RV_POLICY_RING, RV_CLOCK_TICK);
    push_many(bed, 0, 10);
    cr_assert_eq(pop(bed), 10);
    cr_assert_eq(bed->out[1].when, bed->out[9].when);
    uint64_t last = bed->out[9].when;
    bed->header.tick++;
    push_many(bed, 10, 10);
    cr_assert_eq(pop(bed), 10);
    cr_assert_gt(bed->out[0].when, last);
    cr_assert_eq(bed->out[0].when, bed->out[9].when);
    free_bed(bed);
}

Test(push, what_comes_behind_an_event_is_not_written_by_a_handler_that_interrupted_a_push, .timeout = 60)
{
    const uint64_t when = (uint64_t)RV_EVENT_ARGUMENTS << RV_EVENT_KIND_SHIFT | 7;
    struct bed *bed = make_bed(RV_POLICY_RING);
    push(bed, 1, STACK);
    cr_assert(rv_push_behind(&bed->pusher, rv_push_begin(&bed->pusher, STACK), when, 10, STACK));
    rv_push_begin(&bed->pusher, STACK);
    const uint64_t next = rv_push_begin(&bed->pusher, STACK - BENEATH);
    cr_assert_not(rv_push_behind(&bed->pusher, next, when, 20, STACK - BENEATH));
    rv_push_slow(&bed->pusher, STACK, RV_EVENT_CALL_AT, 2);
    cr_assert_eq(pop(bed), 3);
    cr_assert_eq(bed->out[0].id, 1);
    cr_assert_eq(bed->out[1].id, 10);
    cr_assert_eq(bed->out[2].id, 2);
    free_bed(bed);
}

Test(push, a_return_at_once_follows_its_call_alone, .timeout = 60)
{
    _Alignas(4096) struct rv_event page[4] = {{.when = 7, .id = 1}, {.when = 7}};
    cr_assert(rv_push_follows_call(&page[1], 7));
    cr_assert_not(rv_push_follows_call(&page[1], 8));
    cr_assert_not(rv_push_follows_call(&page[1], 7ull << 32 | 7));
    cr_assert_not(rv_push_follows_call(&page[0], 0), "what lies before a page may have none");
    page[1].when = (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT | 7;
    cr_assert_not(rv_push_follows_call(&page[2], 7), "a return at the same ticks");
}

Test(push, a_return_at_once_has_the_time_of_its_call, .timeout = 60)
{
    struct bed *bed = make_bed_with(RV_POLICY_RING, RV_CLOCK_TSC);
    const uint64_t called = rv_push(&bed->pusher, RV_EVENT_CALL, rv_event_word(5, 1, 0), STACK, rv_push_slow);
    const uint64_t next = rv_push_begin(&bed->pusher, STACK);
    cr_assert_lt(next, bed->pusher.limit);
    rv_push_commit_return(&bed->pusher, next, called, rv_event_word(5, 1, 0));
    push(bed, 6, STACK);
    cr_assert_eq(pop(bed), 3);
    expect_ids(bed, 3, (uint64_t[]){5, 5, 6});
    cr_assert_eq(rv_event_kind(&bed->out[1]), RV_EVENT_RETURN);
    cr_assert_eq(rv_event_ticks(&bed->out[1]), called);
    free_bed(bed);
}

/* ---- two events of one moment ---- */

static void push_two(struct bed *bed, uint64_t id, uint64_t stack)
{
    rv_push_two(&bed->pusher, RV_EVENT_CALL_AT, rv_event_word_at(id, 0), RV_EVENT_RETURN_AT,
                rv_event_word_at(id + 1, 0), stack, rv_push_slow);
}

Test(push, two_events_of_a_moment_are_in_order_wherever_the_ring_ends, .timeout = 60)
{
    static const enum rv_clock_kind clocks[] = {RV_CLOCK_TSC, RV_CLOCK_MONOTONIC, RV_CLOCK_TICK};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct bed *bed = make_bed_with(RV_POLICY_SWITCH, clocks[i]);
        size_t n_at_once = 0;
        for (uint64_t id = 0; id < 10 * N; id += 3) {
            push_two(bed, id, STACK);
            push(bed, id + 2, STACK);
            cr_assert_eq(pop(bed), 3);
            expect_ids(bed, 3, (uint64_t[]){id, id + 1, id + 2});
            cr_assert_eq(rv_event_kind(&bed->out[1]), RV_EVENT_RETURN_AT);
            n_at_once += rv_event_ticks(&bed->out[0]) == rv_event_ticks(&bed->out[1]);
        }
        cr_assert(clocks[i] != RV_CLOCK_TSC || n_at_once > 2 * N, "%zu pairs have one time", n_at_once);
        free_bed(bed);
    }
}

Test(push, a_handlers_two_events_follow_the_push_that_it_interrupted, .timeout = 60)
{
    struct bed *bed = make_bed_with(RV_POLICY_RING, RV_CLOCK_TSC);
    push(bed, 1, STACK);
    uint64_t next = rv_push_begin(&bed->pusher, STACK);
    push_two(bed, 20, STACK - BENEATH);
    rv_push_write(rv_push_slot(next), (uint64_t)RV_EVENT_CALL_AT << 60 | rv_event_ticks(bed->events), 2);
    rv_push_end(&bed->pusher, next);
    push(bed, 3, STACK);
    cr_assert_eq(pop(bed), 5);
    expect_ids(bed, 5, (uint64_t[]){1, 2, 20, 21, 3});
    expect_account(bed, 5, 5, 0);
    free_bed(bed);
}

/* Returns a push of two events that has published them, but not released its cursor. */
static struct bed *interrupt_two_that_are_published(uint64_t *end)
{
    struct bed *bed = make_bed_with(RV_POLICY_RING, RV_CLOCK_TSC);
    push(bed, 1, STACK);
    *end = rv_push_begin(&bed->pusher, STACK) + sizeof(struct rv_event);
    rv_push_write(rv_push_slot(*end) - 1, bed->events[0].when, 2);
    rv_push_write(rv_push_slot(*end), bed->events[0].when, 3);
    bed->control.head += 2;
    return bed;
}

Test(push, a_handler_that_interrupts_two_published_events_comes_behind_them, .timeout = 60)
{
    uint64_t end;
    struct bed *bed = interrupt_two_that_are_published(&end);
    push(bed, 20, STACK - BENEATH);
    bed->pusher.cursor = end;
    push(bed, 4, STACK);
    cr_assert_eq(pop(bed), 5);
    expect_ids(bed, 5, (uint64_t[]){1, 2, 3, 20, 4});
    expect_account(bed, 5, 5, 0);
    free_bed(bed);
}

Test(push, two_published_events_of_an_abandoned_push_count, .timeout = 60)
{
    uint64_t end;
    struct bed *bed = interrupt_two_that_are_published(&end);
    push(bed, 4, STACK);
    cr_assert_eq(pop(bed), 4);
    expect_ids(bed, 4, (uint64_t[]){1, 2, 3, 4});
    expect_account(bed, 4, 4, 0);
    free_bed(bed);
}

Test(push, a_wake_up_tells_how_long_before_it_the_waker_acted, .timeout = 60)
{
    static const enum rv_clock_kind clocks[] = {RV_CLOCK_TSC, RV_CLOCK_MONOTONIC};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct bed *bed = make_bed_with(RV_POLICY_RING, clocks[i]);
        push(bed, 1, STACK);
        const uint64_t woke = rv_push_now(&bed->pusher);
        rv_push_woken(&bed->pusher, 2, woke, STACK, rv_push_slow);
        rv_push_woken(&bed->pusher, 3, woke + (1ull << 40), STACK, rv_push_slow);
        cr_assert_eq(pop(bed), 3);
        expect_ids(bed, 3, (uint64_t[]){1, 2, 3});
        const uint64_t told = rv_event_ticks(&bed->out[1]) - rv_event_since(&bed->out[1]);
        cr_assert_leq(told, rv_event_ticks(&bed->out[1]));
        cr_assert(clocks[i] == RV_CLOCK_TSC ? told == woke : told >= woke, "%lu for %lu", (unsigned long)told,
                  (unsigned long)woke);
        cr_assert_eq(rv_event_since(&bed->out[2]), UINT32_MAX, "a moment in the future");
        free_bed(bed);
    }
}
