/*
 * Dear ImGui behind a C interface: its context, its input, passes, and a picture. What else panels draw in a pass is in
 * imgui_widgets.h, imgui_table.h and imgui_text.h. Main thread, with a current GL 3.3 context.
 *
 * There are no animations: nothing blinks, fades or moves by itself, so that a picture depends only on what is shown
 * and on the events.
 */
#ifndef RV_UI_IMGUI_BRIDGE_H
#define RV_UI_IMGUI_BRIDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/imgui_widgets.h"
#include "ui/style.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rv_imgui; /* at most one */

/* 0 through *imgui, or -ENOTSUP with one line printed. */
int rv_imgui_create(struct rv_imgui **imgui);
void rv_imgui_destroy(struct rv_imgui *imgui);

/* ---- input: what holds from the next pass on ---- */

enum rv_imgui_key {
    RV_IMGUI_KEY_LEFT,
    RV_IMGUI_KEY_RIGHT,
    RV_IMGUI_KEY_UP,
    RV_IMGUI_KEY_DOWN,
    RV_IMGUI_KEY_HOME,
    RV_IMGUI_KEY_END,
    RV_IMGUI_KEY_BACKSPACE,
    RV_IMGUI_KEY_DELETE,
    RV_IMGUI_KEY_ENTER,
    RV_IMGUI_KEY_ESCAPE,
    RV_IMGUI_KEY_TAB,
    RV_IMGUI_KEY_A,
    RV_IMGUI_KEY_C,
    RV_IMGUI_KEY_V,
    RV_IMGUI_KEY_X,
    RV_IMGUI_KEY_Y,
    RV_IMGUI_KEY_Z,
    RV_IMGUI_KEY_COUNT
};

/* Input, in the order of events; places in points. */
void rv_imgui_mouse(struct rv_imgui *imgui, float x, float y);
void rv_imgui_mouse_leave(struct rv_imgui *imgui);
void rv_imgui_button_set(struct rv_imgui *imgui, unsigned button, bool is_down); /* 0 left, 1 right, 2 middle */
void rv_imgui_wheel(struct rv_imgui *imgui, float turns);
void rv_imgui_key_set(struct rv_imgui *imgui, enum rv_imgui_key key, bool is_down);
void rv_imgui_modifiers(struct rv_imgui *imgui, bool has_ctrl, bool has_shift, bool has_alt);
void rv_imgui_type(struct rv_imgui *imgui, const char *utf8);

/* After a pass: is the mouse over a panel, or was it pressed there; does a field take typed text? */
bool rv_imgui_wants_mouse(const struct rv_imgui *imgui);
bool rv_imgui_wants_text(const struct rv_imgui *imgui);

/* ---- a pass: begin, panels, end; any number of passes, the last of them drawn ---- */

/* Begin a pass over a picture of this size. text_ns: as rv_text_lines_begin(). */
void rv_imgui_begin(struct rv_imgui *imgui, const int size_px[2], double scale, uint64_t text_ns,
                    const struct rv_ui_style *style);

/* End the pass. Returns a hash of everything to be drawn. */
uint64_t rv_imgui_end(struct rv_imgui *imgui);

/* Does the last pass lack text for which there was no time? */
bool rv_imgui_lacks_text(const struct rv_imgui *imgui);

/* Draw the last pass into the bound framebuffer. GL state is left as it was. */
void rv_imgui_draw(struct rv_imgui *imgui);

/* ---- a picture ---- */

/* A picture, stretched over an area, over what the panel has so far; one per pass. */
struct rv_imgui_pixels {
    const uint8_t *rgba; /* rows top first */
    int width, height;
    uint64_t version; /* changes with the pixels */
};
void rv_imgui_draw_pixels(struct rv_imgui *imgui, struct rv_imgui_area area, const struct rv_imgui_pixels *pixels);

#ifdef __cplusplus
}
#endif

#endif
