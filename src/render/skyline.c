#include "render/skyline.h"

#include <math.h>

void rv_skyline_begin(struct rv_skyline *skyline, const struct rv_lane_layout *layout, const struct rv_camera *camera,
                      float wide)
{
    skyline->layout = layout;
    skyline->wide = wide;
    skyline->up[0] = camera->view_projection[1][1];
    skyline->up[1] = camera->view_projection[2][1];
    for (size_t i = 0; i < RV_SKYLINE_COLUMNS; i++)
        skyline->tops[RV_SKYLINE_OF_ALL][i] = skyline->tops[RV_SKYLINE_OF_WIDE][i] = -INFINITY;
}

static float height_of(const struct rv_skyline *skyline, float y, float z)
{
    return skyline->up[0] * y + skyline->up[1] * z;
}

static size_t column_of(const struct rv_skyline *skyline, double x)
{
    const double column = x * RV_SKYLINE_COLUMNS / (double)skyline->layout->width;
    return column <= 0.0 ? 0 : column >= RV_SKYLINE_COLUMNS ? RV_SKYLINE_COLUMNS - 1 : (size_t)column;
}

/* A box hides what is behind its face and its roof. */
static float top_of(const struct rv_skyline *skyline, const struct rv_lane_layout_lane *lane, uint32_t depth)
{
    const float roof = rv_lane_layout_row_y(lane, depth) + lane->row_height * skyline->layout->box_share;
    return height_of(skyline, roof, lane->z - rv_lane_layout_thickness(lane, depth));
}

static void raise(float *tops, size_t begin, size_t end, float top)
{
    for (size_t i = begin; i < end || i == begin; i++)
        tops[i] = fmaxf(tops[i], top);
}

void rv_skyline_add(struct rv_skyline *skyline, const struct rv_view *view, size_t lane)
{
    const struct rv_lane_layout *layout = skyline->layout;
    const struct rv_box *boxes = view->boxes + view->lanes[lane].first_box;
    for (uint32_t i = 0; i < view->lanes[lane].n_boxes; i++) {
        const double left = rv_lane_layout_x(layout, boxes[i].start_ns),
                     right = rv_lane_layout_x(layout, rv_box_end_ns(&boxes[i]));
        const size_t begin = column_of(skyline, left), end = column_of(skyline, right);
        const float top = top_of(skyline, &layout->lanes[lane], boxes[i].depth);
        raise(skyline->tops[RV_SKYLINE_OF_ALL], begin, end, top);
        if (right - left >= (double)skyline->wide)
            raise(skyline->tops[RV_SKYLINE_OF_WIDE], begin, end, top);
    }
}

static float share_in_sight(const struct rv_skyline *skyline, float height, size_t begin, size_t end)
{
    size_t n = 0;
    for (size_t i = begin; i < end; i++)
        n += skyline->tops[RV_SKYLINE_OF_ALL][i] <= height;
    return begin < end ? (float)n / (float)(end - begin) : 0.0f;
}

float rv_skyline_narrow(const struct rv_skyline *skyline, enum rv_skyline_kind kind, const float yz[2], float *left,
                        float *right)
{
    const float height = height_of(skyline, yz[0], yz[1]), column = skyline->layout->width / RV_SKYLINE_COLUMNS;
    const size_t begin = column_of(skyline, (double)*left), end = column_of(skyline, (double)*right) + 1;
    size_t longest = begin, n_longest = 0, n = 0;
    for (size_t i = begin; i < end; i++) {
        n = skyline->tops[kind][i] > height ? 0 : n + 1;
        if (n > n_longest) {
            n_longest = n;
            longest = i + 1 - n;
        }
    }
    *left = fmaxf(*left, column * (float)longest);
    *right = fminf(*right, column * (float)(longest + n_longest));
    return share_in_sight(skyline, height, longest, longest + n_longest);
}
