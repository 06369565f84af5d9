/*
 * The picture: a view of the model drawn in 3D. Main thread, with a current GL 3.3 core context.
 *
 * Passes: boxes, the ground in the remaining pixels (floor, plates, wall, ticks), labels in the scene, then the flat
 * overlay (lane names, tags, tooltip). Each pass is one .vert + .frag in shaders/ and one file here; the scene owns
 * them and the camera.
 */
#ifndef RV_RENDER_SCENE_H
#define RV_RENDER_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/color.h"
#include "model/subroutines.h"
#include "model/view.h"
#include "render/emphasis.h"
#include "render/bookmark_flags.h"
#include "render/view_mode.h"
#include "render/frame_data.h"
#include "render/selected_range.h"
#include "render/debugger_marks.h"
#include "render/tooltip.h"

struct rv_scene; /* opaque */

/* 0 through *scene; -ENOTSUP with one line printed when the context is older than 3.3 or a shader does not compile. */
int rv_scene_create(struct rv_scene **scene);
void rv_scene_destroy(struct rv_scene *scene);

struct rv_scene_insets { /* points taken by other things at the picture's edges */
    float top, bottom, left, right;
    float right_bottom; /* the picture's right edge is taken down to here; 0 = all of it */
};

/* Notes of a lane of the view that are drawn as one. */
struct rv_scene_notes {
    enum rv_note_form form; /* MARK: those in the range of time; PAUSE: the collection that is */
    uint32_t lane;
    uint64_t from_ns, to_ns;
    bool is_stripe; /* under the cursor; else their label or ticks */
};

struct rv_scene_frame {
    const struct rv_view *view; /* the view shown */
    struct rv_subroutines *subroutines;
    int width_px, height_px;
    double scale;    /* HiDPI: pixels per point */
    int samples;     /* of multisampling, if supported; 0 = none */
    uint64_t now_ns; /* ticks are labelled relative to this when is_live, else to origin_ns */
    uint64_t origin_ns;
    bool counts_from_start; /* ticks are labelled relative to 0 */
    int is_live;
    bool has_now; /* mark now_ns even if not is_live */
    struct rv_scene_insets insets;
    const struct rv_highlight *highlight;    /* NULL = none */
    const struct rv_scene_notes *collection; /* outlined; NULL = none */
    const struct rv_tooltip *tooltip;        /* NULL = none */
    const char *caption;                     /* said above the picture, or instead of it; NULL = nothing */
    const struct rv_arc_levels *arcs;        /* for rv_scene_compose(); NULL = none */
    size_t arc;                              /* 1 + the arc of the picture that stands out; 0 = none */
    enum rv_view_mode look, look_from;       /* during a transition (passed < 1): from look_from to look */
    double scroll;                           /* points by which a flat look has been scrolled down, or up */
    double row_scale;                        /* of the height of a flat look's rows; 0 = 1 */
    double passed;                           /* 0..1; look_from equal to look = settled */
    enum rv_color_scheme scheme;
    const struct rv_diff *diff; /* for RV_COLOR_DIFFERENCE; NULL = none */
    enum rv_color_theme theme;
    struct rv_range_ns selected;    /* drawn as a band */
    struct rv_bookmark_flags flags; /* of marked times */
    struct rv_debugger_marks stops; /* of threads that are stopped */
    uint64_t text_ns; /* how long texts in other scripts may take, as rv_text_lines_begin(); 0 = no limit */
    float orbit[2];   /* rotation of the eye in perspective views, to the right and up, radians */
};

/*
 * Set the picture for the following calls, before each frame: either one composed elsewhere, borrowed until replaced,
 * or the scene's own, composed now from a frame's view, O(boxes).
 */
void rv_scene_show(struct rv_scene *scene, const struct rv_frame_data *picture);
void rv_scene_compose(struct rv_scene *scene, const struct rv_scene_frame *frame);

/* The current picture; empty at first. Borrowed. */
const struct rv_frame_data *rv_scene_picture(const struct rv_scene *scene);

/* Draw one frame of the current picture to the bound framebuffer. */
void rv_scene_draw(struct rv_scene *scene, const struct rv_scene_frame *frame);

/* Does the last frame lack text for which there was no time? */
bool rv_scene_lacks_text(const struct rv_scene *scene);

/* Copy the last frame to the bound framebuffer. False when there is none of this size. */
bool rv_scene_draw_again(const struct rv_scene *scene, int width_px, int height_px);

/*
 * Time under a window position, as a share of the window (0 at its start, 1 at its end; may be outside): on the front
 * of the first lane there, else on the floor. Uses the camera of the last frame drawn. For zooming at the cursor.
 */
double rv_scene_share_at(const struct rv_scene *scene, double x_px, double y_px);

/* Pixel of a time, lane of the view and depth: the lower front edge of its box. False when not in front of
 * the eye. */
struct rv_scene_place {
    uint64_t time_ns;
    uint32_t lane, depth;
};
bool rv_scene_project(const struct rv_scene *scene, const struct rv_scene_place *place, float out_px[2]);

/* Points by which a flat look must be scrolled down to bring a place into sight; 0 if it is in sight, and in other
 * views. */
double rv_scene_scroll_to(const struct rv_scene *scene, const struct rv_scene_place *place);

/*
 * Set camera and layout for a frame as rv_scene_draw() does, without drawing: later queries are about this frame.
 */
void rv_scene_place(struct rv_scene *scene, const struct rv_scene_frame *frame);

/* The box at a position of the frame last placed or drawn. False if none. Microseconds. */
bool rv_scene_pick(const struct rv_scene *scene, double x_px, double y_px, struct rv_pick_hit *hit);

/* The arc at such a position, as an index of the picture's. */
bool rv_scene_pick_arc(const struct rv_scene *scene, double x_px, double y_px, size_t *arc);

/* Those whose label, ticks or stripe were drawn at a position. False if none. */
bool rv_scene_notes_at(const struct rv_scene *scene, double x_px, double y_px, struct rv_scene_notes *notes);

/* The lane of the view whose zone or name is at a position of the frame last placed or drawn;
 * the number of lanes if none. */
size_t rv_scene_lane_at(const struct rv_scene *scene, double x_px, double y_px);

/* The lane of the view before whose name the sign to collapse or expand it was drawn at a position; the number of lanes
 * if none. */
size_t rv_scene_fold_at(const struct rv_scene *scene, double x_px, double y_px);

/* Draw the boxes of a frame into the bound framebuffer, which has depth: each with its index in the view
 * + 1 as colour, red lowest, on black. For tests. */
void rv_scene_draw_ids(struct rv_scene *scene, const struct rv_scene_frame *frame);

/* Height of a lane's row in a flat look, points; 0 in other views and for a lane that is not there. */
double rv_scene_row_height(const struct rv_scene *scene, uint32_t lane);

/* Height of a flat look's lanes in sight, points; 0 in other views. */
double rv_scene_page_height(const struct rv_scene *scene);

/* How far the last frame's view can be scrolled, in points: up, not above 0, and down. */
void rv_scene_scroll_range(const struct rv_scene *scene, double range[2]);

/* RGBA rows, top first, of the bound framebuffer, into out (width * height * 4). */
void rv_scene_read_pixels(int width_px, int height_px, uint8_t *out);

#endif
