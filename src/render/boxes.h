/* The pass that draws calls: all boxes of a picture in one instanced draw or two. Main thread, with a current context.
 */
#ifndef RV_RENDER_BOXES_H
#define RV_RENDER_BOXES_H

#include "render/emphasis.h"
#include "render/pass.h"
#include "render/frame_data.h"

struct rv_boxes; /* opaque */

/* 0 through *boxes, or -ENOTSUP with one line printed. */
int rv_boxes_create(struct rv_boxes **boxes);
void rv_boxes_destroy(struct rv_boxes *boxes);

/* Upload the picture's boxes and draw them with depth test, without blending. highlight may be NULL. */
void rv_boxes_draw(struct rv_boxes *boxes, const struct rv_pass *pass, const struct rv_frame_data *picture,
                   const struct rv_highlight *highlight);

/* Then its cells, transparent over all that is drawn already. Leaves blending enabled. */
void rv_boxes_draw_cells(struct rv_boxes *boxes, const struct rv_pass *pass, const struct rv_frame_data *picture,
                         const struct rv_highlight *highlight);

/* The same boxes, each with its index in the content's boxes + 1 as colour, red lowest. For tests. */
void rv_boxes_draw_ids(struct rv_boxes *boxes, const struct rv_pass *pass, const struct rv_frame_data *picture);

#endif
