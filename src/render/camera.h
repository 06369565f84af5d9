/*
 * The camera: a direction of view, with the eye placed so that all lanes' corners fill the margins. No GL.
 *
 * All queries use the camera's matrix, so they also work for one between two views.
 */
#ifndef RV_RENDER_CAMERA_H
#define RV_RENDER_CAMERA_H

#include <stdbool.h>
#include <stdint.h>

#include <cglm/cglm.h>

#include "render/lane_layout.h"

struct rv_camera_params {
    const struct rv_view_mode_params *look;
    double scale; /* pixels per point, for flat views */
    int width_px, height_px;
    float left_px, right_px, top_px, bottom_px; /* margins around the lanes */
    float clear_px, clear_right_px; /* perspective: from so far down on, the right margin is this one; 0 = nowhere */
    float orbit[2];                 /* perspective: rotation to the right and up, radians */
};

struct rv_camera {
    mat4 view_projection;
    vec4 eye;      /* homogeneous; orthographic: the direction towards the eye, w = 0 */
    float pixel;   /* world size, along x, of a pixel at the nearest point of the stage */
    float stretch; /* width over height to give text on a face so that it looks right; 1 in perspective */
    int width_px, height_px;
};

/* The nearest eye from which every corner of every lane lies inside the margins. */
void rv_camera_fit(struct rv_camera *camera, const struct rv_lane_layout *layout,
                   const struct rv_camera_params *params);

/* Do the lanes reach from the top to the bottom margin, so that the floor is not as wide as the room, or just so? */
bool rv_camera_is_filled_upwards(const struct rv_lane_layout *layout, const struct rv_camera_params *params);

/* Interpolate between cameras: share 0 gives `from`, 1 leaves the camera unchanged. */
void rv_camera_mix(struct rv_camera *camera, const struct rv_camera *from, float share);

/* Distance along the direction of view, for haze; always 1 for an orthographic camera. */
float rv_camera_distance(const struct rv_camera *camera, const vec3 point);

/* World size, along x, of a pixel in the middle of a lane. */
float rv_camera_lane_pixel(const struct rv_camera *camera, const struct rv_lane_layout *layout, size_t lane);

/* Window pixels, y down, of a world point; false behind the eye. */
bool rv_camera_project(const struct rv_camera *camera, const vec3 point, vec2 out_px);

/*
 * World x under a window position: on the front of the first lane that the ray passes, else on the floor, else on the
 * back wall.
 */
double rv_camera_x_at(const struct rv_camera *camera, const struct rv_lane_layout *layout, double x_px, double y_px);

/* The lane whose zone is under a window position, with world x there; n_lanes if none. */
size_t rv_camera_lane_at(const struct rv_camera *camera, const struct rv_lane_layout *layout, const double px[2],
                         float *x);

/* The same; the wall at the back belongs to the last lane. */
size_t rv_camera_ground_at(const struct rv_camera *camera, const struct rv_lane_layout *layout, const double px[2],
                           float *x);

#endif
