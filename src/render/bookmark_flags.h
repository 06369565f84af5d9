/* Bookmarks over the picture: a numbered flag with its note at the time axis, and a line through flat views. */
#ifndef RV_RENDER_BOOKMARK_FLAGS_H
#define RV_RENDER_BOOKMARK_FLAGS_H

#include "render/camera.h"
#include "render/overlay.h"
#include "render/lane_layout.h"

#define RV_BOOKMARK_NOTE_BYTES 128u

struct rv_bookmark_flags {
    const uint64_t *times_ns;              /* rising */
    char (*notes)[RV_BOOKMARK_NOTE_BYTES]; /* of each; "" = none */
    size_t n;
};

/* `scale` is pixels per point. */
void rv_bookmark_flags_add(struct rv_overlay *overlay, const struct rv_camera *camera,
                           const struct rv_lane_layout *layout, const struct rv_bookmark_flags *flags, float scale);

#endif
