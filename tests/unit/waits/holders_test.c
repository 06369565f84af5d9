#include "waits/holders.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/vec.h"
#include "waits/reader.h"

enum { LOCK = 7, OTHER_LOCK = 8, WAITS_IN = 20, HOLDS_IN = 21, N_THREADS = 4 };

static struct rv_lanes *lanes;
static struct rv_holder_collector collector;

static void setup(void)
{
    lanes = rv_lanes_create();
    collector = (struct rv_holder_collector){0};
    for (uint32_t i = 0; i < N_THREADS; i++)
        rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 100, .tid = 100 + i, .name = "", .process_name = ""});
}

static void teardown(void)
{
    rv_lanes_destroy(lanes);
}

TestSuite(waits_holders, .init = setup, .fini = teardown, .timeout = 60);

static void wait_for(uint32_t object, enum rv_wait_kind kind, uint32_t lane, uint64_t start_ns, uint64_t end_ns,
                     uint32_t waker)
{
    rv_holder_collector_add(&collector, &(struct rv_wait_edge){.wait = {.start_ns = start_ns,
                                                                        .end_ns = end_ns,
                                                                        .lane = lane,
                                                                        .object = object,
                                                                        .call = WAITS_IN,
                                                                        .kind = kind,
                                                                        .waker = 100 + waker,
                                                                        .wake = RV_WAKE_EXACT},
                                                               .waker = rv_lanes_get(lanes, waker),
                                                               .released_ns = end_ns});
}

static void let_go(uint32_t object, uint32_t lane, uint64_t at_ns)
{
    rv_holder_collector_add_release(
        &collector, &(struct rv_release){.at_ns = at_ns, .lane = lane, .object = object, .call = HOLDS_IN});
}

static void take(uint32_t object, uint32_t lane, uint64_t at_ns)
{
    rv_holder_collector_add_release(
        &collector, &(struct rv_release){.at_ns = at_ns, .lane = lane, .object = object, .is_taken = true});
}

static void expect_hold(const struct rv_hold *hold, uint64_t from_ns, uint64_t to_ns, uint32_t lane, bool is_cut)
{
    cr_expect(hold->from_ns == from_ns && hold->to_ns == to_ns && hold->lane == lane && hold->is_cut == is_cut,
              "%zu..%zu of %u%s", (size_t)hold->from_ns, (size_t)hold->to_ns, hold->lane, hold->is_cut ? ", cut" : "");
}

Test(waits_holders, a_lock_goes_from_who_had_it_to_who_waited)
{
    wait_for(LOCK, RV_WAIT_MUTEX, 1, 100, 200, 0);
    wait_for(LOCK, RV_WAIT_MUTEX, 2, 150, 260, 1);
    let_go(LOCK, 0, 198);
    let_go(LOCK, 1, 258);
    const struct rv_holders *holders = rv_holders_create(&collector);
    cr_assert_eq(holders->n_objects, 1);
    const struct rv_held_object *object = &holders->objects[0];
    cr_assert(object->n == 4 && object->n_waits == 2 && object->n_held_rows == 1 && object->n_rows == 3);
    cr_expect_eq(object->waited_ns, 210);
    expect_hold(rv_holders_at(holders, object, 0, 120), 100, 198, 0, true);
    expect_hold(rv_holders_at(holders, object, 0, 230), 200, 258, 1, false);
    expect_hold(rv_holders_at(holders, object, 1, 120), 100, 200, 1, false);
    expect_hold(rv_holders_at(holders, object, 2, 180), 150, 260, 2, false);
    cr_expect_eq(rv_holders_at(holders, object, 0, 120)->call, HOLDS_IN);
    cr_expect_eq(rv_holders_at(holders, object, 1, 120)->call, WAITS_IN);
    cr_expect_null(rv_holders_at(holders, object, 0, 50));
    cr_expect_eq(rv_holders_n_waiting(holders, object, 180), 2);
    rv_holders_release(holders);
}

Test(waits_holders, who_takes_it_before_the_waiter_is_shown_too)
{
    wait_for(LOCK, RV_WAIT_MUTEX, 1, 100, 300, 2);
    let_go(LOCK, 0, 150);
    take(LOCK, 2, 160);
    let_go(LOCK, 2, 290);
    const struct rv_holders *holders = rv_holders_create(&collector);
    cr_assert_eq(holders->objects[0].n, 3);
    expect_hold(rv_holders_at(holders, holders->objects, 0, 120), 100, 150, 0, true);
    expect_hold(rv_holders_at(holders, holders->objects, 0, 200), 160, 290, 2, false);
    cr_expect_null(rv_holders_at(holders, holders->objects, 0, 155));
    rv_holders_release(holders);
}

static void expect_rows(uint32_t most_held_rows, uint32_t n_rows)
{
    enum { N = 3 * RV_HOLDERS_ROWS_MOST };
    collector.most_held_rows = most_held_rows;
    wait_for(LOCK, RV_WAIT_WRITE_LOCK, 0, 100, 200, 1);
    for (uint32_t i = 1; i <= N; i++)
        take(LOCK, i, 110);
    for (uint32_t i = 1; i <= N; i++)
        let_go(LOCK, i, 190);
    const struct rv_holders *holders = rv_holders_create(&collector);
    cr_expect_eq(holders->objects[0].n_held_rows, n_rows ? n_rows : N);
    cr_expect_eq(holders->objects[0].n, N + 1);
    rv_holders_release(holders);
}

Test(waits_holders, many_readers_share_rows_unless_each_is_to_have_one)
{
    expect_rows(0, RV_HOLDERS_ROWS_MOST);
    expect_rows(UINT32_MAX, 0);
}

Test(waits_holders, nothing_is_known_between_waits)
{
    wait_for(LOCK, RV_WAIT_MUTEX, 1, 100, 200, 0);
    wait_for(LOCK, RV_WAIT_MUTEX, 2, 500, 600, 1);
    let_go(LOCK, 0, 200);
    let_go(LOCK, 1, 599);
    const struct rv_holders *holders = rv_holders_create(&collector);
    expect_hold(rv_holders_at(holders, holders->objects, 0, 550), 500, 599, 1, true);
    cr_expect_null(rv_holders_at(holders, holders->objects, 0, 300));
    rv_holders_release(holders);
}

Test(waits_holders, locks_come_first_and_only_they_have_holders)
{
    wait_for(LOCK, RV_WAIT_CONDITION, 1, 100, 400, 0);
    wait_for(OTHER_LOCK, RV_WAIT_MUTEX, 1, 300, 500, 0);
    let_go(LOCK, 0, 150);
    let_go(OTHER_LOCK, 0, 500);
    const struct rv_holders *holders = rv_holders_create(&collector);
    cr_assert_eq(holders->n_objects, 2);
    cr_expect_eq(holders->objects[0].object, OTHER_LOCK);
    cr_expect_eq(holders->objects[0].held_ns, 200);
    cr_expect(holders->objects[1].kind == RV_WAIT_CONDITION && holders->objects[1].held_ns == 0);
    rv_holders_release(holders);
}

Test(waits_holders, without_a_release_a_wait_has_the_holder)
{
    wait_for(LOCK, RV_WAIT_FILE_LOCK, 1, 100, 200, 0);
    wait_for(LOCK, RV_WAIT_FILE_LOCK, 2, 150, 250, 0);
    const struct rv_holders *holders = rv_holders_create(&collector);
    cr_assert(holders->objects[0].n == 3 && holders->objects[0].n_held_rows == 1);
    expect_hold(rv_holders_at(holders, holders->objects, 0, 150), 100, 250, 0, true);
    rv_holders_release(holders);
}

Test(waits_holders, the_first_holder_is_not_taken_for_the_last)
{
    wait_for(LOCK, RV_WAIT_MUTEX, 1, 100, 300, 0);
    let_go(LOCK, 0, 150);
    take(LOCK, 2, 160);
    let_go(LOCK, 2, 290);
    collector.edges[0].released_ns = 0;
    const struct rv_holders *holders = rv_holders_create(&collector);
    cr_expect_eq(holders->objects[0].held_ns, 50 + 130);
    rv_holders_release(holders);
}

Test(waits_holders, more_waiters_than_rows_share_the_last_one)
{
    for (uint32_t i = 0; i < 3 * RV_HOLDERS_ROWS_MOST; i++)
        wait_for(LOCK, RV_WAIT_MUTEX, 1 + i % 3, 100 + i, 1000 + i, 0);
    const struct rv_holders *holders = rv_holders_create(&collector);
    cr_expect_eq(holders->objects[0].n_rows, holders->objects[0].n_held_rows + RV_HOLDERS_ROWS_MOST);
    cr_expect_eq(rv_holders_n_waiting(holders, holders->objects, 500), 3 * RV_HOLDERS_ROWS_MOST);
    rv_holders_release(holders);
}

/* ---- a lock that random threads take: holders by their waits and releases, against the true ones ---- */

struct truth {
    uint64_t from_ns, to_ns;
    uint32_t lane;
};

static uint64_t state;

static uint32_t draw(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* A thread that comes while the lock is taken waits. A random waiter gets it next, or a thread that comes just then.
 * Every hold in which a thread waits is reported. */
static size_t play(struct truth *truth, size_t n_turns)
{
    uint64_t now_ns = 1000, since_ns[N_THREADS] = {0}, begin_ns = 0;
    uint32_t owner = 0;
    bool has_told = false, is_waiting[N_THREADS] = {false};
    size_t n_truth = 0, n_waiting = 0;
    uint64_t taken_ns = now_ns;
    for (size_t turn = 0; turn < n_turns; turn++) {
        for (uint32_t i = 0; i < N_THREADS; i++) {
            now_ns += 1 + draw(10);
            if (i == owner || is_waiting[i] || draw(3))
                continue;
            begin_ns = n_waiting++ ? begin_ns : now_ns;
            since_ns[i] = now_ns;
            is_waiting[i] = true;
        }
        now_ns += 1 + draw(100);
        const uint32_t next = (owner + 1 + draw(N_THREADS - 1)) % N_THREADS;
        if (n_waiting) {
            let_go(LOCK, owner, now_ns);
            truth[n_truth++] = (struct truth){has_told ? taken_ns : begin_ns, now_ns, owner};
        }
        now_ns += 1 + draw(5);
        has_told = n_waiting != 0;
        taken_ns = now_ns;
        if (is_waiting[next]) {
            wait_for(LOCK, RV_WAIT_MUTEX, next, since_ns[next], now_ns, owner);
            is_waiting[next] = false;
            n_waiting--;
            has_told &= n_waiting != 0;
        } else if (n_waiting) {
            take(LOCK, next, now_ns);
        }
        owner = next;
    }
    for (uint32_t i = 0; i < N_THREADS; i++)
        if (is_waiting[i])
            wait_for(LOCK, RV_WAIT_MUTEX, i, since_ns[i], now_ns + 1, owner);
    return n_truth;
}

Test(waits_holders, holders_of_a_lock_that_random_threads_take_are_equal)
{
    enum { TURNS = 60 };
    for (state = 1; state < 2000; state++) {
        struct truth truth[TURNS];
        const uint64_t seed = state;
        const size_t n = play(truth, TURNS);
        const struct rv_holders *holders = rv_holders_create(&collector);
        state = seed;
        if (!holders->n_objects) {
            rv_holders_release(holders);
            continue;
        }
        size_t n_held = 0;
        for (size_t i = 0; i < holders->n_holds; i++) {
            const struct rv_hold *hold = &holders->holds[i];
            if (hold->is_wait)
                continue;
            cr_assert_lt(n_held, n, "seed %zu: one too many", (size_t)seed);
            cr_assert(hold->to_ns == truth[n_held].to_ns && hold->lane == truth[n_held].lane &&
                          hold->from_ns <= hold->to_ns && hold->from_ns >= truth[n_held].from_ns,
                      "seed %zu, hold %zu", (size_t)seed, n_held);
            cr_assert(hold->is_cut || hold->from_ns == truth[n_held].from_ns, "seed %zu, begin %zu", (size_t)seed,
                      n_held);
            n_held++;
        }
        cr_assert_eq(n_held, n, "seed %zu: %zu of %zu", (size_t)seed, n_held, n);
        rv_holders_release(holders);
    }
}

/* ---- read ---- */

static bool count(void *context, const struct rv_release *release)
{
    cr_assert(release->lane == 0 || release->lane == 2);
    ++*(size_t *)context;
    return true;
}

Test(waits_holders, releases_are_read_within_a_range)
{
    size_t n = 0;
    struct rv_waits *waits = rv_waits_create(lanes, 0);
    for (uint64_t at_ns = 100; at_ns <= 1000; at_ns += 100)
        rv_waits_add_release(waits, &(struct rv_release){.at_ns = at_ns, .lane = at_ns % 200 ? 0 : 2, .object = LOCK});
    struct rv_wait_reader *reader = rv_wait_reader_open(waits, NULL, NULL);
    rv_wait_reader_each_release(reader, 300, 700, count, &n);
    cr_expect_eq(n, 4);
    rv_wait_reader_close(reader);
    rv_waits_destroy(waits);
}

Test(waits_holders, holders_of_a_range_have_the_order_and_rows_of_the_whole)
{
    wait_for(LOCK, RV_WAIT_MUTEX, 1, 100, 200, 0);
    wait_for(OTHER_LOCK, RV_WAIT_MUTEX, 1, 300, 500, 0);
    wait_for(OTHER_LOCK, RV_WAIT_MUTEX, 2, 300, 520, 1);
    const struct rv_holders *all = rv_holders_create(&collector);
    collector.like = all;
    wait_for(LOCK, RV_WAIT_MUTEX, 1, 600, 900, 0);
    const struct rv_holders *holders = rv_holders_create(&collector);
    cr_assert_eq(holders->n_objects, 2);
    cr_expect(holders->objects[0].object == OTHER_LOCK && holders->objects[0].n == 0);
    cr_expect_eq(holders->objects[0].n_rows, all->objects[0].n_rows);
    cr_expect(holders->objects[1].object == LOCK && holders->objects[1].waited_ns == 100, "the sums of the whole");
    expect_hold(rv_holders_at(holders, &holders->objects[1], 0, 700), 600, 900, 0, true);
    cr_expect(rv_holders_at(holders, &holders->objects[1], 1, 700)->is_wait);
    rv_holders_release(holders);
    rv_holders_release(all);
}
