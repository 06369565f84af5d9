/*
 * Where events come from: one interface for live rings, recordings and imports.
 *
 * A source runs on one thread of the pipeline's, the drain thread, and speaks to the pipeline through an intake. It
 * owns nothing downstream: it asks for an empty batch (which waits: that is the back-pressure), fills it and submits
 * it.
 */
#ifndef RV_SOURCE_SOURCE_H
#define RV_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "flow/batch.h"
#include "flow/loss.h"
#include "flow/stream_info.h"
#include "flow/block_summary.h"

/* What the pipeline offers to a source. All calls on the drain thread, define also on the naming thread. */
struct rv_intake {
    void *context;
    void *(*open_stream)(void *context, const struct rv_stream_info *info);
    void (*rename_stream)(void *context, void *stream, const char *thread_name);
    void (*account_stream)(void *context, void *stream, const struct rv_stream_account *account);
    void (*close_stream)(void *context, void *stream, uint64_t end_ns);
    /* An empty batch; waits at most 10 ms, so that a source can show that it lives; then NULL: end this turn. */
    struct rv_batch *(*acquire_batch)(void *context);
    void (*submit_batch)(void *context, struct rv_batch *batch); /* n == 0 only gives it back */
    bool (*is_stopping)(void *context); /* end at the next turn: drain what is there, close every stream */
    void (*define)(void *context, const struct rv_definition *definitions, size_t n);
    /* For sources that deliver summaries, and events on demand; NULL: all events are delivered. */
    const struct rv_intake_pages *pages;
};

/* A stream's summary, block by block; and its pages, each all events of one block, on demand. */
struct rv_intake_pages {
    /* What is known of the stream's next block. */
    void (*summarize)(void *context, void *stream, const struct rv_block_summary *summary);
    void (*add_total)(void *context, const struct rv_call_total *total);
    /* What somebody looks at and does not have. False: nothing. */
    bool (*take_request)(void *context, struct rv_page_request *request);
    /*
     * A stream of its own for one block, from its beginning, where this stack is in force. Before its events come all
     * stacks that something is known of. Closed like others; with end_ns UINT64_MAX what is then open goes on behind
     * the block.
     */
    void *(*open_page)(void *context, const struct rv_page_request *request, uint32_t entry_stack);
    void (*add_page_stack)(void *context, void *page, const struct rv_page_stack *stack); /* only now */
};

enum rv_source_status {
    RV_SOURCE_MOVED, /* events were handed over */
    RV_SOURCE_IDLE,
    RV_SOURCE_RESTING, /* all was told: the next turn is when there are requests */
    RV_SOURCE_ENDED
};

struct rv_source {
    /*
     * Times of events are ns. Plus origin_ns they are those of the trace: not 0 where these do not fit an event's 60
     * bits. CLOCK_REALTIME was real_ns when an event's time would have been mono_ns; 0, 0 where nobody knows.
     */
    uint64_t origin_ns, mono_ns, real_ns;
    /* One turn. Never waits but for batches. */
    enum rv_source_status (*poll)(struct rv_source *source, const struct rv_intake *intake);
    /* Sleep until there may be something, at most a few ms: called between turns, but for RESTING. Never
     * spins. */
    void (*nap)(struct rv_source *source);
    /* Define what was given out since the last call; is_final: also what could not be named so far. Naming thread. */
    void (*resolve)(struct rv_source *source, const struct rv_intake *intake, bool is_final);
    void (*close)(struct rv_source *source);
    /* After ENDED: 0, or what ended it early, a negative errno that has been said. NULL = never anything. */
    int (*error)(const struct rv_source *source);
    /* Shall a TERM or HUP that this process has sent end the watching? NULL = always. In a signal's handler. */
    bool (*heeds)(const struct rv_source *source, pid_t sender);
    /* After ENDED: add what is missing besides the streams' dropped events. NULL = nothing. */
    void (*losses)(const struct rv_source *source, struct rv_losses *losses);
    uint64_t begin_ns; /* of what is told, where there was more before: what was open then began earlier; else 0 */
    bool is_on_demand; /* turns are little beside what becomes of them: all cores may be the workers' */
};

#endif
