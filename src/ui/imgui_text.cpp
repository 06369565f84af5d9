// Dear ImGui's fonts have the characters of most texts. A text with others is shaped by glyphs/text_lines.h and drawn
// from the texture of its glyphs. Text in a field that is edited is always drawn by Dear ImGui: glyphs that its fonts
// lack are copied into them.

#include "ui/imgui_text.hpp"

#include <cfloat>
#include <cmath>
#include <cstring>

#include <backends/imgui_impl_opengl3.h>
#include <imgui_freetype.h>
#include <imgui_internal.h>

extern "C" {
#include "base/text.h"
#include "glyphs/builtin_fonts.h"
#include "glyphs/clusters.h"
#include "glyphs/texture.h"
}

namespace
{
constexpr float LINE_PER_EM = 1.1640625f; // of DejaVu Sans; ImGui counts a font's size by its lines
constexpr float ASCENT_PER_EM = 0.928f;
constexpr float EM[RV_IMGUI_FONT_COUNT] = {13.0f, 13.0f, 11.0f};

// Latin, Greek, Cyrillic but for its marks, punctuation, arrows, comparisons, shapes: what most names of programs and
// our own texts hold. A text with others is a line of glyphs/text_lines.h.
const ImWchar GLYPHS[] = {0x20,   0x17f,  0x370,  0x482,  0x48a,  0x52f,  0x2010, 0x2027, 0x2030, 0x2030,
                          0x2190, 0x2195, 0x2248, 0x2248, 0x2264, 0x2265, 0x25a0, 0x25ff, 0};
constexpr int TYPED_MAX = 512; // characters added for what is typed
} // namespace

// White, with the coverage as alpha, as Dear ImGui multiplies.
static GLuint create_glyphs()
{
    static const uint8_t nothing[1] = {0};
    static const GLint channels[4] = {GL_ONE, GL_ONE, GL_ONE, GL_RED};
    const rv_glyph_image image = {nothing, 1, 1};
    GLuint texture = rv_glyph_texture_create(&image);
    glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, channels);
    glBindTexture(GL_TEXTURE_2D, 0);
    return texture;
}

void rv_imgui_texts_init(rv_imgui_texts *texts)
{
    ImGui::GetIO().UserData = texts;
    texts->lines = rv_text_lines_create(nullptr);
    texts->glyphs = create_glyphs();
}

void rv_imgui_texts_fini(rv_imgui_texts *texts)
{
    glDeleteTextures(1, &texts->glyphs);
    rv_text_lines_destroy(texts->lines);
}

// ---- fonts ----

static rv_imgui_texts &current()
{
    return *static_cast<rv_imgui_texts *>(ImGui::GetIO().UserData);
}

ImFont *rv_imgui_font_of(rv_imgui_font font)
{
    return ImGui::GetIO().Fonts->Fonts[font];
}

static bool has_glyph(uint32_t codepoint)
{
    for (const ImWchar *range = GLYPHS; *range; range += 2)
        if (codepoint >= range[0] && codepoint <= range[1])
            return true;
    return false;
}

bool rv_imgui_is_plain(const char *text, const char *end)
{
    while (text < end) {
        const uint32_t codepoint = (unsigned char)*text < 0x80 ? (uint32_t)*text++ : rv_text_next(&text, end);
        if (codepoint >= 0x80 && !has_glyph(codepoint))
            return false;
    }
    return true;
}

static void add_font(rv_typeface typeface, rv_imgui_font font, float scale)
{
    const rv_font_file face = rv_builtin_font(typeface);
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    config.PixelSnapH = true;
    config.OversampleH = config.OversampleV = 1;
    config.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
    ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<unsigned char *>(face.bytes), (int)face.n_bytes,
                                               EM[font] * LINE_PER_EM * scale, &config, GLYPHS);
}

// A glyph of typed text, copied into the atlas of Dear ImGui's fonts.
struct typed_picture {
    int rect; // in that atlas
    rv_text_line_glyph glyph;
};

static rv_text_line typed_line(rv_imgui_texts *texts, uint32_t codepoint, float *advance)
{
    const rv_text_line_style style = {RV_TYPEFACE_TEXT, EM[RV_IMGUI_FONT_TEXT] * texts->scale};
    char text[5];
    ImTextCharToUtf8(text, codepoint);
    *advance = rv_text_lines_width(texts->lines, &style, text, strlen(text));
    return rv_text_lines_get(texts->lines, &style, text, strlen(text));
}

static bool is_typed_loaded(rv_imgui_texts *texts)
{
    float advance;
    for (uint32_t codepoint : texts->typed)
        (void)typed_line(texts, codepoint, &advance);
    return !rv_text_lines_is_late(texts->lines);
}

static ImVector<typed_picture> reserve_typed(rv_imgui_texts *texts)
{
    ImVector<typed_picture> pictures;
    ImFont *font = rv_imgui_font_of(RV_IMGUI_FONT_TEXT);
    const float ascent = ceilf(ASCENT_PER_EM * EM[RV_IMGUI_FONT_TEXT] * texts->scale);
    for (uint32_t codepoint : texts->typed) {
        float advance;
        const rv_text_line line = typed_line(texts, codepoint, &advance);
        if (!line.n || !line.glyphs[0].width)
            continue;
        const rv_text_line_glyph &glyph = line.glyphs[0];
        const ImVec2 offset(glyph.pen + glyph.left, ascent - glyph.top);
        const int rect = ImGui::GetIO().Fonts->AddCustomRectFontGlyph(font, (ImWchar)codepoint, glyph.width,
                                                                      glyph.height, roundf(advance), offset);
        pictures.push_back({rect, glyph});
    }
    return pictures;
}

static void copy_typed(rv_imgui_texts *texts, const ImVector<typed_picture> &pictures)
{
    unsigned char *pixels;
    int width, height;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    const uint8_t *texels = rv_text_lines_atlas(texts->lines)->texels;
    for (const typed_picture &picture : pictures) {
        const ImFontAtlasCustomRect *rect = ImGui::GetIO().Fonts->GetCustomRectByIndex(picture.rect);
        for (int row = 0; row < rect->Height; row++)
            memcpy(pixels + (size_t)(rect->Y + row) * (size_t)width + rect->X,
                   texels + (size_t)(picture.glyph.y + row) * RV_GLYPH_ATLAS_WIDTH + picture.glyph.x, rect->Width);
    }
}

static void build_fonts(rv_imgui_texts *texts, float scale)
{
    ImGuiIO &io = ImGui::GetIO();
    if (texts->scale > 0.0f)
        ImGui_ImplOpenGL3_DestroyFontsTexture();
    texts->scale = scale;
    io.Fonts->Clear();
    io.Fonts->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    add_font(RV_TYPEFACE_TEXT, RV_IMGUI_FONT_TEXT, scale);
    add_font(RV_TYPEFACE_BOLD, RV_IMGUI_FONT_BOLD, scale);
    add_font(RV_TYPEFACE_TEXT, RV_IMGUI_FONT_SMALL, scale);
    io.FontGlobalScale = 1.0f / scale;
    const ImVector<typed_picture> typed = reserve_typed(texts);
    texts->has_new_typed = rv_text_lines_is_late(texts->lines);
    if (!typed.empty())
        copy_typed(texts, typed);
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

void rv_imgui_texts_begin(rv_imgui_texts *texts, float scale, uint64_t text_ns)
{
    rv_text_lines_begin(texts->lines, text_ns);
    if (texts->scale != scale || (texts->has_new_typed && is_typed_loaded(texts)))
        build_fonts(texts, scale);
}

void rv_imgui_add_typed(const char *text)
{
    rv_imgui_texts &texts = current();
    for (const char *end = text + strlen(text); text < end;) {
        const uint32_t codepoint = rv_text_next(&text, end);
        const bool is_known = codepoint < 0x80 || has_glyph(codepoint) || codepoint > IM_UNICODE_CODEPOINT_MAX;
        if (is_known || texts.typed.Size == TYPED_MAX || texts.typed.contains(codepoint))
            continue;
        texts.typed.push_back(codepoint);
        texts.has_new_typed = true;
    }
}

// ---- lines of text ----

static rv_text_line_style style_of(rv_imgui_font font)
{
    return {font == RV_IMGUI_FONT_BOLD ? RV_TYPEFACE_BOLD : RV_TYPEFACE_TEXT, EM[font] * current().scale};
}

float rv_imgui_width_of(rv_imgui_font font, const char *text, const char *end)
{
    if (rv_imgui_is_plain(text, end))
        return rv_imgui_font_of(font)->CalcTextSizeA(EM[font] * LINE_PER_EM, FLT_MAX, 0.0f, text, end).x;
    const rv_text_line_style style = style_of(font);
    return rv_text_lines_width(current().lines, &style, text, (size_t)(end - text)) / current().scale;
}

static void draw_glyph(ImDrawList *list, const rv_text_line_glyph &glyph, ImVec2 pen_px, ImU32 rgba)
{
    const float unit = 1.0f / current().scale, u = 1.0f / RV_GLYPH_ATLAS_WIDTH, v = 1.0f / RV_GLYPH_ATLAS_HEIGHT;
    const ImVec2 low(floorf(pen_px.x + glyph.pen + 0.5f) + glyph.left, pen_px.y - glyph.top);
    list->PrimRectUV(
        ImVec2(low.x * unit, low.y * unit), ImVec2((low.x + glyph.width) * unit, (low.y + glyph.height) * unit),
        ImVec2(glyph.x * u, glyph.y * v), ImVec2((glyph.x + glyph.width) * u, (glyph.y + glyph.height) * v), rgba);
}

// Draw one line of text that is not plain.
static void draw_glyphs(ImVec2 at, rv_imgui_font font, ImU32 rgba, const char *text, const char *end)
{
    ImDrawList *list = ImGui::GetWindowDrawList();
    const rv_text_line_style style = style_of(font);
    const rv_text_line line = rv_text_lines_get(current().lines, &style, text, (size_t)(end - text));
    const ImVec2 pen(floorf(at.x * current().scale), floorf(at.y * current().scale + rv_imgui_font_of(font)->Ascent));
    list->PushTextureID((ImTextureID)(intptr_t)current().glyphs);
    list->PrimReserve((int)line.n * 6, (int)line.n * 4);
    for (size_t i = 0; i < line.n; i++)
        draw_glyph(list, line.glyphs[i], pen, rgba);
    list->PopTextureID();
}

void rv_imgui_draw_line(ImVec2 at, rv_imgui_font font, ImU32 rgba, const char *text, const char *end)
{
    if (rv_imgui_is_plain(text, end))
        ImGui::GetWindowDrawList()->AddText(rv_imgui_font_of(font), EM[font] * LINE_PER_EM, at, rgba, text, end);
    else
        draw_glyphs(at, font, rgba, text, end);
}

// Where a line ends that begins at text: before a line feed, or as soon as it is wider than this.
static const char *line_end(rv_imgui_font font, const char *text, const char *end, float width)
{
    const char *feed = static_cast<const char *>(memchr(text, '\n', (size_t)(end - text))), *last = text;
    end = feed ? feed : end;
    if (rv_imgui_width_of(font, text, end) <= width)
        return end;
    for (const char *at = text; at < end;) {
        at = rv_cluster_next(at, end);
        if (rv_imgui_width_of(font, text, at) > width)
            return last > text ? last : at;
        if (at < end && *at == ' ')
            last = at;
    }
    return end;
}

// As items, one below the other.
static void add_lines(rv_imgui_font font, ImU32 rgba, const char *text, float width)
{
    for (const char *end = text + strlen(text), *next; text <= end; text = next + (next < end)) {
        next = line_end(font, text, end, width);
        const ImGuiWindow *window = ImGui::GetCurrentWindow();
        const ImVec2 at(window->DC.CursorPos.x, window->DC.CursorPos.y + window->DC.CurrLineTextBaseOffset);
        const ImVec2 size(rv_imgui_width_of(font, text, next), ImGui::GetTextLineHeight());
        ImGui::ItemSize(size, 0.0f);
        if (ImGui::ItemAdd(ImRect(at, ImVec2(at.x + size.x, at.y + size.y)), 0))
            rv_imgui_draw_line(at, font, rgba, text, next);
        if (next == end)
            break;
    }
}

static void add_text(rv_imgui_font font, ImU32 rgba, const char *text, float width)
{
    ImGui::PushFont(rv_imgui_font_of(font));
    ImGui::PushStyleColor(ImGuiCol_Text, rgba);
    if (!rv_imgui_is_plain(text, text + strlen(text)))
        add_lines(font, rgba, text, width);
    else
        ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
    ImGui::PopFont();
}

void rv_imgui_text(rv_imgui_font font, uint32_t rgba, const char *text)
{
    add_text(font, rv_imgui_colour(rgba), text, FLT_MAX);
}

void rv_imgui_label(const char *text, uint32_t rgba)
{
    ImGui::AlignTextToFramePadding();
    rv_imgui_text(RV_IMGUI_FONT_TEXT, rgba, text);
}

void rv_imgui_text_wrapped(rv_imgui_font font, uint32_t rgba, const char *text)
{
    ImGui::PushTextWrapPos(0.0f);
    add_text(font, rv_imgui_colour(rgba), text, ImGui::GetContentRegionAvail().x);
    ImGui::PopTextWrapPos();
}

float rv_imgui_measure(const void *font, const char *text, size_t n_bytes)
{
    return rv_imgui_width_of(*static_cast<const rv_imgui_font *>(font), text, text + n_bytes);
}

float rv_imgui_text_width(rv_imgui_font font, const char *text)
{
    return rv_imgui_measure(&font, text, strlen(text));
}

void rv_imgui_tooltip(const char *text)
{
    ImGui::BeginTooltip();
    add_text(RV_IMGUI_FONT_TEXT, ImGui::GetColorU32(ImGuiCol_Text), text, FLT_MAX);
    ImGui::EndTooltip();
}

void rv_imgui_draw_text(const float at[2], rv_imgui_font font, uint32_t rgba, const char *text)
{
    rv_imgui_draw_line(ImVec2(at[0], at[1]), font, rv_imgui_colour(rgba), text, text + strlen(text));
}
