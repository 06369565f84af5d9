/*
 * A sink: a receiver of captured data besides the model: a recording, an export, the table of all calls.
 *
 *   callback                          thread
 *   begin                             the one that starts the session, before any other
 *   open                              the drain thread, in order of opening; before all else of the stream
 *   rename, account, opening, events, a worker; for one stream one call at a time, in the stream's order; streams side
 *   spans, close                      by side on several workers
 *   define                            the drain or the naming thread; at any time between begin and end
 *   silent, outside, end              the naming thread; once, after everything else
 *
 * A slow sink holds up the workers, these the drain, that fills the rings: then the policy decides. Any callback may be
 * NULL. Times are ns: span times are the trace's own, event times lack the origin_ns given to begin(), usually 0.
 */
#ifndef RV_SINK_SINK_H
#define RV_SINK_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "model/lanes.h"
#include "model/stats.h"
#include "scan/span.h"
#include "stream/silent_threads.h"
#include "stream/stream_info.h"

struct rv_sink {
    void *context; /* the first argument of every callback */
    void (*begin)(void *context, uint64_t origin_ns);

    /* A stream begins. `stream` is its number: from 0 in order of opening, never reused;
     * info and its strings are borrowed for the call. */
    void (*open)(void *context, uint32_t stream, const struct rv_stream_info *info);
    void (*rename)(void *context, uint32_t stream, const char *thread_name);

    /* The stream's counts so far, when more was dropped. */
    void (*account)(void *context, uint32_t stream, const struct rv_stream_account *account);

    /* Normalized events, as the scan sees them: kinds known, ids defined sooner or later, times never falling but in
     * SYNC. Borrowed for the call. */
    void (*events)(void *context, uint32_t stream, const struct rv_event *events, size_t n);

    /* Frames open at the stream's beginning (stream/stack_preamble.h), before its events and not counted as such. */
    void (*preamble)(void *context, uint32_t stream, const struct rv_event *events, size_t n);

    /* Finished calls of one lane in closing order, after the events that closed them. Borrowed for the call. */
    void (*spans)(void *context, const struct rv_lane *lane, const struct rv_span *spans, size_t n);

    /* The stream's last call: calls open at end_ns were given as spans; the account is final. */
    void (*close)(void *context, uint32_t stream, uint64_t end_ns, const struct rv_stream_account *account);

    /* Definitions of ids. Later definitions of an id replace earlier ones. Borrowed for the call. */
    void (*define)(void *context, const struct rv_definition *definitions, size_t n);

    /* Threads without a stream, right before end, where there are any. Borrowed for the call. */
    void (*silent)(void *context, const struct rv_silent_threads *silent);

    /* Names of threads that are not traced and woke such as are, likewise. */
    void (*outside)(void *context, const struct rv_outside_thread *threads, size_t n);

    /* totals: statistics of all calls of the session within its depth limit. Borrowed for the call. */
    void (*end)(void *context, const struct rv_stats *totals);
};

#endif
