/* Objects that a lane has made, among times off the CPU: all of them, the latest first, though few are read at a time. */
#include "model/range_times.h"

#include <criterion/criterion.h>

enum { N_SUMS = 100000, NOTE_EVERY = 1000, MOST_READ = 10000 };

static struct rv_lanes *lanes;
static struct rv_lane *lane;
static struct rv_range_times times;

/* Objects i at time i / 2 + 1, so that every two are made at once; a switch ends between some of them. */
static void begin(void)
{
    lanes = rv_lanes_create();
    lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.name = "main"});
    for (uint64_t i = 0; i < N_SUMS; i++) {
        rv_made_objects_add(&lane->made, i / 2 + 1, i + 1);
        if (i % NOTE_EVERY == 0)
            rv_lane_add_note(
                lane, &(struct rv_lane_note){.start_ns = i / 2 + 1, .end_ns = i / 2 + 3, .kind = RV_NOTE_BLOCKED});
    }
}

static void finish(void)
{
    rv_range_times_fini(&times);
    rv_lanes_destroy(lanes);
}

TestSuite(range_times, .init = begin, .fini = finish, .timeout = 60);

static bool begin_all(void)
{
    return rv_range_times_begin(&times, lane, (uint64_t[2]){0, UINT64_MAX}, (uint64_t[2]){0, UINT64_MAX});
}

Test(range_times, all_objects_and_notes_come_the_latest_first)
{
    uint64_t last_ns = UINT64_MAX, n_objects = 0, blocked_ns = 0;
    cr_assert(begin_all());
    for (const struct rv_state_stretch *time; (time = rv_range_times_take(&times, lane, 0));) {
        cr_assert_leq(time->at_ns, last_ns);
        last_ns = time->at_ns;
        n_objects += time->times.n_objects;
        blocked_ns += time->times.blocked_ns;
    }
    cr_assert_eq(n_objects, (uint64_t)N_SUMS * (N_SUMS + 1) / 2);
    cr_assert_eq(blocked_ns, 2 * N_SUMS / NOTE_EVERY);
    cr_assert(!times.lacks_objects);
}

Test(range_times, what_of_a_suspended_stack_is_in_the_range_counts)
{
    uint64_t away_ns = 0;
    rv_lane_add_note(lane, &(struct rv_lane_note){.start_ns = 60000, .end_ns = 60900, .kind = RV_NOTE_AWAY});
    cr_assert(rv_range_times_begin(&times, lane, (uint64_t[2]){60300, 70000}, (uint64_t[2]){0, UINT64_MAX}));
    for (const struct rv_state_stretch *time; (time = rv_range_times_take(&times, lane, 0));)
        away_ns += time->times.away_ns;
    cr_assert_eq(away_ns, 600);
}

Test(range_times, objects_are_those_that_end_in_the_piece)
{
    uint64_t n = 0;
    cr_assert(rv_range_times_begin(&times, lane, (uint64_t[2]){100, 40000}, (uint64_t[2]){0, 30000}));
    for (const struct rv_state_stretch *time; (time = rv_range_times_take(&times, lane, 0));)
        if (time->times.n_objects) {
            cr_assert(time->at_ns >= 100 && time->at_ns < 30000);
            n++;
        }
    cr_assert_eq(n, 2 * (30000 - 100));
    cr_assert(!rv_range_times_begin(&times, lane, (uint64_t[2]){N_SUMS, UINT64_MAX}, (uint64_t[2]){0, UINT64_MAX}));
}

/* The lane's lock is held meanwhile. */
Test(range_times, few_objects_are_read_at_a_time)
{
    cr_assert(begin_all());
    cr_assert_lt(times.n + times.n_sums, MOST_READ);
    for (unsigned i = 0; i < N_SUMS / 2; i++) {
        (void)rv_range_times_take(&times, lane, 0);
        cr_assert_lt(times.n + times.n_sums, MOST_READ);
    }
}

Test(range_times, objects_that_were_dropped_before_they_were_read_are_told)
{
    cr_assert(begin_all());
    rv_made_objects_limit(&lane->made, rv_made_objects_bytes(&lane->made) / 4);
    const uint64_t lost_ns = lane->made.lost_until_ns;
    cr_assert_gt(lost_ns, 1);
    cr_assert(!times.lacks_objects);
    uint64_t n = 0;
    for (const struct rv_state_stretch *time; (time = rv_range_times_take(&times, lane, 0));)
        n += time->times.n_objects > 0;
    cr_assert_eq(n, lane->made.n_sums - 1);
    cr_assert(times.lacks_objects);
}

Test(range_times, nothing_is_lacked_where_what_was_dropped_had_been_read)
{
    cr_assert(begin_all());
    while (rv_range_times_take(&times, lane, 0))
        continue;
    rv_made_objects_limit(&lane->made, rv_made_objects_bytes(&lane->made) / 4);
    cr_assert_gt(lane->made.lost_until_ns, 1);
    cr_assert_null(rv_range_times_take(&times, lane, 0));
    cr_assert(!times.lacks_objects);
}
