/*
 * All boxes of a view as the GPU gets them: packed, and put in the order in which they are drawn. No GL.
 *
 * Most boxes are for the short form of the shader and come first, then those that need all of it. In both what is in
 * front comes first, as far as lanes and depths tell, so that what it hides is not shaded at all.
 */
#ifndef RV_RENDER_BOX_BUFFER_H
#define RV_RENDER_BOX_BUFFER_H

#include "render/pack.h"
#include "render/palette.h"

struct rv_box_buffer { /* zeroed = none */
    struct rv_pack pack;
    struct rv_box_record *items;   /* as the view's boxes are */
    struct rv_box_record *ordered; /* as they are drawn */
    size_t n, n_plain;             /* n_plain: of the ordered ones, the first, for the short form */
    size_t items_capacity, ordered_capacity;
    bool has_collections; /* of garbage in the window: then none are for the short form */
};

/* The view in a picture this wide, in colours that have learned it. */
void rv_box_buffer_make(struct rv_box_buffer *records, const struct rv_view *view, const struct rv_palette *palette,
                        int width_px);
void rv_box_buffer_fini(struct rv_box_buffer *records);

#endif
