#include "render/view_mode.h"

#define ROWS_IN_DEPTH_MOST 240u /* of stacks behind each other: of more, nothing is made out */
#define LANES_IN_DEPTH_MOST 48u /* of more, rows are too thin to be read */
#define FLAME_ROW_MOST 36.0f   /* twice a name's height: taller rows say no more, and a few would be a wall of colour */
#define IN_DEPTH .field_of_view = 0.50f, .azimuth = -0.25f, .first_face = 0, .n_faces = 3
#define ROWS_IN_DEPTH IN_DEPTH, .elevation = 0.66f, .has_rows = true

static const struct rv_view_mode_params looks[RV_VIEW_MODE_COUNT] = {
    [RV_VIEW_MODE_3D] = {.name = "3d",
                         .title = "3D",
                         IN_DEPTH,
                         .elevation = 0.50f,
                         .most_rows = ROWS_IN_DEPTH_MOST,
                         .most_lanes = LANES_IN_DEPTH_MOST},
    [RV_VIEW_MODE_ALIGNED] = {.name = "aligned",
                              .title = "Aligned",
                              .elevation = 0.50f,
                              .first_face = 1,
                              .n_faces = 2,
                              .most_rows = ROWS_IN_DEPTH_MOST,
                              .most_lanes = LANES_IN_DEPTH_MOST},
    [RV_VIEW_MODE_FLAME] = {.name = "flame",
                            .title = "Flame",
                            .first_face = 1,
                            .n_faces = 1,
                            .is_flat = true,
                            .row_min = 14.0f,
                            .row_max = FLAME_ROW_MOST,
                            .lane_gap = 1.5f},
    [RV_VIEW_MODE_TOP] = {.name = "top",
                          .title = "Top",
                          .first_face = 1,
                          .n_faces = 1,
                          .is_flat = true,
                          .has_leaves = true,
                          .row_min = 14.0f,
                          .row_max = 56.0f,
                          .lane_gap = 1.2f},
    [RV_VIEW_MODE_CALLS] = {.name = "calls", .title = "Calls", ROWS_IN_DEPTH},
    [RV_VIEW_MODE_TASKS] = {.name = "tasks", .title = "Tasks", ROWS_IN_DEPTH},
};

const struct rv_view_mode_params *rv_view_mode_get(enum rv_view_mode look)
{
    return &looks[look];
}
