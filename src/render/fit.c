#include "render/fit.h"

#include <math.h>

#define SCALE_MAX 6.0f /* of few and shallow lanes, whose rows would be too tall beyond it */
#define N_STEPS 32     /* down to half of the usual sizes */
#define STEPS_TO_HALF 8.0f

/* In steps, so that a stack growing frame by frame does not move the rows each time. */
static float scale_of(int step)
{
    return SCALE_MAX * exp2f(-(float)step / STEPS_TO_HALF);
}

/* The largest lanes that leave the floor as wide as the room; they stay as they are while one walks around them. */
static void fill(struct rv_lane_layout *layout, const struct rv_view *view, const struct rv_lane_layout_params *lanes,
                 const struct rv_camera_params *params)
{
    struct rv_lane_layout_params tried = *lanes;
    struct rv_camera_params before = *params;
    int step = 0;
    before.orbit[0] = before.orbit[1] = 0.0f;
    for (int least = N_STEPS; step < least;) {
        const int middle = (step + least) / 2;
        tried.lane_scale = scale_of(middle);
        rv_lane_layout_place(layout, view, &tried);
        if (rv_camera_is_filled_upwards(layout, &before))
            step = middle + 1;
        else
            least = middle;
    }
    tried.lane_scale = scale_of(step);
    rv_lane_layout_place(layout, view, &tried);
}

void rv_fit_lanes(struct rv_lane_layout *layout, struct rv_camera *camera, const struct rv_view *view,
                  const struct rv_lane_layout_params *lanes, const struct rv_camera_params *params)
{
    rv_lane_layout_update(layout, view, lanes);
    if (!lanes->look->is_flat && !lanes->look->has_rows)
        fill(layout, view, lanes, params);
    rv_camera_fit(camera, layout, params);
}
