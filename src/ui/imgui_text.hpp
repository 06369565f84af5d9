// Texts for the other C++ files of this room: the state of imgui_text.cpp, and texts at places.
#ifndef RV_UI_IMGUI_TEXT_HPP
#define RV_UI_IMGUI_TEXT_HPP

#include <GL/glew.h>
#include <imgui.h>

#include "ui/imgui_text.h"

extern "C" {
#include "glyphs/text_lines.h"
}

// Dear ImGui's UserData points to it.
struct rv_imgui_texts {
    float scale; // of the fonts, in pixels a point; 0 = none are built
    rv_text_lines *lines;
    GLuint glyphs;            // texture of the lines
    ImVector<uint32_t> typed; // characters of fields that the fonts lack
    bool has_new_typed;
};

void rv_imgui_texts_init(rv_imgui_texts *texts);
void rv_imgui_texts_fini(rv_imgui_texts *texts);

// Before a pass: fonts for this scale, with what was typed. text_ns: as rv_text_lines_begin().
void rv_imgui_texts_begin(rv_imgui_texts *texts, float scale, uint64_t text_ns);

inline ImU32 rv_imgui_colour(uint32_t rgba)
{
    return IM_COL32(rgba >> 24, rgba >> 16 & 0xff, rgba >> 8 & 0xff, rgba & 0xff);
}

ImFont *rv_imgui_font_of(rv_imgui_font font);

// Does Dear ImGui draw this text itself?
bool rv_imgui_is_plain(const char *text, const char *end);

// Width of one line of text.
float rv_imgui_width_of(rv_imgui_font font, const char *text, const char *end);

// One line of text at a place, in any script.
void rv_imgui_draw_line(ImVec2 at, rv_imgui_font font, ImU32 rgba, const char *text, const char *end);

// A field has this text: its characters are to be in the fonts.
void rv_imgui_add_typed(const char *text);

#endif
