/* What a session is to do with the events of its source. */
#ifndef RV_PIPELINE_SESSION_PARAMS_H
#define RV_PIPELINE_SESSION_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/block.h"
#include "sink/sink.h"

struct rv_history;
struct rv_source;

struct rv_session_params { /* zero = default */
    unsigned n_workers;    /* CPUs - 1, at least 1 */
    uint64_t
        memory_bytes; /* limit of resident memory, default a quarter of RAM, with a history a 32nd: lanes get what other
                         data leaves,
                                   at least a quarter; open calls may take an eighth, at least 2^21 calls */
    enum rv_scan_kernel kernel; /* with has_kernel; else the best */
    bool has_kernel;
    bool leaves_calls;           /* lanes keep no calls: only sinks and statistics get them */
    bool keeps_stretches;        /* lanes keep each stretch off the CPU, for exact times of single calls */
    bool keeps_notes;            /* lanes keep each note, 48 bytes, of many on disk */
    bool keeps_waits;            /* rv_session_waits() has them */
    bool keeps_flows;            /* rv_session_flows() has them */
    bool joins_lines;            /* rv_subroutines_join_lines() */
    bool times_stages;           /* rv_session_counts() has the workers' times: five clock reads a batch */
    uint32_t max_depth;          /* calls at this depth and deeper are dropped; 0 = none */
    const struct rv_sink *sinks; /* n_sinks of them, borrowed until rv_session_destroy() */
    size_t n_sinks;
    /*
     * Open another source of the same events, not needed with a history; NULL: not possible, with one line printed. The
     * pointer may be NULL: there is none.
     */
    struct rv_source *(*reopen)(void *context);
    void *reopen_context;
    struct rv_history *history; /* of which the sinks have the sink; borrowed likewise; NULL: none */
};

#endif
