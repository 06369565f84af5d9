/*
 * The critical path as a ribbon: along the foot of each lane while its thread is on the path, and across to the next
 * lane where the path goes on there. Bright where threads ran, paler where they waited or had only been woken. No GL.
 */
#ifndef RV_RENDER_CRITICAL_PATH_RIBBON_H
#define RV_RENDER_CRITICAL_PATH_RIBBON_H

#include "model/view.h"
#include "render/ground_mesh.h"
#include "render/lane_layout.h"
#include "render/theme.h"

#define RV_CRITICAL_PATH_RIBBON_STRENGTH 0.95f /* on the ground, and */
#define RV_CRITICAL_PATH_RIBBON_GLOW 0.22f     /* through what stands before it */

/* Add the ribbon of a view's path. */
void rv_critical_path_ribbon_add(struct rv_ground_mesh *mesh, const struct rv_lane_layout *layout,
                                 const struct rv_view *view, const struct rv_theme *theme, float strength);

#endif
