/*
 * The parts of Dear ImGui that the panels use, as a C interface. Main thread, with a current GL 3.3 context.
 *
 * All sizes and places are points from the picture's upper left. Ids are texts; within a panel they differ. Colours are
 * 0xRRGGBBAA. There are no animations: nothing blinks, fades or moves by itself, so that a picture depends only on what
 * is shown and on the events.
 */
#ifndef RV_UI_IMGUI_BRIDGE_H
#define RV_UI_IMGUI_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* ---- panels ---- */

struct rv_imgui_area {
    float x, y, width, height;
};

enum rv_imgui_panel_flag {
    RV_IMGUI_PANEL_BARE = 1,    /* no background and no padding */
    RV_IMGUI_PANEL_SCROLLS = 2, /* if its content is higher than the panel */
    RV_IMGUI_PANEL_FIRST = 4    /* in front of all others, and focused, when it appears */
};

/* flags: enum rv_imgui_panel_flag. Each begin has its end. */
void rv_imgui_panel_begin(const char *id, struct rv_imgui_area area, unsigned flags);
void rv_imgui_panel_end(void);

/* A separately scrolling part of a panel; width or height 0 = the rest. */
void rv_imgui_child_begin(const char *id, float width, float height);
void rv_imgui_child_end(void);

/* Scroll position and content height of the open part. */
void rv_imgui_scrolled(float *above, float *height);

/* Scroll the open part to this height. */
void rv_imgui_scroll_to(float above);

/* Position of the next item, from the panel's upper left. By default items are placed one below the other. */
void rv_imgui_at(float x, float y);
void rv_imgui_same_line(float gap);
void rv_imgui_gap(float height);
float rv_imgui_room(void); /* width left in this line */

/* Ids between push and pop are prefixed by this one. */
void rv_imgui_push_id(uint32_t id);
void rv_imgui_pop_id(void);

/* ---- things in a panel ---- */

enum rv_imgui_font { RV_IMGUI_FONT_TEXT, RV_IMGUI_FONT_BOLD, RV_IMGUI_FONT_SMALL, RV_IMGUI_FONT_COUNT };

/* Texts on a line of their own; UTF-8. */
void rv_imgui_text(enum rv_imgui_font font, uint32_t rgba, const char *text);
void rv_imgui_label(const char *text, uint32_t rgba); /* as high as a field next to it */
void rv_imgui_text_wrapped(enum rv_imgui_font font, uint32_t rgba, const char *text);
float rv_imgui_text_width(enum rv_imgui_font font, const char *text);

/* Width of the first n_bytes, as rv_short_name_width_fn; font is a const enum rv_imgui_font *. */
float rv_imgui_measure(const void *font, const char *text, size_t n_bytes);

/* width 0 = as wide as its label. True when pressed. */
bool rv_imgui_button(const char *label, float width, bool is_chosen);
bool rv_imgui_check(const char *label, bool *is_on); /* true when changed */
bool rv_imgui_choice(const char *label, float width, const char *const *names, int n, int *chosen);

enum rv_imgui_typed { RV_IMGUI_TYPED_NOTHING, RV_IMGUI_TYPED_CHANGED, RV_IMGUI_TYPED_ENTERED, RV_IMGUI_TYPED_ESCAPED };

/* A text field. takes_keyboard: focus it. */
enum rv_imgui_typed rv_imgui_input(const char *id, const char *hint, float width, char *text, size_t text_bytes,
                                   bool takes_keyboard);

/* An area that can be clicked and dragged, width 0 = to the right edge; its area in *area. */
void rv_imgui_touch(const char *id, float width, float height, struct rv_imgui_area *area);

/* State of the last item. */
bool rv_imgui_is_hovered(void);
bool rv_imgui_is_held(void);               /* pressed on it and not yet released */
bool rv_imgui_is_clicked(unsigned button); /* pressed on it in this pass */
void rv_imgui_mouse_at(float out[2]);
bool rv_imgui_has_shift(void);
void rv_imgui_tooltip(const char *text); /* beside the mouse, in this pass */

/* ---- tables ---- */

struct rv_imgui_column {
    const char *title;
    float width;                                            /* 0 = what is left */
    bool is_sortable, is_descending_first, is_sorted_first; /* is_sorted_first: rows are initially sorted by it */
};

/* height 0 = as high as its rows; else it scrolls below a fixed header. False = invisible: do not call end. */
bool rv_imgui_table_begin(const char *id, const struct rv_imgui_column *columns, int n, float height);

/* Visible range of n rows, each one line of text high: only rows from <= i < to need be emitted. */
void rv_imgui_table_rows(int n, int *from, int *to);
void rv_imgui_table_row(void);
void rv_imgui_table_choose_row(void); /* colour it as one that is chosen */
void rv_imgui_table_cell(void);

/* In the first cell of a row: the whole row can be hovered and clicked, as the last item. */
void rv_imgui_table_touch(uint32_t id, bool is_chosen);

/* Scroll so that this row is visible. */
void rv_imgui_table_show_row(int row);

/* The order that the rows have; true when the user asks for another by a click on a title: it is written. */
bool rv_imgui_table_sort(int *column, bool *is_descending);
void rv_imgui_table_end(void);

/* ---- drawing, over what the panel has so far ---- */

/* Filled, outlined, and text, at a place of the picture. */
void rv_imgui_draw_box(struct rv_imgui_area area, float radius, uint32_t rgba);
void rv_imgui_draw_frame(struct rv_imgui_area area, float radius, uint32_t rgba, float thickness);
void rv_imgui_draw_text(const float at[2], enum rv_imgui_font font, uint32_t rgba, const char *text);
void rv_imgui_clip(struct rv_imgui_area area); /* until rv_imgui_unclip() */
void rv_imgui_unclip(void);

/* A picture, stretched over an area; one per pass. */
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
