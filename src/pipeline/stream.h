/* A stream on its way into the model: its jobs, its stacks, and in a recording opened by its index its blocks. */
#ifndef RV_PIPELINE_STREAM_H
#define RV_PIPELINE_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "pipeline/block_list.h"
#include "pipeline/job_order.h"
#include "pipeline/tracks.h"
#include "source/source.h"
#include "stream/stack_preamble.h"

struct rv_stream {
    struct rv_job_order jobs; /* first */
    /* set at creation */
    struct rv_lane_identity identity;
    char name[RV_LANE_NAME_BYTES], process_name[RV_LANE_NAME_BYTES];
    char given_name[RV_LANE_NAME_BYTES]; /* the thread's own name, may be "": given to sinks */
    struct rv_stream_info info;          /* its strings point to those above */
    uint32_t number;                     /* from 0 in order of opening */
    struct rv_lanes *lanes;
    /* under lock */
    pthread_mutex_t lock;
    struct rv_stream_account account;
    char new_name[RV_LANE_NAME_BYTES]; /* for the joiner to give to the lanes; "" = none */
    /* joiner only */
    uint64_t n_dropped_told; /* last count given to sinks */
    struct rv_tracks tracks;
    uint64_t n_open;     /* its share of the session's open calls */
    uint64_t noted_ns;   /* time of the last event whose notes were added */
    bool has_open_loss;  /* the last event was a loss, which lasts until the next event */
    uint32_t last_call;  /* subroutine of the last call or return; 0: none */
    bool has_task;       /* a task is current, its id is `task` */
    bool has_high;       /* the next step's id has the upper bits `high` */
    uint32_t task_stack; /* the stack on which the task is current */
    uint64_t task, high;
    struct rv_stack_preamble preamble;
    /* summarized: under the lock of rv_page_loader */
    struct rv_block_list blocks;
    uint32_t sums_level;
    bool is_summed;                    /* the page loader has it in its list */
    bool is_followed;                  /* of a session's own recording: its lanes are those of the live stream */
    bool has_used_pages;               /* since it was last out of view */
    struct rv_stream *next, *previous; /* the stream table's lists */
};

/* A stream is created once and reused for one thread after the other, between begin and end. */
struct rv_stream *rv_stream_create(size_t n_jobs);
void rv_stream_destroy(struct rv_stream *stream);

/* Creates its first lane, so that lanes are in order of their threads' appearance. */
void rv_stream_begin(struct rv_stream *stream, struct rv_lanes *lanes, const struct rv_stream_info *info,
                     uint32_t number);

/*
 * The stream of the session's own recording that has this number: it has the lanes of the live one, and no jobs.
 *   first_block  number of its first block
 */
void rv_stream_begin_followed(struct rv_stream *stream, struct rv_lanes *lanes, uint32_t number, size_t first_block);

/* Free the state of a running stream. After its last job, by its last joiner, or when no worker runs. */
void rv_stream_end(struct rv_stream *stream);

/* The thread has a new name: its lanes get it with the next block. Any thread. */
void rv_stream_rename(struct rv_stream *stream, const char *name);

/* Put a new name on the lanes; true when there was one. Joiner only. */
bool rv_stream_apply_name(struct rv_stream *stream);

/* The index of a stack's track; the first if the stream lacks the stack. */
size_t rv_stream_find_track(const struct rv_stream *stream, uint32_t stack);

#endif
