#include "panel_rects.h"

#include <imgui.h>
#include <imgui_internal.h>

static float beyond(float contents, float room, float scroll_max)
{
    return scroll_max > 0.0f || contents <= room ? 0.0f : contents - room;
}

size_t panel_rects_find(struct panel_rect *out, size_t max)
{
    size_t n = 0;
    for (const ImGuiWindow *window : ImGui::GetCurrentContext()->Windows) {
        if (!window->Active || window->Hidden || (window->Flags & ImGuiWindowFlags_Tooltip) || window->IsFallbackWindow)
            continue;
        const ImVec2 padding = window->WindowPadding;
        if (n < max)
            out[n] =
                panel_rect{window->Name,
                           window->Pos.x,
                           window->Pos.y,
                           window->Pos.x + window->Size.x,
                           window->Pos.y + window->Size.y,
                           beyond(window->ContentSize.x + padding.x, window->InnerRect.GetWidth(), window->ScrollMax.x),
                           window->Flags & ImGuiWindowFlags_NoScrollbar || window->ScrollMax.y <= 0.0f
                               ? beyond(window->ContentSize.y + padding.y, window->InnerRect.GetHeight(), 0.0f)
                               : 0.0f,
                           (window->Flags & ImGuiWindowFlags_ChildWindow) != 0,
                           (window->Flags & ImGuiWindowFlags_NoBringToFrontOnFocus) != 0};
        n++;
    }
    return n < max ? n : max;
}
