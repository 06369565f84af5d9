#include "ui/groups_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "ui/button_lines.h"
#include "ui/imgui_table.h"
#include "ui/table_cells.h"

#define NUMBER_WIDTH 70.0f
#define NAME_BYTES 512

enum column { COLUMN_GROUP, COLUMN_CALLS, COLUMN_TOTAL, COLUMN_SELF, COLUMN_MEAN, COLUMN_MAX, COLUMN_COUNT };

static void name_of_arguments(const struct rv_groups_table *shown, uint32_t arguments, char out[NAME_BYTES])
{
    char *joined =
        arguments ? rv_argument_text_take_joined(rv_subroutines_get(shown->subroutines, arguments).name) : NULL;
    (void)snprintf(out, NAME_BYTES, "%s", joined ? joined : "(not captured)");
    free(joined);
}

static void name_of(const struct rv_groups_table *shown, const struct rv_call_sums *group, char out[NAME_BYTES])
{
    struct rv_lane *lane = rv_lanes_get(shown->lanes, group->lane_idx);
    if (shown->grouping == RV_CALLS_BY_CALLER && group->caller == RV_CALL_NO_CALLER) {
        (void)snprintf(out, NAME_BYTES, "(outermost)");
        return;
    }
    if (shown->grouping == RV_CALLS_BY_ARGUMENTS) {
        name_of_arguments(shown, group->arguments, out);
        return;
    }
    if (shown->grouping == RV_CALLS_BY_CALLER) {
        (void)rv_subroutines_name_of(shown->subroutines, group->caller, out, NAME_BYTES);
        return;
    }
    if (shown->grouping == RV_CALLS_BY_THREAD) {
        rv_lane_copy_label(lane, out);
        return;
    }
    pthread_rwlock_wrlock(&lane->lock);
    (void)snprintf(out, NAME_BYTES, "%s %u", lane->process_name, lane->pid);
    pthread_rwlock_unlock(&lane->lock);
}

static void show_row(const struct rv_ui_style *style, const struct rv_groups_table *shown, size_t idx,
                     struct rv_ui_acts *acts)
{
    const struct rv_call_sums *group = &shown->groups[idx];
    char full[NAME_BYTES], name[NAME_BYTES];
    name_of(shown, group, full);
    rv_imgui_table_row();
    rv_imgui_table_cell();
    rv_ui_fit_name(RV_IMGUI_FONT_TEXT, full, rv_imgui_room(), name, sizeof name);
    rv_imgui_table_touch((uint32_t)idx, false);
    if (rv_imgui_is_clicked(0) && shown->grouping == RV_CALLS_BY_CALLER && group->caller != RV_CALL_NO_CALLER)
        rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = group->caller});
    rv_imgui_text(RV_IMGUI_FONT_TEXT, style->text_strong, name);
    rv_table_cell_count(style, group->n_calls);
    rv_table_cell_ns(style, group->total_ns);
    rv_table_cell_ns(style, group->self_ns);
    rv_table_cell_ns(style, group->total_ns / group->n_calls);
    rv_table_cell_ns(style, group->max_ns);
}

/* Returns their height. */
static float show_groupings(const struct rv_groups_table *shown, const struct rv_ui_style *style,
                            struct rv_ui_acts *acts)
{
    static const char *const titles[RV_CALL_GROUPINGS] = {"By caller", "By thread", "By process", "By arguments"};
    struct rv_button_lines lines = {0};
    for (uint32_t i = 0; i < RV_CALL_GROUPINGS; i++)
        if (rv_button_lines_button(&lines, titles[i], (uint32_t)shown->grouping == i))
            rv_ui_act(acts, &(struct rv_act){.action = RV_ACTION_GROUP_CALLS, .idx = i + 1});
    char text[32] = "";
    if (shown->groups && shown->sampled < 1.0)
        (void)snprintf(text, sizeof text, "of a sample, %.0f %%", 100.0 * shown->sampled);
    else if (!shown->groups)
        (void)snprintf(text, sizeof text, "choose a row");
    rv_button_lines_label(&lines, text, style->text);
    return lines.height;
}

void rv_groups_table_show(struct rv_ui *ui, const struct rv_groups_table *shown, struct rv_ui_acts *acts, float height)
{
    static const struct rv_imgui_column columns[COLUMN_COUNT] = {
        [COLUMN_GROUP] = {.title = "group"},
        [COLUMN_CALLS] = {.title = "calls", .width = NUMBER_WIDTH, .left_out = 1},
        [COLUMN_TOTAL] = {.title = "total", .width = NUMBER_WIDTH},
        [COLUMN_SELF] = {.title = "self", .width = NUMBER_WIDTH, .left_out = 4},
        [COLUMN_MEAN] = {.title = "a call", .width = NUMBER_WIDTH, .left_out = 2},
        [COLUMN_MAX] = {.title = "max", .width = NUMBER_WIDTH, .left_out = 3}};
    const struct rv_ui_style *style = rv_ui_style(ui);
    int from, to;
    height -= show_groupings(shown, style, acts);
    if (!shown->groups || !rv_imgui_table_begin("groups", columns, COLUMN_COUNT, height))
        return;
    rv_imgui_table_rows((int)shown->n_groups, &from, &to);
    for (int i = from; i < to; i++)
        show_row(style, shown, (size_t)i, acts);
    rv_imgui_table_end();
}
