#include "window/minimap_image.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "model/busy_range.h"

#define REST_NS 1000000000u /* interval of updates of a growing trace */
#define STEP_NS 500000u     /* time per frame */
#define BUDGET 60000
#define STRENGTH_MIN 0.25f
#define SPARSE 5u /* calls in less than this part of the trace fill the strip */

static void add_box(struct rv_minimap_image *minimap_image, const struct rv_box *box, struct rv_color color)
{
    const struct rv_view *view = &minimap_image->view;
    double ns_per_column = (double)(view->to_ns - view->from_ns) / minimap_image->width;
    double from = ((double)box->start_ns - (double)view->from_ns) / ns_per_column;
    double to = from + (double)box->duration_ns / ns_per_column, weight = box->coverage / 65535.0;
    from = fmax(from, 0.0);
    to = fmin(to, (double)minimap_image->width);
    for (int x = (int)from; x < minimap_image->width && (double)x < to; x++) {
        float part = (float)((fmin(to, x + 1.0) - fmax(from, (double)x)) * weight);
        minimap_image->columns[x][0] += part * (float)color.r;
        minimap_image->columns[x][1] += part * (float)color.g;
        minimap_image->columns[x][2] += part * (float)color.b;
        minimap_image->columns[x][3] += part;
    }
}

/* Least brightness, so that low activity is visible. */
static void write_pixel(const float column[4], struct rv_color idle, uint8_t out[4])
{
    const float back[3] = {(float)idle.r, (float)idle.g, (float)idle.b};
    float weight = fminf(column[3], 1.0f), strength = weight > 0.0f ? fmaxf(sqrtf(weight), STRENGTH_MIN) : 0.0f;
    for (int i = 0; i < 3; i++) {
        float color = column[3] > 0.0f ? column[i] / column[3] : 0.0f;
        out[i] = (uint8_t)(back[i] + strength * 0.8f * (color - back[i]));
    }
    out[3] = 255;
}

/* Separate lanes by a row of pixels if there is room. */
static void write_lane(struct rv_minimap_image *minimap_image, size_t lane)
{
    size_t n = minimap_image->leaves.view.n_lanes, height = (size_t)minimap_image->height,
           width = (size_t)minimap_image->width;
    size_t from = lane * height / n, to = (lane + 1) * height / n;
    if (to - from >= 3)
        to--;
    for (size_t x = 0; to > from && x < width; x++)
        write_pixel(minimap_image->columns[x], minimap_image->idle, minimap_image->rgba + 4 * (from * width + x));
    for (size_t y = from + 1; y < to; y++)
        memcpy(minimap_image->rgba + 4 * y * width, minimap_image->rgba + 4 * from * width, 4 * width);
}

/* Subroutines that no picture has shown yet have the colours that they would have. */
static struct rv_color color_of(const struct rv_minimap_image_params *params, const struct rv_box *box, uint32_t thread)
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
static void paint_losses(struct rv_minimap_image *minimap_image, const struct rv_view_lane *lane, struct rv_color lost)
{
    const struct rv_view *view = &minimap_image->view;
    double ns_per_column = (double)(view->to_ns - view->from_ns) / minimap_image->width;
    for (uint32_t i = lane->first_note; i < lane->first_note + lane->n_notes; i++) {
        const struct rv_lane_note *note = &view->notes[i];
        if (!rv_note_is(note, RV_NOTE_FORM_LOSS) || note->end_ns < view->from_ns)
            continue;
        double from = fmax(((double)note->start_ns - (double)view->from_ns) / ns_per_column, 0.0);
        double to = ((double)note->end_ns - (double)view->from_ns) / ns_per_column;
        for (int x = (int)from; x < minimap_image->width && (double)x <= to; x++) {
            const float column[4] = {(float)lost.r, (float)lost.g, (float)lost.b, 1.0f};
            memcpy(minimap_image->columns[x], column, sizeof column);
        }
    }
}

/* Paint the next lane. False when there is none. */
static bool paint_lane(struct rv_minimap_image *minimap_image, const struct rv_minimap_image_params *params)
{
    const struct rv_view *view = &minimap_image->leaves.view;
    size_t lane = minimap_image->n_painted;
    if (lane == view->n_lanes)
        return false;
    const struct rv_view_lane *shown = &view->lanes[lane];
    memset(minimap_image->columns, 0, (size_t)minimap_image->width * sizeof *minimap_image->columns);
    for (size_t i = shown->first_box; i < (size_t)shown->first_box + shown->n_boxes; i++) {
        const struct rv_box *box = &view->boxes[i];
        add_box(minimap_image, box, color_of(params, box, shown->thread));
    }
    paint_losses(minimap_image, shown, params->lost);
    write_lane(minimap_image, lane);
    minimap_image->n_painted++;
    return true;
}

/* Must all pixels be replaced? */
static bool is_other(const struct rv_minimap_image *minimap_image, const struct rv_minimap_image_params *params)
{
    return minimap_image->width != params->width || minimap_image->height != params->height ||
           minimap_image->scheme != rv_box_colors_scheme(params->colors) ||
           memcmp(&minimap_image->idle, &params->idle, sizeof minimap_image->idle) != 0;
}

static bool is_due(const struct rv_minimap_image *minimap_image, const struct rv_minimap_image_params *params)
{
    const struct rv_live_edge *live_edge = params->live_edge;
    if (minimap_image->trace.from_ns == live_edge->first_ns && minimap_image->trace.to_ns == live_edge->last_ns &&
        minimap_image->is_of_ended == live_edge->is_done &&
        minimap_image->colors_version == rv_box_colors_version(params->colors))
        return false;
    return live_edge->is_done || params->clock_ns - minimap_image->made_ns >= REST_NS;
}

/* One stray event, days before all others, would leave a pixel for them. */
static struct rv_range_ns choose_range(const struct rv_minimap_image_params *params)
{
    struct rv_range_ns whole = {params->live_edge->first_ns, params->live_edge->last_ns}, busy;
    bool is_known = params->live_edge->is_done && rv_busy_range(params->lanes, &busy.from_ns, &busy.to_ns);
    return is_known && (busy.to_ns - busy.from_ns) < (whole.to_ns - whole.from_ns) / SPARSE ? busy : whole;
}

static struct rv_view_params view_params(const struct rv_minimap_image *minimap_image, struct rv_range_ns range)
{
    return (struct rv_view_params){.from_ns = range.from_ns,
                                   .to_ns = range.to_ns,
                                   .width_px = (uint32_t)minimap_image->width,
                                   .box_budget = BUDGET};
}

static void begin(struct rv_minimap_image *minimap_image, const struct rv_minimap_image_params *params)
{
    if (minimap_image->width != params->width || minimap_image->height != params->height) {
        free(minimap_image->rgba);
        free(minimap_image->columns);
        minimap_image->rgba = rv_alloc((size_t)params->width * (size_t)params->height, 4);
        minimap_image->columns = rv_alloc((size_t)params->width, sizeof *minimap_image->columns);
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
    minimap_image->n_painted = 0;
    struct rv_view_params view = view_params(minimap_image, choose_range(params));
    rv_view_begin(&minimap_image->view, params->lanes, &view);
    rv_leaf_view_begin(&minimap_image->leaves, &minimap_image->view);
}

/* Add a box's colour to the columns that it covers. */
static void step(struct rv_minimap_image *minimap_image, const struct rv_minimap_image_params *params)
{
    struct rv_view *view = &minimap_image->view;
    struct rv_view_params view_as = view_params(minimap_image, (struct rv_range_ns){view->from_ns, view->to_ns});
    if (rv_view_step(view, params->lanes, &view_as)) {
        rv_leaf_view_begin(&minimap_image->leaves, view);
        return;
    }
    if (rv_leaf_view_step(&minimap_image->leaves, view, true,
                          (view->to_ns - view->from_ns) / (uint64_t)minimap_image->width))
        return;
    if (minimap_image->n_painted == 0)
        memset(minimap_image->rgba, 0, 4 * (size_t)minimap_image->width * (size_t)minimap_image->height);
    if (paint_lane(minimap_image, params))
        return;
    minimap_image->first_ns = view->from_ns;
    minimap_image->last_ns = view->to_ns;
    minimap_image->version++;
    minimap_image->is_making = false;
}

void rv_minimap_image_update(struct rv_minimap_image *minimap_image, const struct rv_minimap_image_params *params)
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

void rv_minimap_image_fini(struct rv_minimap_image *minimap_image)
{
    free(minimap_image->rgba);
    free(minimap_image->columns);
    rv_view_fini(&minimap_image->view);
    rv_leaf_view_fini(&minimap_image->leaves);
    *minimap_image = (struct rv_minimap_image){0};
}
