/*
 * All boxes of a view in GPU form: packed, and sorted in drawing order. No GL.
 *
 * Boxes for the shader's short form, which are most, come first, then the other calls, then the cells. Calls are sorted
 * roughly front to back, by lane and depth, so that hidden pixels are not shaded; cells, which are transparent, are
 * sorted by lane from back to front.
 */
#ifndef RV_RENDER_BOX_BUFFER_H
#define RV_RENDER_BOX_BUFFER_H

#include "render/box_packing.h"
#include "render/box_colors.h"
#include "render/off_cpu.h"

struct rv_box_buffer { /* zeroed = none */
    struct rv_box_packing pack;
    struct rv_box_record *items;                 /* in the order of the view's boxes */
    struct rv_box_record *ordered;               /* in drawing order */
    size_t n, counts[RV_BOX_PACKING_FORM_COUNT]; /* in all, and of each form, one after another in `ordered` */
    size_t items_capacity, ordered_capacity;
    bool has_collections; /* garbage collections are visible: then no call is for the short form */
};

/* Pack a view for a picture of this width; the colours were updated with the view. off_cpu: of its lanes. */
void rv_box_buffer_make(struct rv_box_buffer *records, const struct rv_view *view, const struct rv_box_colors *colors,
                        const struct rv_off_cpu *off_cpu, int width_px);
void rv_box_buffer_fini(struct rv_box_buffer *records);

#endif
