/*
 * A survey: the blocks of a recording that is told in sum, one after the other, with all that the lanes do not have of
 * them. It is for who asks of all calls and sees none: each block is asked for as pages are that somebody looks at,
 * some blocks ahead and behind those, is decoded and scanned by the same workers, is handed over once and kept nowhere.
 *
 *   open, take, close   whoever asks, one thread at a time
 *   asks, ask           drain thread
 *   keeps, deliver      the worker that merges the page
 */
#ifndef RV_PIPELINE_BLOCK_READER_H
#define RV_PIPELINE_BLOCK_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/name_set.h"
#include "model/timeline.h"
#include "scan/span.h"

struct rv_paging;
struct rv_page_request;
struct rv_stream;
struct rv_survey; /* opaque */

struct rv_survey_params {
    uint64_t from_ns, to_ns;       /* blocks with calls that overlap this; from < to */
    bool is_backward;              /* the latest first */
    const uint32_t *lane_idx;      /* of this lane's thread; NULL = of all */
    const struct rv_matches *only; /* calls of these subroutines; copied; NULL = of all */
    /* Is a block wanted, in which calls begin in [from, to)? Asked in open; NULL = each is. */
    bool (*wants)(const void *context, uint64_t from_ns, uint64_t to_ns);
    const void *context;
};

struct rv_survey_lane {
    uint32_t lane_idx;
    struct rv_timeline *calls; /* that end in the block and that the lane has in sum only, exactly */
};

struct rv_survey_page { /* a block: the taker's, until rv_survey_page_fini() */
    struct rv_survey_lane *lanes;
    size_t n_lanes;
};

void rv_survey_page_fini(struct rv_survey_page *page);

/* NULL: nothing has to be read, all is in the lanes. Closed before the session ends. */
struct rv_survey *rv_survey_open(struct rv_paging *paging, const struct rv_survey_params *params);
void rv_survey_close(struct rv_survey *survey); /* at once: what is on its way is dropped as it comes. NULL is fine */

enum rv_survey_status { RV_SURVEY_PAGE, RV_SURVEY_LATER, RV_SURVEY_OVER };

/* The next block, waiting for it at most timeout_ns. OVER: there are no more, or the session has ended. */
enum rv_survey_status rv_survey_take(struct rv_survey *survey, uint64_t timeout_ns, struct rv_survey_page *page);

/*
 * Nothing that is still to be taken begins before this; backward: or ends at this or later. When nothing is:
 * UINT64_MAX; backward: 0.
 */
uint64_t rv_survey_edge_ns(const struct rv_survey *survey);

double rv_survey_progress(const struct rv_survey *survey); /* 0..1 */

/* ---- the pipeline's side; the paging's lock is held ---- */

/* Is there a block that some survey wants? */
bool rv_survey_asks(const struct rv_paging *paging);

/* A block that some survey wants, the survey that was opened last first; false: none. */
bool rv_survey_ask(struct rv_paging *paging, struct rv_page_request *request);

/* The page that was asked for. Takes its tracks' timelines. */
void rv_survey_deliver(struct rv_stream *page);

/* ---- without it ---- */

/* Is this call of a page among those that its survey is about? */
bool rv_survey_keeps(const struct rv_stream *page, const struct rv_span *span);

#endif
