#include "query/range_ahead.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "base/os.h"

enum { N_ROUNDS = 20000, CALLS_PER_PART = 1000 };

static struct rv_lanes *lanes;
static struct rv_subroutines *subroutines;
static struct rv_range_memory *memory;
static struct rv_range_ahead ahead;

static void begin(void)
{
    lanes = rv_lanes_create();
    subroutines = rv_subroutines_create();
    memory = rv_range_memory_create(1 << 24);
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.name = "main"});
    for (uint64_t i = 1; i <= N_ROUNDS; i++)
        rv_timeline_add(lane->timeline, &(struct rv_span){.start = 1000 * i, .end = 1000 * i + 900, .id = 1}, 1);
    lane->last_ns = 1000 * N_ROUNDS + 900;
}

static void finish(void)
{
    rv_range_ahead_stop(&ahead);
    rv_range_memory_destroy(memory);
    rv_subroutines_destroy(subroutines);
    rv_lanes_destroy(lanes);
}

TestSuite(range_ahead, .init = begin, .fini = finish, .timeout = 60);

static struct rv_range_statistics_params params(void)
{
    return (struct rv_range_statistics_params){.to_ns = UINT64_MAX,
                                               .lanes = lanes,
                                               .subroutines = subroutines,
                                               .memory = memory,
                                               .calls_per_part = CALLS_PER_PART};
}

/* How much of the range is known before a call of it is visited. */
static double known_of(const struct rv_range_statistics_params *wanted)
{
    struct rv_range_statistics *range = rv_range_statistics_create(wanted);
    struct rv_range_statistics_share *share = rv_range_statistics_share_create(range);
    (void)rv_range_statistics_share_step(share, 1, 0);
    const double progress = rv_range_statistics_progress(range);
    rv_range_statistics_share_destroy(share);
    rv_range_statistics_destroy(range);
    return progress;
}

static double known(void)
{
    const struct rv_range_statistics_params wanted = params();
    return known_of(&wanted);
}

static void measure_nearly_all(bool is_over)
{
    const struct rv_range_statistics_params wanted = params();
    const uint64_t end_ns = rv_clock_mono_ns() + UINT64_C(50000000000);
    cr_assert_lt(known(), 0.1);
    while (known() < 0.85 && rv_clock_mono_ns() < end_ns) {
        rv_range_ahead_advance(&ahead, &wanted, NULL, is_over);
        rv_os_sleep_ns(1000000);
    }
    cr_assert_geq(known(), 0.85);
}

Test(range_ahead, all_parts_but_the_ends_are_measured_ahead)
{
    measure_nearly_all(false);
}

Test(range_ahead, all_parts_but_the_ends_are_measured_by_several_threads_once_the_capture_is_over)
{
    measure_nearly_all(true);
}

/* All calls are of subroutine 1. */
Test(range_ahead, a_list_of_calls_leaves_out_parts_without_their_subroutine)
{
    struct rv_range_statistics_params list = params();
    list.lists_calls = true;
    measure_nearly_all(true);
    for (list.calls_of = 1; list.calls_of <= 2; list.calls_of++)
        cr_assert_eq(known_of(&list) > 0.85, list.calls_of == 2);
}

Test(range_ahead, measuring_ahead_can_be_stopped_at_any_time)
{
    const struct rv_range_statistics_params wanted = params();
    for (int i = 0; i < 20; i++) {
        rv_range_ahead_advance(&ahead, &wanted, NULL, false);
        rv_range_ahead_stop(&ahead);
    }
    cr_assert_null(ahead.job.range);
}

/* There may be many, and each may be held for long. */
Test(range_ahead, the_thread_that_advances_waits_for_no_lane)
{
    const struct rv_range_statistics_params wanted = params();
    struct rv_lane *lane = rv_lanes_get(lanes, 0);
    pthread_rwlock_wrlock(&lane->lock);
    rv_range_ahead_advance(&ahead, &wanted, NULL, false);
    cr_assert_not_null(ahead.job.range);
    pthread_rwlock_unlock(&lane->lock);
}
