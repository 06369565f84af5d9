/* How far the lanes in front reach up in the aligned view: what they hide of those behind. No GL. */
#ifndef RV_RENDER_SKYLINE_H
#define RV_RENDER_SKYLINE_H

#include "render/camera.h"

#define RV_SKYLINE_COLUMNS 1024u

enum rv_skyline_kind { RV_SKYLINE_OF_ALL, RV_SKYLINE_OF_WIDE, RV_SKYLINE_COUNT };

struct rv_skyline {
    const struct rv_lane_layout *layout;
    float wide;                                       /* world width of a wide box, at least */
    float up[2];                                      /* height in the picture of a step along y, along z */
    float tops[RV_SKYLINE_COUNT][RV_SKYLINE_COLUMNS]; /* of the boxes so far */
};

/* Begin without boxes. The layout is borrowed, the camera is the aligned view's. */
void rv_skyline_begin(struct rv_skyline *skyline, const struct rv_lane_layout *layout, const struct rv_camera *camera,
                      float wide);

/* Add the boxes of a lane of the view; those in front come first. */
void rv_skyline_add(struct rv_skyline *skyline, const struct rv_view *view, size_t lane);

/*
 * Narrow a line from left to right, at this y and z behind the boxes so far, to its longest part that none of a kind
 * hides.
 *   returns  the share of that part that no box hides
 */
float rv_skyline_narrow(const struct rv_skyline *skyline, enum rv_skyline_kind kind, const float yz[2], float *left,
                        float *right);

#endif
