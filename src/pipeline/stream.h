/*
 * A stream on its way into the model: workers return its blocks in any order; they are merged in stream order by
 * whichever worker finds the next one ready.
 */
#ifndef RV_PIPELINE_STREAM_H
#define RV_PIPELINE_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "flow/stack_preamble.h"
#include "model/lanes.h"
#include "model/stats.h"
#include "pipeline/batch_pool.h"
#include "scan/carry.h"
#include "source/source.h"

/* One stack of a stream: a lane with its statistics' state. */
struct rv_track {
    uint32_t stack;
    struct rv_lane *lane;
    struct rv_stats_lane *stats;
    size_t first, n; /* scratch of one merge: its spans in the worker's buffer */
    /* of a page */
    struct rv_timeline *page;
};

struct rv_stream {
    /* set at creation */
    struct rv_lane_identity identity;
    char name[RV_LANE_NAME_BYTES], process_name[RV_LANE_NAME_BYTES];
    char given_name[RV_LANE_NAME_BYTES]; /* the thread's own name, may be "": given to sinks */
    struct rv_stream_info info;          /* its strings point to those above */
    uint32_t number;                     /* from 0 in order of opening */
    /* drain thread */
    uint64_t n_submitted;
    uint32_t exit_stack; /* stack selected after the last batch submitted */
    /* under lock: jobs that wait for their turn */
    pthread_mutex_t lock;
    struct rv_job **ready; /* by sequence mod n_jobs */
    size_t n_jobs;
    uint64_t n_merged; /* also the sequence to merge next */
    bool is_merging;
    struct rv_stream_account account;
    char new_name[RV_LANE_NAME_BYTES]; /* for the merger to give to the lanes; "" = none */
    /* merger only */
    uint64_t n_dropped_told; /* last count given to sinks */
    struct rv_carry *carry;
    uint64_t n_open;      /* its share of the session's open calls */
    bool has_open_loss;   /* the last event was a loss, which lasts until the next event */
    uint32_t depth_shift; /* added to the carry's depths, so that its lowest base is 0 */
    struct rv_stack_preamble preamble;
    struct rv_track *tracks;
    size_t n_tracks, tracks_capacity;
    struct rv_hash_index by_stack; /* of the tracks: index + 1 */
    /* summarized: under the lock of rv_page_loader */
    struct rv_summed_block *blocks;
    size_t n_blocks, blocks_capacity;
    uint32_t sums_level;
    bool has_used_pages; /* since it was last out of view */
    /* a page: stream that this page is a block of; else NULL */
    struct rv_stream *whole;
    uint32_t block, level;             /* of detail */
    struct rv_span_reader_slot *slot;  /* of the requesting span reader; NULL: for the lanes */
    struct rv_stream *next, *previous; /* the stream table's lists */
};

/* A stream is created once and reused for one thread after the other, between begin and end. */
struct rv_stream *rv_stream_create(size_t n_jobs);
void rv_stream_destroy(struct rv_stream *stream);

/* Creates its first lane, so that lanes are in order of their threads' appearance. */
void rv_stream_begin(struct rv_stream *stream, struct rv_lanes *lanes, const struct rv_stream_info *info,
                     uint32_t number);

/* Begin a page: one block of a summarized stream; see pipeline/page_loader.h. */
void rv_stream_begin_page(struct rv_stream *page, const struct rv_page_request *request, uint32_t entry_stack);

/* Free the state of a running stream. After its last job, by the last merger, or when no worker runs. */
void rv_stream_end(struct rv_stream *stream);

/*
 * Store a scanned job.
 *   returns  true when the caller has become the merger: it then takes jobs until rv_stream_take() returns NULL
 */
bool rv_stream_put(struct rv_stream *stream, struct rv_job *job);

/* The next job in stream order, or NULL: the caller is no longer the merger. */
struct rv_job *rv_stream_take(struct rv_stream *stream);

/* The thread has a new name: its lanes get it at the next merge. Any thread. */
void rv_stream_rename(struct rv_stream *stream, const char *name);

/* Put a new name on the lanes; true when there was one. Merger. */
bool rv_stream_apply_name(struct rv_stream *stream);

/*
 * The track of a stack, with a new lane if needed; stacks beyond 65,536 share the first. A page's tracks have the lanes
 * of its stream. Merger.
 */
struct rv_track *rv_stream_track(struct rv_stream *stream, struct rv_lanes *lanes, uint32_t stack);

#endif
