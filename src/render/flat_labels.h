/* Text on whole pixels: names in the rows of flat views, the time axis below orthographic views. */
#ifndef RV_RENDER_FLAT_LABELS_H
#define RV_RENDER_FLAT_LABELS_H

#include "render/overlay.h"
#include "render/scene_labels.h"

/* Names in the rows of calls, where they fit; and the time axis. */
void rv_flat_labels_add_names(struct rv_overlay *overlay, const struct rv_pass *pass,
                              const struct rv_scene_labels_content *content, float scale);
void rv_flat_labels_add_axis(struct rv_overlay *overlay, const struct rv_pass *pass, const struct rv_time_axis *ticks,
                             float scale);

#endif
