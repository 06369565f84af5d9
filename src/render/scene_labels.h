/* The pass of text in the scene: tick labels on the floor, names on the faces of boxes. Main thread. */
#ifndef RV_RENDER_SCENE_LABELS_H
#define RV_RENDER_SCENE_LABELS_H

#include "render/text_glyphs.h"
#include "render/emphasis.h"
#include "render/pass.h"
#include "render/frame_data.h"
#include "render/time_axis.h"

struct rv_scene_labels; /* opaque */

/* 0 through *labels, or -ENOTSUP with one line printed. The atlas is the caller's and outlives the pass. */
int rv_scene_labels_create(struct rv_scene_labels **labels, struct rv_text_glyphs *atlas);
void rv_scene_labels_destroy(struct rv_scene_labels *labels);

struct rv_scene_labels_content {
    const struct rv_frame_data *picture;
    const struct rv_time_axis *ticks;
    struct rv_subroutines *subroutines;
    const struct rv_highlight *highlight; /* NULL = none */
    const struct rv_theme *theme;
};

/* The full name on a box, before shortening. */
void rv_scene_labels_name(const struct rv_scene_labels_content *content, uint32_t id, char *out, size_t out_bytes);

/* Text colour on a box of this lane of the view: black or white, whichever has more contrast, or grey on a dimmed
 * box; as rv_theme_rgba(). */
uint32_t rv_scene_labels_colour(const struct rv_scene_labels_content *content, const struct rv_box *box, size_t lane);

/*
 * The same where its thread was off the CPU, and the opacity of the background put under the text: a hollow wall is
 * nearly of the background's colour.
 */
#define RV_SCENE_LABELS_HOLLOW_PLATE 0.55f
uint32_t rv_scene_labels_hollow_colour(const struct rv_scene_labels_content *content, const struct rv_box *box);

/* Names on boxes are omitted in a settled flat view, which has its own. Draws blended and depth tested, without writing
 * depth. */
void rv_scene_labels_draw(struct rv_scene_labels *labels, const struct rv_pass *pass,
                          const struct rv_scene_labels_content *content);

/* Then, once all boxes are drawn: the names in the aligned view that are before what hides a part of their boxes. */
void rv_scene_labels_draw_before(struct rv_scene_labels *labels, const struct rv_pass *pass);

#endif
