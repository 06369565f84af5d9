/*
 * Where a lane has only folds of the short callees of a call, they are read from blocks, merged with the calls of the
 * lane, latest end first. In a timeline of their own they have all levels of detail.
 */
#include "query/call_rows_job.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/timeline_query.h"
#include "pipeline/lane_reader.h"

#define MOST_READ (2u << 20) /* callees that are read for all rows */
#define ROW_READ (1u << 17)  /* and for one */
#define PIECE 4096u
#define LEVEL_BOXES 8192u /* that the depth of a row is found by */

struct reading { /* the callees of one call */
    const struct rv_call_rows_job *job;
    const struct rv_call *call;
    struct rv_lane_reader calls;
    struct rv_span *spans; /* latest end first */
    size_t n, capacity, most;
    struct rv_box piece[PIECE];
};

static void keep(struct reading *reading, size_t n)
{
    const struct rv_call *call = reading->call;
    reading->spans = rv_vec_reserve(reading->spans, &reading->capacity, reading->n + n, sizeof *reading->spans);
    for (size_t i = 0; i < n; i++) {
        const struct rv_box *box = &reading->piece[i];
        if (box->depth > call->depth && box->start_ns >= call->start_ns && rv_box_end_ns(box) <= rv_call_end_ns(call))
            reading->spans[reading->n++] = (struct rv_span){.start = box->start_ns,
                                                            .end = rv_box_end_ns(box),
                                                            .id = box->id,
                                                            .depth = box->depth,
                                                            .flags = box->flags};
    }
}

/* False: too many, damaged, or not wanted any more. */
static bool read_all(struct reading *reading)
{
    bool has_more = true;
    while (has_more && rv_job_thread_is_wanted(&reading->job->thread) && reading->n <= reading->most &&
           !reading->calls.is_damaged) {
        size_t n;
        has_more = rv_lane_reader_next(&reading->calls, RV_JOB_THREAD_WAIT_NS, reading->piece, PIECE, &n);
        keep(reading, n);
    }
    return !has_more;
}

static struct rv_timeline *make_timeline(struct reading *reading)
{
    struct rv_timeline *timeline = rv_timeline_create();
    for (size_t i = 0, j = reading->n; i + 1 < j; i++) {
        const struct rv_span span = reading->spans[i];
        reading->spans[i] = reading->spans[--j];
        reading->spans[j] = span;
    }
    rv_timeline_add(timeline, reading->spans, reading->n);
    rv_timeline_end(timeline);
    return timeline;
}

/* Read the callees that the lane has not, if they are not too many. Returns their number. */
static size_t read_callees(const struct rv_call_rows_job *job, struct rv_call_row *row, struct reading *reading,
                           size_t most)
{
    const uint64_t from_ns = row->call.start_ns, to_ns = rv_call_end_ns(&row->call);
    reading->job = job;
    reading->call = &row->call;
    reading->most = most < ROW_READ ? most : ROW_READ;
    reading->n = 0;
    rv_lane_reader_open(&reading->calls,
                        &(struct rv_lane_reader_params){.session = job->session,
                                                        .lane = rv_lanes_get(job->lanes, row->call.lane_idx),
                                                        .from_ns = from_ns,
                                                        .to_ns = to_ns > from_ns ? to_ns : from_ns + 1});
    const bool is_lacking = rv_lane_reader_has_blocks(&reading->calls);
    if (is_lacking && read_all(reading))
        row->callees = make_timeline(reading);
    else if (is_lacking)
        job->rows->n_coarse++;
    rv_lane_reader_close(&reading->calls);
    return reading->n;
}

static uint32_t deepest(const struct rv_timeline *timeline, const struct rv_call *call, struct rv_box *boxes)
{
    const uint64_t from_ns = call->start_ns,
                   to_ns = rv_call_end_ns(call) > from_ns ? rv_call_end_ns(call) : from_ns + 1;
    uint32_t level = 0, depth = call->depth;
    while (level + 1 < RV_TIMELINE_LEVELS && rv_timeline_query_count(timeline, from_ns, to_ns, level) > LEVEL_BOXES)
        level++;
    const size_t n = rv_timeline_query_boxes(timeline, from_ns, to_ns, level, boxes, LEVEL_BOXES);
    for (size_t i = 0; i < n; i++)
        if (boxes[i].depth > depth && boxes[i].start_ns < to_ns && rv_box_end_ns(&boxes[i]) > from_ns)
            depth = boxes[i].depth;
    return depth;
}

static void find_levels(const struct rv_call_rows_job *job, struct rv_call_row *row, struct rv_box *boxes)
{
    struct rv_lane *lane = rv_lanes_get(job->lanes, row->call.lane_idx);
    pthread_rwlock_wrlock(&lane->lock);
    uint32_t depth = deepest(row->callees ? row->callees : lane->timeline, &row->call, boxes);
    if (row->call.flags & RV_SPAN_OPEN && lane->n_open && lane->open[lane->n_open - 1].depth > depth)
        depth = lane->open[lane->n_open - 1].depth;
    pthread_rwlock_unlock(&lane->lock);
    row->n_levels = depth - row->call.depth + 1;
}

static void work(void *context)
{
    struct rv_call_rows_job *job = context;
    struct reading *reading = rv_alloc(1, sizeof *reading);
    struct rv_box *boxes = rv_alloc_scratch(LEVEL_BOXES, sizeof *boxes);
    size_t n_read = 0;
    for (size_t i = 0; i < job->rows->n && rv_job_thread_is_wanted(&job->thread); i++) {
        n_read += read_callees(job, &job->rows->items[i], reading, MOST_READ > n_read ? MOST_READ - n_read : 0);
        find_levels(job, &job->rows->items[i], boxes);
        atomic_store_explicit(&job->n_done, i + 1, memory_order_relaxed);
    }
    free(boxes);
    free(reading->spans);
    free(reading);
}

void rv_call_rows_job_start(struct rv_call_rows_job *job, const struct rv_call_rows_job_params *params)
{
    rv_call_rows_job_stop(job);
    job->lanes = params->lanes;
    job->session = params->session;
    job->rows = rv_call_rows_take(params->list, params->id, params->is_by_time);
    atomic_store_explicit(&job->n_done, 0, memory_order_relaxed);
    rv_job_thread_start(&job->thread, work, job);
}

void rv_call_rows_job_stop(struct rv_call_rows_job *job)
{
    rv_job_thread_stop(&job->thread);
    rv_call_rows_release(job->rows);
    job->rows = NULL;
}

void rv_call_rows_job_wait(struct rv_call_rows_job *job)
{
    rv_job_thread_wait(&job->thread);
}

double rv_call_rows_job_progress(const struct rv_call_rows_job *job)
{
    const size_t n = job->rows ? job->rows->n : 0;
    return n ? (double)atomic_load_explicit(&job->n_done, memory_order_relaxed) / (double)n : 0.0;
}

bool rv_call_rows_job_poll(struct rv_call_rows_job *job)
{
    return job->rows && rv_job_thread_poll(&job->thread, (unsigned)(100.0 * rv_call_rows_job_progress(job)));
}

struct rv_call_rows *rv_call_rows_job_take(struct rv_call_rows_job *job)
{
    struct rv_call_rows *rows = job->thread.is_running ? NULL : job->rows;
    if (rows)
        job->rows = NULL;
    return rows;
}
