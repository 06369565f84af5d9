#include "ui/tree_table.h"

#include "ui/imgui_table.h"
#include "ui/table_cells.h"

#define INDENT 12.0f
#define MOST_INDENTS 16u
#define ARROW_WIDTH 14.0f
#define SQUARE 9.0f
#define ROW 15.0f
#define CALLS_WIDTH 62.0f
#define NUMBER_WIDTH 62.0f
#define SHARE_WIDTH 50.0f
#define NAME_BYTES 512

enum column { COLUMN_NAME, COLUMN_CALLS, COLUMN_TOTAL, COLUMN_SELF, COLUMN_SHARE, COLUMN_COUNT };

static void show_numbers(const struct rv_ui_style *style, const struct rv_tree_table *shown,
                         const struct rv_range_node *node)
{
    rv_table_cell_count(style, node->n_calls);
    rv_table_cell_ns(style, node->total_ns);
    rv_table_cell_ns(style, node->self_ns);
    rv_table_cell_share(style, node->total_ns, shown->nodes[0].total_ns);
}

static void show_arrow(const struct rv_ui_style *style, const struct rv_tree_table *shown,
                       const struct rv_tree_row *row, struct rv_ui_acts *acts)
{
    struct rv_imgui_area area;
    rv_imgui_touch("open", ARROW_WIDTH, ROW, &area);
    if (!shown->nodes[row->node].first_child)
        return;
    if (rv_imgui_is_clicked(0))
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_OPEN_NODE, .idx = row->node, .from_ns = shown->which});
    rv_imgui_draw_text((float[2]){area.x, area.y}, RV_IMGUI_FONT_TEXT,
                       rv_imgui_is_hovered() ? style->accent : style->text, row->is_open ? "\u25be" : "\u25b8");
}

/* A click chooses the subroutine, a double click leads to its longest call. */
static void show_name(struct rv_ui *ui, const struct rv_tree_table *shown, uint32_t id, struct rv_ui_acts *acts)
{
    char full[NAME_BYTES], name[NAME_BYTES];
    struct rv_imgui_area area;
    (void)rv_subroutines_name_of(shown->subroutines, id, full, sizeof full);
    rv_imgui_touch("name", 0.0f, ROW, &area);
    if (rv_imgui_is_clicked(0)) {
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = id});
        if (rv_ui_is_second_click(ui))
            rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_LONGEST_CALL});
    }
    rv_ui_fit_name(RV_IMGUI_FONT_TEXT, full, area.width - 2.0f * SQUARE, name, sizeof name);
    rv_imgui_draw_box((struct rv_imgui_area){area.x, area.y + 0.5f * (ROW - SQUARE), SQUARE, SQUARE}, 2.0f,
                      shown->rgba(shown->context, id));
    rv_imgui_draw_text((float[2]){area.x + 1.6f * SQUARE, area.y}, RV_IMGUI_FONT_TEXT, rv_ui_style(ui)->text_strong,
                       name);
}

static void show_row(struct rv_ui *ui, const struct rv_tree_table *shown, const struct rv_tree_row *row,
                     struct rv_ui_acts *acts)
{
    const struct rv_range_node *node = &shown->nodes[row->node];
    uint32_t n_indents = row->depth < MOST_INDENTS ? row->depth : MOST_INDENTS;
    struct rv_imgui_area area;
    rv_imgui_push_id(row->node);
    rv_imgui_table_row();
    rv_imgui_table_cell();
    rv_imgui_touch("indent", 1.0f + INDENT * (float)n_indents, ROW, &area);
    rv_imgui_same_line(0.0f);
    show_arrow(rv_ui_style(ui), shown, row, acts);
    rv_imgui_same_line(0.0f);
    show_name(ui, shown, node->id, acts);
    show_numbers(rv_ui_style(ui), shown, node);
    rv_imgui_pop_id();
}

void rv_tree_table_show(struct rv_ui *ui, const struct rv_tree_table *shown, struct rv_ui_acts *acts, float height)
{
    const struct rv_imgui_column columns[COLUMN_COUNT] = {
        [COLUMN_NAME] = {.title = shown->title},
        [COLUMN_CALLS] = {.title = "calls", .width = CALLS_WIDTH, .left_out = 1},
        [COLUMN_TOTAL] = {.title = "total", .width = NUMBER_WIDTH},
        [COLUMN_SELF] = {.title = "self", .width = NUMBER_WIDTH, .left_out = 2},
        [COLUMN_SHARE] = {.title = "share", .width = SHARE_WIDTH}};
    int from, to;
    rv_imgui_push_id(shown->which);
    if (rv_imgui_table_begin("tree", columns, COLUMN_COUNT, height)) {
        rv_imgui_table_rows((int)shown->n_rows, &from, &to);
        for (int i = from; i < to; i++)
            show_row(ui, shown, &shown->rows[i], acts);
        rv_imgui_table_end();
    }
    rv_imgui_pop_id();
}
