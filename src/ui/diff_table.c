#include "ui/diff_table.h"

#include <stdio.h>

#include "model/diff_significance.h"
#include "ui/imgui_table.h"
#include "ui/table_cells.h"

#define NUMBER_WIDTH 68.0f
#define VERDICT_WIDTH 92.0f
#define RATIO_WIDTH 48.0f

enum column {
    COLUMN_NAME,
    COLUMN_VERDICT,
    COLUMN_RATIO,
    COLUMN_OWN_BEFORE,
    COLUMN_OWN_AFTER,
    COLUMN_TOTAL_BEFORE,
    COLUMN_TOTAL_AFTER,
    COLUMN_COUNT
};

/* A subroutine of this row, in either capture. False: it is not known yet. */
static bool find_subroutine(const struct rv_diff_table_shown *shown, const struct rv_diff_row *row, uint32_t *id)
{
    uint32_t n = rv_subroutines_count(shown->subroutines);
    for (*id = 0; *id < n; (*id)++) {
        struct rv_subroutine subroutine = rv_subroutines_get(shown->subroutines, *id);
        if (rv_diff_find(shown->diff, &subroutine) == row)
            return true;
    }
    return false;
}

static void ask_about(struct rv_ui *ui, const struct rv_diff_table_shown *shown, const struct rv_diff_row *row,
                      struct rv_ui_acts *acts)
{
    uint32_t id;
    if (!find_subroutine(shown, row, &id))
        return;
    rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = id});
    if (rv_ui_is_second_click(ui))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_LONGEST_CALL});
}

/* Of the median own time, after / before. */
static void show_ratio(const struct rv_ui_style *style, const struct rv_diff_row *row)
{
    uint64_t before_ns = row->own_p50_ns[RV_DIFF_BEFORE], after_ns = row->own_p50_ns[RV_DIFF_AFTER];
    char text[32] = "";
    if (before_ns && after_ns)
        (void)snprintf(text, sizeof text, "%.2f", (double)after_ns / (double)before_ns);
    rv_table_cell_text(style, text);
}

static void show_row(struct rv_ui *ui, const struct rv_diff_table_shown *shown, size_t idx, struct rv_ui_acts *acts)
{
    const struct rv_ui_style *style = rv_ui_style(ui);
    const struct rv_diff_row *row = &shown->diff->rows[idx];
    char name[512];
    rv_imgui_table_row();
    rv_imgui_table_cell();
    rv_ui_fit_name(RV_IMGUI_FONT_TEXT, row->name, rv_imgui_room(), name, sizeof name);
    rv_imgui_table_touch((uint32_t)idx, false);
    if (rv_imgui_is_clicked(0))
        ask_about(ui, shown, row, acts);
    rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text_strong, name);
    rv_table_cell_text(style, rv_diff_significance_word(row->verdict));
    show_ratio(style, row);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        rv_table_cell_ns(style, row->own_p50_ns[side]);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        rv_table_cell_ns(style, row->stats[side].total_ns);
}

void rv_diff_table_show(struct rv_ui *ui, const struct rv_diff_table_shown *shown, struct rv_ui_acts *acts,
                        float height)
{
    static const struct rv_imgui_column columns[COLUMN_COUNT] = {
        [COLUMN_NAME] = {.title = "subroutine"},
        [COLUMN_VERDICT] = {.title = "verdict", .width = VERDICT_WIDTH},
        [COLUMN_RATIO] = {.title = "x own", .width = RATIO_WIDTH},
        [COLUMN_OWN_BEFORE] = {.title = "own before", .width = NUMBER_WIDTH, .left_out = 1},
        [COLUMN_OWN_AFTER] = {.title = "own after", .width = NUMBER_WIDTH, .left_out = 1},
        [COLUMN_TOTAL_BEFORE] = {.title = "total before", .width = NUMBER_WIDTH, .left_out = 2},
        [COLUMN_TOTAL_AFTER] = {.title = "total after", .width = NUMBER_WIDTH, .left_out = 2}};
    int from, to;
    if (!rv_imgui_table_begin("diff", columns, COLUMN_COUNT, height))
        return;
    rv_imgui_table_rows((int)shown->diff->n, &from, &to);
    for (int i = from; i < to; i++)
        show_row(ui, shown, (size_t)i, acts);
    rv_imgui_table_end();
}
