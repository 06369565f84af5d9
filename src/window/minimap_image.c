#include "window/minimap_image.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"

#define REST_NS 1000000000u /* between two of a trace that grows */
#define STEP_NS 500000u     /* of a frame */
#define BUDGET 60000
#define STRENGTH_MIN 0.25f

static void add_box(struct rv_overview *overview, const struct rv_box *box, struct rv_color color)
{
    const struct rv_view *view = &overview->view;
    double ns_per_column = (double)(view->to_ns - view->from_ns) / overview->width;
    double from = ((double)box->start_ns - (double)view->from_ns) / ns_per_column;
    double to = from + (double)box->duration_ns / ns_per_column, weight = box->coverage / 65535.0;
    from = fmax(from, 0.0);
    to = fmin(to, (double)overview->width);
    for (int x = (int)from; x < overview->width && (double)x < to; x++) {
        float part = (float)((fmin(to, x + 1.0) - fmax(from, (double)x)) * weight);
        overview->columns[x][0] += part * (float)color.r;
        overview->columns[x][1] += part * (float)color.g;
        overview->columns[x][2] += part * (float)color.b;
        overview->columns[x][3] += part;
    }
}

/* What is hardly busy is still seen. */
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

/* Lanes have a row of pixels between them where there is room for it. */
static void write_lane(struct rv_overview *overview, size_t lane)
{
    size_t n = overview->leaves.view.n_lanes, height = (size_t)overview->height, width = (size_t)overview->width;
    size_t from = lane * height / n, to = (lane + 1) * height / n;
    if (to - from >= 3)
        to--;
    for (size_t x = 0; to > from && x < width; x++)
        write_pixel(overview->columns[x], overview->idle, overview->rgba + 4 * (from * width + x));
    for (size_t y = from + 1; y < to; y++)
        memcpy(overview->rgba + 4 * y * width, overview->rgba + 4 * from * width, 4 * width);
}

/* The next lane. False when there is none. */
static bool paint_lane(struct rv_overview *overview, const struct rv_palette *palette)
{
    const struct rv_view *view = &overview->leaves.view;
    size_t lane = overview->n_painted;
    if (lane == view->n_lanes)
        return false;
    const struct rv_view_lane *shown = &view->lanes[lane];
    memset(overview->columns, 0, (size_t)overview->width * sizeof *overview->columns);
    for (size_t i = shown->first_box; i < (size_t)shown->first_box + shown->n_boxes; i++) {
        uint32_t index = rv_palette_index(palette, &view->boxes[i], shown->thread);
        add_box(overview, &view->boxes[i], rv_palette_front(palette, index));
    }
    write_lane(overview, lane);
    overview->n_painted++;
    return true;
}

/* There are no pixels that could stay. */
static bool is_other(const struct rv_overview *overview, const struct rv_overview_params *params)
{
    return overview->width != params->width || overview->height != params->height ||
           overview->scheme != rv_palette_scheme(params->palette) ||
           memcmp(&overview->idle, &params->idle, sizeof overview->idle) != 0;
}

static bool is_due(const struct rv_overview *overview, const struct rv_overview_params *params)
{
    const struct rv_present *present = params->present;
    if (overview->first_ns == present->first_ns && overview->last_ns == present->last_ns)
        return false;
    return present->is_done || params->clock_ns - overview->made_ns >= REST_NS;
}

static struct rv_view_params view_params(const struct rv_overview_params *params)
{
    return (struct rv_view_params){.from_ns = params->present->first_ns,
                                   .to_ns = params->present->last_ns,
                                   .width_px = (uint32_t)params->width,
                                   .box_budget = BUDGET};
}

static void begin(struct rv_overview *overview, const struct rv_overview_params *params)
{
    struct rv_view_params view = view_params(params);
    if (overview->width != params->width || overview->height != params->height) {
        free(overview->rgba);
        free(overview->columns);
        overview->rgba = rv_alloc((size_t)params->width * (size_t)params->height, 4);
        overview->columns = rv_alloc((size_t)params->width, sizeof *overview->columns);
    }
    overview->width = params->width;
    overview->height = params->height;
    overview->scheme = rv_palette_scheme(params->palette);
    overview->idle = params->idle;
    overview->made_ns = params->clock_ns;
    overview->is_making = true;
    overview->n_painted = 0;
    rv_view_begin(&overview->view, params->lanes, &view);
    rv_leaves_begin(&overview->leaves, &overview->view);
}

/* A lane of the view, or of its leaves, or of the pixels. */
static void step(struct rv_overview *overview, const struct rv_overview_params *params)
{
    struct rv_view *view = &overview->view;
    struct rv_view_params view_as = view_params(params);
    if (rv_view_step(view, params->lanes, &view_as)) {
        rv_leaves_begin(&overview->leaves, view);
        return;
    }
    if (rv_leaves_step(&overview->leaves, view, true, (view->to_ns - view->from_ns) / (uint64_t)overview->width))
        return;
    if (overview->n_painted == 0)
        memset(overview->rgba, 0, 4 * (size_t)overview->width * (size_t)overview->height);
    if (paint_lane(overview, params->palette))
        return;
    overview->first_ns = view->from_ns;
    overview->last_ns = view->to_ns;
    overview->version++;
    overview->is_making = false;
}

void rv_overview_update(struct rv_overview *overview, const struct rv_overview_params *params)
{
    const struct rv_present *present = params->present;
    if (params->width < 1 || params->height < 1 || present->last_ns <= present->first_ns)
        return;
    bool is_urgent = is_other(overview, params) || present->is_done;
    if (is_other(overview, params) || (is_due(overview, params) && (is_urgent || !overview->is_making)))
        begin(overview, params);
    uint64_t end_ns = rv_clock_mono_ns() + STEP_NS;
    while (overview->is_making && (is_urgent || rv_clock_mono_ns() < end_ns))
        step(overview, params);
}

void rv_overview_fini(struct rv_overview *overview)
{
    free(overview->rgba);
    free(overview->columns);
    rv_view_fini(&overview->view);
    rv_leaves_fini(&overview->leaves);
    *overview = (struct rv_overview){0};
}
