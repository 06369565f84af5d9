/*
 * The sample of a range, handed over while all of the range is measured: it equals the one that a single thread measures,
 * may be read while the job runs on and after it was stopped, and the complete result is there in the end.
 */
#include <sched.h>
#include <stdio.h>

#include "query/range_job.h"

#ifdef __SANITIZE_THREAD__
enum { N_ROUNDS = 12 };
#else
enum { N_ROUNDS = 24 };
#endif
enum { N_LANES = 4, N_CALLS = 40000, N_IDS = 30, N_SAMPLED = 8000, CALLS_PER_PART = 900 };

enum fate { READ_WHILE_IT_RUNS, STOP_AND_READ, TAKE_AT_THE_END, NEVER_TAKE, FATES };

static void add_calls(struct rv_lane *lane)
{
    for (uint32_t i = 0; i < N_CALLS / 2; i++) {
        const uint64_t at_ns = 1000 + i * 100;
        const uint32_t id = (i * 7 + lane->idx) % (N_IDS - 2) + 1;
        const struct rv_span spans[] = {{.start = at_ns + 10, .end = at_ns + 30 + i % 7, .id = id + 1, .depth = 1},
                                        {.start = at_ns, .end = at_ns + 60 + i % 30, .id = id, .depth = 0}};
        rv_timeline_add(lane->timeline, spans, 2);
        lane->last_ns = at_ns + 95;
    }
}

static bool are_equal(const struct rv_stats_row *a, size_t n_a, const struct rv_range_statistics *range)
{
    struct rv_stats_row b[N_IDS];
    bool are = n_a > 0 && rv_stats_rows(rv_range_statistics_stats(range), b, N_IDS) == n_a;
    for (size_t i = 0; i < n_a && are; i++)
        are = a[i].id == b[i].id && a[i].n_calls == b[i].n_calls && a[i].total_ns == b[i].total_ns &&
              a[i].self_ns == b[i].self_ns && a[i].max_ns == b[i].max_ns;
    return are;
}

static struct rv_range_statistics *measure(struct rv_range_statistics_params params, uint64_t n_sampled)
{
    params.n_calls_sampled = n_sampled;
    struct rv_range_statistics *range = rv_range_statistics_create(&params);
    rv_range_statistics_measure(range);
    return range;
}

static struct rv_range_result await_sample(struct rv_range_job *job)
{
    struct rv_range_result sample;
    while (!(sample = rv_range_job_take_sample(job)).range && !rv_range_job_is_done(job)) {
        (void)rv_range_job_poll(job);
        sched_yield();
    }
    return sample.range ? sample : rv_range_job_take_sample(job);
}

/* Returns whether what the job gave was right. */
static bool run(const struct rv_range_statistics_params *params, const struct rv_range_statistics *all,
                const struct rv_range_statistics *few, enum fate fate)
{
    struct rv_range_job job = {.n_calls_sampled = N_SAMPLED};
    struct rv_range_result sample = {0};
    bool is_right = true;
    rv_range_job_start(&job, params, NULL);
    if (fate == READ_WHILE_IT_RUNS || fate == STOP_AND_READ)
        sample = await_sample(&job);
    if (fate == STOP_AND_READ) {
        rv_range_job_stop(&job);
    } else {
        is_right = !sample.range || are_equal(sample.rows, sample.n_rows, few);
        rv_range_job_wait(&job);
        is_right = is_right && are_equal(job.rows, job.n_rows, all);
    }
    if (fate == TAKE_AT_THE_END)
        sample = rv_range_job_take_sample(&job);
    if (fate != NEVER_TAKE)
        is_right = is_right && sample.range && are_equal(sample.rows, sample.n_rows, few) &&
                   !rv_range_job_take_sample(&job).range;
    rv_range_job_stop(&job);
    rv_range_result_fini(&sample);
    return is_right;
}

int main(void)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_subroutines *subroutines = rv_subroutines_create();
    for (uint32_t i = 0; i < N_LANES; i++)
        add_calls(rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = i + 1, .thread = i}));
    const struct rv_range_statistics_params params = {
        .to_ns = UINT64_MAX, .lanes = lanes, .subroutines = subroutines, .calls_per_part = CALLS_PER_PART};
    struct rv_range_statistics *all = measure(params, 0), *few = measure(params, N_SAMPLED);
    unsigned n_wrong = 0;
    for (unsigned i = 0; i < N_ROUNDS; i++)
        n_wrong += !run(&params, all, few, i % FATES);
    rv_range_statistics_destroy(few);
    rv_range_statistics_destroy(all);
    rv_subroutines_destroy(subroutines);
    rv_lanes_destroy(lanes);
    if (n_wrong)
        fprintf(stderr, "%u of %d rounds were wrong\n", n_wrong, N_ROUNDS);
    return n_wrong != 0;
}
