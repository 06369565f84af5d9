/* The pass under the boxes: floor, lane plates, back wall, tick lines, collections and losses as stripes. Main thread.
 */
#ifndef RV_RENDER_GROUND_H
#define RV_RENDER_GROUND_H

#include "model/view.h"
#include "render/pass.h"
#include "render/selected_range.h"
#include "render/time_axis.h"

struct rv_ground; /* opaque */

/* 0 through *ground, or -ENOTSUP with one line printed. */
int rv_ground_create(struct rv_ground **ground);
void rv_ground_destroy(struct rv_ground *ground);

struct rv_ground_content {
    const struct rv_view *view;
    const struct rv_time_axis *ticks;
    uint64_t now_ns;
    bool has_now; /* mark the present */
    struct rv_range_ns selected;
};

/* Draw, and leave blending on. Tests depth but does not write it: everything else is on top or in front. */
void rv_ground_draw(struct rv_ground *ground, const struct rv_pass *pass, const struct rv_ground_content *content);

/* Let the ribbon of the critical path shine through what stands before it. Leaves blending on. */
void rv_ground_draw_ribbon(struct rv_ground *ground, const struct rv_pass *pass, const struct rv_view *view);

#endif
