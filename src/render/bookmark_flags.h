/* Bookmarks over the picture: a numbered flag at the time axis, and a line through flat views. */
#ifndef RV_RENDER_BOOKMARK_FLAGS_H
#define RV_RENDER_BOOKMARK_FLAGS_H

#include "render/camera.h"
#include "render/overlay.h"
#include "render/lane_layout.h"

struct rv_bookmark_flags {
    const uint64_t *times_ns; /* rising */
    size_t n;
};

/* `scale` is pixels per point. */
void rv_bookmark_flags_add(struct rv_overlay *overlay, const struct rv_camera *camera,
                           const struct rv_lane_layout *layout, const struct rv_bookmark_flags *flags, float scale);

#endif
