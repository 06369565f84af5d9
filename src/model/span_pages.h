/*
 * Pages: stretches of time of which all short calls are at hand, where a timeline has only their sums. Each is a
 * timeline of its own, from some level of detail on; the one that was not looked at for longest gives way first.
 */
#ifndef RV_MODEL_SPAN_PAGES_H
#define RV_MODEL_SPAN_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_timeline;

struct rv_page {
    uint32_t number;         /* rises with time */
    uint64_t from_ns, to_ns; /* the time of which all is here; those of two pages do not overlap */
    uint64_t used;           /* when it was looked at last, in the user's own count */
    struct rv_timeline *timeline;
};

struct rv_page_look { /* at a page, at a level of detail */
    uint32_t number, level;
    uint64_t now; /* in the user's own count */
};

struct rv_span_pages {
    struct rv_page *list; /* rising */
    size_t n, capacity;
    size_t n_bytes;
    uint64_t used; /* the latest */
};

void rv_span_pages_fini(struct rv_span_pages *pages);

/* Takes the page's timeline; one that is there already is destroyed. */
void rv_span_pages_add(struct rv_span_pages *pages, const struct rv_page *page);

/* If it is there it is looked at now. Does it show all that it is looked at for? */
bool rv_span_pages_use(struct rv_span_pages *pages, const struct rv_page_look *look);

/* Drop the one that was looked at least recently, unless that was now. */
bool rv_span_pages_evict(struct rv_span_pages *pages);

/* The first page that ends after this. */
size_t rv_span_pages_find(const struct rv_span_pages *pages, uint64_t from_ns);

#endif
