#include "window/minimap_pixels.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "model/busy_range.h"

#define REST_NS 1000000000u /* interval of updates of a growing trace; */
#define YOUNG_NS 100000000u /* of a young one, whose names and colours are still coming, at least this */
#define STEP_NS 500000u     /* time per frame */
#define BOXES_PER_PIXEL 16u
#define BUDGET_LEAST 60000u
#define BUDGET_MOST 600000u
#define STRENGTH_MIN 0.25f
#define SPARSE 5u /* calls in less than this part of the trace fill the strip */

struct rv_minimap_column { /* added up from the left: what is added from this column on */
    double red, green, blue, weight;
    bool is_lost;
};

struct rv_minimap_call {
    struct rv_color color;
    uint64_t end_ns;
};

static void add(struct rv_minimap_column *column, struct rv_color color, double weight)
{
    column->red += weight * color.r;
    column->green += weight * color.g;
    column->blue += weight * color.b;
    column->weight += weight;
}

static double column_of(const struct rv_minimap_pixels *minimap_image, uint64_t at_ns)
{
    const struct rv_view *view = &minimap_image->view;
    const double ns_per_column = (double)(view->to_ns - view->from_ns) / minimap_image->width;
    return fmin(fmax(((double)at_ns - (double)view->from_ns) / ns_per_column, 0.0), (double)minimap_image->width);
}

/* Add weight to the columns of a box, in part to those of its ends. */
static void add_box(struct rv_minimap_pixels *minimap_image, const struct rv_box *box, struct rv_color color,
                    double weight)
{
    const double ends[2] = {column_of(minimap_image, box->start_ns), column_of(minimap_image, rv_box_end_ns(box))};
    for (int i = 0; i < 2; i++) {
        struct rv_minimap_column *column = &minimap_image->columns[(size_t)ends[i]];
        const double share = ends[i] - floor(ends[i]), signed_weight = i ? -weight : weight;
        add(column, color, signed_weight * (1.0 - share));
        add(column + 1, color, signed_weight * share);
    }
}

/* Least brightness, so that low activity is visible. */
static void write_pixel(const struct rv_minimap_column *sum, size_t n_lanes, struct rv_color idle, uint8_t out[4])
{
    const double back[3] = {idle.r, idle.g, idle.b}, colors[3] = {sum->red, sum->green, sum->blue};
    const double weight = fmin(sum->weight / (double)n_lanes, 1.0);
    const double strength = weight > 1e-9 ? fmax(sqrt(weight), (double)STRENGTH_MIN) : 0.0;
    for (int i = 0; i < 3; i++) {
        const double color = strength > 0.0 ? fmin(fmax(colors[i] / sum->weight, 0.0), 255.0) : 0.0;
        out[i] = (uint8_t)(back[i] + strength * 0.8 * (color - back[i]));
    }
    out[3] = 255;
}

/* The row of pixels of the lanes that have been added. */
static void write_row(struct rv_minimap_pixels *minimap_image, struct rv_color lost, uint8_t *out)
{
    struct rv_minimap_column sum = {0};
    const struct rv_minimap_column all_lost = {lost.r, lost.g, lost.b, 1.0, true};
    for (int x = 0; x < minimap_image->width; x++) {
        const struct rv_minimap_column *column = &minimap_image->columns[x];
        sum.red += column->red;
        sum.green += column->green;
        sum.blue += column->blue;
        sum.weight += column->weight;
        write_pixel(column->is_lost ? &all_lost : &sum, column->is_lost ? 1 : minimap_image->n_in_row,
                    minimap_image->idle, out + 4 * (size_t)x);
    }
}

/* Write the rows of pixels that end with this lane, if one does. Lanes are apart by one if there is room. */
static void write_lane(struct rv_minimap_pixels *minimap_image, size_t lane, struct rv_color lost)
{
    size_t n = minimap_image->view.n_lanes, height = (size_t)minimap_image->height,
           row_bytes = 4 * (size_t)minimap_image->width;
    size_t from = lane * height / n, to = (lane + 1) * height / n;
    minimap_image->n_in_row++;
    if (to == from)
        return;
    write_row(minimap_image, lost, minimap_image->rgba + from * row_bytes);
    for (size_t y = from + 1; y < (to - from >= 3 ? to - 1 : to); y++)
        memcpy(minimap_image->rgba + y * row_bytes, minimap_image->rgba + from * row_bytes, row_bytes);
    memset(minimap_image->columns, 0, ((size_t)minimap_image->width + 2) * sizeof *minimap_image->columns);
    minimap_image->n_in_row = 0;
}

/* Subroutines that no picture has shown yet have the colours that they would have. */
static struct rv_color color_of(const struct rv_minimap_pixels_params *params, const struct rv_box *box,
                                uint32_t thread)
{
    uint32_t index = rv_box_colors_index(params->colors, box, thread);
    enum rv_color_scheme scheme = rv_box_colors_scheme(params->colors);
    bool is_by_name = scheme != RV_COLOR_DURATION && scheme != RV_COLOR_THREAD;
    if (is_by_name && !rv_box_colors_knows(params->colors, box->id)) {
        struct rv_subroutine subroutine = rv_subroutines_get(params->subroutines, box->id);
        if (subroutine.is_defined && subroutine.name[0])
            index = rv_box_colors_index_of(params->colors, &subroutine);
    }
    return rv_box_colors_front(params->colors, index);
}

/* A column with a loss has its colour alone, however busy the lane was. */
static void add_losses(struct rv_minimap_pixels *minimap_image, const struct rv_view_lane *lane)
{
    const struct rv_view *view = &minimap_image->view;
    for (uint32_t i = lane->first_note; i < lane->first_note + lane->n_notes; i++) {
        const struct rv_lane_note *note = &view->notes[i];
        if (!rv_note_is(note, RV_NOTE_FORM_LOSS) || note->end_ns < view->from_ns || note->start_ns > view->to_ns)
            continue;
        const size_t to = (size_t)column_of(minimap_image, note->end_ns);
        for (size_t x = (size_t)column_of(minimap_image, note->start_ns); x <= to; x++)
            minimap_image->columns[x].is_lost = true;
    }
}

/* Add a call or cell, less its share of the call that it was made in. */
static void add_own(struct rv_minimap_pixels *minimap_image, const struct rv_box *box, struct rv_color color)
{
    const double weight = box->coverage / (double)RV_BOX_EXACT;
    minimap_image->callers = rv_vec_extend(minimap_image->callers, &minimap_image->n_callers, (size_t)box->depth + 1,
                                           sizeof *minimap_image->callers);
    minimap_image->callers[box->depth] = (struct rv_minimap_call){color, rv_box_end_ns(box)};
    add_box(minimap_image, box, color, weight);
    if (box->depth && minimap_image->callers[box->depth - 1].end_ns > box->start_ns)
        add_box(minimap_image, box, minimap_image->callers[box->depth - 1].color, -weight);
}

static int by_depth(const void *a, const void *b)
{
    const struct rv_box *first = a, *second = b;
    return (first->depth > second->depth) - (first->depth < second->depth);
}

/* Of boxes that begin together, callers come first. */
static void add_lane(struct rv_minimap_pixels *minimap_image, const struct rv_minimap_pixels_params *params,
                     const struct rv_view_lane *lane)
{
    struct rv_box *boxes = minimap_image->view.boxes + lane->first_box;
    if (minimap_image->n_callers)
        memset(minimap_image->callers, 0, minimap_image->n_callers * sizeof *minimap_image->callers);
    for (size_t i = 0, end; i < lane->n_boxes; i = end) {
        for (end = i + 1; end < lane->n_boxes && boxes[end].start_ns == boxes[i].start_ns; end++)
            ;
        if (end > i + 1)
            qsort(boxes + i, end - i, sizeof *boxes, by_depth);
        for (size_t j = i; j < end; j++)
            add_own(minimap_image, &boxes[j], color_of(params, &boxes[j], lane->thread));
    }
}

/* Paint the next lane. False when there is none. */
static bool paint_lane(struct rv_minimap_pixels *minimap_image, const struct rv_minimap_pixels_params *params,
                       const struct rv_view_params *view_as)
{
    struct rv_view *view = &minimap_image->view;
    view->n_boxes = view->n_notes = 0;
    if (!rv_view_step(view, params->lanes, view_as))
        return false;
    const size_t lane = view->n_made - 1;
    add_lane(minimap_image, params, &view->lanes[lane]);
    add_losses(minimap_image, &view->lanes[lane]);
    write_lane(minimap_image, lane, params->lost);
    return true;
}

/* Must all pixels be replaced? */
static bool is_other(const struct rv_minimap_pixels *minimap_image, const struct rv_minimap_pixels_params *params)
{
    return minimap_image->width != params->width || minimap_image->height != params->height ||
           minimap_image->scheme != rv_box_colors_scheme(params->colors) ||
           memcmp(&minimap_image->idle, &params->idle, sizeof minimap_image->idle) != 0;
}

/* A trace's age, within limits: of one that lasts for 300 ms, 300 ms. */
static uint64_t rest_of(const struct rv_live_edge *live_edge)
{
    const uint64_t age_ns = live_edge->last_ns - live_edge->first_ns;
    return age_ns < YOUNG_NS ? YOUNG_NS : age_ns < REST_NS ? age_ns : REST_NS;
}

static bool is_due(const struct rv_minimap_pixels *minimap_image, const struct rv_minimap_pixels_params *params)
{
    const struct rv_live_edge *live_edge = params->live_edge;
    if (minimap_image->trace.from_ns == live_edge->first_ns && minimap_image->trace.to_ns == live_edge->last_ns &&
        minimap_image->is_of_ended == live_edge->is_done &&
        minimap_image->colors_version == rv_box_colors_version(params->colors))
        return false;
    return live_edge->is_done || params->clock_ns - minimap_image->made_ns >= rest_of(live_edge);
}

/* One stray event, days before all others, would leave a pixel for them. */
static struct rv_range_ns choose_range(const struct rv_minimap_pixels_params *params)
{
    struct rv_range_ns whole = {params->live_edge->first_ns, params->live_edge->last_ns}, busy;
    bool is_known = params->live_edge->is_done && rv_busy_range(params->lanes, &busy.from_ns, &busy.to_ns);
    return is_known && (busy.to_ns - busy.from_ns) < (whole.to_ns - whole.from_ns) / SPARSE ? busy : whole;
}

static struct rv_view_params view_params(const struct rv_minimap_pixels *minimap_image, struct rv_range_ns range,
                                         size_t n_lanes)
{
    const size_t height = (size_t)minimap_image->height, n_rows = n_lanes < height ? n_lanes : height;
    const size_t budget = BOXES_PER_PIXEL * n_rows * (size_t)minimap_image->width;
    return (struct rv_view_params){.from_ns = range.from_ns,
                                   .to_ns = range.to_ns,
                                   .width_px = (uint32_t)minimap_image->width,
                                   .box_budget = budget < BUDGET_LEAST  ? BUDGET_LEAST
                                                 : budget > BUDGET_MOST ? BUDGET_MOST
                                                                        : budget};
}

static void begin(struct rv_minimap_pixels *minimap_image, const struct rv_minimap_pixels_params *params)
{
    if (minimap_image->width != params->width || minimap_image->height != params->height) {
        free(minimap_image->rgba);
        free(minimap_image->columns);
        minimap_image->rgba = rv_alloc((size_t)params->width * (size_t)params->height, 4);
        minimap_image->columns = rv_alloc((size_t)params->width + 2, sizeof *minimap_image->columns);
    }
    minimap_image->width = params->width;
    minimap_image->height = params->height;
    minimap_image->scheme = rv_box_colors_scheme(params->colors);
    minimap_image->colors_version = rv_box_colors_version(params->colors);
    minimap_image->idle = params->idle;
    minimap_image->made_ns = params->clock_ns;
    minimap_image->trace = (struct rv_range_ns){params->live_edge->first_ns, params->live_edge->last_ns};
    minimap_image->is_of_ended = params->live_edge->is_done;
    minimap_image->is_making = true;
    minimap_image->n_in_row = 0;
    memset(minimap_image->rgba, 0, 4 * (size_t)minimap_image->width * (size_t)minimap_image->height);
    memset(minimap_image->columns, 0, ((size_t)minimap_image->width + 2) * sizeof *minimap_image->columns);
    struct rv_view_params view = view_params(minimap_image, choose_range(params), rv_lanes_n(params->lanes));
    rv_view_begin(&minimap_image->view, params->lanes, &view);
}

static void step(struct rv_minimap_pixels *minimap_image, const struct rv_minimap_pixels_params *params)
{
    const struct rv_view *view = &minimap_image->view;
    const struct rv_view_params view_as =
        view_params(minimap_image, (struct rv_range_ns){view->from_ns, view->to_ns}, view->n_lanes);
    if (paint_lane(minimap_image, params, &view_as))
        return;
    minimap_image->first_ns = view->from_ns;
    minimap_image->last_ns = view->to_ns;
    minimap_image->version++;
    minimap_image->is_making = false;
}

void rv_minimap_pixels_update(struct rv_minimap_pixels *minimap_image, const struct rv_minimap_pixels_params *params)
{
    const struct rv_live_edge *live_edge = params->live_edge;
    if (params->width < 1 || params->height < 1 || live_edge->last_ns <= live_edge->first_ns)
        return;
    bool is_urgent = is_other(minimap_image, params) || live_edge->is_done;
    if (is_other(minimap_image, params) || (is_due(minimap_image, params) && (is_urgent || !minimap_image->is_making)))
        begin(minimap_image, params);
    uint64_t end_ns = rv_clock_mono_ns() + STEP_NS;
    while (minimap_image->is_making && (is_urgent || rv_clock_mono_ns() < end_ns))
        step(minimap_image, params);
}

void rv_minimap_pixels_fini(struct rv_minimap_pixels *minimap_image)
{
    free(minimap_image->rgba);
    free(minimap_image->columns);
    rv_view_fini(&minimap_image->view);
    free(minimap_image->callers);
    *minimap_image = (struct rv_minimap_pixels){0};
}
