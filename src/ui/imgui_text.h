/*
 * Texts of panels, by Dear ImGui or, where its fonts have not all characters, by glyphs/text_lines.h. Within a pass of
 * imgui_bridge.h. Sizes and places are points from the picture's upper left, colours 0xRRGGBBAA, texts UTF-8.
 */
#ifndef RV_UI_IMGUI_TEXT_H
#define RV_UI_IMGUI_TEXT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rv_imgui_font { RV_IMGUI_FONT_TEXT, RV_IMGUI_FONT_BOLD, RV_IMGUI_FONT_SMALL, RV_IMGUI_FONT_COUNT };

/* Texts on a line of their own. */
void rv_imgui_text(enum rv_imgui_font font, uint32_t rgba, const char *text);
void rv_imgui_label(const char *text, uint32_t rgba); /* as high as a field next to it */
void rv_imgui_text_wrapped(enum rv_imgui_font font, uint32_t rgba, const char *text);
float rv_imgui_text_width(enum rv_imgui_font font, const char *text);

/* Width of the first n_bytes, as rv_short_name_width_fn; font is a const enum rv_imgui_font *. */
float rv_imgui_measure(const void *font, const char *text, size_t n_bytes);

void rv_imgui_tooltip(const char *text); /* beside the mouse, in this pass */

/* Text at a place of the picture, over what the panel has so far. */
void rv_imgui_draw_text(const float at[2], enum rv_imgui_font font, uint32_t rgba, const char *text);

#ifdef __cplusplus
}
#endif

#endif
