// Tables: only the rows that are visible are emitted, so those above and below are rows of their whole height.

#include "ui/imgui_table.h"

#include <imgui_internal.h>

#include "ui/imgui_text.hpp"

namespace
{
constexpr float CHOSEN_ROW_ALPHA = 0.6f;
} // namespace

static int n_rows_after; // rows of the open table below the visible ones

bool rv_imgui_table_begin(const char *id, const rv_imgui_column *columns, int n, float height)
{
    bool is_sortable = false;
    for (int i = 0; i < n; i++)
        is_sortable |= columns[i].is_sortable;
    int flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit;
    flags |= ImGuiTableFlags_PadOuterX; /* else the arrow of the last column, when rows are sorted by it, is cut */
    flags |= height > 0.0f ? (int)ImGuiTableFlags_ScrollY : 0;
    flags |= is_sortable ? (int)ImGuiTableFlags_Sortable : 0;
    const unsigned shown = rv_table_columns_shown(columns, n, ImGui::GetContentRegionAvail().x);
    if (!ImGui::BeginTable(id, n, flags, ImVec2(0.0f, height)))
        return false;
    n_rows_after = 0;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (int i = 0; i < n; i++) {
        int column = columns[i].width > 0.0f ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
        column |= columns[i].left_out <= shown ? 0 : (int)ImGuiTableColumnFlags_Disabled;
        column |= columns[i].is_sortable ? 0 : (int)ImGuiTableColumnFlags_NoSort;
        column |= columns[i].is_sorted_first ? (int)ImGuiTableColumnFlags_DefaultSort : 0;
        column |= columns[i].is_descending_first ? (int)ImGuiTableColumnFlags_PreferSortDescending : 0;
        ImGui::TableSetupColumn(columns[i].title, column, columns[i].width);
    }
    ImGui::PushFont(rv_imgui_font_of(RV_IMGUI_FONT_SMALL));
    ImGui::TableHeadersRow();
    ImGui::PopFont();
    return true;
}

static float row_height()
{
    return ImGui::GetTextLineHeight() + 2.0f * ImGui::GetStyle().CellPadding.y;
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
