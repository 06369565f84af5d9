/*
 * The perspective camera: a fixed direction, placed as near as all lanes' corners allow. No GL.
 */
#ifndef RV_RENDER_CAMERA_H
#define RV_RENDER_CAMERA_H

#include <stdbool.h>
#include <stdint.h>

#include <cglm/cglm.h>

#include "render/stage.h"

struct rv_camera_params {
    int width_px, height_px;
    float left_px, right_px, top_px, bottom_px; /* margins around the lanes */
};

struct rv_camera {
    mat4 view_projection;
    vec3 eye;
    vec3 right, up, forward; /* orthonormal */
    float tan_x, tan_y;      /* half the picture's width and height at distance 1 */
    float pixel;             /* world size of a pixel at the nearest point of the stage */
    int width_px, height_px;
};

/* The nearest eye from which every corner of every lane lies inside the margins. */
void rv_camera_fit(struct rv_camera *camera, const struct rv_stage *stage, const struct rv_camera_params *params);

/* Window pixels, y down, of a world point; false behind the eye. */
bool rv_camera_project(const struct rv_camera *camera, const vec3 point, vec2 out_px);

/*
 * World x under a window position: on the front of the first lane that the ray passes, else on the floor, else on the
 * back wall.
 */
double rv_camera_x_at(const struct rv_camera *camera, const struct rv_stage *stage, double x_px, double y_px);

#endif
