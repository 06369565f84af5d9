/* Every level of a timeline compared with a loop over all spans. */
#include "model/span_pages.h"
#include "model/timeline.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "model/box.h"
#include "model/density.h"
#include "model/span_iter.h"
#include "model/timeline_query.h"
#include "spans.h"

#define WHOLE_FROM 0
#define WHOLE_TO (UINT64_C(1) << 60)

static uint64_t width_of(uint32_t level)
{
    return UINT64_C(1) << rv_density_shift(level);
}

static bool is_exact_at(const struct rv_span *span, uint32_t level)
{
    return level == 0 || span->end - span->start >= width_of(level);
}

static bool overlaps(const struct rv_span *span, uint64_t from, uint64_t to)
{
    return span->start < to && (span->start >= from || span->end > from);
}

static struct rv_box *query_all(const struct rv_timeline *timeline, uint64_t from, uint64_t to, uint32_t level,
                                size_t *n)
{
    uint64_t counted = rv_timeline_query_count(timeline, from, to, level);
    struct rv_box *boxes = malloc((counted + 16) * sizeof *boxes);
    *n = rv_timeline_query_boxes(timeline, from, to, level, boxes, counted + 16);
    cr_assert_eq(*n, counted, "level %u: %zu boxes, %lu counted", level, *n, (unsigned long)counted);
    return boxes;
}

struct total {
    uint64_t n_exact, n_folded, exact_ns;
    double folded_ns;
    size_t n_cells;
};

static struct total total_of(const struct rv_box *boxes, size_t n)
{
    struct total total = {0};
    for (size_t i = 0; i < n; i++)
        if (boxes[i].coverage == 65535) {
            total.n_exact++;
            total.exact_ns += boxes[i].duration_ns;
        } else {
            total.n_cells++;
            total.n_folded += boxes[i].count;
            total.folded_ns += boxes[i].coverage / 65534.0 * (double)boxes[i].duration_ns;
        }
    return total;
}

static void check_level(const struct rv_timeline *timeline, const struct rv_span *spans, size_t n, uint32_t level)
{
    uint64_t n_exact = 0, exact_ns = 0, n_folded = 0, folded_ns = 0;
    for (size_t i = 0; i < n; i++)
        if (is_exact_at(&spans[i], level)) {
            n_exact++;
            exact_ns += spans[i].end - spans[i].start;
        } else {
            n_folded++;
            folded_ns += spans[i].end - spans[i].start;
        }
    size_t n_boxes;
    struct rv_box *boxes = query_all(timeline, WHOLE_FROM, WHOLE_TO, level, &n_boxes);
    struct total total = total_of(boxes, n_boxes);
    free(boxes);
    cr_assert_eq(total.n_exact, n_exact, "level %u", level);
    cr_assert_eq(total.exact_ns, exact_ns, "level %u", level);
    cr_assert_eq(total.n_folded, n_folded, "level %u: %lu folded, %lu wanted", level, (unsigned long)total.n_folded,
                 (unsigned long)n_folded);
    double rounding =
        level ? (double)total.n_cells * (double)width_of(level) / 65534.0 * 0.5 + 1e-6 * (double)folded_ns : 0;
    double error = total.folded_ns - (double)folded_ns;
    cr_assert(error <= rounding + 1 && -error <= rounding + 1, "level %u: %g ns covered, %lu wanted, rounding %g",
              level, total.folded_ns, (unsigned long)folded_ns, rounding);
}

static void add_in_blocks(struct rv_timeline *timeline, const struct rv_span *spans, size_t n, struct spans *random)
{
    for (size_t i = 0, block; i < n; i += block) {
        block = spans_random(random) % 700 + 1;
        if (block > n - i)
            block = n - i;
        rv_timeline_add(timeline, spans + i, block);
    }
}

static const struct {
    size_t n;
    uint32_t most_depth;
    unsigned step_shift_max;
} shapes[] = {
    {1, 1, 8},        {2, 2, 20},    {20000, 12, 12}, {20000, 30, 16},
    {20000, 200, 10}, {5000, 6, 38}, {3000, 3, 44},   {20000, 4000, 14},
};

#define N_SHAPES (sizeof shapes / sizeof *shapes)

Test(timeline, every_level_holds_every_span_once, .timeout = 60)
{
    for (size_t i = 0; i < N_SHAPES; i++) {
        struct spans random;
        spans_init(&random, i + 1, 50, shapes[i].most_depth, shapes[i].step_shift_max);
        struct rv_span *spans = malloc(shapes[i].n * sizeof *spans);
        spans_make(&random, spans, shapes[i].n);
        struct rv_timeline *timeline = rv_timeline_create();
        add_in_blocks(timeline, spans, shapes[i].n, &random);
        cr_assert_eq(rv_timeline_n_spans(timeline), shapes[i].n);
        cr_assert_eq(rv_timeline_last_ns(timeline), spans[shapes[i].n - 1].end);
        for (uint32_t level = 0; level < RV_TIMELINE_LEVELS; level++)
            check_level(timeline, spans, shapes[i].n, level);
        rv_timeline_destroy(timeline);
        free(spans);
        spans_fini(&random);
    }
}

static int by_content(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct rv_box));
}

/* Exact boxes of a window, sorted, as the plain walk gives them. */
static size_t plain_exact(const struct rv_span *spans, size_t n, const uint64_t window[2], uint32_t level,
                          struct rv_box *out)
{
    size_t n_out = 0;
    for (size_t i = 0; i < n; i++)
        if (is_exact_at(&spans[i], level) && overlaps(&spans[i], window[0], window[1])) {
            memset(&out[n_out], 0, sizeof *out);
            out[n_out].start_ns = spans[i].start;
            out[n_out].duration_ns = spans[i].end - spans[i].start;
            out[n_out].id = spans[i].id;
            out[n_out].count = 1;
            out[n_out].depth = spans[i].depth;
            out[n_out].coverage = 65535;
            out[n_out].flags = (uint16_t)spans[i].flags;
            n_out++;
        }
    qsort(out, n_out, sizeof *out, by_content);
    return n_out;
}

/* Boxes of a window: the exact ones equal the plain walk's, the cells are those of the whole that overlap. */
static void check_window(const struct rv_timeline *timeline, const struct rv_span *spans, size_t n,
                         const uint64_t window[2], uint32_t level)
{
    struct rv_box *wanted = malloc((n + 1) * sizeof *wanted);
    size_t n_wanted = plain_exact(spans, n, window, level, wanted), n_boxes, n_exact = 0, n_cells = 0, n_whole,
           n_near = 0;
    struct rv_box *boxes = query_all(timeline, window[0], window[1], level, &n_boxes);
    struct rv_box *whole = query_all(timeline, WHOLE_FROM, WHOLE_TO, level, &n_whole);
    for (size_t i = 0; i < n_boxes; i++)
        if (boxes[i].coverage == 65535)
            boxes[n_exact++] = boxes[i];
        else
            n_cells++;
    qsort(boxes, n_exact, sizeof *boxes, by_content);
    cr_assert_eq(n_exact, n_wanted, "level %u: %zu exact, %zu wanted", level, n_exact, n_wanted);
    cr_assert(memcmp(boxes, wanted, n_wanted * sizeof *wanted) == 0, "level %u", level);
    for (size_t i = 0; i < n_whole; i++)
        n_near += whole[i].coverage != 65535 && whole[i].start_ns < window[1] &&
                  whole[i].start_ns + whole[i].duration_ns > window[0];
    cr_assert_eq(n_cells, n_near, "level %u: %zu cells, %zu wanted", level, n_cells, n_near);
    free(whole);
    free(boxes);
    free(wanted);
}

Test(timeline, a_window_shows_exactly_what_overlaps_it, .timeout = 60)
{
    for (size_t i = 0; i < N_SHAPES; i++) {
        struct spans random;
        spans_init(&random, i + 100, 50, shapes[i].most_depth, shapes[i].step_shift_max);
        size_t n = shapes[i].n < 4000 ? shapes[i].n : 4000;
        struct rv_span *spans = malloc(n * sizeof *spans);
        spans_make(&random, spans, n);
        struct rv_timeline *timeline = rv_timeline_create();
        add_in_blocks(timeline, spans, n, &random);
        uint64_t length = spans[n - 1].end - spans[0].start + 2;
        for (unsigned j = 0; j < 100; j++) {
            uint64_t from = spans[0].start + spans_random(&random) % length;
            if (j % 3 == 0)
                from = spans[spans_random(&random) % n].end;
            uint64_t window[2] = {from, from + 1 + spans_random(&random) % ((length >> (j % 16)) + 1)};
            check_window(timeline, spans, n, window, j % RV_TIMELINE_LEVELS);
        }
        rv_timeline_destroy(timeline);
        free(spans);
        spans_fini(&random);
    }
}

/* Boxes of a window in order of content; the majority in a cell is a guess, made of other parts. */
static size_t query_sorted(const struct rv_timeline *timeline, const uint64_t window[2], uint32_t level,
                           struct rv_box **boxes)
{
    size_t max = rv_timeline_query_count(timeline, window[0], window[1], level);
    *boxes = calloc(max + 1, sizeof **boxes);
    size_t n = rv_timeline_query_boxes(timeline, window[0], window[1], level, *boxes, max + 1);
    cr_assert_leq(n, max);
    for (size_t i = 0; i < n; i++)
        if ((*boxes)[i].coverage != RV_BOX_EXACT)
            (*boxes)[i].id = 0;
    qsort(*boxes, n, sizeof **boxes, by_content);
    return n;
}

static void compare_from(const struct rv_timeline *whole, const struct rv_timeline *part, const uint64_t window[2],
                         uint32_t level)
{
    uint32_t finest = rv_timeline_finest(part);
    struct rv_box *boxes[2];
    size_t n = query_sorted(whole, window, level > finest ? level : finest, &boxes[0]);
    cr_assert_eq(query_sorted(part, window, level, &boxes[1]), n, "level %u, from %u", level, finest);
    cr_assert_eq(rv_timeline_query_count(part, window[0], window[1], level), n, "level %u, from %u", level, finest);
    cr_assert_eq(memcmp(boxes[0], boxes[1], n * sizeof **boxes), 0, "level %u, from %u", level, finest);
    free(boxes[0]);
    free(boxes[1]);
}

Test(timeline, a_timeline_without_fine_levels_shows_the_same_coarse_ones, .timeout = 60)
{
    for (size_t i = 0; i < N_SHAPES; i++) {
        struct spans random;
        spans_init(&random, i + 300, 50, shapes[i].most_depth, shapes[i].step_shift_max);
        size_t n = shapes[i].n < 4000 ? shapes[i].n : 4000;
        struct rv_span *spans = malloc(n * sizeof *spans);
        spans_make(&random, spans, n);
        struct rv_timeline *whole = rv_timeline_create(), *part = rv_timeline_create_from((uint32_t)(i % 6));
        rv_timeline_add(whole, spans, n);
        add_in_blocks(part, spans, n, &random);
        cr_assert_eq(rv_timeline_n_spans(part), n);
        cr_assert_eq(rv_timeline_first_ns(part), rv_timeline_first_ns(whole));
        cr_assert_eq(rv_timeline_max_depth(part), rv_timeline_max_depth(whole));
        uint64_t length = spans[n - 1].end - spans[0].start + 2;
        for (uint32_t j = 0; j < 3 * RV_TIMELINE_LEVELS; j++) {
            uint64_t from = spans[0].start + spans_random(&random) % length;
            compare_from(whole, part, (const uint64_t[2]){from, from + 1 + spans_random(&random) % length},
                         j % RV_TIMELINE_LEVELS);
        }
        rv_timeline_destroy(whole);
        rv_timeline_destroy(part);
        free(spans);
        spans_fini(&random);
    }
}

/* The spans in pages of so many each; the timeline holds those no shorter than the cells of this level. */
static void add_pages(struct rv_timeline *timeline, const struct rv_span *spans, size_t n, uint32_t level,
                      size_t n_in_page)
{
    uint64_t from_ns = 0;
    for (size_t i = 0; i < n; i += n_in_page) {
        const size_t end = i + n_in_page < n ? i + n_in_page : n;
        struct rv_page page = {.number = (uint32_t)(i / n_in_page),
                               .from_ns = from_ns,
                               .to_ns = spans[end - 1].end + 1,
                               .timeline = rv_timeline_create()};
        for (size_t k = i; k < end; k++)
            rv_timeline_add(page.timeline, &spans[k], !is_exact_at(&spans[k], level));
        rv_timeline_add_page(timeline, &page);
        from_ns = page.to_ns;
    }
}

static struct rv_timeline *make_of_sums(const struct rv_span *spans, size_t n, uint32_t level, size_t n_in_page)
{
    struct rv_timeline *timeline = rv_timeline_create();
    struct rv_span *longer = malloc(n * sizeof *longer);
    size_t n_longer = 0;
    for (size_t i = 0; i < n; i++)
        if (is_exact_at(&spans[i], level))
            longer[n_longer++] = spans[i];
    rv_timeline_add_sums(timeline, &(struct rv_timeline_sums){.level = level, .spans = longer, .n_spans = n_longer});
    add_pages(timeline, spans, n, level, n_in_page);
    free(longer);
    return timeline;
}

static struct rv_timeline *make_backed(const struct rv_span *spans, size_t n, size_t n_in_page)
{
    struct rv_timeline *timeline = rv_timeline_create();
    rv_timeline_back_from(timeline, 0);
    rv_timeline_add(timeline, spans, n);
    rv_timeline_end(timeline);
    (void)rv_timeline_evict(timeline, 0);
    add_pages(timeline, spans, n, RV_TIMELINE_LEVELS - 1, n_in_page);
    return timeline;
}

/* Coverage is rounded once for each part of a cell. */
static void compare_paged(const struct rv_timeline *whole, const struct rv_timeline *paged, const uint64_t window[2],
                          uint32_t level)
{
    struct rv_box *boxes[2];
    size_t n = query_sorted(whole, window, level, &boxes[0]);
    cr_assert_eq(query_sorted(paged, window, level, &boxes[1]), n, "level %u: another number of boxes", level);
    for (size_t i = 0; i < n; i++) {
        struct rv_box *a = &boxes[0][i], *b = &boxes[1][i];
        const uint64_t n_parts = a->coverage == RV_BOX_EXACT ? 0 : rv_timeline_n_pages(paged);
        cr_assert_leq(abs((int)a->coverage - (int)b->coverage), n_parts, "level %u: %u, %u in pages", level,
                      a->coverage, b->coverage);
        b->coverage = a->coverage;
        cr_assert_eq(memcmp(a, b, sizeof *a), 0, "level %u, box %zu: %u calls, %u in pages", level, i, a->count,
                     b->count);
    }
    free(boxes[0]);
    free(boxes[1]);
}

enum { N_PAGED = 3000, PAGED_LEVELS = 7 };

/* Long after the others, one of each duration that pages have: what a backed timeline keeps begins after these. */
static void make_paged_spans(struct rv_span *spans, struct spans *random)
{
    spans_make(random, spans, N_PAGED);
    for (uint32_t i = 0; i < PAGED_LEVELS; i++) {
        const uint64_t start_ns = spans[N_PAGED + i - 1].end + width_of(PAGED_LEVELS + 1);
        spans[N_PAGED + i] = (struct rv_span){.start = start_ns, .end = start_ns + (i ? width_of(i) : 1), .id = 1};
    }
}

static void compare_windows(const struct rv_timeline *whole, const struct rv_timeline *paged, uint64_t length_ns,
                            struct spans *random)
{
    for (uint32_t i = 0; i < 40 * PAGED_LEVELS; i++) {
        const uint64_t from_ns = rv_timeline_first_ns(whole) + spans_random(random) % length_ns,
                       width_ns = 1 + spans_random(random) % (length_ns >> i % 10);
        compare_paged(whole, paged, (const uint64_t[2]){from_ns, from_ns + width_ns}, i % PAGED_LEVELS);
    }
}

/* A cell has parts in several pages before the window, and in many. */
Test(timeline, pages_of_few_spans_show_what_the_whole_shows, .timeout = 60)
{
    enum { N = N_PAGED + PAGED_LEVELS };
    for (unsigned i = 0; i < 12; i++) {
        struct spans random;
        struct rv_span spans[N];
        spans_init(&random, i + 500, 50, 12, 14);
        make_paged_spans(spans, &random);
        const size_t n_in_page = 1 + spans_random(&random) % (i % 3 ? 40 : 600);
        struct rv_timeline *whole = rv_timeline_create(),
                           *paged = i % 2 ? make_backed(spans, N, n_in_page)
                                          : make_of_sums(spans, N, PAGED_LEVELS, n_in_page);
        rv_timeline_add(whole, spans, N);
        compare_windows(whole, paged, spans[N_PAGED - 1].end - rv_timeline_first_ns(whole), &random);
        rv_timeline_destroy(whole);
        rv_timeline_destroy(paged);
        spans_fini(&random);
    }
}

/* The cell of the window begins in the first page. Its block may be discarded. */
Test(timeline, pages_with_a_part_of_a_cell_in_view_stay)
{
    const uint64_t width_ns = width_of(1);
    struct rv_span spans[4];
    for (uint64_t i = 0; i < 4; i++)
        spans[i] = (struct rv_span){.start = width_ns + i * 1000, .end = width_ns + i * 1000 + 500, .id = 1};
    struct rv_timeline *timeline = make_of_sums(spans, 4, 2, 1);
    struct rv_box boxes[4];
    rv_timeline_use_window(timeline, width_ns + 3000, width_ns + 3100, 1, 1);
    (void)rv_timeline_evict(timeline, 0);
    cr_assert_eq(rv_timeline_query_boxes(timeline, width_ns + 3000, width_ns + 3100, 1, boxes, 4), 1);
    cr_assert_eq(boxes[0].count, 4);
    rv_timeline_destroy(timeline);
}

Test(timeline, cells_cover_exactly_what_was_called_in_them, .timeout = 60)
{
    struct spans random;
    spans_init(&random, 7, 5, 6, 14);
    size_t n = 3000;
    struct rv_span *spans = malloc(n * sizeof *spans);
    spans_make(&random, spans, n);
    struct rv_timeline *timeline = rv_timeline_create();
    rv_timeline_add(timeline, spans, n);
    for (uint32_t level = 1; level < 8; level++) {
        size_t n_boxes;
        struct rv_box *boxes = query_all(timeline, WHOLE_FROM, WHOLE_TO, level, &n_boxes);
        for (size_t i = 0; i < n_boxes; i++) {
            const struct rv_box *box = &boxes[i];
            if (box->coverage == 65535)
                continue;
            uint64_t covered = 0, end = box->start_ns + box->duration_ns, n_ended = 0;
            for (size_t j = 0; j < n; j++) {
                const struct rv_span *span = &spans[j];
                if (is_exact_at(span, level) || span->depth != box->depth)
                    continue;
                n_ended += span->end >= box->start_ns && span->end < end;
                uint64_t a = span->start > box->start_ns ? span->start : box->start_ns,
                         b = span->end < end ? span->end : end;
                covered += b > a ? b - a : 0;
            }
            double error = box->coverage / 65534.0 - (double)covered / (double)box->duration_ns;
            cr_assert(error < 1e-5 && error > -1e-5, "level %u: coverage off by %g", level, error);
            cr_assert_eq(box->count, n_ended);
        }
        free(boxes);
    }
    rv_timeline_destroy(timeline);
    free(spans);
    spans_fini(&random);
}

Test(timeline, a_subroutine_with_most_of_the_time_names_the_cell, .timeout = 60)
{
    struct rv_timeline *timeline = rv_timeline_create();
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t start = i * 100;
        struct rv_span span = {.start = start, .end = start + (i % 3 ? 80 : 90), .id = i % 3 ? 42 : (uint32_t)(i % 30)};
        rv_timeline_add(timeline, &span, 1);
    }
    for (uint32_t level = 1; level < RV_TIMELINE_LEVELS; level++) {
        size_t n;
        struct rv_box *boxes = query_all(timeline, WHOLE_FROM, WHOLE_TO, level, &n);
        cr_assert_gt(n, 0);
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(boxes[i].id, 42);
        free(boxes);
    }
    rv_timeline_destroy(timeline);
}

Test(timeline, very_long_and_very_deep_spans_stay_exact, .timeout = 60)
{
    struct rv_span spans[] = {
        {.start = 5, .end = 5 + (uint64_t)UINT32_MAX, .id = 1, .depth = 65535},
        {.start = 5, .end = 6 + (uint64_t)UINT32_MAX, .id = 2, .depth = 65536},
        {.start = 5, .end = (UINT64_C(1) << 45) + 1, .id = 3, .depth = 2, .flags = RV_SPAN_OPEN},
        {.start = (UINT64_C(1) << 45) + 1,
         .end = (UINT64_C(1) << 45) + 1,
         .id = 4,
         .depth = 1000000,
         .flags = RV_SPAN_ORPHAN},
    };
    struct rv_timeline *timeline = rv_timeline_create();
    rv_timeline_add(timeline, spans, 4);
    cr_assert_eq(rv_timeline_max_depth(timeline), 1000001);
    uint64_t window[2] = {0, WHOLE_TO};
    check_window(timeline, spans, 4, window, 0);
    check_window(timeline, spans, 4, window, 9);
    for (uint32_t level = 0; level < RV_TIMELINE_LEVELS; level++)
        check_level(timeline, spans, 4, level);
    rv_timeline_destroy(timeline);
}

Test(timeline, an_end_that_falls_is_moved_up, .timeout = 60)
{
    struct rv_span spans[] = {
        {.start = 100, .end = 200, .id = 1}, {.start = 50, .end = 150, .id = 2}, {.start = 300, .end = 250, .id = 3}};
    struct rv_timeline *timeline = rv_timeline_create();
    rv_timeline_add(timeline, spans, 2);
    rv_timeline_add(timeline, spans + 2, 1);
    struct rv_box boxes[4];
    cr_assert_eq(rv_timeline_query_boxes(timeline, 0, 1000, 0, boxes, 4), 3);
    cr_assert_eq(boxes[1].start_ns, 50);
    cr_assert_eq(boxes[1].duration_ns, 150);
    cr_assert_eq(boxes[2].start_ns, 250);
    cr_assert_eq(boxes[2].duration_ns, 0);
    cr_assert_eq(rv_timeline_first_ns(timeline), 50);
    rv_timeline_destroy(timeline);
}

Test(timeline, eviction_keeps_the_newest_exact_and_every_call_somewhere, .timeout = 60)
{
    struct spans random;
    spans_init(&random, 11, 50, 20, 13);
    size_t n = 300000, n_boxes;
    struct rv_span *spans = malloc(n * sizeof *spans);
    spans_make(&random, spans, n);
    struct rv_timeline *timeline = rv_timeline_create();
    rv_timeline_add(timeline, spans, n);
    size_t before = rv_timeline_bytes(timeline);
    size_t freed = rv_timeline_evict(timeline, before * 6 / 10);
    cr_assert_leq(rv_timeline_bytes(timeline), before * 6 / 10);
    cr_assert_eq(before - freed, rv_timeline_bytes(timeline));
    uint64_t n_evicted = rv_timeline_n_evicted(timeline);
    cr_assert_gt(n_evicted, n / 10);
    cr_assert_lt(n_evicted, n);
    for (uint32_t level = 0; level < RV_TIMELINE_LEVELS; level++) {
        struct rv_box *boxes = query_all(timeline, WHOLE_FROM, WHOLE_TO, level, &n_boxes);
        struct total total = total_of(boxes, n_boxes);
        cr_assert_geq(total.n_exact + total.n_folded, n, "level %u: %lu of %zu calls", level,
                      (unsigned long)(total.n_exact + total.n_folded), n);
        cr_assert_leq(total.n_exact + total.n_folded, n + n / 100);
        free(boxes);
    }
    uint64_t window[2] = {spans[n - 5000].end, WHOLE_TO};
    check_window(timeline, spans, n, window, 0);
    (void)rv_timeline_evict(timeline, 0);
    cr_assert_lt(rv_timeline_bytes(timeline), before / 3);
    struct rv_box *boxes = query_all(timeline, WHOLE_FROM, WHOLE_TO, 0, &n_boxes);
    struct total total = total_of(boxes, n_boxes);
    cr_assert_geq(total.n_exact + total.n_folded, n);
    free(boxes);
    rv_timeline_destroy(timeline);
    free(spans);
    spans_fini(&random);
}

/* Many short threads have nothing but chunks that are being filled. */
Test(timeline, all_exact_spans_of_an_ended_timeline_can_be_evicted, .timeout = 60)
{
    enum { N = 3000 };
    struct spans random;
    spans_init(&random, 5, 50, 20, 13);
    struct rv_span *spans = malloc(N * sizeof *spans);
    spans_make(&random, spans, N);
    struct rv_timeline *timeline = rv_timeline_create();
    rv_timeline_add(timeline, spans, N);
    size_t n_boxes, before = rv_timeline_bytes(timeline);
    rv_timeline_end(timeline);
    cr_assert_leq(rv_timeline_bytes(timeline), before);
    cr_assert_eq(rv_timeline_query_count(timeline, 0, UINT64_MAX, 0), N);
    (void)rv_timeline_evict(timeline, 0);
    cr_assert_eq(rv_timeline_n_evicted(timeline), N);
    struct rv_box *boxes = query_all(timeline, WHOLE_FROM, WHOLE_TO, 0, &n_boxes);
    struct total total = total_of(boxes, n_boxes);
    cr_assert_geq(total.n_exact + total.n_folded, N);
    free(boxes);
    /* A span that is added after the end is stored. */
    struct rv_span late = {.start = spans[N - 1].end + 10, .end = spans[N - 1].end + 20, .id = 1};
    rv_timeline_add(timeline, &late, 1);
    cr_assert_eq(rv_timeline_n_spans(timeline), N + 1);
    rv_timeline_destroy(timeline);
    free(spans);
    spans_fini(&random);
}

/* A program may start thousands of processes. */
Test(timeline, a_timeline_of_few_calls_is_small, .timeout = 60)
{
    struct rv_timeline *timelines[] = {rv_timeline_create_from(RV_TIMELINE_LEVELS), rv_timeline_create()};
    const size_t most[] = {512, 16384};
    for (unsigned i = 0; i < 2; i++) {
        cr_expect_leq(rv_timeline_bytes(timelines[i]), 512, "empty");
        for (uint64_t ns = 0; ns < 40000; ns += 100) {
            struct rv_span span = {.start = ns, .end = ns + 40, .depth = 2};
            rv_timeline_add(timelines[i], &span, 1);
        }
        cr_expect_leq(rv_timeline_bytes(timelines[i]), most[i], "%zu bytes", rv_timeline_bytes(timelines[i]));
        cr_expect_eq(rv_timeline_n_spans(timelines[i]), 400);
        rv_timeline_destroy(timelines[i]);
    }
}

Test(timeline, a_level_fits_a_pixel, .timeout = 60)
{
    cr_assert_eq(rv_timeline_level_for(0), 0);
    cr_assert_eq(rv_timeline_level_for(8191), 0);
    cr_assert_eq(rv_timeline_level_for(8192), 1);
    cr_assert_eq(rv_timeline_level_for(32767), 1);
    cr_assert_eq(rv_timeline_level_for(32768), 2);
    cr_assert_eq(rv_timeline_level_for(1e30), RV_TIMELINE_LEVELS - 1);
}

/* Pages in view are larger than the share: what no page gives back stays. */
Test(timeline, long_spans_do_not_make_room_for_pages)
{
    struct rv_timeline *timeline = rv_timeline_create(), *calls = rv_timeline_create();
    rv_timeline_back_from(timeline, 0);
    for (uint64_t i = 0; i < 40000; i++) {
        const struct rv_span span = {.start = i * 1000, .end = i * 1000 + 900, .id = 1, .depth = 1};
        rv_timeline_add(timeline, &span, 1);
        rv_timeline_add(calls, &span, 1);
    }
    for (uint64_t i = 0; i < 4000; i++) {
        const struct rv_span span = {
            .start = 40000000 + i * 50000000, .end = 40000000 + (i + 1) * 50000000, .id = 2, .depth = 0};
        rv_timeline_add(timeline, &span, 1);
    }
    rv_timeline_end(timeline);
    rv_timeline_add_page(timeline, &(struct rv_page){.to_ns = 40000000, .used = 1, .timeline = calls});
    cr_assert(rv_timeline_use_page(timeline, &(struct rv_page_look){.now = 1}));
    (void)rv_timeline_evict(timeline, rv_timeline_bytes(calls));
    cr_assert_gt(rv_timeline_whole_from_ns(timeline, 0), 0);
    cr_assert_eq(rv_timeline_whole_from_ns(timeline, RV_TIMELINE_REACH), 0);
    cr_assert_eq(rv_timeline_released_ns(timeline, 0), 0);
    rv_timeline_destroy(timeline);
}

/* ---- without cells ---- */

enum { N_ENDS = 2000, WANTED_ONE_BY_ONE = 8 };

static void make_calls(struct rv_span *spans, size_t n)
{
    for (size_t i = 0; i < n; i++)
        spans[i] = (struct rv_span){
            .start = UINT64_C(1000000) * i - i * 7919 % 900000, .end = UINT64_C(1000000) * i, .id = (uint32_t)i + 1};
}

Test(timeline, a_timeline_without_cells_has_all_calls, .timeout = 60)
{
    static struct rv_span spans[N_ENDS];
    static struct rv_box boxes[N_ENDS + 1];
    struct rv_timeline *timeline = rv_timeline_create_without_cells();
    struct rv_span_iter walk = {.n_missed = 0};
    make_calls(spans, N_ENDS);
    rv_timeline_add(timeline, spans, N_ENDS);
    cr_assert_eq(rv_span_iter_next(&walk, timeline, boxes, N_ENDS + 1), N_ENDS);
    for (uint32_t i = 1; i < RV_TIMELINE_LEVELS; i++)
        cr_assert(rv_chunked_log_is_empty(&rv_timeline_density(timeline)->levels[i].cells), "level %u", i);
    rv_timeline_destroy(timeline);
}

Test(timeline, a_page_is_wanted_when_those_before_it_are_used_up, .timeout = 60)
{
    struct rv_span spans[10];
    struct rv_box boxes[WANTED_ONE_BY_ONE];
    struct rv_timeline *lane = rv_timeline_create(), *page = rv_timeline_create_without_cells();
    const struct rv_timeline_cell cell = {.start_ns = 0, .covered_ns = 1, .n_calls = 1, .id = 1};
    make_calls(spans, 10);
    rv_timeline_add(page, spans, 10);
    rv_timeline_add_sums(lane, &(struct rv_timeline_sums){.level = 15, .cells = &cell, .n_cells = 1});
    struct rv_span_iter_back walk = {.from_ns = 0};
    rv_span_iter_back_begin(&walk, lane, 0, UINT64_MAX);
    cr_assert(rv_span_iter_back_wants_page(&walk));
    rv_span_iter_back_give(&walk, page, 1); /* a later page may have the call that ends at 0 */
    cr_assert_eq(rv_span_iter_back_next(&walk, lane, boxes, WANTED_ONE_BY_ONE), WANTED_ONE_BY_ONE);
    cr_assert(rv_span_iter_back_lacks_pages(&walk) && !rv_span_iter_back_wants_page(&walk));
    (void)rv_span_iter_back_next(&walk, lane, boxes, WANTED_ONE_BY_ONE);
    cr_assert(rv_span_iter_back_wants_page(&walk));
    rv_span_iter_back_give(&walk, NULL, 0);
    cr_assert(!rv_span_iter_back_wants_page(&walk) && !rv_span_iter_back_lacks_pages(&walk));
    rv_span_iter_back_fini(&walk);
    rv_timeline_destroy(lane);
}
