/* In a flat view, a lane that is taller than the picture says who called the lowest calls in sight. */
#ifndef RV_RENDER_CALLER_LABELS_H
#define RV_RENDER_CALLER_LABELS_H

#include "render/overlay.h"
#include "render/scene_labels.h"

#define RV_CALLER_LABELS_OUTERMOST 3u

struct rv_callers {
    uint32_t outermost[RV_CALLER_LABELS_OUTERMOST]; /* subroutines; the first called the second */
    uint32_t n_outermost;
    uint32_t nearest, nearest_depth; /* the direct caller; its depth is UINT32_MAX if it is not known */
};

/*
 * The callers of the longest call in view at a depth of a lane; those that are folded are not known.
 *   returns  false when there is no call at that depth
 */
bool rv_callers_find(const struct rv_view *view, const struct rv_view_lane *lane, uint32_t depth,
                     struct rv_callers *out);

/* Add a line at the foot of each such lane. Content and pass as of rv_flat_labels_add_names(). */
void rv_caller_labels_add(struct rv_overlay *overlay, const struct rv_pass *pass,
                          const struct rv_scene_labels_content *content, float scale);

#endif
