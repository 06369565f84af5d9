/*
 * Panels over the picture. Main thread, with a current GL 3.3 context.
 *
 * A panel is a file pair NAME.[ch] here: a struct rv_NAME of what it shows, filled anew by the application for each
 * pass, and
 *
 *     void rv_NAME_show(struct rv_ui *ui, const struct rv_NAME *shown, struct rv_ui_acts *acts);
 *
 * which draws it by imgui_widgets.h, imgui_table.h and imgui_text.h, in an area that it takes by rv_ui_dock() or
 * rv_ui_center(). A panel changes nothing: what the user asks for are actions, which src/window/panels.c has done. What
 * only the panel needs to remember (a sort order, the text in a field) is a struct rv_NAME_state. To add one: the file
 * pair and its call in src/window/panels.c.
 *
 * A pass is cheap and may be made at any time; what it would draw has a hash, so that pictures are drawn only when
 * something has changed. Events of SDL are taken one by one, wherever they come from; mouse and keys of the system are
 * never asked.
 */
#ifndef RV_UI_UI_H
#define RV_UI_UI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <SDL2/SDL_events.h>

#include "model/alike_names.h"
#include "ui/action.h"
#include "ui/imgui_text.h"
#include "ui/imgui_widgets.h"
#include "ui/style.h"

struct rv_ui; /* opaque */

/* 0 through *ui, or a negative errno with one line printed. */
int rv_ui_create(struct rv_ui **ui);
void rv_ui_destroy(struct rv_ui *ui);

/* ---- what panels ask for ---- */

#define RV_UI_TEXT_BYTES 256u
#define RV_UI_ACTS_MAX 16u

struct rv_ui_acts { /* zeroed = none; what is more than fits is left out: the user asks for one thing at a time */
    struct rv_act items[RV_UI_ACTS_MAX];
    char texts[RV_UI_ACTS_MAX][RV_UI_TEXT_BYTES]; /* of the items */
    size_t n;
};

/* Add one, with a copy of its text. */
void rv_ui_act(struct rv_ui_acts *acts, const struct rv_act *act);

/* ---- events ---- */

/* Handle an event. If rv_ui_needs_pass(), a pass must follow before the next event. */
void rv_ui_event(struct rv_ui *ui, const SDL_Event *event);

/* Presses, releases, wheel and text input each need a pass; of mouse motions only the last one. */
bool rv_ui_needs_pass(const SDL_Event *event);

/* After a pass: does this mouse or key event belong to the panels alone? */
bool rv_ui_takes(const struct rv_ui *ui, const SDL_Event *event);

/* Was the last press the second one of a double click? */
bool rv_ui_is_second_click(const struct rv_ui *ui);

/* ---- a pass ---- */

struct rv_ui_surface {
    int width_px, height_px;
    double scale;   /* pixels per point */
    double density; /* pixels per unit of SDL's positions; 0 = as scale */
    enum rv_color_theme theme;
    uint64_t text_ns; /* how long texts in other scripts may take, as rv_text_lines_begin(); 0 = no limit */
};

/* Begin a pass; all panels are shown between begin and end. */
void rv_ui_begin(struct rv_ui *ui, const struct rv_ui_surface *surface);

/* Hash of what would be drawn. */
uint64_t rv_ui_end(struct rv_ui *ui);

/* Was a field focused that takes what is typed only after another pass? */
bool rv_ui_is_focusing(const struct rv_ui *ui);

/* Does the last pass lack text for which there was no time? */
bool rv_ui_lacks_text(const struct rv_ui *ui);

/* Draw the last pass into the bound framebuffer. */
void rv_ui_draw(struct rv_ui *ui);

/* ---- for panels ---- */

/* Valid until the next begin. */
const struct rv_ui_style *rv_ui_style(const struct rv_ui *ui);
struct rv_imgui *rv_ui_imgui(struct rv_ui *ui);

enum rv_ui_edge { RV_UI_TOP, RV_UI_BOTTOM, RV_UI_LEFT, RV_UI_RIGHT };

#define RV_UI_COLUMN_WIDTH 236.0f /* of docks at the left and right */

/*
 * Reserve space at an edge, next to earlier docks, this high or as high as fits: top and bottom over the full width;
 * left and right as columns between them, one panel below the other. Top and bottom come first in a pass.
 * The picture avoids docks.
 */
struct rv_imgui_area rv_ui_dock(struct rv_ui *ui, enum rv_ui_edge edge, float height);

/* Size of the whole picture in points. */
float rv_ui_width(const struct rv_ui *ui);
float rv_ui_height(const struct rv_ui *ui);

/* Points taken by the docks of the last pass at the picture's edges. */
struct rv_ui_insets {
    float top, bottom, left, right;
    float right_bottom; /* from the picture's top: where the docks at the right end; 0 = there are none */
};

/*
 * An area of this size, or less, in the middle of the undocked space; over the docks, but not over the bar at the top,
 * where they leave too little of it to read a panel.
 */
struct rv_imgui_area rv_ui_center(const struct rv_ui *ui, float width, float height);

/* The same of a picture with these docks, the first of which at the top is this high. All in points. */
struct rv_imgui_area rv_ui_center_of(const float picture[2], const struct rv_ui_insets *docks, float bar_height,
                                     const float wanted[2]);

/* A name shortened from the left to `width` points; "" if nothing fits. */
void rv_ui_fit_name(enum rv_imgui_font font, const char *name, float width, char *out, size_t out_bytes);

/* The same of a name in a list of names, so that it can be told from the others. */
void rv_ui_fit_name_among(const struct rv_alike_names *names, enum rv_imgui_font font, const char *name, float width,
                          char *out, size_t out_bytes);

/* Of another text the front, and dots. */
void rv_ui_fit_text(enum rv_imgui_font font, const char *text, float width, char *out, size_t out_bytes);

/* Points that the panels of the last pass take at the picture's edges. */
struct rv_ui_insets rv_ui_insets(const struct rv_ui *ui);

#endif
