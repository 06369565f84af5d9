/*
 * Pages hold all short calls of a stretch of time, where a timeline has only sums. Each is a timeline of its own, from
 * some level of detail on. The least recently used page is evicted first.
 */
#ifndef RV_MODEL_SPAN_PAGES_H
#define RV_MODEL_SPAN_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_timeline;

struct rv_page {
    uint32_t number;         /* increases with time */
    uint64_t from_ns, to_ns; /* the time that it covers; pages do not overlap */
    uint64_t used;           /* time of last use, in the caller's count */
    struct rv_timeline *timeline;
};

struct rv_page_look { /* a request for a page at a level of detail */
    uint32_t number, level;
    uint64_t now; /* in the caller's count */
};

struct rv_span_pages {
    struct rv_page *list; /* in order of numbers */
    size_t n, capacity;
    size_t n_bytes;
    uint64_t used;    /* latest use */
    uint64_t n_added; /* ever */
};

void rv_span_pages_fini(struct rv_span_pages *pages);

/* Takes the page's timeline; an existing one is destroyed. */
void rv_span_pages_add(struct rv_span_pages *pages, const struct rv_page *page);

/* Mark the page as used, if present. Returns whether it satisfies the request. */
bool rv_span_pages_use(struct rv_span_pages *pages, const struct rv_page_look *look);

/* Mark all pages that overlap the window as used. */
void rv_span_pages_use_window(struct rv_span_pages *pages, uint64_t from_ns, uint64_t to_ns, uint64_t now);

/* Drop the least recently used page, unless it was used now. */
bool rv_span_pages_evict(struct rv_span_pages *pages);

/* Index of the first page that ends after this. */
size_t rv_span_pages_find(const struct rv_span_pages *pages, uint64_t from_ns);

#endif
