/*
 * The view modes, in one table; layout, camera and passes read the table and do not depend on particular modes. No GL.
 */
#ifndef RV_RENDER_VIEW_MODE_H
#define RV_RENDER_VIEW_MODE_H

#include <stdbool.h>
#include <stdint.h>

enum rv_view_mode {
    RV_VIEW_MODE_3D,
    RV_VIEW_MODE_ALIGNED,
    RV_VIEW_MODE_FLAME,
    RV_VIEW_MODE_TOP,
    RV_VIEW_MODE_CALLS,
    RV_VIEW_MODE_TASKS,
    RV_VIEW_MODE_COUNT
};

struct rv_view_mode_params {
    const char *name, *title; /* on the command line, on its tab */
    float field_of_view;      /* vertical, radians; 0 = orthographic */
    float azimuth, elevation; /* of the eye, radians */
    int first_face, n_faces;  /* the drawn ones of a box's faces side, front, top */
    bool is_flat;           /* lanes stacked one below the other, the first at the top; rows and text on whole points */
    bool has_leaves;        /* one row a lane: the innermost call of each time */
    uint32_t most_rows;     /* with more in all lanes, each lane is one row, as with has_leaves; 0 = any number */
    uint32_t most_lanes;    /* that are shown at a time, others being scrolled to; 0 = any number */
    bool has_rows;          /* its lanes are not threads but calls or tasks, close behind each other */
    float row_min, row_max; /* flat: points; lanes that do not fit are scrolled */
    float lane_gap;         /* flat: rows */
};

/* Static. */
const struct rv_view_mode_params *rv_view_mode_get(enum rv_view_mode look);

/* Do lanes stand behind each other, so that the front ones are seen best? */
static inline bool rv_view_mode_has_front(enum rv_view_mode look)
{
    return rv_view_mode_get(look)->field_of_view > 0.0f;
}

#endif
