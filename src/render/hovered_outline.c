#include "render/hovered_outline.h"

#include "render/collections.h"

#define LINE_WIDTH 1.5f

static size_t lane_of(const struct rv_view *view, uint32_t box_idx)
{
    size_t lane = 0;
    while (lane < view->n_lanes && box_idx - view->lanes[lane].first_box >= view->lanes[lane].n_boxes)
        lane++;
    return lane;
}

static void add_edge(struct rv_overlay *overlay, const struct rv_camera *camera, const vec3 from, const vec3 to,
                     float scale)
{
    vec2 from_px, to_px;
    if (!rv_camera_project(camera, from, from_px) || !rv_camera_project(camera, to, to_px))
        return;
    rv_overlay_line(overlay, (float[2]){from_px[0] / scale, from_px[1] / scale},
                    (float[2]){to_px[0] / scale, to_px[1] / scale}, LINE_WIDTH,
                    rv_theme_rgba(rv_overlay_theme(overlay)->accent, 1.0f));
}

void rv_outline_add(struct rv_overlay *overlay, const struct rv_camera *camera, const struct rv_lane_layout *layout,
                    const struct rv_frame_data *picture, uint32_t box_idx, float scale)
{
    const struct rv_view *view = rv_frame_data_content(picture);
    size_t lane_idx = lane_of(view, box_idx);
    if (box_idx >= view->n_boxes || lane_idx >= layout->n_lanes || lane_idx >= view->n_lanes)
        return;
    const struct rv_lane_layout_lane *lane = &layout->lanes[lane_idx];
    const struct rv_box_record *record = &picture->records.items[box_idx];
    float unit = (float)rv_box_packing_scale(&picture->records.pack) * layout->width;
    float left = (float)rv_box_packing_centre(&picture->records.pack) * layout->width + (float)record->start * unit;
    float right = left + (float)record->duration * unit, low = rv_lane_layout_row_y(lane, view->boxes[box_idx].depth);
    float share = layout->box_share * rv_box_colors_height(picture->colors, record->paint & RV_PAINT_COLOUR_MASK);
    float half = rv_lane_layout_thickness(lane, view->boxes[box_idx].depth), high = low + share * lane->row_height;
    vec3 corners[6] = {{left, low, lane->z + half},  {right, low, lane->z + half}, {right, high, lane->z + half},
                       {left, high, lane->z + half}, {left, high, lane->z - half}, {right, high, lane->z - half}};
    static const int edges[7][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}, {4, 5}, {5, 2}};
    for (size_t i = 0; i < (layout->is_flat ? 4u : 7u); i++)
        add_edge(overlay, camera, corners[edges[i][0]], corners[edges[i][1]], scale);
}

/* A lane's part of it on the ground, with an end where the next lane is of another process. */
static void add_zone(struct rv_overlay *overlay, const struct rv_camera *camera, const struct rv_lane_layout *layout,
                     const struct rv_scene_frame *frame, size_t lane, const struct rv_collections_stripe *stripe)
{
    const struct rv_view *view = frame->view;
    const float *zone = layout->lanes[lane].zone, scale = (float)frame->scale;
    const int axis = layout->is_flat ? 1 : 2;
    vec3 corners[4] = {{stripe->x0}, {stripe->x1}, {stripe->x0}, {stripe->x1}};
    for (size_t i = 0; i < 4; i++)
        corners[i][axis] = zone[layout->is_flat ? 1 - i / 2 : i / 2];
    const uint32_t process = view->lanes[lane].process;
    add_edge(overlay, camera, corners[0], corners[2], scale);
    add_edge(overlay, camera, corners[1], corners[3], scale);
    if (lane == 0 || view->lanes[lane - 1].process != process)
        add_edge(overlay, camera, corners[0], corners[1], scale);
    if (lane + 1 == view->n_lanes || lane + 1 == layout->n_lanes || view->lanes[lane + 1].process != process)
        add_edge(overlay, camera, corners[2], corners[3], scale);
}

void rv_outline_add_collection(struct rv_overlay *overlay, const struct rv_camera *camera,
                               const struct rv_lane_layout *layout, const struct rv_scene_frame *frame)
{
    const struct rv_view *view = frame->view;
    const struct rv_scene_notes *of = frame->collection;
    const struct rv_lane_note *note =
        of->lane < view->n_lanes ? rv_collections_find(view, of->lane, of->from_ns) : NULL;
    struct rv_collections_stripe stripe;
    if (!note || !rv_collections_stripe(view, layout, of->lane, (size_t)(note - view->notes), &stripe))
        return;
    for (size_t i = 0; i < view->n_lanes && i < layout->n_lanes; i++)
        if (view->lanes[i].process == view->lanes[of->lane].process)
            add_zone(overlay, camera, layout, frame, i, &stripe);
}
