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
#include "base/vec.h"
#include "ui/fonts.h"
}

namespace
{
constexpr float LINE_PER_EM = 1.1640625f; // of DejaVu Sans; ImGui counts a font's size by its lines
constexpr float EM[RV_IMGUI_FONT_COUNT] = {13.0f, 13.0f, 11.0f};
constexpr float TURN_S = 1.0f / 60.0f;
constexpr float CELL_PADDING_X = 5.0f, CELL_PADDING_Y = 2.0f;
constexpr float CHOSEN_ROW_ALPHA = 0.6f;
constexpr unsigned BUTTONS = 3;
constexpr int PANEL_FLAGS = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                            ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
constexpr int STILL_FLAGS = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
constexpr int BACK_FLAGS = ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBringToFrontOnFocus;

// Latin, Greek, Cyrillic, punctuation, arrows, comparisons, shapes: what names of programs and our own texts hold.
const ImWchar GLYPHS[] = {0x20,   0x17f,  0x370,  0x52f,  0x2010, 0x2030, 0x2190, 0x2195,
                          0x2248, 0x2248, 0x2264, 0x2265, 0x25a0, 0x25ff, 0};

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

int rv_imgui_create(rv_imgui **imgui)
{
    *imgui = nullptr;
    rv_imgui *made = new (std::nothrow) rv_imgui();
    if (!made)
        return -ENOMEM;
    IMGUI_CHECKVERSION();
    ImGui::SetAllocatorFunctions(allocate, release);
    made->context = ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
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

static void add_font(const rv_fonts &face, rv_imgui_font font, float scale)
{
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    config.PixelSnapH = true;
    config.OversampleH = config.OversampleV = 1;
    config.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
    ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<unsigned char *>(face.bytes), (int)face.n_bytes,
                                               EM[font] * LINE_PER_EM * scale, &config, GLYPHS);
}

static void build_fonts(rv_imgui *imgui, float scale)
{
    ImGuiIO &io = ImGui::GetIO();
    if (imgui->scale > 0.0f)
        ImGui_ImplOpenGL3_DestroyFontsTexture();
    imgui->scale = scale;
    io.Fonts->Clear();
    io.Fonts->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    add_font(rv_fonts_text(), RV_IMGUI_FONT_TEXT, scale);
    add_font(rv_fonts_bold(), RV_IMGUI_FONT_BOLD, scale);
    add_font(rv_fonts_text(), RV_IMGUI_FONT_SMALL, scale);
    io.FontGlobalScale = 1.0f / scale;
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

void rv_imgui_begin(rv_imgui *imgui, int width_px, int height_px, double scale, const rv_ui_style *style)
{
    ImGuiIO &io = ImGui::GetIO();
    float wanted = scale > 0.0 ? (float)scale : 1.0f;
    if (imgui->scale != wanted)
        build_fonts(imgui, wanted);
    set_colours(style);
    io.DisplaySize = ImVec2((float)width_px / wanted, (float)height_px / wanted);
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

void rv_imgui_draw(rv_imgui *)
{
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

// ---- things ----

void rv_imgui_text(rv_imgui_font font, uint32_t rgba, const char *text)
{
    ImGui::PushFont(font_of(font));
    ImGui::PushStyleColor(ImGuiCol_Text, colour(rgba));
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
    ImGui::PopFont();
}

void rv_imgui_label(const char *text, uint32_t rgba)
{
    ImGui::AlignTextToFramePadding();
    rv_imgui_text(RV_IMGUI_FONT_TEXT, rgba, text);
}

void rv_imgui_text_wrapped(rv_imgui_font font, uint32_t rgba, const char *text)
{
    ImGui::PushTextWrapPos(0.0f);
    rv_imgui_text(font, rgba, text);
    ImGui::PopTextWrapPos();
}

float rv_imgui_measure(const void *font, const char *text, size_t n_bytes)
{
    rv_imgui_font which = *static_cast<const rv_imgui_font *>(font);
    return font_of(which)->CalcTextSizeA(EM[which] * LINE_PER_EM, FLT_MAX, 0.0f, text, text + n_bytes).x;
}

float rv_imgui_text_width(rv_imgui_font font, const char *text)
{
    return rv_imgui_measure(&font, text, strlen(text));
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
    bool is_pressed = ImGui::Button(label, ImVec2(width, 0.0f));
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

rv_imgui_typed rv_imgui_input(const char *id, const char *hint, float width, char *text, size_t text_bytes,
                              bool takes_keyboard)
{
    char before[512];
    size_t n_before = strnlen(text, text_bytes), n_kept = n_before < sizeof before ? n_before : sizeof before;
    memcpy(before, text, n_kept);
    if (takes_keyboard)
        ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(width);
    if (ImGui::InputTextWithHint(id, hint, text, text_bytes, ImGuiInputTextFlags_EnterReturnsTrue))
        return RV_IMGUI_TYPED_ENTERED;
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
    ImGui::TextUnformatted(text);
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

void rv_imgui_table_cell(void)
{
    ImGui::TableNextColumn();
}

void rv_imgui_table_touch(uint32_t id, bool is_chosen)
{
    if (is_chosen)
        ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1,
                               ImGui::GetColorU32(ImGuiCol_TextSelectedBg, CHOSEN_ROW_ALPHA));
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
    ImGui::GetWindowDrawList()->AddText(font_of(font), EM[font] * LINE_PER_EM, ImVec2(at[0], at[1]), colour(rgba),
                                        text);
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
