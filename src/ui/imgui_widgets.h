/*
 * Panels, what is in them, and drawings over them, by Dear ImGui; tables are in imgui_table.h. Within a pass of
 * imgui_bridge.h.
 *
 * All sizes and places are points from the picture's upper left. Ids are texts; within a panel they differ. Colours are
 * 0xRRGGBBAA.
 */
#ifndef RV_UI_IMGUI_WIDGETS_H
#define RV_UI_IMGUI_WIDGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* width 0 = as wide as its label. True when pressed. */
bool rv_imgui_button(const char *label, float width, bool is_chosen);
bool rv_imgui_check(const char *label, bool *is_on); /* true when changed */
bool rv_imgui_choice(const char *label, float width, const char *const *names, int n, int *chosen);

#define RV_IMGUI_FOCUS_PASSES 3u

enum rv_imgui_typed {
    RV_IMGUI_TYPED_NOTHING,
    RV_IMGUI_TYPED_CHANGED,
    RV_IMGUI_TYPED_ENTERED,
    RV_IMGUI_TYPED_ESCAPED,
    RV_IMGUI_TYPED_RECALLED
};

/* While the next text field is empty, Up puts this text into it, which it tells by RV_IMGUI_TYPED_RECALLED. */
void rv_imgui_recall(const char *text);

/* Focus one of the text fields that follow, counted from 0; less than 0: none of them. */
void rv_imgui_give_keyboard(int field);

/* Has a text field been focused since the last call? It takes what is typed RV_IMGUI_FOCUS_PASSES later. */
bool rv_imgui_has_given_keyboard(void);

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
int rv_imgui_rows_stepped(void); /* by Up (-1) and Down (1) in this pass */
void rv_imgui_show_item(void);   /* scrolls to it, if it is out of sight */

/* ---- drawing, over what the panel has so far ---- */

/* Filled, and outlined, at a place of the picture. */
void rv_imgui_draw_box(struct rv_imgui_area area, float radius, uint32_t rgba);
void rv_imgui_draw_frame(struct rv_imgui_area area, float radius, uint32_t rgba, float thickness);
void rv_imgui_clip(struct rv_imgui_area area); /* until rv_imgui_unclip() */
void rv_imgui_unclip(void);

#ifdef __cplusplus
}
#endif

#endif
