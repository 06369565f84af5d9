#include "export/diff_times.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/vec.h"

struct rv_diff_times {
    pthread_mutex_t lock; /* covers all below */
    struct rv_stats *stats;
    struct rv_diff_variance *variance;
    struct rv_stats_lane **lanes; /* by lane */
    size_t n_lanes;
};

struct rv_diff_times *rv_diff_times_create(void)
{
    struct rv_diff_times *times = rv_alloc(1, sizeof *times);
    pthread_mutex_init(&times->lock, NULL);
    times->stats = rv_stats_create();
    times->variance = rv_diff_variance_create();
    return times;
}

void rv_diff_times_destroy(struct rv_diff_times *times)
{
    if (!times)
        return;
    for (size_t i = 0; i < times->n_lanes; i++)
        rv_stats_lane_destroy(times->lanes[i]);
    free(times->lanes);
    rv_diff_variance_destroy(times->variance);
    rv_stats_destroy(times->stats);
    pthread_mutex_destroy(&times->lock);
    free(times);
}

static struct rv_stats_lane *find_lane(struct rv_diff_times *times, uint32_t lane_idx)
{
    if (lane_idx >= times->n_lanes)
        times->lanes =
            rv_vec_extend(times->lanes, &times->n_lanes, (size_t)lane_idx + 1, sizeof(struct rv_stats_lane *));
    if (!times->lanes[lane_idx])
        times->lanes[lane_idx] = rv_stats_lane_create();
    return times->lanes[lane_idx];
}

static void add_spans(void *context, const struct rv_lane *lane, const struct rv_span *spans, size_t n)
{
    struct rv_diff_times *times = context;
    pthread_mutex_lock(&times->lock);
    struct rv_stats_lane *its = find_lane(times, lane->idx);
    for (size_t i = 0; i < n; i++) {
        uint64_t time_ns[RV_DIFF_VARIANCE_TIMES] = {[RV_DIFF_VARIANCE_WHOLE] = spans[i].end - spans[i].start};
        if (!rv_stats_lane_own(its, &spans[i], &time_ns[RV_DIFF_VARIANCE_OWN]))
            continue;
        rv_stats_add_call(times->stats, spans[i].id,
                          &(struct rv_stats_call){.duration_ns = time_ns[RV_DIFF_VARIANCE_OWN]});
        rv_diff_variance_add(times->variance, spans[i].id, spans[i].end, time_ns);
    }
    pthread_mutex_unlock(&times->lock);
}

struct rv_sink rv_diff_times_sink(struct rv_diff_times *times)
{
    return (struct rv_sink){.context = times, .spans = add_spans};
}

const struct rv_stats *rv_diff_times_stats(const struct rv_diff_times *times)
{
    return times->stats;
}

const struct rv_diff_variance *rv_diff_times_variance(const struct rv_diff_times *times)
{
    return times->variance;
}
