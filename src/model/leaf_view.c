#include "model/leaf_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct fold { /* the short parts of one column, being folded; n_parts 0: none */
    uint32_t n_parts;
    uint16_t coverage; /* of the first part */
    uint64_t column, start_ns, end_ns, covered_ns;
    uint64_t n_calls;    /* calls that begin in the column */
    uint32_t source, id; /* the call with the majority of the column so far, its subroutine, and its lead */
    uint64_t lead_ns;
    uint16_t flags_of_any, flags_of_all; /* a part is a hit; all parts are dimmed */
};

struct sweep {
    struct rv_leaf_view *leaves;
    const struct rv_view *whole;
    uint32_t first_box; /* of the lane, */
    size_t n_before;    /* reduced boxes before its own */
    uint32_t shift;     /* a column is 2^shift ns, shorter parts are folded; 0 = nothing is folded */
    struct fold fold;
};

static struct rv_box *push(struct rv_leaf_view *leaves, const struct rv_box *box, uint32_t source)
{
    struct rv_view *view = &leaves->view;
    view->boxes = rv_vec_reserve(view->boxes, &view->boxes_capacity, view->n_boxes + 1, sizeof *view->boxes);
    leaves->sources =
        rv_vec_reserve(leaves->sources, &leaves->sources_capacity, view->n_boxes + 1, sizeof *leaves->sources);
    leaves->sources[view->n_boxes] = source;
    struct rv_box *out = &view->boxes[view->n_boxes++];
    *out = *box;
    out->depth = 0;
    return out;
}

/* A cell gets the share of time in which the lane was busy; an exact call stays exact. */
static void cover(struct rv_box *out, uint16_t coverage)
{
    if (out->coverage != RV_BOX_EXACT)
        out->coverage = coverage < RV_BOX_EXACT ? coverage : RV_BOX_EXACT - 1;
}

/* Turn the folded parts into one box; a single part is kept unchanged. */
static void unfold(struct sweep *sweep)
{
    struct fold *fold = &sweep->fold;
    if (fold->n_parts == 0)
        return;
    struct rv_box *out = push(sweep->leaves, &sweep->whole->boxes[fold->source], fold->source);
    out->start_ns = fold->start_ns;
    out->duration_ns = fold->end_ns - fold->start_ns;
    cover(out, fold->coverage);
    if (fold->n_parts > 1) {
        double share = out->duration_ns ? (double)fold->covered_ns / (double)out->duration_ns : 1.0;
        out->coverage = (uint16_t)((share < 1.0 ? share : 1.0) * (RV_BOX_EXACT - 1));
        out->count = fold->n_calls < UINT32_MAX ? (uint32_t)fold->n_calls : UINT32_MAX;
        out->flags = (fold->flags_of_any & RV_BOX_HIT) | (fold->flags_of_all & RV_BOX_DIMMED);
    }
    fold->n_parts = 0;
}

/* Majority vote (Boyer-Moore) for the column's subroutine: others' time is subtracted from the leader's. */
static void vote(struct sweep *sweep, uint32_t source, uint64_t duration_ns)
{
    struct fold *fold = &sweep->fold;
    const uint32_t id = sweep->whole->boxes[source].id;
    if (id == fold->id) {
        fold->lead_ns += duration_ns;
    } else if (duration_ns > fold->lead_ns) {
        fold->source = source;
        fold->id = id;
        fold->lead_ns = duration_ns - fold->lead_ns;
    } else {
        fold->lead_ns -= duration_ns;
    }
}

static void fold_part(struct sweep *sweep, const struct rv_innermost_part *part)
{
    struct fold *fold = &sweep->fold;
    const uint32_t source = sweep->first_box + part->box;
    const uint64_t from_ns = part->from_ns, until_ns = part->until_ns;
    const struct rv_box *box = &sweep->whole->boxes[source];
    if (fold->n_parts > 0 && fold->column != from_ns >> sweep->shift)
        unfold(sweep);
    if (fold->n_parts == 0)
        *fold = (struct fold){.column = from_ns >> sweep->shift,
                              .coverage = part->coverage,
                              .start_ns = from_ns,
                              .source = source,
                              .id = box->id,
                              .flags_of_all = RV_BOX_DIMMED};
    fold->n_parts++;
    fold->end_ns = until_ns > fold->end_ns ? until_ns : fold->end_ns;
    const uint64_t part_ns = until_ns - from_ns;
    fold->covered_ns +=
        part->coverage == RV_BOX_EXACT ? part_ns : (uint64_t)((double)part_ns * part->coverage / RV_BOX_EXACT);
    fold->n_calls += from_ns == box->start_ns ? box->count : 0;
    fold->flags_of_any |= box->flags;
    fold->flags_of_all &= box->flags;
    vote(sweep, source, part_ns);
}

/* Is it the call of the last part, continued under a cell that does not show? */
static bool extend(struct sweep *sweep, uint32_t source, const struct rv_innermost_part *part)
{
    const struct rv_view *view = &sweep->leaves->view;
    if (view->n_boxes == sweep->n_before || sweep->leaves->sources[view->n_boxes - 1] != source)
        return false;
    struct rv_box *last = &view->boxes[view->n_boxes - 1];
    if (last->coverage != RV_BOX_EXACT || rv_box_end_ns(last) != part->from_ns)
        return false;
    last->duration_ns = part->until_ns - last->start_ns;
    return true;
}

static void show(void *context, const struct rv_innermost_part *part)
{
    struct sweep *sweep = context;
    uint32_t source = sweep->first_box + part->box;
    if (sweep->shift && (part->until_ns - part->from_ns) >> sweep->shift == 0) {
        fold_part(sweep, part);
        return;
    }
    unfold(sweep);
    if (extend(sweep, source, part))
        return;
    struct rv_box *out = push(sweep->leaves, &sweep->whole->boxes[source], source);
    out->start_ns = part->from_ns;
    out->duration_ns = part->until_ns - part->from_ns;
    cover(out, part->coverage);
}

static void resolve_lane(struct sweep *sweep, const struct rv_view_lane *lane)
{
    sweep->first_box = lane->first_box;
    sweep->n_before = sweep->leaves->view.n_boxes;
    rv_innermost_find(&sweep->leaves->innermost, sweep->whole->boxes + lane->first_box, lane->n_boxes, show, sweep);
    unfold(sweep);
}

static void copy_lane(struct sweep *sweep, const struct rv_view_lane *lane)
{
    struct rv_leaf_view *leaves = sweep->leaves;
    struct rv_view *view = &leaves->view;
    size_t n = view->n_boxes + lane->n_boxes;
    view->boxes = rv_vec_reserve(view->boxes, &view->boxes_capacity, n, sizeof *view->boxes);
    leaves->sources = rv_vec_reserve(leaves->sources, &leaves->sources_capacity, n, sizeof *leaves->sources);
    for (uint32_t i = 0; i < lane->n_boxes; i++) {
        leaves->sources[view->n_boxes] = lane->first_box + i;
        view->boxes[view->n_boxes++] = sweep->whole->boxes[lane->first_box + i];
    }
}

bool rv_leaf_view_has_row(const struct rv_view *whole)
{
    bool has_row = false;
    for (size_t i = 0; i < whole->n_lanes; i++)
        has_row |= whole->lanes[i].is_row;
    return has_row;
}

/* The least power of two not less than the value. */
static uint32_t shift_for(uint64_t pixel_ns)
{
    return pixel_ns > 1 ? 64 - (uint32_t)__builtin_clzll(pixel_ns - 1) : 0;
}

static void begin(struct rv_leaf_view *leaves, const struct rv_view *whole)
{
    struct rv_view *view = &leaves->view;
    view->from_ns = whole->from_ns;
    view->to_ns = whole->to_ns;
    view->level = whole->level;
    view->most_depth = whole->most_depth;
    view->n_folded = whole->n_folded;
    view->notes = whole->notes;
    view->n_notes = whole->n_notes;
    view->steps = whole->steps;
    view->n_steps = whole->n_steps;
    view->n_boxes = 0;
    view->lanes = rv_vec_reserve(view->lanes, &view->lanes_capacity, whole->n_lanes, sizeof *view->lanes);
    view->n_lanes = whole->n_lanes;
    view->n_processes = whole->n_processes;
}

static void add_lane(struct rv_leaf_view *leaves, const struct rv_view *whole, size_t i, bool has_all, uint32_t shift)
{
    struct sweep sweep = {.leaves = leaves, .whole = whole, .shift = shift};
    const struct rv_view_lane *lane = &whole->lanes[i];
    struct rv_view_lane *out = &leaves->view.lanes[i];
    bool is_reduced = (has_all || lane->is_row) && !lane->object;
    *out = *lane;
    out->first_box = (uint32_t)leaves->view.n_boxes;
    if (is_reduced)
        resolve_lane(&sweep, lane);
    else
        copy_lane(&sweep, lane);
    out->n_boxes = (uint32_t)leaves->view.n_boxes - out->first_box;
    out->max_depth = is_reduced ? 1 : lane->max_depth;
}

void rv_leaf_view_update(struct rv_leaf_view *leaves, const struct rv_view *whole, bool has_all, uint64_t pixel_ns)
{
    const uint32_t shift = shift_for(pixel_ns);
    begin(leaves, whole);
    for (size_t i = 0; i < whole->n_lanes; i++)
        add_lane(leaves, whole, i, has_all, shift);
}

void rv_leaf_view_fini(struct rv_leaf_view *leaves)
{
    free(leaves->view.lanes);
    free(leaves->view.boxes);
    free(leaves->sources);
    rv_innermost_fini(&leaves->innermost);
    *leaves = (struct rv_leaf_view){0};
}
