/* A view filled by hand: exact boxes from two and a half pixels on, shorter ones folded into runs of the same depth. */
#include "synthetic.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/view.h"

#define WIDTH_PX 1600
#define DEPTH_MAX 64
#define EXACT 65535u

struct run { /* of short calls of one depth */
    uint64_t start_ns, end_ns, covered_ns;
    uint32_t id, count;
};

static void push_box(struct rv_view *view, struct rv_box box)
{
    view->boxes = rv_vec_reserve(view->boxes, &view->boxes_capacity, view->n_boxes + 1, sizeof *view->boxes);
    view->boxes[view->n_boxes++] = box;
}

static void flush_run(struct rv_view *view, struct run *run, uint32_t depth, uint64_t cell_ns)
{
    if (!run->count)
        return;
    uint64_t width_ns = run->end_ns - run->start_ns > cell_ns ? run->end_ns - run->start_ns : cell_ns;
    uint64_t covered_ns = run->covered_ns < width_ns ? run->covered_ns : width_ns;
    push_box(view, (struct rv_box){.start_ns = run->start_ns,
                                   .duration_ns = width_ns,
                                   .id = run->id,
                                   .count = run->count,
                                   .depth = depth,
                                   .coverage = (uint16_t)((double)covered_ns / (double)width_ns * 65534.0)});
    view->n_folded += run->count;
    run->count = 0;
}

static void fold(struct rv_view *view, struct run *run, const struct rv_span *span, uint64_t cell_ns)
{
    if (run->count && (span->start > run->end_ns + cell_ns || span->end > run->start_ns + 8 * cell_ns))
        flush_run(view, run, span->depth, cell_ns);
    if (!run->count)
        *run = (struct run){.start_ns = span->start, .id = span->id};
    run->end_ns = span->end;
    run->covered_ns += span->end - span->start;
    run->count++;
}

static int by_start(const void *a, const void *b)
{
    const struct rv_box *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static void fill_lane(struct rv_view *view, const struct synthetic_lane *lane, uint32_t idx)
{
    struct run runs[DEPTH_MAX] = {0};
    uint64_t cell_ns = (view->to_ns - view->from_ns) * 5 / (2 * WIDTH_PX) + 1;
    struct rv_view_lane *out = &view->lanes[idx];
    *out = (struct rv_view_lane){.lane_idx = idx, .first_box = (uint32_t)view->n_boxes};
    strcpy(out->name, lane->name);
    for (size_t i = 0; i < lane->n_spans; i++) {
        const struct rv_span *span = &lane->spans[i];
        if (span->end <= view->from_ns || span->start >= view->to_ns)
            continue;
        if (span->depth >= out->max_depth)
            out->max_depth = span->depth + 1;
        uint64_t duration_ns = span->end - span->start;
        if (duration_ns < cell_ns)
            fold(view, &runs[span->depth], span, cell_ns);
        else
            push_box(view, (struct rv_box){span->start, duration_ns, span->id, 1, span->depth, EXACT, 0});
    }
    for (uint32_t depth = 0; depth < DEPTH_MAX; depth++)
        flush_run(view, &runs[depth], depth, cell_ns);
    out->n_boxes = (uint32_t)view->n_boxes - out->first_box;
    qsort(view->boxes + out->first_box, out->n_boxes, sizeof *view->boxes, by_start);
}

void synthetic_view(const struct synthetic *synthetic, struct rv_view *view, uint64_t from_ns, uint64_t to_ns)
{
    view->from_ns = from_ns;
    view->to_ns = to_ns;
    view->n_boxes = 0;
    view->n_folded = 0;
    view->lanes = rv_vec_reserve(view->lanes, &view->lanes_capacity, SYNTHETIC_LANES, sizeof *view->lanes);
    view->n_lanes = SYNTHETIC_LANES;
    view->n_processes = 1;
    for (uint32_t i = 0; i < SYNTHETIC_LANES; i++)
        fill_lane(view, &synthetic->lanes[i], i);
    view->notes = rv_vec_reserve(view->notes, &view->notes_capacity, synthetic->n_collections + 1, sizeof *view->notes);
    memcpy(view->notes, synthetic->collections, synthetic->n_collections * sizeof *view->notes);
    view->n_notes = synthetic->n_collections;
    view->lanes[0].n_notes = (uint32_t)view->n_notes;
}

void synthetic_view_fini(struct rv_view *view)
{
    free(view->lanes);
    free(view->boxes);
    free(view->notes);
    *view = (struct rv_view){0};
}
