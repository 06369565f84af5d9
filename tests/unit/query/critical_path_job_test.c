/* The critical path of a call and of a range, and its parts. */
#include "query/critical_path_job.h"

#include <criterion/criterion.h>

enum { LOCK = 1, HOLDS_IN, WAITS_IN, ASKED };

static struct rv_lanes *lanes;
static struct rv_waits *waits;
static struct rv_critical_path_job job;

static void add_lane(uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
    struct rv_lane *lane = rv_lanes_add(
        lanes, &(struct rv_lane_identity){.pid = 1, .tid = tid, .thread = tid - 1, .process_key = 1, .name = "thread"});
    rv_timeline_add(lane->timeline, &(struct rv_span){.start = from_ns, .end = to_ns, .id = WAITS_IN}, 1);
    lane->last_ns = to_ns;
}

/* The second thread holds the lock until 600; the first one, which waits for it from 300 on, runs from 650 to 1000. */
static void begin(void)
{
    lanes = rv_lanes_create();
    waits = rv_waits_create(lanes, 0);
    add_lane(1, 0, 1000);
    add_lane(2, 100, 700);
    rv_waits_add(waits, &(struct rv_wait){.start_ns = 300,
                                          .end_ns = 650,
                                          .woke_ns = 600,
                                          .lane = 0,
                                          .object = LOCK,
                                          .call = WAITS_IN,
                                          .waker = 2,
                                          .kind = RV_WAIT_MUTEX,
                                          .wake = RV_WAKE_EXACT});
    rv_waits_add_release(waits, &(struct rv_release){.at_ns = 600, .lane = 1, .object = LOCK, .call = HOLDS_IN});
}

static void finish(void)
{
    rv_critical_path_job_stop(&job);
    rv_waits_destroy(waits);
    rv_lanes_destroy(lanes);
}

TestSuite(critical_path_job, .init = begin, .fini = finish, .timeout = 60);

static const struct rv_critical_path_found *find(struct rv_critical_path_request request)
{
    rv_critical_path_job_start(&job, lanes, waits, &request);
    rv_critical_path_job_wait(&job);
    return rv_critical_path_job_found(&job);
}

Test(critical_path_job, a_call_that_waited_depended_on_who_held_the_lock)
{
    const struct rv_critical_path_found *found =
        find((struct rv_critical_path_request){.lane_idx = 0, .call = ASKED, .from_ns = 200, .to_ns = 900});
    cr_assert_not_null(found);
    cr_assert_eq(found->path->n, 3);
    cr_expect_eq(found->path->steps[0].thread, 1);
    cr_expect_eq(found->path->steps[0].from_ns, 200);
    cr_expect_eq(found->n_ns, 700);
    cr_expect_eq(found->n_waits, 1);
    cr_expect_eq(found->run_ns, 650);
    cr_expect_eq(found->woken_ns, 50);
    cr_expect_eq(found->wait_ns, 0);
    cr_assert_eq(found->n_parts, 3);
    cr_expect_eq(found->parts[0].lane_idx, 1);
    cr_expect_eq(found->parts[0].n_ns, 400);
    cr_expect_eq(found->parts[0].object, LOCK);
    cr_expect_eq(found->parts[0].call, HOLDS_IN);
    cr_expect_eq(found->parts[1].lane_idx, 0);
    cr_expect_eq(found->parts[1].call, ASKED);
    cr_expect_eq(found->parts[2].kind, RV_CRITICAL_PATH_WAKE);
}

Test(critical_path_job, who_started_the_holder_did_not_end_the_wait)
{
    const struct rv_critical_path_found *found =
        find((struct rv_critical_path_request){.lane_idx = RV_CRITICAL_PATH_LAST, .from_ns = 0, .to_ns = 2000});
    cr_assert_eq(found->n_ns, 1000);
    for (size_t i = 0; i < found->n_parts; i++)
        if (found->parts[i].lane_idx == 0 && found->parts[i].kind == RV_CRITICAL_PATH_RUN) {
            cr_expect_eq(found->parts[i].n_ns, 100 + 350);
            cr_expect_not(found->parts[i].has_wait);
        }
}

/* The third thread waited from 150 to 260 for the second one, and ended a wait of the first one. */
Test(critical_path_job, a_thread_whose_calls_are_left_out_has_its_part)
{
    rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = 3, .thread = 2, .process_key = 1, .name = "bare"});
    rv_waits_add(waits, &(struct rv_wait){.start_ns = 150,
                                          .end_ns = 260,
                                          .woke_ns = 240,
                                          .lane = 2,
                                          .object = LOCK,
                                          .waker = 2,
                                          .kind = RV_WAIT_MUTEX,
                                          .wake = RV_WAKE_EXACT});
    rv_waits_add(waits, &(struct rv_wait){.start_ns = 700,
                                          .end_ns = 900,
                                          .woke_ns = 900,
                                          .lane = 0,
                                          .waker = 3,
                                          .kind = RV_WAIT_JOIN,
                                          .wake = RV_WAKE_EXACT});
    const struct rv_critical_path_found *found =
        find((struct rv_critical_path_request){.lane_idx = 0, .call = ASKED, .from_ns = 200, .to_ns = 1000});
    cr_assert_eq(found->n_ns, 800);
    cr_assert_eq(found->path->n, 4);
    cr_expect_eq(found->path->steps[0].thread, 1);
    cr_expect_eq(found->path->steps[1].kind, RV_CRITICAL_PATH_WAKE);
    cr_expect_eq(found->path->steps[2].thread, 2);
    cr_expect_eq(found->path->steps[2].from_ns, 260);
    cr_expect_eq(found->path->steps[2].to_ns, 900);
}

Test(critical_path_job, nothing_is_found_of_a_time_before_all)
{
    rv_critical_path_job_stop(&job);
    cr_expect_null(rv_critical_path_job_found(&job));
    const struct rv_critical_path_found *found =
        find((struct rv_critical_path_request){.lane_idx = RV_CRITICAL_PATH_LAST, .from_ns = 0, .to_ns = 0});
    cr_assert_not_null(found);
    cr_expect_null(found->path);
}
