#include "render/frame_data.h"

#include <stdlib.h>

#include "base/vec.h"

/* Share of the window, and pixels: narrower boxes have no name in any view at any scale. */
#define WIDE_SHARE 0.005
#define WIDE_PX 13.0

const struct rv_view *rv_frame_data_content(const struct rv_frame_data *picture)
{
    return picture->has_leaves ? &picture->leaves.view : picture->view;
}

static void learn_colours(struct rv_frame_data *picture, const struct rv_frame_data_params *params)
{
    if (!picture->colors)
        picture->colors = rv_box_colors_create();
    if (params->before && params->before != picture && params->before->colors)
        rv_box_colors_copy(picture->colors, params->before->colors);
    rv_box_colors_choose(picture->colors, params->scheme);
    rv_box_colors_set_diff(picture->colors, params->diff);
    rv_box_colors_update(picture->colors, params->view, params->subroutines, params->stage);
}

void rv_frame_data_learn_colours(struct rv_frame_data *picture, const struct rv_view *view,
                                 struct rv_subroutines *subroutines)
{
    rv_box_colors_destroy(picture->colors);
    picture->colors = rv_box_colors_create();
    rv_box_colors_update(picture->colors, view, subroutines, RV_BOX_COLORS_RESTING);
}

static void find_wide(struct rv_frame_data *picture, int width_px)
{
    const struct rv_view *view = rv_frame_data_content(picture);
    const struct rv_box_buffer *records = &picture->records;
    double share = width_px > 0 && WIDE_PX / width_px < WIDE_SHARE ? WIDE_PX / width_px : WIDE_SHARE;
    uint32_t least = (uint32_t)(share / rv_box_packing_scale(&records->pack));
    picture->n_wide = 0;
    for (uint32_t lane = 0; lane < view->n_lanes; lane++) {
        const struct rv_view_lane *shown = &view->lanes[lane];
        for (uint32_t i = shown->first_box; i < shown->first_box + shown->n_boxes; i++) {
            if (records->items[i].duration < least || records->items[i].paint & RV_PAINT_CELL)
                continue;
            picture->wide =
                rv_vec_reserve(picture->wide, &picture->wide_capacity, picture->n_wide + 1, sizeof *picture->wide);
            picture->wide[picture->n_wide++] = (struct rv_frame_data_wide){i, lane};
        }
    }
}

void rv_frame_data_compose(struct rv_frame_data *picture, const struct rv_frame_data_params *params)
{
    uint64_t window_ns = params->view->to_ns - params->view->from_ns;
    picture->view = params->view;
    picture->has_leaves = params->has_leaves || rv_leaf_view_has_row(params->view);
    learn_colours(picture, params);
    if (picture->has_leaves)
        rv_leaf_view_update(&picture->leaves, params->view, params->has_leaves,
                            params->width_px > 0 ? window_ns / (uint64_t)params->width_px : 0);
    if (params->scheme == RV_COLOR_DIFFERENCE) /* walls are all that two runs are compared by */
        rv_off_cpu_clear(&picture->off_cpu);
    else
        rv_off_cpu_make(&picture->off_cpu, params->view);
    rv_box_buffer_make(&picture->records, rv_frame_data_content(picture), picture->colors, &picture->off_cpu,
                       params->width_px);
    rv_pick_update(&picture->pick, rv_frame_data_content(picture), &picture->records, picture->colors);
    find_wide(picture, params->width_px);
    rv_arc_list_make(&picture->arcs, params->arcs, rv_frame_data_content(picture), params->view);
}

void rv_frame_data_fini(struct rv_frame_data *picture)
{
    rv_leaf_view_fini(&picture->leaves);
    rv_box_colors_destroy(picture->colors);
    rv_off_cpu_fini(&picture->off_cpu);
    rv_box_buffer_fini(&picture->records);
    rv_pick_fini(&picture->pick);
    free(picture->wide);
    rv_arc_list_fini(&picture->arcs);
    *picture = (struct rv_frame_data){0};
}
