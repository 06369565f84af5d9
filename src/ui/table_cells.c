#include "ui/table_cells.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "ui/imgui_table.h"
#include "ui/imgui_text.h"

void rv_table_cell_text(const struct rv_ui_style *style, const char *text)
{
    rv_imgui_table_cell();
    rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text, text);
}

void rv_table_cell_count(const struct rv_ui_style *style, uint64_t n)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRIu64, n);
    rv_table_cell_text(style, text);
}

void rv_table_cell_ns(const struct rv_ui_style *style, uint64_t ns)
{
    char text[32];
    rv_units_format_ns(text, sizeof text, ns);
    rv_table_cell_text(style, text);
}

void rv_table_cell_share(const struct rv_ui_style *style, uint64_t part, uint64_t whole)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.1f %%", whole ? 100.0 * (double)part / (double)whole : 0.0);
    rv_table_cell_text(style, text);
}
