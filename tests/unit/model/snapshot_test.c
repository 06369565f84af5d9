/* The view of a past time compared with the view of lanes that were cut there. */
#include "model/snapshot.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/view.h"
#include "spans.h"

#define N_LANES 4u
#define COVERAGE_ERROR 6 /* of 65534: cells made again are rounded once more at each level */

struct whole { /* what happened in a lane */
    struct rv_span *spans;
    size_t n;
    struct rv_span *open; /* as spans that never end */
    size_t n_open;
    uint64_t last_ns;
};

static void make(struct whole *whole, uint64_t seed, const size_t shape[3])
{
    struct spans random;
    spans_init(&random, seed, 30, (uint32_t)shape[1], (unsigned)shape[2]);
    random.now_ns += seed % N_LANES * 1000003;
    *whole = (struct whole){.spans = rv_alloc(shape[0], sizeof *whole->spans), .n = shape[0]};
    spans_make(&random, whole->spans, whole->n);
    whole->spans[whole->n / 2].flags |= RV_SPAN_ORPHAN;
    whole->n_open = random.n_open;
    whole->open = rv_alloc(whole->n_open + 1, sizeof *whole->open);
    for (uint32_t i = 0; i < whole->n_open; i++)
        whole->open[i] = (struct rv_span){.start = random.start[i], .end = UINT64_MAX, .id = random.id[i], .depth = i};
    whole->last_ns = random.now_ns;
    spans_fini(&random);
}

static void open_frame(struct rv_lane *lane, const struct rv_span *span)
{
    lane->open = rv_vec_reserve(lane->open, &lane->open_capacity, lane->n_open + 1, sizeof *lane->open);
    size_t at = lane->n_open++;
    for (; at > 0 && lane->open[at - 1].depth > span->depth; at--)
        lane->open[at] = lane->open[at - 1];
    lane->open[at] = (struct rv_lane_frame){span->start, span->id, span->depth};
}

static void add_notes(struct rv_lane *lane, const struct whole *whole, uint64_t until_ns)
{
    for (size_t i = 0; i < whole->n; i += 97) {
        struct rv_lane_note note = {
            .start_ns = whole->spans[i].end, .end_ns = whole->spans[i].end + 5000, .kind = RV_NOTE_GC, .value = 1.0f};
        if (note.start_ns > until_ns)
            return;
        note.end_ns = note.end_ns < until_ns ? note.end_ns : until_ns;
        rv_lane_add_note(lane, &note);
    }
}

/* The lane as a recorder would have left it at until_ns. */
static void fill(struct rv_lanes *lanes, uint32_t tid, const struct whole *whole, uint64_t until_ns)
{
    bool has_begun = false;
    for (size_t i = 0; i < whole->n; i++)
        has_begun |= whole->spans[i].start <= until_ns;
    if (!has_begun)
        return;
    struct rv_lane *lane =
        rv_lanes_add(lanes, &(struct rv_lane_identity){.pid = 1, .tid = tid, .process_key = 1, .process_name = "p"});
    for (size_t i = 0; i < whole->n_open; i++)
        if (whole->open[i].start <= until_ns)
            open_frame(lane, &whole->open[i]);
    for (size_t i = 0; i < whole->n; i++) {
        const struct rv_span *span = &whole->spans[i];
        if (span->end <= until_ns)
            rv_timeline_add(lane->timeline, span, 1);
        else if (span->start <= until_ns && !(span->flags & RV_SPAN_ORPHAN))
            open_frame(lane, span);
    }
    add_notes(lane, whole, until_ns);
    lane->last_ns = until_ns < whole->last_ns ? until_ns : whole->last_ns;
}

static int by_content(const void *a, const void *b)
{
    const struct rv_box *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (x->duration_ns != y->duration_ns)
        return x->duration_ns < y->duration_ns ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void compare_boxes(const struct rv_box *box, const struct rv_box *wanted)
{
    cr_assert_eq(box->start_ns, wanted->start_ns);
    cr_assert_eq(box->duration_ns, wanted->duration_ns);
    cr_assert_eq(box->depth, wanted->depth);
    cr_assert_eq(box->count, wanted->count);
    cr_assert_eq(box->flags, wanted->flags);
    if (wanted->coverage == RV_BOX_EXACT)
        cr_assert_eq(box->id, wanted->id);
    cr_assert_eq(box->coverage == RV_BOX_EXACT, wanted->coverage == RV_BOX_EXACT);
    cr_assert_leq(abs(box->coverage - wanted->coverage), COVERAGE_ERROR);
}

static void compare(struct rv_view *view, struct rv_view *wanted, uint64_t until_ns)
{
    cr_assert_eq(view->n_lanes, wanted->n_lanes);
    cr_assert_eq(view->level, wanted->level);
    cr_assert_eq(view->n_boxes, wanted->n_boxes, "%zu boxes, %zu wanted at %lu, level %u", view->n_boxes,
                 wanted->n_boxes, (unsigned long)until_ns, view->level);
    for (size_t i = 0; i < view->n_lanes; i++) {
        const struct rv_view_lane *lane = &view->lanes[i];
        cr_assert_eq(lane->n_boxes, wanted->lanes[i].n_boxes);
        cr_assert_eq(lane->n_notes, wanted->lanes[i].n_notes);
        qsort(view->boxes + lane->first_box, lane->n_boxes, sizeof *view->boxes, by_content);
        qsort(wanted->boxes + lane->first_box, lane->n_boxes, sizeof *view->boxes, by_content);
    }
    for (size_t i = 0; i < view->n_boxes; i++)
        compare_boxes(&view->boxes[i], &wanted->boxes[i]);
    for (size_t i = 0; i < view->n_notes; i++)
        cr_assert(memcmp(&view->notes[i], &wanted->notes[i], sizeof *view->notes) == 0);
}

/* A time of an event, one before or after it, or any. */
static uint64_t some_time(const struct whole *wholes, struct spans *random)
{
    const struct whole *whole = &wholes[spans_random(random) % N_LANES];
    const struct rv_span *span = &whole->spans[spans_random(random) % whole->n];
    return (spans_random(random) % 2 ? span->end : span->start) + spans_random(random) % 3 - 1;
}

static const size_t SHAPES[][3] = {{3000, 12, 12}, {3000, 30, 18}, {2000, 4, 30}, {200, 3, 40}, {3000, 200, 8}};

Test(snapshot, a_snapshot_shows_what_was_shown_then, .timeout = 60)
{
    for (size_t shape = 0; shape < sizeof SHAPES / sizeof *SHAPES; shape++) {
        struct whole wholes[N_LANES];
        struct rv_lanes *lanes = rv_lanes_create();
        struct rv_view view = {0}, wanted = {0};
        struct spans random;
        spans_init(&random, 77 + shape, 1, 1, 1);
        for (uint32_t i = 0; i < N_LANES; i++) {
            make(&wholes[i], N_LANES * shape + i + 1, SHAPES[shape]);
            fill(lanes, i, &wholes[i], UINT64_MAX);
        }
        uint64_t first_ns, last_ns;
        cr_assert(rv_lanes_bounds(lanes, &first_ns, &last_ns));
        for (unsigned i = 0; i < 24; i++) {
            uint64_t until_ns = some_time(wholes, &random);
            struct rv_lanes *cut = rv_lanes_create();
            for (uint32_t j = 0; j < N_LANES; j++)
                fill(cut, j, &wholes[j], until_ns);
            for (size_t j = 0; j < rv_lanes_n(cut); j++) /* open calls reach to the present */
                rv_lanes_get(cut, j)->last_ns = until_ns;
            for (unsigned j = 0; j < 8; j++) {
                uint64_t from_ns = j % 2 ? first_ns : some_time(wholes, &random), length_ns = last_ns - first_ns;
                struct rv_view_params params = {.from_ns = from_ns,
                                                .to_ns = from_ns + 1 + (j % 2 ? length_ns : length_ns >> (2 * j)),
                                                .width_px = 1000000000,
                                                .box_budget = (size_t)40 << (2 * j)};
                rv_view_update(&wanted, cut, &params);
                params.is_past = true;
                params.until_ns = until_ns;
                rv_view_update(&view, lanes, &params);
                compare(&view, &wanted, until_ns);
            }
            rv_view_fini(&wanted);
            rv_lanes_destroy(cut);
        }
        for (uint32_t i = 0; i < N_LANES; i++) {
            free(wholes[i].spans);
            free(wholes[i].open);
        }
        rv_view_fini(&view);
        rv_lanes_destroy(lanes);
        spans_fini(&random);
    }
}

/* Evicted calls are gone; no later call is shown in their place. */
Test(snapshot, after_eviction_nothing_later_is_shown, .timeout = 60)
{
    static const size_t shape[3] = {100000, 12, 14};
    struct whole whole;
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_view view = {0};
    make(&whole, 3, shape);
    fill(lanes, 0, &whole, UINT64_MAX);
    struct rv_timeline *timeline = rv_lanes_get(lanes, 0)->timeline;
    (void)rv_timeline_evict(timeline, rv_timeline_bytes(timeline) / 4);
    cr_assert_gt(rv_timeline_n_evicted(timeline), 0);
    uint64_t first_ns = rv_timeline_first_ns(timeline), last_ns = rv_timeline_last_ns(timeline);
    for (unsigned i = 0; i < 100; i++) {
        uint64_t until_ns = first_ns + (last_ns - first_ns) * i / 100;
        rv_view_update(&view, lanes,
                       &(struct rv_view_params){.from_ns = first_ns,
                                                .to_ns = last_ns,
                                                .width_px = 1000000000,
                                                .box_budget = (size_t)100 << (i % 8 * 2),
                                                .is_past = true,
                                                .until_ns = until_ns});
        cr_assert_gt(view.n_boxes, 0);
        for (size_t j = 0; j < view.n_boxes; j++) {
            const struct rv_box *box = &view.boxes[j];
            cr_assert_leq(box->start_ns, until_ns);
            cr_assert(box->coverage != RV_BOX_EXACT || box->start_ns + box->duration_ns <= until_ns);
        }
    }
    free(whole.spans);
    free(whole.open);
    rv_view_fini(&view);
    rv_lanes_destroy(lanes);
}
