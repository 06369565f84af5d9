/*
 * Marks of stopped threads: two bars before the name, an outline around the innermost open call, and a tag at its end.
 */
#ifndef RV_RENDER_DEBUGGER_MARKS_H
#define RV_RENDER_DEBUGGER_MARKS_H

#include "model/view.h"
#include "render/camera.h"
#include "render/overlay.h"
#include "render/lane_layout.h"

struct rv_debugger_marks { /* zeroed = none */
    const uint32_t *lanes; /* lane_idx */
    size_t n;
};

/* Is a thread of the lane stopped? */
bool rv_debugger_marks_has(const struct rv_debugger_marks *stops, uint32_t lane_idx);

/* Draw the pause sign: two bars, 8 points high. */
void rv_debugger_marks_add_sign(struct rv_overlay *overlay, float x, float y, uint32_t rgba);

/* `scale` is pixels per point. */
void rv_debugger_marks_add(struct rv_overlay *overlay, const struct rv_camera *camera,
                           const struct rv_lane_layout *layout, const struct rv_view *view,
                           const struct rv_debugger_marks *stops, float scale);

#endif
