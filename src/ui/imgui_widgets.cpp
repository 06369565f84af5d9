// Panels, buttons, fields, and drawings over them: each function is a few calls of Dear ImGui in our sizes and colours.

#include "ui/imgui_widgets.hpp"

#include <cmath>
#include <cstring>

#include <imgui_internal.h>

#include "ui/imgui_text.hpp"

namespace
{
constexpr int PANEL_FLAGS = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                            ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
constexpr int STILL_FLAGS = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
constexpr int BACK_FLAGS = ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBringToFrontOnFocus;

ImVec2 low(const rv_imgui_area &area)
{
    return ImVec2(area.x, area.y);
}

ImVec2 high(const rv_imgui_area &area)
{
    return ImVec2(area.x + area.width, area.y + area.height);
}

ImVec4 colour4(uint32_t rgba)
{
    return ImGui::ColorConvertU32ToFloat4(rv_imgui_colour(rgba));
}
} // namespace

// ---- sizes and colours ----

static ImVec4 chosen_text; // Dear ImGui has no colour for it

void rv_imgui_set_sizes()
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
    style.CellPadding = ImVec2(5.0f, 2.0f);
    style.ScrollbarSize = 9.0f;
}

void rv_imgui_set_colours(const rv_ui_style *style)
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
    chosen_text = colour4(style->chosen_text);
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

static bool add_button(const char *label, float width)
{
    const char *end = ImGui::FindRenderedTextEnd(label);
    if (rv_imgui_is_plain(label, end))
        return ImGui::Button(label, ImVec2(width, 0.0f));
    const float text_width = rv_imgui_width_of(RV_IMGUI_FONT_TEXT, label, end);
    const ImVec2 padding = ImGui::GetStyle().FramePadding;
    ImGui::PushID(label);
    bool is_pressed = ImGui::Button("##", ImVec2(width > 0.0f ? width : text_width + 2.0f * padding.x, 0.0f));
    ImGui::PopID();
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    rv_imgui_draw_line(ImVec2(0.5f * (from.x + to.x - text_width), from.y + padding.y), RV_IMGUI_FONT_TEXT,
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

static const char *recallable; // by the next field; NULL: nothing
static int fields_before = -1; // of the field that the keyboard is given to; less than 0: to none
static bool has_given;         // the keyboard to a field

struct recalling {
    const char *text;
    bool is_done;
};

static int recall(ImGuiInputTextCallbackData *data)
{
    recalling *recalled = (recalling *)data->UserData;
    if (data->EventKey != ImGuiKey_UpArrow || data->BufTextLen > 0)
        return 0;
    data->InsertChars(0, recalled->text);
    recalled->is_done = true;
    return 0;
}

// While it is edited, a field shows its characters one by one, as they follow each other; else it is a line as others.
static bool add_field(const char *id, const char *hint, char *text, size_t text_bytes, recalling *recalled)
{
    const char *end = text + strnlen(text, text_bytes);
    const bool is_line = !rv_imgui_is_plain(text, end) && ImGui::GetActiveID() != ImGui::GetID(id);
    const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
    const ImVec2 padding = ImGui::GetStyle().FramePadding;
    if (is_line)
        ImGui::PushStyleColor(ImGuiCol_Text, 0u);
    const int flags =
        ImGuiInputTextFlags_EnterReturnsTrue | (recalled->text ? (int)ImGuiInputTextFlags_CallbackHistory : 0);
    bool is_entered = ImGui::InputTextWithHint(id, hint, text, text_bytes, flags, recall, recalled);
    if (!is_line)
        return is_entered;
    ImGui::PopStyleColor();
    const ImVec2 from = ImGui::GetItemRectMin();
    ImGui::PushClipRect(from, ImGui::GetItemRectMax(), true);
    rv_imgui_draw_line(ImVec2(from.x + padding.x, from.y + padding.y), RV_IMGUI_FONT_TEXT, ink, text, end);
    ImGui::PopClipRect();
    return is_entered;
}

void rv_imgui_recall(const char *text)
{
    recallable = text;
}

void rv_imgui_give_keyboard(int field)
{
    fields_before = field;
}

bool rv_imgui_has_given_keyboard(void)
{
    const bool had_given = has_given;
    has_given = false;
    return had_given;
}

rv_imgui_typed rv_imgui_input(const char *id, const char *hint, float width, char *text, size_t text_bytes,
                              bool takes_keyboard)
{
    char before[512];
    size_t n_before = strnlen(text, text_bytes), n_kept = n_before < sizeof before ? n_before : sizeof before;
    memcpy(before, text, n_kept);
    rv_imgui_add_typed(text);
    if (takes_keyboard || fields_before == 0) {
        ImGui::SetKeyboardFocusHere();
        has_given = true;
    }
    fields_before -= fields_before >= 0;
    ImGui::SetNextItemWidth(width);
    recalling recalled = {recallable, false};
    recallable = nullptr;
    if (add_field(id, hint, text, text_bytes, &recalled))
        return RV_IMGUI_TYPED_ENTERED;
    if (recalled.is_done)
        return RV_IMGUI_TYPED_RECALLED;
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

int rv_imgui_rows_stepped(void)
{
    return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_DownArrow)) -
           ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_UpArrow));
}

void rv_imgui_show_item(void)
{
    if (!ImGui::IsItemVisible())
        ImGui::SetScrollHereY();
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

// ---- drawing ----

void rv_imgui_draw_box(rv_imgui_area area, float radius, uint32_t rgba)
{
    ImGui::GetWindowDrawList()->AddRectFilled(low(area), high(area), rv_imgui_colour(rgba), radius);
}

void rv_imgui_draw_frame(rv_imgui_area area, float radius, uint32_t rgba, float thickness)
{
    ImGui::GetWindowDrawList()->AddRect(low(area), high(area), rv_imgui_colour(rgba), radius, 0, thickness);
}

void rv_imgui_clip(rv_imgui_area area)
{
    ImGui::GetWindowDrawList()->PushClipRect(low(area), high(area), true);
}

void rv_imgui_unclip(void)
{
    ImGui::GetWindowDrawList()->PopClipRect();
}
