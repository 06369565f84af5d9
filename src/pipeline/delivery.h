/*
 * Delivers the calls of scanned blocks to lanes, statistics and sinks, in stream order: a block is applied to the carry
 * (scan/block_join), which completes calls. Runs on the worker that joins the stream; all other state is that worker's
 * own.
 */
#ifndef RV_PIPELINE_DELIVERY_H
#define RV_PIPELINE_DELIVERY_H

#include <stdatomic.h>

#include "pipeline/pending_page.h"
#include "pipeline/placed_spans.h"
#include "pipeline/session_params.h"
#include "pipeline/stream.h"

/* What a worker has done so far; times are CPU time. */
struct rv_delivery_counts {
    uint64_t n_spans, n_switches, scan_ns, carry_ns, timeline_ns, stats_ns;
};

struct rv_delivery {
    /* shared, constant */
    const struct rv_session_params *params;
    uint64_t origin_ns;       /* event times + origin_ns = trace times */
    _Atomic uint64_t *n_open; /* open calls of all streams */
    struct rv_subroutines *subroutines;
    struct rv_waits *waits; /* of all streams; NULL: not kept */
    struct rv_flows *flows; /* likewise */
    /* of this worker */
    pthread_mutex_t lock; /* protects stats and counts from readers */
    struct rv_stats *stats;
    uint64_t n_named; /* definitions of subroutines that the statistics know */
    struct rv_delivery_counts counts;
    uint64_t scan_ns; /* of the last scan, counted with its join */
    struct rv_placed_spans spans;
    uint64_t *open_start;
    size_t open_start_capacity;
    size_t *waiting; /* scratch of rv_moments_find_calls() */
    size_t waiting_capacity;
    struct rv_state_times_sums stretches; /* of a track, scratch */
};

/* The worker's CPU time, if stages are timed; else 0. */
uint64_t rv_delivery_cpu_ns(const struct rv_delivery *delivery);

/* Count switches, which are events of a stream but not of the program. */
void rv_delivery_count_switches(struct rv_delivery *delivery, uint64_t n);

/* Join one job to those before it, in stream order. Returns the number of spans added to lanes. */
size_t rv_delivery_join(struct rv_delivery *delivery, struct rv_stream *stream, struct rv_job *job);

/* The same of a page: only its calls are needed, everything else was in the summary. */
void rv_delivery_join_page(struct rv_delivery *delivery, struct rv_pending_page *page, struct rv_job *job);

/* Give the statistics the names that have come. Under the lock. */
void rv_delivery_learn_names(struct rv_delivery *delivery);

void rv_delivery_fini(struct rv_delivery *delivery);

#endif
