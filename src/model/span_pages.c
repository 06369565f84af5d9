#include "model/span_pages.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "model/timeline.h"

void rv_span_pages_fini(struct rv_span_pages *pages)
{
    for (size_t i = 0; i < pages->n; i++)
        rv_timeline_destroy(pages->list[i].timeline);
    free(pages->list);
    *pages = (struct rv_span_pages){0};
}

/* Index of the first page with at least this number. */
static size_t find_number(const struct rv_span_pages *pages, uint32_t number)
{
    size_t low = 0, high = pages->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pages->list[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has(const struct rv_span_pages *pages, size_t at, uint32_t number)
{
    return at < pages->n && pages->list[at].number == number;
}

static void drop(struct rv_span_pages *pages, size_t at)
{
    pages->n_bytes -= rv_timeline_bytes(pages->list[at].timeline);
    rv_timeline_destroy(pages->list[at].timeline);
    pages->n--;
    memmove(pages->list + at, pages->list + at + 1, (pages->n - at) * sizeof *pages->list);
}

void rv_span_pages_add(struct rv_span_pages *pages, const struct rv_page *page)
{
    size_t at = find_number(pages, page->number);
    if (has(pages, at, page->number))
        drop(pages, at);
    pages->list = rv_vec_reserve(pages->list, &pages->capacity, pages->n + 1, sizeof *pages->list);
    memmove(pages->list + at + 1, pages->list + at, (pages->n - at) * sizeof *pages->list);
    pages->list[at] = *page;
    pages->n++;
    pages->n_added++;
    pages->n_bytes += rv_timeline_bytes(page->timeline);
    pages->used = page->used > pages->used ? page->used : pages->used;
}

bool rv_span_pages_use(struct rv_span_pages *pages, const struct rv_page_look *look)
{
    size_t at = find_number(pages, look->number);
    pages->used = look->now;
    if (!has(pages, at, look->number))
        return false;
    pages->list[at].used = look->now;
    return rv_timeline_finest(pages->list[at].timeline) <= look->level;
}

void rv_span_pages_use_window(struct rv_span_pages *pages, uint64_t from_ns, uint64_t to_ns, uint64_t now)
{
    pages->used = now;
    for (size_t i = rv_span_pages_find(pages, from_ns); i < pages->n && pages->list[i].from_ns < to_ns; i++)
        pages->list[i].used = now;
}

bool rv_span_pages_evict(struct rv_span_pages *pages)
{
    size_t oldest = 0;
    for (size_t i = 1; i < pages->n; i++)
        if (pages->list[i].used < pages->list[oldest].used)
            oldest = i;
    if (pages->n == 0 || pages->list[oldest].used >= pages->used)
        return false;
    drop(pages, oldest);
    return true;
}

size_t rv_span_pages_find(const struct rv_span_pages *pages, uint64_t from_ns)
{
    return rv_bisect_count(pages->list, pages->n, sizeof *pages->list, offsetof(struct rv_page, to_ns), from_ns);
}
