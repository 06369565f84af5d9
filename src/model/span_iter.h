/*
 * Exact spans of a timeline, one by one, in pieces between which the timeline may grow and lose its oldest. Under the
 * lane's lock, piece by piece.
 */
#ifndef RV_MODEL_SPAN_ITER_H
#define RV_MODEL_SPAN_ITER_H

#include "model/timeline.h"

/* Everything once, and what has been added since, but what is only summarized: in no order. */
struct rv_span_iter {                  /* zeroed = at the beginning */
    uint64_t n_done[RV_TIMELINE_LOGS]; /* records of each log that were passed */
    uint64_t n_missed;                 /* that were evicted before they were reached */
};

/* Up to max of the spans that were not given yet; fewer than max when there are no more. */
size_t rv_span_iter_next(struct rv_span_iter *walk, const struct rv_timeline *timeline, struct rv_box *out, size_t max);

/*
 * What overlaps a window, latest end first: callers before what they called. Of those that end at one instant the
 * outermost comes first; among empty spans at that instant, who called whom is a guess.
 */
struct rv_span_iter_back { /* zeroed = none; pages are its own */
    uint64_t from_ns, to_ns;
    uint64_t n_left[RV_TIMELINE_LOGS];  /* records of each log that were pushed before the next one */
    uint32_t first_log;                 /* those before are the pages' */
    uint32_t at_page[RV_TIMELINE_LOGS]; /* in which of the pages the log is */
    struct rv_timeline **pages;         /* the latest first */
    size_t n_pages, pages_capacity;
    uint64_t edge_ns; /* what is in pages to come ends before; 0: no more come */
};

/*
 * Begin at what is in the timeline now. from < to. What is only summarized has to be given: pages of those calls that end
 * in one stretch of time, the latest stretch first.
 */
void rv_span_iter_back_begin(struct rv_span_iter_back *walk, const struct rv_timeline *timeline, uint64_t from_ns,
                             uint64_t to_ns);
void rv_span_iter_back_fini(struct rv_span_iter_back *walk);

/* Takes the page, NULL = an empty one. All that are still to come hold what ends before edge_ns; 0: none comes. */
void rv_span_iter_back_give(struct rv_span_iter_back *walk, struct rv_timeline *page, uint64_t edge_ns);

/* Up to max more; fewer than max when there are no more, or none before a page has come. */
size_t rv_span_iter_back_next(struct rv_span_iter_back *walk, const struct rv_timeline *timeline, struct rv_box *out,
                              size_t max);

static inline bool rv_span_iter_back_wants_page(const struct rv_span_iter_back *walk)
{
    return walk->edge_ns > 0;
}

#endif
