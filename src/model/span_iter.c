/*
 * A place in a log is the number of records pushed before it, which stays valid while chunks move and are dropped.
 * Backwards, all logs are merged: each is sorted by end, so the latest of their heads is the next span. Logs of short
 * spans continue from page to page; no span is returned while a missing page may have a later one.
 */
#include "model/span_iter.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/span_record.h"

struct head { /* the next record of one log */
    uint64_t start_ns, end_ns;
    uint32_t depth;
    uint64_t from_ns; /* earlier ends are not wanted of the log */
    const struct rv_chunked_log *log;
    uint32_t log_idx;
    struct rv_chunked_log_at at;
    const void *records; /* of the chunk that it is in */
    uint64_t base;
};

size_t rv_span_iter_next(struct rv_span_iter *walk, const struct rv_timeline *timeline, struct rv_box *out, size_t max)
{
    size_t n = 0;
    for (uint32_t i = rv_timeline_first_log(timeline); i < RV_TIMELINE_LOGS && n < max; i++) {
        const struct rv_chunked_log *log = rv_timeline_log(timeline, i);
        struct rv_chunked_log_at at = rv_chunked_log_nth(log, walk->n_done[i]), end = rv_chunked_log_end(log);
        uint64_t reached = rv_chunked_log_ordinal(log, at), base;
        walk->n_missed += reached - walk->n_done[i];
        uint32_t n_here;
        for (const void *records; n < max && (records = rv_chunked_log_walk(log, &at, end, &base, &n_here));) {
            uint32_t n_taken = n_here < max - n ? n_here : (uint32_t)(max - n);
            for (uint32_t j = 0; j < n_taken; j++)
                out[n++] = rv_span_record_box(log, records, j, base);
            reached += n_taken;
        }
        walk->n_done[i] = reached;
    }
    return n;
}

void rv_span_iter_pass(struct rv_span_iter *walk, const struct rv_timeline *timeline, uint64_t paged_before_ns)
{
    for (uint32_t i = 0; i < 2 * RV_TIMELINE_REACH; i++) {
        const struct rv_chunked_log *log = rv_timeline_log(timeline, i);
        walk->n_done[i] = rv_chunked_log_ordinal(log, rv_chunked_log_find(log, paged_before_ns));
    }
}

/* The spans that can overlap the window. */
static uint64_t n_pushed(const struct rv_span_iter_back *walk, const struct rv_timeline *timeline, uint32_t log_idx)
{
    const struct rv_chunked_log *log = rv_timeline_log(timeline, log_idx);
    uint64_t end_ns = rv_clock_after_ns(walk->to_ns, rv_timeline_log_limit(log_idx));
    return rv_chunked_log_ordinal(log, rv_chunked_log_find(log, end_ns));
}

void rv_span_iter_back_begin(struct rv_span_iter_back *walk, const struct rv_timeline *timeline, uint64_t from_ns,
                             uint64_t to_ns)
{
    rv_span_iter_back_fini(walk);
    walk->from_ns = from_ns;
    walk->to_ns = to_ns;
    walk->first_log = rv_timeline_first_log(timeline);
    walk->paged_before_ns = rv_timeline_paged_before_ns(timeline, from_ns, to_ns);
    walk->n_paged = walk->paged_before_ns > from_ns ? 2 * RV_TIMELINE_REACH : walk->first_log;
    walk->left_logs = (UINT32_C(1) << walk->first_log) - 1;
    walk->edge_ns = walk->first_log ? UINT64_MAX : walk->n_paged ? walk->paged_before_ns : 0;
    for (uint32_t i = walk->first_log; i < RV_TIMELINE_LOGS; i++)
        walk->n_left[i] = n_pushed(walk, timeline, i);
    walk->last_depth = UINT32_MAX;
    walk->is_starved = true;
}

void rv_span_iter_back_fini(struct rv_span_iter_back *walk)
{
    for (size_t i = 0; i < walk->n_pages; i++)
        rv_timeline_destroy(walk->pages[i]);
    free(walk->pages);
    *walk = (struct rv_span_iter_back){0};
}

/* Is the log in pages by now? */
static bool has_left(const struct rv_span_iter_back *walk, uint32_t log_idx)
{
    return walk->left_logs >> log_idx & 1;
}

void rv_span_iter_back_give(struct rv_span_iter_back *walk, struct rv_timeline *page, uint64_t edge_ns)
{
    walk->edge_ns = edge_ns;
    if (!page)
        return;
    for (uint32_t i = 0; i < walk->n_paged; i++)
        if (has_left(walk, i) && walk->at_page[i] == walk->n_pages)
            walk->n_left[i] = n_pushed(walk, page, i);
    walk->pages = rv_vec_reserve(walk->pages, &walk->pages_capacity, walk->n_pages + 1, sizeof(struct rv_timeline *));
    walk->pages[walk->n_pages++] = page;
}

/* Drop pages that all logs have passed. */
static void drop_pages(struct rv_span_iter_back *walk)
{
    uint32_t n = (uint32_t)walk->n_pages;
    for (uint32_t i = 0; i < walk->n_paged; i++)
        n = walk->at_page[i] < n ? walk->at_page[i] : n;
    for (uint32_t i = 0; i < n; i++)
        rv_timeline_destroy(walk->pages[i]);
    for (size_t i = n; i < walk->n_pages && n > 0; i++)
        walk->pages[i - n] = walk->pages[i];
    walk->n_pages -= n;
    for (uint32_t i = 0; i < walk->n_paged; i++)
        walk->at_page[i] -= n;
}

/* Returns the record that the head is at. */
static inline struct rv_box read_head(struct head *head)
{
    const struct rv_box box = rv_span_record_box(head->log, head->records, head->at.item, head->base);
    head->start_ns = box.start_ns;
    head->end_ns = box.start_ns + box.duration_ns;
    head->depth = box.depth;
    return box;
}

static inline void enter_chunk(struct head *head)
{
    const struct rv_chunk *chunk = &head->log->list[head->at.chunk];
    head->records = chunk->items;
    head->base = chunk->base;
}

/* Move to the record before; false when none is held. */
static inline bool go_back(struct head *head, struct rv_box *box)
{
    if (__builtin_expect(head->at.item > 0, 1)) {
        head->at.item--;
    } else {
        if (!rv_chunked_log_back(head->log, &head->at))
            return false;
        enter_chunk(head);
    }
    *box = read_head(head);
    return true;
}

/* Move back to the first record inside the window, in the timeline also after what pages have; false when there is none. */
static inline bool settle(const struct rv_span_iter_back *walk, struct head *head, struct rv_box *box)
{
    while (head->end_ns >= head->from_ns) {
        if (head->start_ns < walk->to_ns && (head->start_ns >= walk->from_ns || head->end_ns > walk->from_ns))
            return true;
        if (!go_back(head, box))
            return false;
    }
    return false;
}

/* The same from the record before it on. */
static inline bool advance(const struct rv_span_iter_back *walk, struct head *head, struct rv_box *box)
{
    return go_back(head, box) && settle(walk, head, box);
}

static bool open_in(const struct rv_span_iter_back *walk, const struct rv_timeline *timeline, uint32_t log_idx,
                    struct head *head)
{
    const uint64_t n_left = walk->n_left[log_idx];
    const bool is_cut = log_idx < walk->n_paged && !has_left(walk, log_idx);
    *head = (struct head){.from_ns =
                              is_cut && walk->paged_before_ns > walk->from_ns ? walk->paged_before_ns : walk->from_ns,
                          .log = rv_timeline_log(timeline, log_idx),
                          .log_idx = log_idx};
    if (n_left == 0)
        return false;
    head->at = rv_chunked_log_nth(head->log, n_left - 1);
    if (head->at.chunk == head->log->n || rv_chunked_log_ordinal(head->log, head->at) != n_left - 1)
        return false;
    enter_chunk(head);
    struct rv_box box = read_head(head);
    return settle(walk, head, &box);
}

/* Go on in the pages. */
static void leave(struct rv_span_iter_back *walk, uint32_t log_idx)
{
    walk->left_logs |= UINT32_C(1) << log_idx;
    if (walk->n_pages)
        walk->n_left[log_idx] = n_pushed(walk, walk->pages[0], log_idx);
}

/* Find a log's head in the timeline, or in the latest page that has one. */
static bool open_head(struct rv_span_iter_back *walk, const struct rv_timeline *timeline, uint32_t log_idx,
                      struct head *head)
{
    uint32_t *page = &walk->at_page[log_idx];
    if (!has_left(walk, log_idx)) {
        if (open_in(walk, timeline, log_idx, head))
            return true;
        if (log_idx < walk->n_paged)
            leave(walk, log_idx);
    }
    while (log_idx < walk->n_paged && *page < walk->n_pages) {
        if (open_in(walk, walk->pages[*page], log_idx, head))
            return true;
        if (++*page < walk->n_pages)
            walk->n_left[log_idx] = n_pushed(walk, walk->pages[*page], log_idx);
    }
    walk->n_left[log_idx] = 0;
    return false;
}

static inline bool is_empty(const struct head *head)
{
    return head->start_ns == head->end_ns;
}

/* Of those with one end, empty ones come first, which are all in one log, in the order in which they ended. */
static inline bool is_before(const struct head *a, const struct head *b)
{
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns;
    if (is_empty(a) != is_empty(b))
        return is_empty(a);
    return a->depth != b->depth ? a->depth < b->depth : a->start_ns > b->start_ns;
}

/* Move a head behind those that come before it; all behind it are in order. */
static inline void sink(struct head **order, unsigned at, unsigned n)
{
    struct head *head = order[at];
    for (; at + 1 < n && is_before(order[at + 1], head); at++)
        order[at] = order[at + 1];
    order[at] = head;
}

/*
 * Is this empty span inside one with the same end, the next of another log? It is too deep to be a callee of the last one, or
 * the neighbour of one around that.
 */
static inline bool is_inside(const struct head *head, const struct head *other, uint64_t last_depth)
{
    return head->end_ns == other->end_ns && is_empty(head) && head->depth > last_depth + 1;
}

/*
 * Take the spans of a log that come before the next one of any other log.
 *   has_ended  set when the log has no more
 *   returns    their number; 0 when a missing page may have a later one
 */
static size_t take_run(struct rv_span_iter_back *walk, struct head *head, const struct head *rival, struct rv_box *out,
                       size_t max, bool *has_ended)
{
    struct head at = *head;
    struct rv_box box = read_head(&at);
    uint64_t last_depth = walk->last_depth;
    size_t n = 0;
    do {
        if (at.end_ns < walk->edge_ns)
            break;
        last_depth = at.depth;
        out[n++] = box;
        *has_ended = !advance(walk, &at, &box);
    } while (n < max && !*has_ended && (!rival || (is_before(&at, rival) && !is_inside(&at, rival, last_depth))));
    walk->last_depth = last_depth;
    *head = at;
    return n;
}

size_t rv_span_iter_back_next(struct rv_span_iter_back *walk, const struct rv_timeline *timeline, struct rv_box *out,
                              size_t max)
{
    struct head heads[RV_TIMELINE_LOGS], *order[RV_TIMELINE_LOGS]; /* the latest first */
    unsigned n_heads = 0;
    for (uint32_t i = 0; i < RV_TIMELINE_LOGS; i++) {
        order[n_heads] = &heads[n_heads];
        n_heads += open_head(walk, timeline, i, &heads[n_heads]);
    }
    for (unsigned i = n_heads; i-- > 0;)
        sink(order, i, n_heads);
    size_t n = 0;
    while (n < max && n_heads > 0) {
        const unsigned at = n_heads > 1 && is_inside(order[0], order[1], walk->last_depth);
        struct head *head = order[at];
        bool has_ended = false;
        const size_t n_taken = take_run(walk, head, n_heads > 1 ? order[!at] : NULL, out + n, max - n, &has_ended);
        if (n_taken == 0)
            break;
        n += n_taken;
        if (has_ended)
            walk->n_left[head->log_idx] = 0;
        if (has_ended && !open_head(walk, timeline, head->log_idx, head))
            memmove(order + at, order + at + 1, (--n_heads - at) * sizeof *order);
        else
            sink(order, at, n_heads);
    }
    for (unsigned i = 0; i < n_heads; i++)
        walk->n_left[order[i]->log_idx] = rv_chunked_log_ordinal(order[i]->log, order[i]->at) + 1;
    drop_pages(walk);
    walk->is_starved = n < max;
    return n;
}
