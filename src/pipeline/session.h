/*
 * A session: the threads that move one source's events into the model (src/README.md, "Threads"). No GL, no SDL.
 *
 * Batches of all streams go through one bounded queue; any worker scans any block; blocks of a stream are joined in
 * stream order by whichever worker finds the next one ready.
 */
#ifndef RV_PIPELINE_SESSION_H
#define RV_PIPELINE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lanes.h"
#include "model/stats.h"
#include "model/subroutines.h"
#include "tasks/flows.h"
#include "waits/waits.h"
#include "pipeline/session_params.h"
#include "pipeline/span_reader.h"
#include "source/source.h"

struct rv_session; /* opaque */

/* Takes ownership of the source. Never NULL. */
struct rv_session *rv_session_start(const struct rv_session_params *params, struct rv_source *source);

/* True when the source has ended, or delivered its summary, and everything it gave is in the model. */
bool rv_session_is_done(struct rv_session *session);

/* Wait for that, at most timeout_ns. Returns rv_session_is_done(). */
bool rv_session_wait(struct rv_session *session, uint64_t timeout_ns);

/*
 * Ask the source to end now; rv_session_wait() then waits for the rest. Events that it has delivered, and a history,
 * are still processed. Idempotent, async-signal-safe.
 */
void rv_session_stop(struct rv_session *session);
void rv_session_destroy(struct rv_session *session); /* leaves what a stuck history uses */

/* When done: 0, or a negative errno, already printed, that ended the source early (too many open calls, too). */
int rv_session_error(struct rv_session *session);

/* What the session fills, valid until destroy. */
struct rv_lanes *rv_session_lanes(struct rv_session *session);
struct rv_subroutines *rv_session_subroutines(struct rv_session *session);
struct rv_waits *rv_session_waits(struct rv_session *session);         /* with keeps_waits; else NULL */
uint64_t rv_session_most_fold_bytes(const struct rv_session *session); /* of its recording, in memory */
bool rv_session_lacks_flows(
    const struct rv_session *session); /* it is a recording that is read by its index: that has none */
bool rv_session_lacks_waits(const struct rv_session *session); /* it is a recording whose index has none */
struct rv_flows *rv_session_flows(struct rv_session *session); /* with keeps_flows; else NULL */

/*
 * A window is viewed at a level of detail (rv_view.level): request the pages that it lacks, in a recording opened by
 * its index. Replaces the previous request.
 *   returns  number of pages still to be loaded
 */
size_t rv_session_want(struct rv_session *session, uint64_t from_ns, uint64_t to_ns, uint32_t level);

/* Another source of the events so far; NULL: there is none. Main thread. */
struct rv_source *rv_session_reopen(struct rv_session *session);
bool rv_session_can_reopen(const struct rv_session *session);

/* Are all blocks listed (with a history, those so far), so that all calls can be read? */
bool rv_session_can_read(struct rv_session *session);

/* All calls in order, of the lanes and of blocks that are not loaded; session NULL = of lanes alone. */
struct rv_span_reader *rv_session_read(struct rv_session *session, const struct rv_span_reader_params *params);

/* All calls of a lane in pieces of its time: see rv_piece_reader_read(). */
struct rv_piece_reader_params;
bool rv_session_read_pieces(struct rv_session *session, const struct rv_piece_reader_params *params);

/* Sums of critical paths that the index of a recording has: take gets each with its lane, those of a lane in order of
 * time. */
struct rv_fold_summary;
struct rv_lane;
void rv_session_read_folds(struct rv_session *session, uint64_t from_ns, uint64_t to_ns,
                           void (*take)(void *taker, const struct rv_lane *lane, const struct rv_fold_summary *fold),
                           void *taker);

/* Bytes for parts of ranges that were measured; session NULL = without a limit of memory. */
uint64_t rv_session_range_bytes(const struct rv_session *session);

/* Merged statistics so far; the caller destroys them. Any thread. */
struct rv_stats *rv_session_stats(struct rv_session *session);

/* rv_stats_at_most() over all calls so far, without merging: microseconds. Any thread. */
uint64_t rv_session_calls_at_most(struct rv_session *session, uint32_t id, uint64_t duration_ns, uint64_t *n_calls);

/* Accounts of all streams, and the cumulative CPU time of each stage: the drain's, and with times_stages the
 * others'. */
struct rv_session_counts {
    uint64_t n_produced, n_consumed, n_dropped; /* events of the program; exact when done */
    uint64_t n_switches;                        /* by the kernel's scheduler */
    uint64_t n_spans, n_batches;
    uint64_t drain_ns, scan_ns, carry_ns, timeline_ns, stats_ns;
    uint64_t n_cut, n_orphans, n_doubtful;
    uint64_t n_pages; /* pages loaded on demand; grows also when ones that were awaited can be, or none can any more */
    uint64_t history_bytes; /* memory of the history's list of blocks */
    size_t n_history_streams;
    bool has_lost_history; /* it was given up */
};
void rv_session_losses(struct rv_session *session, struct rv_losses *losses); /* when done: dropped events, and more */
/* When done: threads without a lane, for rv_silent_threads_fini(). */
void rv_session_silent(const struct rv_session *session, struct rv_silent_threads *silent);
void rv_session_counts(struct rv_session *session, struct rv_session_counts *counts);

#endif
