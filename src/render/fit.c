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

struct search { /* for the largest lanes that leave the floor as wide as the room */
    struct rv_lane_layout *layout;
    const struct rv_view *view;
    struct rv_lane_layout_params lanes;
    struct rv_camera_params camera;
};

/* Place them at a step's sizes: are they too large? */
static bool are_too_large(struct search *search, int step)
{
    search->lanes.lane_scale = scale_of(step);
    rv_lane_layout_place(search->layout, search->view, &search->lanes);
    return step < N_STEPS && rv_camera_is_filled_upwards(search->layout, &search->camera);
}

/* Place them as in the last picture: are those sizes still the largest? */
static bool are_as_before(struct search *search)
{
    const int step = search->layout->fit_step;
    return (step == 0 || are_too_large(search, step - 1)) && !are_too_large(search, step);
}

static int find_step(struct search *search)
{
    int step = 0;
    for (int least = N_STEPS; step < least;) {
        const int middle = (step + least) / 2;
        if (are_too_large(search, middle))
            step = middle + 1;
        else
            least = middle;
    }
    return step;
}

void rv_fit_lanes(struct rv_lane_layout *layout, struct rv_camera *camera, const struct rv_view *view,
                  const struct rv_lane_layout_params *lanes, const struct rv_camera_params *params)
{
    struct search search = {layout, view, *lanes, *params};
    search.camera.orbit[0] = search.camera.orbit[1] = 0.0f; /* lanes stay as they are while one walks around them */
    rv_lane_layout_take(layout, view, lanes->look);
    if (lanes->look->is_flat || lanes->look->has_rows) {
        rv_lane_layout_place(layout, view, lanes);
    } else if (!are_as_before(&search)) {
        layout->fit_step = find_step(&search);
        (void)are_too_large(&search, layout->fit_step);
    }
    rv_camera_fit(camera, layout, params);
}
