/*
 * Where events come from: one interface for live rings, recordings and imports.
 *
 * A source runs on the pipeline's drain thread and delivers through an intake. It asks for an empty batch (waiting for
 * one is the back-pressure), fills it and submits it.
 */
#ifndef RV_SOURCE_SOURCE_H
#define RV_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "stream/batch.h"
#include "stream/loss.h"
#include "stream/silent_threads.h"
#include "stream/stream_info.h"
#include "stream/block_summary.h"

/* What the pipeline offers to a source. All calls on the drain thread, define also on the naming thread. */
struct rv_intake {
    void *context;
    void *(*open_stream)(void *context, const struct rv_stream_info *info);
    void (*rename_stream)(void *context, void *stream, const char *thread_name);
    void (*account_stream)(void *context, void *stream, const struct rv_stream_account *account);
    void (*close_stream)(void *context, void *stream, uint64_t end_ns);
    /* An empty batch; NULL after 10 ms, so that a source can renew its heartbeat: then end this turn. */
    struct rv_batch *(*acquire_batch)(void *context);
    void (*submit_batch)(void *context, struct rv_batch *batch); /* n == 0: only returns it */
    bool (*is_stopping)(void *context); /* end at the next turn: drain the rest, close every stream */
    void (*define)(void *context, const struct rv_definition *definitions, size_t n);
    /* Name a thread outside of what is traced, which has woken threads. NULL: not wanted. */
    void (*name_outside)(void *context, uint32_t tid, const char *name);
    /* All events up to this time are submitted: while threads do nothing, their open calls last until then. NULL: not
     * wanted. */
    void (*know_until)(void *context, uint64_t ns);
    /* For sources that deliver summaries, and events on demand; NULL: all events are delivered. */
    const struct rv_intake_pages *pages;
};

/* For sources that need no heartbeat: an empty batch. */
static inline struct rv_batch *rv_intake_wait_for_batch(const struct rv_intake *intake)
{
    struct rv_batch *batch;
    while (!(batch = intake->acquire_batch(intake->context)))
        ;
    return batch;
}

/* Summaries of a stream's blocks; and on demand pages, each with all events of one block. */
struct rv_intake_pages {
    /* Deliver the summary of the stream's next block. */
    void (*summarize)(void *context, void *stream, const struct rv_block_summary *summary);
    void (*add_total)(void *context, const struct rv_call_total *total);
    /* Deliver sums of waits of a stack of the stream, after the summaries of the same INDEX. */
    void (*add_waiter)(void *context, void *stream, const struct rv_waiter_summary *waiter);
    /* Take the next request for a page. False: none. */
    bool (*take_request)(void *context, struct rv_page_request *request);
    /*
     * Open a stream for one block, from its beginning, where entry_stack is selected. Before its events, add all known
     * stacks. Close it like other streams; end_ns UINT64_MAX: calls then open continue after the block.
     */
    void *(*open_page)(void *context, const struct rv_page_request *request, uint32_t entry_stack);
    void (*add_page_stack)(void *context, void *page, const struct rv_page_stack *stack); /* only before its events */
    /* The block of a request cannot be read, now or later: there will be no page. */
    void (*miss_page)(void *context, const struct rv_page_request *request);
};

struct rv_block_reader;

struct rv_source_waits { /* of an INDEX: its rows, with the pipeline's ids */
    struct rv_rec_index_wait *waits;
    struct rv_rec_index_release *releases;
    size_t n_waits, n_releases;
};

struct rv_source_folds { /* of an INDEX: its rows, with the pipeline's ids */
    struct rv_rec_index_fold *folds;
    struct rv_rec_index_part *parts;
    struct rv_rec_index_sum *sums;
    struct rv_rec_index_call *calls;
    void **streams; /* of folds, as the intake has opened them; NULL: not known */
    size_t n_folds;
};

enum rv_source_status {
    RV_SOURCE_MOVED, /* events were handed over */
    RV_SOURCE_IDLE,
    RV_SOURCE_RESTING, /* everything is delivered: the next turn comes with a request */
    RV_SOURCE_ENDED
};

struct rv_source {
    /*
     * Event times are in ns. Plus origin_ns, which is not 0 only when they would not fit an event's 60 bits, they are
     * times of the trace. CLOCK_REALTIME was real_ns at event time mono_ns; 0, 0 when unknown.
     */
    uint64_t origin_ns, mono_ns, real_ns;
    /* One turn. Waits for batches only. */
    enum rv_source_status (*poll)(struct rv_source *source, const struct rv_intake *intake);
    /* Sleep until there may be events, at most a few ms: called between turns except when RESTING. Never
     * spins. */
    void (*nap)(struct rv_source *source);
    /* Define ids used since the last call; is_final: also those without a known name. Naming thread. */
    void (*resolve)(struct rv_source *source, const struct rv_intake *intake, bool is_final);
    void (*close)(struct rv_source *source);
    /* After ENDED: 0, or a negative errno, already printed, that ended it early. NULL = always 0. */
    int (*error)(const struct rv_source *source);
    /* Shall a TERM or HUP from this sender end the session? NULL = always. Called in a signal handler. */
    bool (*heeds)(const struct rv_source *source, pid_t sender);
    /* After ENDED: add what is missing besides the streams' dropped events. NULL = nothing. */
    void (*losses)(const struct rv_source *source, struct rv_losses *losses);
    /* After ENDED, or when RESTING: add the threads of the program that have no stream. NULL = none is known. */
    void (*silent)(const struct rv_source *source, struct rv_silent_threads *silent);
    uint64_t begin_ns; /* begin of the events when earlier ones are missing (calls open then began earlier); else 0 */
    bool is_on_demand; /* turns are cheap: workers may use all cores */
    /* Read the waits of the INDEX at an offset, for the caller to free. False: they cannot be read. Any thread, between
     * opening and closing. NULL = none: they are among the events. */
    bool (*read_waits)(struct rv_source *source, uint64_t index, struct rv_source_waits *out);
    /* The same of folds, once the source has been RESTING. */
    bool (*read_folds)(struct rv_source *source, uint64_t index, struct rv_source_folds *out);
    /* Another reader of its blocks, to be destroyed before it is closed. NULL: the file cannot be opened again. Any
     * thread, as above. NULL = it has no blocks. */
    struct rv_block_reader *(*open_blocks)(struct rv_source *source);
    bool lacks_waits; /* its waits are unknown, since its indexes have none */
};

#endif
