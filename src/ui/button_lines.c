#include "ui/button_lines.h"

#include "ui/imgui_text.h"
#include "ui/imgui_widgets.h"

#define LINE_HEIGHT 28.0f
#define PADDING 18.0f
#define GAP 4.0f

static void place(struct rv_button_lines *lines, float width, float room)
{
    const bool goes_on = lines->x > 0.0f && lines->x + width <= room;
    if (goes_on)
        rv_imgui_same_line(GAP);
    else
        lines->height += LINE_HEIGHT;
    lines->x = (goes_on ? lines->x : 0.0f) + width + GAP;
}

static float width_of(const char *title)
{
    return rv_imgui_text_width(RV_IMGUI_FONT_TEXT, title) + PADDING;
}

bool rv_button_lines_button(struct rv_button_lines *lines, const char *title, bool is_chosen)
{
    place(lines, width_of(title), rv_imgui_room());
    return rv_imgui_button(title, 0.0f, is_chosen);
}

void rv_button_lines_label(struct rv_button_lines *lines, const char *text, uint32_t rgba)
{
    if (!*text)
        return;
    place(lines, width_of(text), rv_imgui_room());
    rv_imgui_label(text, rgba);
}

float rv_button_lines_width(const char *const *titles, uint32_t n)
{
    float width = 0.0f;
    for (uint32_t i = 0; i < n; i++)
        width += width_of(titles[i]) + GAP;
    return width;
}
