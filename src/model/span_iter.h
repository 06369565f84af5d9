/*
 * Iterates over the exact spans of a timeline, in pieces between which it may grow and lose its oldest spans. Under the
 * lane's lock, piece by piece.
 */
#ifndef RV_MODEL_SPAN_ITER_H
#define RV_MODEL_SPAN_ITER_H

#include "model/box.h"
#include "model/timeline.h"

/* Every span once, also ones added meanwhile, without sums; in no order. */
struct rv_span_iter {                  /* zeroed = at the begin */
    uint64_t n_done[RV_TIMELINE_LOGS]; /* records passed in each log */
    uint64_t n_missed;                 /* spans evicted before they were reached */
};

/* Skip the spans that are read from pages: those for which rv_timeline_paged_before_ns() gave this time. */
void rv_span_iter_pass(struct rv_span_iter *walk, const struct rv_timeline *timeline, uint64_t paged_before_ns);

/* The next spans, up to max; fewer than max at the end. */
size_t rv_span_iter_next(struct rv_span_iter *walk, const struct rv_timeline *timeline, struct rv_box *out, size_t max);

/*
 * Spans that overlap a window, latest end first: callers before their callees. Of spans with equal ends, too; but which
 * of them is an empty span's caller may be a guess.
 */
struct rv_span_iter_back { /* zeroed = none; owns its pages */
    uint64_t from_ns, to_ns;
    uint64_t n_left[RV_TIMELINE_LOGS];  /* records before the next one in each log */
    uint32_t first_log;                 /* the timeline's logs are read from here on, */
    uint32_t n_paged;                   /* and logs before this go on in pages, */
    uint64_t paged_before_ns;           /* of a backed timeline where spans end before this */
    uint32_t left_logs;                 /* bits of those that are in pages by now */
    uint32_t at_page[RV_TIMELINE_LOGS]; /* page that each log is in */
    struct rv_timeline **pages;         /* latest first */
    size_t n_pages, pages_capacity;
    bool is_starved;     /* the last step gave fewer spans than it had room for */
    uint64_t last_depth; /* of the span returned last */
    uint64_t edge_ns;    /* spans in missing pages end before this; 0: none missing */
};

/*
 * Start at the timeline's current contents. from < to. Calls that are only summarized, or before
 * rv_timeline_paged_before_ns(), must be given as pages, each with the calls that end in one stretch of time, the
 * latest stretch first.
 */
void rv_span_iter_back_begin(struct rv_span_iter_back *walk, const struct rv_timeline *timeline, uint64_t from_ns,
                             uint64_t to_ns);
void rv_span_iter_back_fini(struct rv_span_iter_back *walk);

/* Takes ownership of the page, NULL = empty. Missing pages have spans that end before edge_ns; 0: none missing. */
void rv_span_iter_back_give(struct rv_span_iter_back *walk, struct rv_timeline *page, uint64_t edge_ns);

/* The next spans, up to max; fewer at the end, or when a page is needed. */
size_t rv_span_iter_back_next(struct rv_span_iter_back *walk, const struct rv_timeline *timeline, struct rv_box *out,
                              size_t max);

/* Were spans of a backed timeline evicted before the iteration took them? */
static inline bool rv_span_iter_back_is_overtaken(const struct rv_span_iter_back *walk, uint64_t exact_from_ns)
{
    const uint32_t paged_logs = (UINT32_C(1) << 2 * RV_TIMELINE_REACH) - 1;
    return exact_from_ns >= (walk->paged_before_ns ? walk->paged_before_ns : 1) &&
           (walk->left_logs & paged_logs) != paged_logs;
}

/* Are there pages that were not given? */
static inline bool rv_span_iter_back_lacks_pages(const struct rv_span_iter_back *walk)
{
    return walk->edge_ns > 0;
}

/* Must a page be given before the iteration can go on? Not before the others are used up: they would all be in
 * memory. */
static inline bool rv_span_iter_back_wants_page(const struct rv_span_iter_back *walk)
{
    return walk->is_starved && walk->edge_ns > 0;
}

#endif
