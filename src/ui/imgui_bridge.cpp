// The one C++ file of ringviz: Dear ImGui behind a C interface, drawn by its own OpenGL 3 backend.

#include "ui/imgui_bridge.h"

#include <cerrno>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include <GL/glew.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <imgui_freetype.h>
#include <imgui_internal.h>

extern "C" {
#include "base/hash.h"
#include "base/text.h"
#include "base/vec.h"
#include "glyphs/builtin_fonts.h"
#include "glyphs/clusters.h"
#include "glyphs/text_lines.h"
#include "glyphs/texture.h"
}

namespace
{
constexpr float LINE_PER_EM = 1.1640625f; // of DejaVu Sans; ImGui counts a font's size by its lines
constexpr float ASCENT_PER_EM = 0.928f;
constexpr float EM[RV_IMGUI_FONT_COUNT] = {13.0f, 13.0f, 11.0f};
constexpr float TURN_S = 1.0f / 60.0f;
constexpr float CELL_PADDING_X = 5.0f, CELL_PADDING_Y = 2.0f;
constexpr float CHOSEN_ROW_ALPHA = 0.6f;
constexpr unsigned BUTTONS = 3;
constexpr int PANEL_FLAGS = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                            ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
constexpr int STILL_FLAGS = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
constexpr int BACK_FLAGS = ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBringToFrontOnFocus;

// Latin, Greek, Cyrillic but for its marks, punctuation, arrows, comparisons, shapes: what most names of programs and
// our own texts hold. A text with others is a line of glyphs/text_lines.h.
const ImWchar GLYPHS[] = {0x20,   0x17f,  0x370,  0x482,  0x48a,  0x52f,  0x2010, 0x2027, 0x2030, 0x2030,
                          0x2190, 0x2195, 0x2248, 0x2248, 0x2264, 0x2265, 0x25a0, 0x25ff, 0};
constexpr int TYPED_MAX = 512; // characters added for what is typed

void *allocate(size_t n_bytes, void *)
{
    return rv_alloc_scratch(n_bytes, 1);
}

void release(void *memory, void *)
{
    std::free(memory);
}

ImU32 colour(uint32_t rgba)
{
    return IM_COL32(rgba >> 24, rgba >> 16 & 0xff, rgba >> 8 & 0xff, rgba & 0xff);
}

ImVec4 colour4(uint32_t rgba)
{
    return ImGui::ColorConvertU32ToFloat4(colour(rgba));
}

ImFont *font_of(rv_imgui_font font)
{
    return ImGui::GetIO().Fonts->Fonts[font];
}

ImVec2 low(const rv_imgui_area &area)
{
    return ImVec2(area.x, area.y);
}

ImVec2 high(const rv_imgui_area &area)
{
    return ImVec2(area.x + area.width, area.y + area.height);
}
} // namespace

struct rv_imgui {
    ImGuiContext *context;
    bool has_backend;
    float scale;
    rv_text_lines *lines;
    GLuint glyphs; // texture of the lines
    ImVector<uint32_t> typed;
    bool has_new_typed;
    GLuint texture;
    rv_imgui_pixels pixels; // now in the texture
    uint64_t pixels_hash;   // of those drawn in this pass
};

// ---- life ----

static void set_keys(ImGuiIO &io)
{
    static const ImGuiKey keys[RV_IMGUI_KEY_COUNT] = {
        ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_Home, ImGuiKey_End,
        ImGuiKey_Backspace, ImGuiKey_Delete,     ImGuiKey_Enter,   ImGuiKey_Escape,    ImGuiKey_Tab,  ImGuiKey_A,
        ImGuiKey_C,         ImGuiKey_V,          ImGuiKey_X,       ImGuiKey_Y,         ImGuiKey_Z};
    for (int i = 0; i < RV_IMGUI_KEY_COUNT; i++)
        io.KeyMap[keys[i]] = i;
}

static void set_sizes()
{
    ImGuiStyle &style = ImGui::GetStyle();
    style.WindowPadding = ImVec2(14.0f, 10.0f);
    style.WindowRounding = style.PopupRounding = 7.0f;
    style.WindowBorderSize = style.PopupBorderSize = 1.0f;
    style.ChildBorderSize = style.FrameBorderSize = 0.0f;
    style.WindowMinSize = ImVec2(1.0f, 1.0f);
    style.FramePadding = ImVec2(8.0f, 3.0f);
    style.FrameRounding = style.GrabRounding = 4.0f;
    style.ItemSpacing = ImVec2(8.0f, 5.0f);
    style.CellPadding = ImVec2(CELL_PADDING_X, CELL_PADDING_Y);
    style.ScrollbarSize = 9.0f;
}

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

int rv_imgui_create(rv_imgui **imgui)
{
    *imgui = nullptr;
    rv_imgui *made = new (std::nothrow) rv_imgui();
    if (!made)
        return -ENOMEM;
    IMGUI_CHECKVERSION();
    ImGui::SetAllocatorFunctions(allocate, release);
    made->context = ImGui::CreateContext();
    made->lines = rv_text_lines_create(nullptr);
    made->glyphs = create_glyphs();
    ImGuiIO &io = ImGui::GetIO();
    io.UserData = made;
    io.IniFilename = io.LogFilename = nullptr;
    io.ConfigInputTextCursorBlink = false;
    io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
    set_keys(io);
    set_sizes();
    made->has_backend = ImGui_ImplOpenGL3_Init("#version 330 core");
    if (!made->has_backend) {
        rv_imgui_destroy(made);
        return -ENOTSUP;
    }
    *imgui = made;
    return 0;
}

void rv_imgui_destroy(rv_imgui *imgui)
{
    if (!imgui)
        return;
    glDeleteTextures(1, &imgui->texture);
    glDeleteTextures(1, &imgui->glyphs);
    rv_text_lines_destroy(imgui->lines);
    if (imgui->has_backend)
        ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(imgui->context);
    delete imgui;
}

// ---- input ----

void rv_imgui_mouse(rv_imgui *, float x, float y)
{
    ImGui::GetIO().MousePos = ImVec2(x, y);
}

void rv_imgui_mouse_leave(rv_imgui *)
{
    ImGui::GetIO().MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
}

void rv_imgui_button_set(rv_imgui *, unsigned button, bool is_down)
{
    if (button < BUTTONS)
        ImGui::GetIO().MouseDown[button] = is_down;
}

void rv_imgui_wheel(rv_imgui *, float turns)
{
    ImGui::GetIO().MouseWheel += turns;
}

void rv_imgui_key_set(rv_imgui *, rv_imgui_key key, bool is_down)
{
    ImGui::GetIO().KeysDown[key] = is_down;
}

void rv_imgui_modifiers(rv_imgui *, bool has_ctrl, bool has_shift, bool has_alt)
{
    ImGuiIO &io = ImGui::GetIO();
    io.KeyCtrl = has_ctrl;
    io.KeyShift = has_shift;
    io.KeyAlt = has_alt;
}

void rv_imgui_type(rv_imgui *, const char *utf8)
{
    ImGui::GetIO().AddInputCharactersUTF8(utf8);
}

bool rv_imgui_wants_mouse(const rv_imgui *)
{
    return ImGui::GetIO().WantCaptureMouse;
}

bool rv_imgui_wants_text(const rv_imgui *)
{
    return ImGui::GetIO().WantTextInput;
}

// ---- passes ----

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

// What is typed Dear ImGui draws itself, character by character: pictures of those that its fonts lack are placed in its
// atlas.
struct typed_picture {
    int rect;
    rv_text_line_glyph glyph;
};

static rv_text_line typed_line(rv_imgui *imgui, uint32_t codepoint, float *advance)
{
    const rv_text_line_style style = {RV_TYPEFACE_TEXT, EM[RV_IMGUI_FONT_TEXT] * imgui->scale};
    char text[5];
    ImTextCharToUtf8(text, codepoint);
    *advance = rv_text_lines_width(imgui->lines, &style, text, strlen(text));
    return rv_text_lines_get(imgui->lines, &style, text, strlen(text));
}

static bool is_typed_loaded(rv_imgui *imgui)
{
    float advance;
    for (uint32_t codepoint : imgui->typed)
        (void)typed_line(imgui, codepoint, &advance);
    return !rv_text_lines_is_late(imgui->lines);
}

static ImVector<typed_picture> reserve_typed(rv_imgui *imgui)
{
    ImVector<typed_picture> pictures;
    ImFont *font = font_of(RV_IMGUI_FONT_TEXT);
    const float ascent = ceilf(ASCENT_PER_EM * EM[RV_IMGUI_FONT_TEXT] * imgui->scale);
    for (uint32_t codepoint : imgui->typed) {
        float advance;
        const rv_text_line line = typed_line(imgui, codepoint, &advance);
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

static void copy_typed(rv_imgui *imgui, const ImVector<typed_picture> &pictures)
{
    unsigned char *pixels;
    int width, height;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    const uint8_t *texels = rv_text_lines_atlas(imgui->lines)->texels;
    for (const typed_picture &picture : pictures) {
        const ImFontAtlasCustomRect *rect = ImGui::GetIO().Fonts->GetCustomRectByIndex(picture.rect);
        for (int row = 0; row < rect->Height; row++)
            memcpy(pixels + (size_t)(rect->Y + row) * (size_t)width + rect->X,
                   texels + (size_t)(picture.glyph.y + row) * RV_GLYPH_ATLAS_WIDTH + picture.glyph.x, rect->Width);
    }
}

static void build_fonts(rv_imgui *imgui, float scale)
{
    ImGuiIO &io = ImGui::GetIO();
    if (imgui->scale > 0.0f)
        ImGui_ImplOpenGL3_DestroyFontsTexture();
    imgui->scale = scale;
    io.Fonts->Clear();
    io.Fonts->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    add_font(RV_TYPEFACE_TEXT, RV_IMGUI_FONT_TEXT, scale);
    add_font(RV_TYPEFACE_BOLD, RV_IMGUI_FONT_BOLD, scale);
    add_font(RV_TYPEFACE_TEXT, RV_IMGUI_FONT_SMALL, scale);
    io.FontGlobalScale = 1.0f / scale;
    const ImVector<typed_picture> typed = reserve_typed(imgui);
    imgui->has_new_typed = rv_text_lines_is_late(imgui->lines);
    if (!typed.empty())
        copy_typed(imgui, typed);
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

static ImVec4 chosen_text; // Dear ImGui has no colour for it

static void set_colours(const rv_ui_style *style)
{
    const struct {
        ImGuiCol which;
        uint32_t rgba;
    } colours[] = {
        {ImGuiCol_Text, style->text},
        {ImGuiCol_TextDisabled, style->text_faint},
        {ImGuiCol_TextSelectedBg, style->chosen},
        {ImGuiCol_WindowBg, style->panel},
        {ImGuiCol_PopupBg, style->bar},
        {ImGuiCol_ChildBg, 0},
        {ImGuiCol_Border, style->line},
        {ImGuiCol_FrameBg, style->plate},
        {ImGuiCol_FrameBgHovered, style->plate_hovered},
        {ImGuiCol_FrameBgActive, style->plate_pressed},
        {ImGuiCol_Button, style->plate},
        {ImGuiCol_ButtonHovered, style->plate_hovered},
        {ImGuiCol_ButtonActive, style->plate_pressed},
        {ImGuiCol_Header, style->plate},
        {ImGuiCol_HeaderHovered, style->plate_hovered},
        {ImGuiCol_HeaderActive, style->plate_pressed},
        {ImGuiCol_CheckMark, style->accent},
        {ImGuiCol_SliderGrab, style->accent},
        {ImGuiCol_ScrollbarBg, 0},
        {ImGuiCol_ScrollbarGrab, style->plate_hovered},
        {ImGuiCol_ScrollbarGrabHovered, style->plate_pressed},
        {ImGuiCol_ScrollbarGrabActive, style->plate_pressed},
        {ImGuiCol_TableHeaderBg, style->bar},
        {ImGuiCol_TableBorderLight, style->line},
        {ImGuiCol_TableBorderStrong, style->line},
        {ImGuiCol_TableRowBgAlt, style->plate & 0xffffff60u},
    };
    for (const auto &entry : colours)
        ImGui::GetStyle().Colors[entry.which] = colour4(entry.rgba);
}

void rv_imgui_begin(rv_imgui *imgui, const int size_px[2], double scale, uint64_t text_ns, const rv_ui_style *style)
{
    ImGuiIO &io = ImGui::GetIO();
    float wanted = scale > 0.0 ? (float)scale : 1.0f;
    rv_text_lines_begin(imgui->lines, text_ns);
    if (imgui->scale != wanted || (imgui->has_new_typed && is_typed_loaded(imgui)))
        build_fonts(imgui, wanted);
    set_colours(style);
    io.DisplaySize = ImVec2((float)size_px[0] / wanted, (float)size_px[1] / wanted);
    io.DisplayFramebufferScale = ImVec2(wanted, wanted);
    io.DeltaTime = TURN_S;
    imgui->pixels_hash = 0;
    chosen_text = colour4(style->chosen_text);
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
}

static uint64_t hash_of(const ImDrawList *list)
{
    uint64_t hash = rv_hash_bytes(list->VtxBuffer.Data, (size_t)list->VtxBuffer.size_in_bytes());
    hash = rv_hash_combine(hash, rv_hash_bytes(list->IdxBuffer.Data, (size_t)list->IdxBuffer.size_in_bytes()));
    for (const ImDrawCmd &command : list->CmdBuffer) {
        hash = rv_hash_combine(hash, rv_hash_bytes(&command.ClipRect, sizeof command.ClipRect));
        hash = rv_hash_combine(hash, command.ElemCount);
    }
    return hash;
}

uint64_t rv_imgui_end(rv_imgui *imgui)
{
    ImGui::Render();
    uint64_t hash = imgui->pixels_hash;
    const ImDrawData *data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; i++)
        hash = rv_hash_combine(hash, hash_of(data->CmdLists[i]));
    return hash;
}

bool rv_imgui_lacks_text(const rv_imgui *imgui)
{
    return rv_text_lines_is_late(imgui->lines);
}

void rv_imgui_draw(rv_imgui *imgui)
{
    rv_glyph_texture_bind(imgui->glyphs, rv_text_lines_atlas(imgui->lines));
    glBindTexture(GL_TEXTURE_2D, 0);
    if (ImGui::GetDrawData())
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

// ---- panels ----

void rv_imgui_panel_begin(const char *id, rv_imgui_area area, unsigned flags)
{
    int wanted = PANEL_FLAGS;
    wanted |= flags & RV_IMGUI_PANEL_SCROLLS ? 0 : STILL_FLAGS;
    wanted |= flags & RV_IMGUI_PANEL_FIRST ? 0 : BACK_FLAGS;
    wanted |= flags & RV_IMGUI_PANEL_BARE ? (int)ImGuiWindowFlags_NoBackground : 0;
    ImGui::SetNextWindowPos(low(area));
    ImGui::SetNextWindowSize(ImVec2(area.width, area.height));
    if (flags & RV_IMGUI_PANEL_BARE)
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0f, 0.0f));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, flags & RV_IMGUI_PANEL_BARE ? 0.0f : 1.0f);
    ImGui::Begin(id, nullptr, wanted);
    ImGui::PopStyleVar(flags & RV_IMGUI_PANEL_BARE ? 2 : 1);
}

void rv_imgui_panel_end(void)
{
    ImGui::End();
}

void rv_imgui_child_begin(const char *id, float width, float height)
{
    ImGui::BeginChild(id, ImVec2(width, height), false, ImGuiWindowFlags_NoNav);
}

void rv_imgui_child_end(void)
{
    ImGui::EndChild();
}

void rv_imgui_scrolled(float *above, float *height)
{
    *above = ImGui::GetScrollY();
    *height = ImGui::GetWindowHeight();
}

void rv_imgui_scroll_to(float above)
{
    ImGui::SetScrollY(above);
}

void rv_imgui_at(float x, float y)
{
    ImGui::SetCursorPos(ImVec2(x, y));
}

void rv_imgui_same_line(float gap)
{
    ImGui::SameLine(0.0f, gap);
}

void rv_imgui_gap(float height)
{
    ImGui::Dummy(ImVec2(0.0f, height));
}

float rv_imgui_room(void)
{
    return ImGui::GetContentRegionAvail().x;
}

void rv_imgui_push_id(uint32_t id)
{
    ImGui::PushID((int)id);
}

void rv_imgui_pop_id(void)
{
    ImGui::PopID();
}

// ---- text ----

static bool has_glyph(uint32_t codepoint)
{
    for (const ImWchar *range = GLYPHS; *range; range += 2)
        if (codepoint >= range[0] && codepoint <= range[1])
            return true;
    return false;
}

// Does Dear ImGui draw it itself?
static bool is_plain(const char *text, const char *end)
{
    while (text < end) {
        const uint32_t codepoint = (unsigned char)*text < 0x80 ? (uint32_t)*text++ : rv_text_next(&text, end);
        if (codepoint >= 0x80 && !has_glyph(codepoint))
            return false;
    }
    return true;
}

static rv_imgui *current()
{
    return static_cast<rv_imgui *>(ImGui::GetIO().UserData);
}

static rv_text_line_style style_of(rv_imgui_font font)
{
    return {font == RV_IMGUI_FONT_BOLD ? RV_TYPEFACE_BOLD : RV_TYPEFACE_TEXT, EM[font] * current()->scale};
}

// Width of one line of text.
static float width_of(rv_imgui_font font, const char *text, const char *end)
{
    if (is_plain(text, end))
        return font_of(font)->CalcTextSizeA(EM[font] * LINE_PER_EM, FLT_MAX, 0.0f, text, end).x;
    const rv_text_line_style style = style_of(font);
    return rv_text_lines_width(current()->lines, &style, text, (size_t)(end - text)) / current()->scale;
}

static void draw_glyph(ImDrawList *list, const rv_text_line_glyph &glyph, ImVec2 pen_px, ImU32 rgba)
{
    const float unit = 1.0f / current()->scale, u = 1.0f / RV_GLYPH_ATLAS_WIDTH, v = 1.0f / RV_GLYPH_ATLAS_HEIGHT;
    const ImVec2 low(floorf(pen_px.x + glyph.pen + 0.5f) + glyph.left, pen_px.y - glyph.top);
    list->PrimRectUV(
        ImVec2(low.x * unit, low.y * unit), ImVec2((low.x + glyph.width) * unit, (low.y + glyph.height) * unit),
        ImVec2(glyph.x * u, glyph.y * v), ImVec2((glyph.x + glyph.width) * u, (glyph.y + glyph.height) * v), rgba);
}

// Draw one line of text that is not plain.
static void draw_line(ImVec2 at, rv_imgui_font font, ImU32 rgba, const char *text, const char *end)
{
    ImDrawList *list = ImGui::GetWindowDrawList();
    const rv_text_line_style style = style_of(font);
    const rv_text_line line = rv_text_lines_get(current()->lines, &style, text, (size_t)(end - text));
    const ImVec2 pen(floorf(at.x * current()->scale), floorf(at.y * current()->scale + font_of(font)->Ascent));
    list->PushTextureID((ImTextureID)(intptr_t)current()->glyphs);
    list->PrimReserve((int)line.n * 6, (int)line.n * 4);
    for (size_t i = 0; i < line.n; i++)
        draw_glyph(list, line.glyphs[i], pen, rgba);
    list->PopTextureID();
}

static void draw_text(ImVec2 at, rv_imgui_font font, ImU32 rgba, const char *text, const char *end)
{
    if (is_plain(text, end))
        ImGui::GetWindowDrawList()->AddText(font_of(font), EM[font] * LINE_PER_EM, at, rgba, text, end);
    else
        draw_line(at, font, rgba, text, end);
}

// Where a line ends that begins at text: before a line feed, or as soon as it is wider than this.
static const char *line_end(rv_imgui_font font, const char *text, const char *end, float width)
{
    const char *feed = static_cast<const char *>(memchr(text, '\n', (size_t)(end - text))), *last = text;
    end = feed ? feed : end;
    if (width_of(font, text, end) <= width)
        return end;
    for (const char *at = text; at < end;) {
        at = rv_cluster_next(at, end);
        if (width_of(font, text, at) > width)
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
        const ImVec2 size(width_of(font, text, next), ImGui::GetTextLineHeight());
        ImGui::ItemSize(size, 0.0f);
        if (ImGui::ItemAdd(ImRect(at, ImVec2(at.x + size.x, at.y + size.y)), 0))
            draw_text(at, font, rgba, text, next);
        if (next == end)
            break;
    }
}

static void add_text(rv_imgui_font font, ImU32 rgba, const char *text, float width)
{
    ImGui::PushFont(font_of(font));
    ImGui::PushStyleColor(ImGuiCol_Text, rgba);
    if (!is_plain(text, text + strlen(text)))
        add_lines(font, rgba, text, width);
    else
        ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
    ImGui::PopFont();
}

void rv_imgui_text(rv_imgui_font font, uint32_t rgba, const char *text)
{
    add_text(font, colour(rgba), text, FLT_MAX);
}

void rv_imgui_label(const char *text, uint32_t rgba)
{
    ImGui::AlignTextToFramePadding();
    rv_imgui_text(RV_IMGUI_FONT_TEXT, rgba, text);
}

void rv_imgui_text_wrapped(rv_imgui_font font, uint32_t rgba, const char *text)
{
    ImGui::PushTextWrapPos(0.0f);
    add_text(font, colour(rgba), text, ImGui::GetContentRegionAvail().x);
    ImGui::PopTextWrapPos();
}

float rv_imgui_measure(const void *font, const char *text, size_t n_bytes)
{
    return width_of(*static_cast<const rv_imgui_font *>(font), text, text + n_bytes);
}

float rv_imgui_text_width(rv_imgui_font font, const char *text)
{
    return rv_imgui_measure(&font, text, strlen(text));
}

// ---- things ----

static bool add_button(const char *label, float width)
{
    const char *end = ImGui::FindRenderedTextEnd(label);
    if (is_plain(label, end))
        return ImGui::Button(label, ImVec2(width, 0.0f));
    const float text_width = width_of(RV_IMGUI_FONT_TEXT, label, end);
    const ImVec2 padding = ImGui::GetStyle().FramePadding;
    ImGui::PushID(label);
    bool is_pressed = ImGui::Button("##", ImVec2(width > 0.0f ? width : text_width + 2.0f * padding.x, 0.0f));
    ImGui::PopID();
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    draw_text(ImVec2(0.5f * (from.x + to.x - text_width), from.y + padding.y), RV_IMGUI_FONT_TEXT,
              ImGui::GetColorU32(ImGuiCol_Text), label, end);
    return is_pressed;
}

bool rv_imgui_button(const char *label, float width, bool is_chosen)
{
    ImVec4 chosen = ImGui::GetStyle().Colors[ImGuiCol_TextSelectedBg];
    if (is_chosen) {
        ImGui::PushStyleColor(ImGuiCol_Button, chosen);
        ImGui::PushStyleColor(ImGuiCol_ButtonHovered, chosen);
        ImGui::PushStyleColor(ImGuiCol_ButtonActive, chosen);
        ImGui::PushStyleColor(ImGuiCol_Text, chosen_text);
    }
    bool is_pressed = add_button(label, width);
    if (is_chosen)
        ImGui::PopStyleColor(4);
    return is_pressed;
}

bool rv_imgui_check(const char *label, bool *is_on)
{
    return ImGui::Checkbox(label, is_on);
}

bool rv_imgui_choice(const char *label, float width, const char *const *names, int n, int *chosen)
{
    ImGui::SetNextItemWidth(width);
    return ImGui::Combo(label, chosen, names, n);
}

static void add_typed(const char *text)
{
    rv_imgui *imgui = current();
    for (const char *end = text + strlen(text); text < end;) {
        const uint32_t codepoint = rv_text_next(&text, end);
        const bool is_known = codepoint < 0x80 || has_glyph(codepoint) || codepoint > IM_UNICODE_CODEPOINT_MAX;
        if (is_known || imgui->typed.Size == TYPED_MAX || imgui->typed.contains(codepoint))
            continue;
        imgui->typed.push_back(codepoint);
        imgui->has_new_typed = true;
    }
}

// While it is edited, a field shows its characters one by one, as they follow each other; else it is a line as others.
static bool add_field(const char *id, const char *hint, char *text, size_t text_bytes)
{
    const char *end = text + strnlen(text, text_bytes);
    const bool is_line = !is_plain(text, end) && ImGui::GetActiveID() != ImGui::GetID(id);
    const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
    const ImVec2 padding = ImGui::GetStyle().FramePadding;
    if (is_line)
        ImGui::PushStyleColor(ImGuiCol_Text, 0u);
    bool is_entered = ImGui::InputTextWithHint(id, hint, text, text_bytes, ImGuiInputTextFlags_EnterReturnsTrue);
    if (!is_line)
        return is_entered;
    ImGui::PopStyleColor();
    const ImVec2 from = ImGui::GetItemRectMin();
    ImGui::PushClipRect(from, ImGui::GetItemRectMax(), true);
    draw_text(ImVec2(from.x + padding.x, from.y + padding.y), RV_IMGUI_FONT_TEXT, ink, text, end);
    ImGui::PopClipRect();
    return is_entered;
}

rv_imgui_typed rv_imgui_input(const char *id, const char *hint, float width, char *text, size_t text_bytes,
                              bool takes_keyboard)
{
    char before[512];
    size_t n_before = strnlen(text, text_bytes), n_kept = n_before < sizeof before ? n_before : sizeof before;
    memcpy(before, text, n_kept);
    add_typed(text);
    if (takes_keyboard)
        ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(width);
    if (add_field(id, hint, text, text_bytes))
        return RV_IMGUI_TYPED_ENTERED;
    if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)))
        return RV_IMGUI_TYPED_ESCAPED;
    bool is_same = strnlen(text, text_bytes) == n_before && !memcmp(before, text, n_kept);
    return is_same ? RV_IMGUI_TYPED_NOTHING : RV_IMGUI_TYPED_CHANGED;
}

void rv_imgui_touch(const char *id, float width, float height, rv_imgui_area *area)
{
    ImVec2 at = ImGui::GetCursorScreenPos();
    *area = {at.x, at.y, width > 0.0f ? width : fmaxf(ImGui::GetContentRegionAvail().x, 1.0f), height};
    ImGui::InvisibleButton(id, ImVec2(area->width, area->height),
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
}

bool rv_imgui_is_hovered(void)
{
    return ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
}

bool rv_imgui_is_held(void)
{
    return ImGui::IsItemActive();
}

bool rv_imgui_is_clicked(unsigned button)
{
    return ImGui::IsItemClicked((ImGuiMouseButton)button);
}

void rv_imgui_mouse_at(float out[2])
{
    out[0] = ImGui::GetIO().MousePos.x;
    out[1] = ImGui::GetIO().MousePos.y;
}

bool rv_imgui_has_shift(void)
{
    return ImGui::GetIO().KeyShift;
}

void rv_imgui_tooltip(const char *text)
{
    ImGui::BeginTooltip();
    add_text(RV_IMGUI_FONT_TEXT, ImGui::GetColorU32(ImGuiCol_Text), text, FLT_MAX);
    ImGui::EndTooltip();
}

// ---- tables ----

static int n_rows_after; // rows of the open table below the visible ones

bool rv_imgui_table_begin(const char *id, const rv_imgui_column *columns, int n, float height)
{
    bool is_sortable = false;
    for (int i = 0; i < n; i++)
        is_sortable |= columns[i].is_sortable;
    int flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit;
    flags |= height > 0.0f ? (int)ImGuiTableFlags_ScrollY : 0;
    flags |= is_sortable ? (int)ImGuiTableFlags_Sortable : 0;
    if (!ImGui::BeginTable(id, n, flags, ImVec2(0.0f, height)))
        return false;
    n_rows_after = 0;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (int i = 0; i < n; i++) {
        int column = columns[i].width > 0.0f ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
        column |= columns[i].is_sortable ? 0 : (int)ImGuiTableColumnFlags_NoSort;
        column |= columns[i].is_sorted_first ? (int)ImGuiTableColumnFlags_DefaultSort : 0;
        column |= columns[i].is_descending_first ? (int)ImGuiTableColumnFlags_PreferSortDescending : 0;
        ImGui::TableSetupColumn(columns[i].title, column, columns[i].width);
    }
    ImGui::PushFont(font_of(RV_IMGUI_FONT_SMALL));
    ImGui::TableHeadersRow();
    ImGui::PopFont();
    return true;
}

static float row_height()
{
    return ImGui::GetTextLineHeight() + 2.0f * CELL_PADDING_Y;
}

void rv_imgui_table_rows(int n, int *from, int *to)
{
    float height = ImGui::GetWindowHeight(), top = ImGui::GetScrollY();
    bool scrolls = ImGui::GetScrollMaxY() > 0.0f || (float)n * row_height() > height;
    int first = scrolls ? (int)(top / row_height()) : 0, shown = scrolls ? (int)(height / row_height()) + 2 : n;
    *from = first < n ? first : n;
    *to = n - *from < shown ? n : *from + shown;
    n_rows_after = n - *to;
    if (*from > 0)
        ImGui::TableNextRow(0, (float)*from * row_height());
}

void rv_imgui_table_row(void)
{
    ImGui::TableNextRow(0, row_height());
}

void rv_imgui_table_choose_row(void)
{
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, ImGui::GetColorU32(ImGuiCol_TextSelectedBg, CHOSEN_ROW_ALPHA));
}

void rv_imgui_table_cell(void)
{
    ImGui::TableNextColumn();
}

void rv_imgui_table_touch(uint32_t id, bool is_chosen)
{
    if (is_chosen)
        rv_imgui_table_choose_row();
    ImVec2 at = ImGui::GetCursorPos();
    ImGui::PushID((int)id);
    ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap,
                      ImVec2(0.0f, ImGui::GetTextLineHeight()));
    ImGui::PopID();
    ImGui::SameLine(0.0f, 0.0f);
    ImGui::SetCursorPos(at);
}

void rv_imgui_table_show_row(int row)
{
    float top = (float)row * row_height(), height = ImGui::GetWindowHeight() - 2.0f * row_height();
    if (top < ImGui::GetScrollY())
        ImGui::SetScrollY(top);
    else if (top + row_height() > ImGui::GetScrollY() + height)
        ImGui::SetScrollY(top + row_height() - height);
}

bool rv_imgui_table_sort(int *column, bool *is_descending)
{
    ImGuiTableSortSpecs *specs = ImGui::TableGetSortSpecs();
    if (!specs || specs->SpecsCount < 1)
        return false;
    const ImGuiTableColumnSortSpecs &first = specs->Specs[0];
    bool descends = first.SortDirection == ImGuiSortDirection_Descending;
    bool differs = first.ColumnIndex != *column || descends != *is_descending;
    if (differs && !specs->SpecsDirty)
        ImGui::TableSetColumnSortDirection(
            *column, *is_descending ? ImGuiSortDirection_Descending : ImGuiSortDirection_Ascending, false);
    bool is_asked = differs && specs->SpecsDirty;
    specs->SpecsDirty = false;
    *column = is_asked ? first.ColumnIndex : *column;
    *is_descending = is_asked ? descends : *is_descending;
    return is_asked;
}

void rv_imgui_table_end(void)
{
    if (n_rows_after > 0)
        ImGui::TableNextRow(0, (float)n_rows_after * row_height());
    ImGui::EndTable();
}

// ---- drawing ----

void rv_imgui_draw_box(rv_imgui_area area, float radius, uint32_t rgba)
{
    ImGui::GetWindowDrawList()->AddRectFilled(low(area), high(area), colour(rgba), radius);
}

void rv_imgui_draw_frame(rv_imgui_area area, float radius, uint32_t rgba, float thickness)
{
    ImGui::GetWindowDrawList()->AddRect(low(area), high(area), colour(rgba), radius, 0, thickness);
}

void rv_imgui_draw_text(const float at[2], rv_imgui_font font, uint32_t rgba, const char *text)
{
    draw_text(ImVec2(at[0], at[1]), font, colour(rgba), text, text + strlen(text));
}

void rv_imgui_clip(rv_imgui_area area)
{
    ImGui::GetWindowDrawList()->PushClipRect(low(area), high(area), true);
}

void rv_imgui_unclip(void)
{
    ImGui::GetWindowDrawList()->PopClipRect();
}

static void upload(rv_imgui *imgui, const rv_imgui_pixels *pixels)
{
    if (!imgui->texture)
        glGenTextures(1, &imgui->texture);
    glBindTexture(GL_TEXTURE_2D, imgui->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, pixels->width, pixels->height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels->rgba);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, 0);
    imgui->pixels = *pixels;
}

void rv_imgui_draw_pixels(rv_imgui *imgui, rv_imgui_area area, const rv_imgui_pixels *pixels)
{
    if (!imgui->texture || imgui->pixels.version != pixels->version)
        upload(imgui, pixels);
    imgui->pixels_hash = rv_hash_combine(imgui->pixels_hash, pixels->version + 1);
    ImGui::GetWindowDrawList()->AddImage((ImTextureID)(intptr_t)imgui->texture, low(area), high(area));
}
