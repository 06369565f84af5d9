/* Threads that wait for each other for ever, among those that do not. */
#include "waits/deadlocks.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MOST_THREADS = 8, OTHER_PROCESS = MOST_THREADS, N_TRIALS = 2000, END_NS = 1000000000 };

static struct rv_lanes *lanes;
static struct rv_waits *waits;

static void setup(void)
{
    lanes = rv_lanes_create();
    waits = rv_waits_create(lanes, 0);
    for (uint32_t i = 0; i < MOST_THREADS; i++)
        rv_lanes_add(lanes,
                     &(struct rv_lane_identity){.pid = 1, .tid = 100 + i, .thread = i, .name = "", .process_name = ""});
    rv_lanes_add(lanes,
                 &(struct rv_lane_identity){
                     .pid = 2, .tid = 100 + OTHER_PROCESS, .thread = OTHER_PROCESS, .name = "", .process_name = ""});
}

static void teardown(void)
{
    rv_waits_destroy(waits);
    rv_lanes_destroy(lanes);
}

TestSuite(waits_deadlocks, .init = setup, .fini = teardown, .timeout = 120);

/* Add a wait that lasts to the end, for the holder's lock: the object is made of the holder's number. */
static void add_open(uint32_t lane, uint32_t holder)
{
    rv_waits_add(waits, &(struct rv_wait){.start_ns = 1000 + lane,
                                          .end_ns = END_NS,
                                          .lane = lane,
                                          .object = 1 + holder,
                                          .waker = 100 + holder,
                                          .kind = RV_WAIT_MUTEX,
                                          .wake = RV_WAKE_UNKNOWN});
}

static struct rv_deadlocked_wait *take(size_t *n)
{
    struct rv_wait_reader *reader = rv_wait_reader_open(waits, NULL, NULL);
    struct rv_deadlocked_wait *found = rv_deadlocks_take(reader, lanes, n);
    rv_wait_reader_close(reader);
    return found;
}

Test(waits_deadlocks, threads_that_wait_for_a_deadlock_are_not_in_it)
{
    size_t n;
    add_open(0, 1);
    add_open(1, 2);
    add_open(2, 1);
    add_open(3, 3);
    add_open(4, 5);
    struct rv_deadlocked_wait *found = take(&n);
    cr_assert_eq(n, 3);
    cr_expect(found[0].wait.lane == 1 && found[0].holder->idx == 2 && found[0].cycle == 0);
    cr_expect(found[1].wait.lane == 2 && found[1].holder->idx == 1 && found[1].cycle == 0);
    cr_expect(found[2].wait.lane == 3 && found[2].holder->idx == 3 && found[2].cycle == 1);
    free(found);
}

Test(waits_deadlocks, a_holder_that_has_released_the_lock_since_has_it_no_longer)
{
    size_t n;
    add_open(0, 1);
    add_open(1, 0);
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 1500, .lane = 0, .object = 1});
    free(take(&n));
    cr_expect_eq(n, 0);
}

Test(waits_deadlocks, a_holder_that_has_taken_the_lock_again_has_it)
{
    size_t n;
    add_open(0, 1);
    add_open(1, 0);
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 1500, .lane = 0, .object = 1});
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 1600, .lane = 0, .object = 1, .is_taken = true});
    free(take(&n));
    cr_expect_eq(n, 2);
}

/* In the other process the lock is another object, so its release there may be that of the lock waited for. */
Test(waits_deadlocks, a_holder_of_another_process_that_has_released_any_lock_may_have_none)
{
    size_t n;
    add_open(0, OTHER_PROCESS);
    add_open(OTHER_PROCESS, 0);
    free(take(&n));
    cr_expect_eq(n, 2);
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 1500, .lane = OTHER_PROCESS, .object = 77});
    rv_waits_add_release(waits,
                         &(struct rv_release){.at_ns = 1600, .lane = OTHER_PROCESS, .object = 77, .is_taken = true});
    free(take(&n));
    cr_expect_eq(n, 0);
}

/* A variable of a program that two processes run is one object, but two locks. */
Test(waits_deadlocks, a_lock_of_another_process_is_another_one)
{
    size_t n;
    add_open(0, 1);
    add_open(1, 0);
    rv_waits_add_release(waits,
                         &(struct rv_release){.at_ns = 1500, .lane = OTHER_PROCESS, .object = 1, .is_taken = true});
    free(take(&n));
    cr_expect_eq(n, 2);
}

Test(waits_deadlocks, a_wait_that_has_just_begun_may_be_about_to_end)
{
    size_t n;
    add_open(0, 1);
    rv_waits_add(waits, &(struct rv_wait){.start_ns = END_NS - 1000000,
                                          .end_ns = END_NS,
                                          .lane = 1,
                                          .object = 1,
                                          .waker = 100,
                                          .kind = RV_WAIT_MUTEX});
    free(take(&n));
    cr_expect_eq(n, 0);
}

/* As no thread goes on, no event comes: the clock tells that they still wait. */
Test(waits_deadlocks, a_cycle_is_found_while_the_threads_run)
{
    size_t n = 0;
    for (uint32_t i = 0; i < 2; i++)
        rv_waits_set_open(
            waits, i, &(struct rv_wait){.start_ns = 1000, .object = 2 - i, .waker = 101 - i, .kind = RV_WAIT_MUTEX});
    cr_expect_eq(rv_waits_n_open(waits), 2);
    for (unsigned i = 0; n == 0; i++) {
        free(take(&n));
        cr_expect(i || n == 0, "at once");
    }
    cr_expect_eq(n, 2);
    rv_waits_set_open(waits, 1, NULL);
    free(take(&n));
    cr_expect_eq(n, 0);
    cr_expect_eq(rv_waits_n_open(waits), 1);
}

Test(waits_deadlocks, a_wait_that_ended_is_in_no_cycle)
{
    size_t n;
    add_open(0, 1);
    rv_waits_add(waits, &(struct rv_wait){.start_ns = 1001,
                                          .end_ns = END_NS,
                                          .lane = 1,
                                          .object = 1,
                                          .waker = 100,
                                          .kind = RV_WAIT_MUTEX,
                                          .wake = RV_WAKE_OWNER});
    free(take(&n));
    cr_expect_eq(n, 0);
}

/* Each asks for the lock of the next. To ask every thread for every lock would be 1.6 billion questions. */
Test(waits_deadlocks, a_cycle_can_have_many_threads, .timeout = 60)
{
    enum { N_THREADS = 40000 };
    size_t n;
    for (uint32_t i = MOST_THREADS + 1; i < N_THREADS; i++)
        rv_lanes_add(lanes,
                     &(struct rv_lane_identity){.pid = 1, .tid = 100 + i, .thread = i, .name = "", .process_name = ""});
    for (uint32_t i = 0; i < N_THREADS; i++) {
        const uint32_t next = i + 1 == OTHER_PROCESS ? i + 2 : (i + 1) % N_THREADS;
        if (i != OTHER_PROCESS)
            add_open(i, next);
    }
    free(take(&n));
    cr_expect_eq(n, N_THREADS - 1);
}

/* ---- against a program's own truth ---- */

enum { N_LOCKS = 5, N_STEPS = 60, FREE = MOST_THREADS, STEP_NS = 1000 };

/* Threads that take and release locks, wait for them, for a time or for ever, and lose events. */
struct program {
    struct rv_wait open[MOST_THREADS]; /* end_ns 0: it does not wait */
    bool gives_up[MOST_THREADS], is_losing[MOST_THREADS];
    uint32_t holder[N_LOCKS], n_taken[N_LOCKS];
    uint64_t now_ns;
};

static bool waits_for(const struct program *program, uint32_t thread, uint32_t lock)
{
    return program->open[thread].end_ns && program->open[thread].object == 1 + lock;
}

static void tell(const struct program *program, uint32_t thread, uint32_t lock, bool is_taken)
{
    bool has_waiters = false;
    for (uint32_t i = 0; i < MOST_THREADS; i++)
        has_waiters |= waits_for(program, i, lock);
    if (has_waiters && !program->is_losing[thread])
        rv_waits_add_release(
            waits,
            &(struct rv_release){.at_ns = program->now_ns, .lane = thread, .object = 1 + lock, .is_taken = is_taken});
}

static void take_lock(struct program *program, uint32_t thread, uint32_t lock)
{
    if (program->open[thread].end_ns && !program->is_losing[thread]) {
        program->open[thread].end_ns = program->now_ns;
        program->open[thread].wake = RV_WAKE_OWNER;
        rv_waits_add(waits, &program->open[thread]);
    }
    program->open[thread].end_ns = 0;
    program->holder[lock] = thread;
    program->n_taken[lock]++;
    tell(program, thread, lock, true);
}

static void ask(struct program *program, uint32_t thread, uint32_t lock)
{
    const uint32_t holder = program->holder[lock];
    const bool can_take_again = holder == thread && rand() % 2; /* it is recursive */
    if (holder == FREE || can_take_again) {
        take_lock(program, thread, lock);
        return;
    }
    program->gives_up[thread] = rand() % 4 == 0;
    program->open[thread] = (struct rv_wait){.start_ns = program->now_ns,
                                             .end_ns = END_NS,
                                             .lane = thread,
                                             .object = 1 + lock,
                                             .waker = program->gives_up[thread] ? 0 : 100 + holder,
                                             .kind = RV_WAIT_MUTEX,
                                             .wake = RV_WAKE_UNKNOWN};
}

static void release(struct program *program, uint32_t thread, uint32_t lock)
{
    if (program->n_taken[lock] == 1)
        tell(program, thread, lock, false);
    program->holder[lock] = --program->n_taken[lock] ? thread : FREE;
}

static void lose(struct program *program, uint32_t thread)
{
    if (program->is_losing[thread])
        rv_waits_add_release(
            waits, &(struct rv_release){.at_ns = program->now_ns, .lane = thread, .object = RV_RELEASE_OF_ANY});
    program->is_losing[thread] = !program->is_losing[thread];
}

static void step(struct program *program, bool has_losses)
{
    const uint32_t thread = (uint32_t)rand() % MOST_THREADS, lock = (uint32_t)rand() % N_LOCKS;
    program->now_ns += STEP_NS;
    if (has_losses && rand() % 8 == 0 && !program->open[thread].end_ns)
        lose(program, thread);
    else if (program->open[thread].end_ns) {
        const uint32_t wanted = program->open[thread].object - 1;
        if (program->holder[wanted] == FREE)
            take_lock(program, thread, wanted);
    } else if (program->holder[lock] == thread && rand() % 2) {
        release(program, thread, lock);
    } else {
        ask(program, thread, lock);
    }
}

/* The locks that are free at the end are taken by those who wait for them. */
static void run(struct program *program, bool has_losses)
{
    *program = (struct program){.now_ns = STEP_NS};
    for (uint32_t i = 0; i < N_LOCKS; i++)
        program->holder[i] = FREE;
    for (unsigned i = 0; i < N_STEPS; i++)
        step(program, has_losses);
    for (uint32_t i = 0; i < MOST_THREADS; i++)
        if (program->open[i].end_ns && program->holder[program->open[i].object - 1] == FREE)
            take_lock(program, i, program->open[i].object - 1);
}

/* Those whose events are being lost tell nothing of it. */
static void add_waits(const struct program *program, bool is_live)
{
    for (uint32_t i = 0; i < MOST_THREADS; i++) {
        const struct rv_wait *open = program->open[i].end_ns && !program->is_losing[i] ? &program->open[i] : NULL;
        if (is_live)
            rv_waits_set_open(waits, i, open && open->waker ? open : NULL);
        else if (open)
            rv_waits_add(waits, open);
    }
    rv_lanes_get(lanes, 0)->last_ns = END_NS;
}

static uint32_t next(const struct program *program, uint32_t thread)
{
    return thread < MOST_THREADS && program->open[thread].end_ns && !program->gives_up[thread]
               ? program->holder[program->open[thread].object - 1]
               : FREE;
}

/* A thread is in a cycle if it comes back to itself. */
static bool comes_back(const struct program *program, uint32_t from)
{
    uint32_t at = next(program, from);
    for (unsigned i = 0; i < MOST_THREADS && at != from; i++)
        at = next(program, at);
    return at == from;
}

static void check_found(const struct program *program, const struct rv_deadlocked_wait *found, size_t n, unsigned trial)
{
    for (size_t i = 0; i < n; i++) {
        const bool ends = i + 1 == n || found[i + 1].cycle != found[i].cycle;
        cr_expect(comes_back(program, found[i].wait.lane), "trial %u: a false alarm", trial);
        cr_expect_eq(found[i].holder->idx, next(program, found[i].wait.lane));
        cr_expect(ends || found[i + 1].wait.lane == found[i].holder->idx);
    }
}

static size_t run_trial(unsigned trial, bool has_losses)
{
    struct program program;
    size_t n, n_wanted = 0;
    run(&program, has_losses);
    add_waits(&program, trial % 2);
    for (uint32_t i = 0; i < MOST_THREADS; i++)
        n_wanted += comes_back(&program, i);
    struct rv_deadlocked_wait *found = take(&n);
    check_found(&program, found, n, trial);
    cr_expect(has_losses || n == n_wanted, "trial %u: %zu of %zu", trial, n, n_wanted);
    free(found);
    teardown();
    setup();
    return n;
}

Test(waits_deadlocks, cycles_equal_those_of_a_plain_walk)
{
    size_t n = 0;
    srand(16);
    for (unsigned trial = 0; trial < N_TRIALS; trial++)
        n += run_trial(trial, false);
    cr_expect_gt(n, N_TRIALS);
}

Test(waits_deadlocks, missing_events_make_no_false_cycle)
{
    size_t n = 0;
    srand(17);
    for (unsigned trial = 0; trial < N_TRIALS; trial++)
        n += run_trial(trial, true);
    cr_expect_gt(n, N_TRIALS / 10);
}
