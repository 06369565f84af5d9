#include "ui/table_columns.h"

#define NAMES_LEAST 90.0f
#define CELL_PADDING 10.0f

static float width_of(const struct rv_imgui_column *columns, int n, unsigned most)
{
    float width = 0.0f;
    for (int i = 0; i < n; i++)
        if (columns[i].left_out <= most)
            width += columns[i].width > 0.0f ? columns[i].width + CELL_PADDING : NAMES_LEAST;
    return width;
}

unsigned rv_table_columns_shown(const struct rv_imgui_column *columns, int n, float width)
{
    unsigned most = 0;
    for (int i = 0; i < n; i++)
        most = columns[i].left_out > most ? columns[i].left_out : most;
    while (most > 0 && width_of(columns, n, most) > width)
        most--;
    return most;
}
