#include "render/pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "render/cell_bar.h"

#define PARALLEL 1e-12

struct ray { /* from + steps * along, along of length 1 and away from the eye */
    double from[3], along[3];
    double near; /* steps at the near plane */
};

struct stretch { /* of a ray, in steps */
    double begin, end;
};

struct solid {
    double low[3], high[3];
};

static uint32_t depth_of(const struct rv_box_record *record)
{
    return record->place & RV_PLACE_MAX;
}

/* Count the rows of the lane's boxes, and make room for them. */
static void measure_lane(struct rv_pick *pick, const struct rv_view_lane *shown, const struct rv_box_buffer *records,
                         struct rv_pick_lane *out)
{
    *out = (struct rv_pick_lane){.first_row = pick->n_rows};
    for (size_t i = shown->first_box; i < (size_t)shown->first_box + shown->n_boxes; i++) {
        uint32_t depth = depth_of(&records->items[i]);
        if (depth >= out->n_rows)
            out->n_rows = depth + 1;
    }
    pick->n_rows += out->n_rows;
    pick->rows = rv_vec_reserve(pick->rows, &pick->rows_capacity, pick->n_rows + 2, sizeof *pick->rows);
    memset(pick->rows + out->first_row + 2, 0, out->n_rows * sizeof *pick->rows);
}

static struct rv_pick_item item_of(const struct rv_box_record *record, size_t box, const struct rv_box_colors *colors)
{
    bool is_cell = record->paint & RV_PAINT_CELL;
    return (struct rv_pick_item){
        .start = record->start,
        .end = record->start + (int32_t)record->duration,
        .box = (uint32_t)box,
        .fullness = is_cell ? (float)(record->paint >> RV_PAINT_COVERAGE_SHIFT) / (float)RV_BOX_EXACT : 1.0f,
        .height = rv_box_colors_height(colors, record->paint & RV_PAINT_COLOUR_MASK)};
}

/*
 * Counting sort by row, stable: boxes of a lane are sorted by start. rows[r + 1] advances from row r's first item to
 * its end.
 */
static void sort_into_rows(struct rv_pick *pick, const struct rv_view *view, const struct rv_box_buffer *records,
                           const struct rv_box_colors *colors)
{
    for (size_t lane = 0; lane < pick->n_lanes; lane++) {
        const struct rv_view_lane *shown = &view->lanes[lane];
        for (size_t i = shown->first_box; i < (size_t)shown->first_box + shown->n_boxes; i++)
            pick->rows[pick->lanes[lane].first_row + depth_of(&records->items[i]) + 2]++;
    }
    for (size_t row = 2; row < pick->n_rows + 2; row++)
        pick->rows[row] += pick->rows[row - 1];
    for (size_t lane = 0; lane < pick->n_lanes; lane++) {
        const struct rv_view_lane *shown = &view->lanes[lane];
        for (size_t i = shown->first_box; i < (size_t)shown->first_box + shown->n_boxes; i++) {
            size_t row = pick->lanes[lane].first_row + depth_of(&records->items[i]);
            pick->items[pick->rows[row + 1]++] = item_of(&records->items[i], i, colors);
        }
    }
}

static void find_reaches(struct rv_pick *pick)
{
    for (size_t row = 0; row < pick->n_rows; row++) {
        int32_t reach = INT32_MIN;
        for (size_t i = pick->rows[row]; i < pick->rows[row + 1]; i++) {
            if (pick->items[i].end > reach)
                reach = pick->items[i].end;
            pick->items[i].reach = reach;
        }
    }
}

void rv_pick_update(struct rv_pick *pick, const struct rv_view *view, const struct rv_box_buffer *records,
                    const struct rv_box_colors *colors)
{
    pick->centre = rv_box_packing_centre(&records->pack);
    pick->unit = rv_box_packing_scale(&records->pack);
    pick->n_lanes = view->n_lanes;
    pick->n_items = view->n_boxes;
    pick->n_rows = 0;
    pick->lanes = rv_vec_reserve(pick->lanes, &pick->lanes_capacity, pick->n_lanes, sizeof *pick->lanes);
    pick->items = rv_vec_reserve(pick->items, &pick->items_capacity, pick->n_items, sizeof *pick->items);
    pick->rows = rv_vec_reserve(pick->rows, &pick->rows_capacity, 2, sizeof *pick->rows);
    pick->rows[0] = pick->rows[1] = 0;
    for (size_t lane = 0; lane < pick->n_lanes; lane++)
        measure_lane(pick, &view->lanes[lane], records, &pick->lanes[lane]);
    sort_into_rows(pick, view, records, colors);
    find_reaches(pick);
}

void rv_pick_fini(struct rv_pick *pick)
{
    free(pick->items);
    free(pick->rows);
    free(pick->lanes);
    *pick = (struct rv_pick){0};
}

/* A position is two planes, each a row of the projection less its share of w; the ray is their intersection. */
static bool make_ray(const struct rv_camera *camera, const double at_px[2], struct ray *ray)
{
    double share[2] = {2.0 * at_px[0] / camera->width_px - 1.0, 1.0 - 2.0 * at_px[1] / camera->height_px};
    double a[4], b[4], ahead = 0.0, square = 0.0;
    for (int i = 0; i < 4; i++) {
        const float *column = camera->view_projection[i];
        a[i] = (double)column[0] - share[0] * (double)column[3];
        b[i] = (double)column[1] - share[1] * (double)column[3];
    }
    double *along = ray->along;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        along[i] = a[j] * b[k] - a[k] * b[j];
        ahead += along[i] * (double)camera->view_projection[i][2];
        square += along[i] * along[i];
    }
    if (!(square > 0.0))
        return false;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double normal_j = b[3] * a[j] - a[3] * b[j], normal_k = b[3] * a[k] - a[3] * b[k];
        ray->from[i] = (normal_j * along[k] - normal_k * along[j]) / square;
    }
    double length = copysign(sqrt(square), ahead);
    double before = (double)camera->view_projection[3][2] + (double)camera->view_projection[3][3], closer = 0.0;
    for (int i = 0; i < 3; i++) {
        double slope = (double)camera->view_projection[i][2] + (double)camera->view_projection[i][3];
        along[i] /= length;
        before += slope * ray->from[i];
        closer += slope * along[i];
    }
    ray->near = closer > 0.0 ? -before / closer : -HUGE_VAL;
    return true;
}

/* The part of the stretch that lies between two planes across an axis; false when there is none. */
static bool clip(const struct ray *ray, int axis, double low, double high, struct stretch *stretch)
{
    double from = ray->from[axis], along = ray->along[axis];
    if (fabs(along) < PARALLEL)
        return from >= low && from < high;
    double begin = (low - from) / along, end = (high - from) / along;
    stretch->begin = fmax(stretch->begin, fmin(begin, end));
    stretch->end = fmin(stretch->end, fmax(begin, end));
    return stretch->begin < stretch->end;
}

static double at(const struct ray *ray, int axis, double steps)
{
    return ray->from[axis] + ray->along[axis] * steps;
}

struct search {
    const struct rv_pick *pick;
    const struct rv_lane_layout *layout;
    const struct rv_camera *camera;
    double centre_x, unit_x; /* world x of the window's centre, world x per unit */
    double pixel;            /* world width of a pixel in the lane searched */
    struct ray ray;
    double nearest;
    struct rv_pick_hit hit;
};

/* Share of its width that a box is drawn with. */
static double share_of(const struct search *search, const struct rv_pick_item *item, double width)
{
    if (item->fullness >= 1.0f || !(width > 0.0))
        return 1.0;
    return fmin(1.0, (double)rv_cell_bar_share(item->fullness, (float)(width / search->pixel), RV_FOLD_PICK_PX));
}

/* First item of the row that reaches beyond a time. */
static size_t first_reaching(const struct rv_pick *pick, size_t row, double units)
{
    size_t low = pick->rows[row], high = pick->rows[row + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)pick->items[middle].reach < units)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Test all boxes of a row: of equally near ones, the one drawn last wins. */
static void search_row(struct search *search, uint32_t lane, uint32_t depth, struct stretch stretch)
{
    const struct rv_pick *pick = search->pick;
    const struct rv_lane_layout_lane *place = &search->layout->lanes[lane];
    double half = (double)rv_lane_layout_thickness(place, depth), y = (double)rv_lane_layout_row_y(place, depth);
    const double height = (double)(search->layout->box_share * place->row_height);
    if (!clip(&search->ray, 1, y, y + height, &stretch) ||
        !clip(&search->ray, 2, (double)place->z - half, (double)place->z + half, &stretch))
        return;
    double x0 = at(&search->ray, 0, stretch.begin), x1 = at(&search->ray, 0, stretch.end);
    double from = (fmin(x0, x1) - search->centre_x) / search->unit_x;
    double to = (fmax(x0, x1) - search->centre_x) / search->unit_x;
    size_t row = pick->lanes[lane].first_row + depth;
    for (size_t i = first_reaching(pick, row, from); i < pick->rows[row + 1]; i++) {
        const struct rv_pick_item *item = &pick->items[i];
        if ((double)item->start > to)
            return;
        struct stretch inside = stretch;
        double width = (item->end - item->start) * search->unit_x, share = share_of(search, item, width);
        double middle = search->centre_x + item->start * search->unit_x + 0.5 * width;
        const double thin = item->fullness < 1.0f ? half * (double)RV_FOLD_THICKNESS : half;
        if (clip(&search->ray, 0, middle - 0.5 * share * width, middle + 0.5 * share * width, &inside) &&
            clip(&search->ray, 1, y, y + height * (double)item->height, &inside) &&
            clip(&search->ray, 2, (double)place->z - thin, (double)place->z + thin, &inside) &&
            inside.begin <= search->nearest) {
            search->nearest = inside.begin;
            search->hit = (struct rv_pick_hit){item->box, lane};
        }
    }
}

static void search_lane(struct search *search, uint32_t lane)
{
    const struct rv_pick *pick = search->pick;
    const struct rv_lane_layout_lane *place = &search->layout->lanes[lane];
    double half = (double)place->half_thickness, row_height = (double)place->row_height, foot = (double)place->y;
    uint32_t n_rows = pick->lanes[lane].n_rows;
    struct stretch stretch = {search->ray.near, search->nearest};
    if (!n_rows || !clip(&search->ray, 2, (double)place->z - half, (double)place->z + half, &stretch) ||
        !clip(&search->ray, 1, foot, foot + row_height * n_rows, &stretch) ||
        !clip(&search->ray, 0, 0.0, (double)search->layout->width, &stretch))
        return;
    search->pixel = (double)rv_camera_lane_pixel(search->camera, search->layout, lane);
    double y0 = at(&search->ray, 1, stretch.begin), y1 = at(&search->ray, 1, stretch.end);
    double low = floor((fmin(y0, y1) - foot) / row_height), high = floor((fmax(y0, y1) - foot) / row_height);
    uint32_t last = high < n_rows ? (uint32_t)fmax(high, 0.0) : n_rows - 1;
    for (uint32_t depth = low > 0.0 ? (uint32_t)low : 0; depth <= last; depth++)
        search_row(search, lane, depth, stretch);
}

bool rv_pick_at(const struct rv_pick *pick, const struct rv_pick_params *params, struct rv_pick_hit *hit)
{
    double width = (double)params->layout->width;
    struct search search = {.pick = pick,
                            .layout = params->layout,
                            .camera = params->camera,
                            .centre_x = pick->centre * width,
                            .unit_x = pick->unit * width,
                            .nearest = HUGE_VAL};
    if (!pick->n_items || !make_ray(params->camera, params->at_px, &search.ray))
        return false;
    for (uint32_t lane = 0; lane < pick->n_lanes && lane < params->layout->n_lanes; lane++)
        search_lane(&search, lane);
    if (search.nearest == HUGE_VAL)
        return false;
    *hit = search.hit;
    return true;
}
