/* Steps from event to event compared with a list of all events. */
#include "query/step.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/vec.h"
#include "../model/spans.h"

static struct rv_lane *make_lane(struct rv_lanes *lanes, const struct rv_span *spans, size_t n,
                                 const struct spans *random)
{
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .process_key = 1});
    rv_timeline_add(lane->timeline, spans, n);
    lane->open = rv_vec_reserve(NULL, &lane->open_capacity, random->n_open + 1, sizeof *lane->open);
    for (uint32_t i = 0; i < random->n_open; i++)
        lane->open[i] = (struct rv_lane_frame){random->start[i], random->id[i], i};
    lane->n_open = random->n_open;
    return lane;
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Every time at which something happens, once. */
static size_t list_times(const struct rv_span *spans, size_t n, const struct spans *random, uint64_t *out)
{
    size_t n_times = 0, n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        out[n_times++] = spans[i].end;
        if (!(spans[i].flags & RV_SPAN_ORPHAN))
            out[n_times++] = spans[i].start;
    }
    for (uint32_t i = 0; i < random->n_open; i++)
        out[n_times++] = random->start[i];
    qsort(out, n_times, sizeof *out, by_time);
    for (size_t i = 0; i < n_times; i++)
        if (i == 0 || out[i] != out[n_kept - 1])
            out[n_kept++] = out[i];
    return n_kept;
}

static void check_between(const struct rv_lane *lane, const uint64_t *times, size_t n, size_t i)
{
    uint64_t ns, inside_ns = times[i - 1] + (times[i] - times[i - 1]) / 2;
    cr_assert(rv_step_next(lane, inside_ns, &ns));
    cr_assert_eq(ns, times[i]);
    cr_assert(rv_step_next(lane, times[i - 1], &ns));
    cr_assert_eq(ns, times[i], "after %lu: %lu, %lu wanted", (unsigned long)times[i - 1], (unsigned long)ns,
                 (unsigned long)times[i]);
    cr_assert(rv_step_previous(lane, times[i], &ns));
    cr_assert_eq(ns, times[i - 1], "before %lu: %lu, %lu wanted", (unsigned long)times[i], (unsigned long)ns,
                 (unsigned long)times[i - 1]);
    cr_assert_eq(rv_step_next(lane, times[i], &ns), i + 1 < n);
}

static const size_t SHAPES[][3] = {{1, 1, 8},        {3000, 12, 12}, {3000, 200, 10}, {2000, 6, 38},
                                   {2000, 4000, 14}, {500, 3, 44},   {3000, 2, 4}};

Test(step, each_event_leads_to_the_next_and_to_the_one_before, .timeout = 60)
{
    for (size_t shape = 0; shape < sizeof SHAPES / sizeof *SHAPES; shape++) {
        struct spans random;
        size_t n = SHAPES[shape][0];
        spans_init(&random, shape + 1, 20, (uint32_t)SHAPES[shape][1], (unsigned)SHAPES[shape][2]);
        struct rv_span *spans = rv_alloc(n, sizeof *spans);
        spans_make(&random, spans, n);
        for (size_t i = 100; i < n; i += 401)
            spans[i].flags |= RV_SPAN_ORPHAN;
        struct rv_lanes *lanes = rv_lanes_create();
        struct rv_lane *lane = make_lane(lanes, spans, n, &random);
        uint64_t *times = rv_alloc(2 * n + random.n_open, sizeof *times), ns;
        size_t n_times = list_times(spans, n, &random, times);
        for (size_t i = 1; i < n_times; i++)
            check_between(lane, times, n_times, i);
        cr_assert(!rv_step_previous(lane, times[0], &ns));
        cr_assert(rv_step_next(lane, 0, &ns));
        cr_assert_eq(ns, times[0]);
        cr_assert(!rv_step_next(lane, times[n_times - 1], &ns));
        cr_assert(rv_step_previous(lane, UINT64_MAX, &ns));
        cr_assert_eq(ns, times[n_times - 1]);
        free(times);
        free(spans);
        rv_lanes_destroy(lanes);
        spans_fini(&random);
    }
}

Test(step, time_may_begin_at_zero, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .process_key = 1});
    uint64_t ns = 1;
    cr_assert(!rv_step_next(lane, 0, &ns));
    cr_assert(!rv_step_previous(lane, UINT64_MAX, &ns));
    rv_timeline_add(lane->timeline, &(struct rv_span){.start = 0, .end = 5}, 1);
    cr_assert(rv_step_previous(lane, 5, &ns));
    cr_assert_eq(ns, 0);
    cr_assert(!rv_step_previous(lane, 0, &ns));
    rv_lanes_destroy(lanes);
}
