/* Common parameters of the passes of a 3D frame: camera, layout, haze. Main thread, with a current context. */
#ifndef RV_RENDER_PASS_H
#define RV_RENDER_PASS_H

#include <GL/glew.h>

#include "render/camera.h"
#include "render/lane_layout.h"
#include "render/theme.h"

struct rv_pass {
    const struct rv_camera *camera;
    const struct rv_lane_layout *layout;
    const struct rv_view_mode_params *look;
    const struct rv_theme *theme;
    bool is_settled; /* not in a transition between views */
    float haze[2];   /* distance along the direction of view at which haze begins, share of haze per unit of it */
};

/* Make the program current and set u_view_projection, u_eye, u_background and u_haze if it has them. */
void rv_pass_begin(const struct rv_pass *pass, GLuint program);

/* Set a uniform of a program in use. */
void rv_pass_set_int(GLuint program, const char *name, int value);

/* Linear rgb of an sRGB colour 0xRRGGBB. */
void rv_pass_linear(uint32_t rgb, float out[3]);

#endif
