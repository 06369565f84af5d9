#include "query/range_job.h"

#include <criterion/criterion.h>

enum { N_CALLS = 20000, CALLS_PER_PART = 1000 };

static struct rv_lanes *lanes;
static struct rv_subroutines *subroutines;
static struct rv_range_job job;

static void begin(void)
{
    job = (struct rv_range_job){0};
    lanes = rv_lanes_create();
    subroutines = rv_subroutines_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.name = "main"});
    for (uint64_t i = 1; i <= N_CALLS; i++)
        rv_timeline_add(lane->timeline, &(struct rv_span){.start = 1000 * i, .end = 1000 * i + 900, .id = 1}, 1);
    lane->last_ns = 1000 * N_CALLS + 900;
}

static void finish(void)
{
    rv_range_job_stop(&job);
    rv_subroutines_destroy(subroutines);
    rv_lanes_destroy(lanes);
}

TestSuite(range_job, .init = begin, .fini = finish, .timeout = 60);

static void start(uint64_t n_calls_sampled)
{
    job.n_calls_sampled = n_calls_sampled;
    rv_range_job_start(
        &job,
        &(struct rv_range_statistics_params){
            .to_ns = UINT64_MAX, .lanes = lanes, .subroutines = subroutines, .calls_per_part = CALLS_PER_PART},
        NULL);
}

Test(range_job, a_sample_comes_before_all_and_is_the_callers_once_taken)
{
    start(N_CALLS / 10);
    rv_range_job_wait(&job);
    struct rv_range_result sample = rv_range_job_take_sample(&job);
    cr_assert_not_null(sample.range);
    cr_assert_null(rv_range_job_take_sample(&job).range, "it was taken");
    cr_assert_eq(sample.n_rows, 1);
    cr_assert(sample.rows[0].n_calls > N_CALLS / 20 && sample.rows[0].n_calls < N_CALLS / 5);
    cr_assert_eq(job.n_rows, 1);
    cr_assert_eq(job.rows[0].n_calls, N_CALLS);
    rv_range_job_stop(&job);
    cr_assert_eq(rv_range_statistics_self_ns(sample.range), sample.rows[0].self_ns, "it outlives the job's work");
    rv_range_result_fini(&sample);
    cr_assert_null(sample.range);
}

Test(range_job, there_is_no_sample_that_is_a_large_part_of_all)
{
    start(N_CALLS / 2);
    rv_range_job_wait(&job);
    cr_assert_null(rv_range_job_take_sample(&job).range);
    cr_assert_eq(job.rows[0].n_calls, N_CALLS);
    start(0);
    rv_range_job_wait(&job);
    cr_assert_null(rv_range_job_take_sample(&job).range);
}

Test(range_job, it_can_be_stopped_and_started_at_any_time)
{
    for (int i = 0; i < 50; i++) {
        start(N_CALLS / 10);
        struct rv_range_result sample = rv_range_job_take_sample(&job);
        if (i % 2)
            rv_range_job_stop(&job);
        rv_range_result_fini(&sample);
    }
    rv_range_job_wait(&job);
    cr_assert(!job.n_rows || job.rows[0].n_calls == N_CALLS);
}
