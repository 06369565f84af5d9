/*
 * The picture: a view of the model drawn in 3D. Main thread, with a current GL 3.3 core context.
 *
 * Passes, back to front: floor and ticks, boxes, labels of lanes and ticks. Each pass is one .vert + .frag in shaders/ and one
 * file here; the scene owns them and the camera.
 */
#ifndef RV_RENDER_SCENE_H
#define RV_RENDER_SCENE_H

#include <stdint.h>

#include "model/subroutines.h"
#include "model/view.h"

struct rv_scene; /* opaque */

/* 0 through *scene; -ENOTSUP with one line printed when the context is older than 3.3 or a shader does not compile. */
int rv_scene_create(struct rv_scene **scene);
void rv_scene_destroy(struct rv_scene *scene);

struct rv_scene_frame {
    const struct rv_view *view;
    struct rv_subroutines *subroutines;
    int width_px, height_px;
    double scale;              /* HiDPI: pixels per point */
    uint64_t now_ns;           /* ticks are labelled relative to this when is_live, else to origin_ns */
    uint64_t origin_ns;
    int is_live;
};

/* Draw one frame into the bound framebuffer. */
void rv_scene_draw(struct rv_scene *scene, const struct rv_scene_frame *frame);

/* Time under a window position on the front lane's plane, for zoom at cursor. Uses the camera of the last frame drawn. */
uint64_t rv_scene_time_at(const struct rv_scene *scene, double x_px, double y_px);

/* RGBA rows, top first, of the bound framebuffer, into out (width * height * 4). */
void rv_scene_read_pixels(int width_px, int height_px, uint8_t *out);

#endif
