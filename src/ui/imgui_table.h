/*
 * Tables in panels, by Dear ImGui. Within a pass of imgui_bridge.h; ids and sizes as in imgui_widgets.h.
 */
#ifndef RV_UI_IMGUI_TABLE_H
#define RV_UI_IMGUI_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/table_columns.h"

#ifdef __cplusplus
extern "C" {
#endif

/* height 0 = as high as its rows; else it scrolls below a fixed header. False = invisible: do not call end. */
bool rv_imgui_table_begin(const char *id, const struct rv_imgui_column *columns, int n, float height);

/* Visible range of n rows, each one line of text high: only rows from <= i < to need be emitted. */
void rv_imgui_table_rows(int n, int *from, int *to);
void rv_imgui_table_row(void);
void rv_imgui_table_choose_row(void); /* colour it as one that is chosen */
void rv_imgui_table_cell(void);

/* In the first cell of a row: the whole row can be hovered and clicked, as the last item. */
void rv_imgui_table_touch(uint32_t id, bool is_chosen);

/* Scroll so that this row is visible. */
void rv_imgui_table_show_row(int row);

/* The order that the rows have; true when the user asks for another by a click on a title: it is written. */
bool rv_imgui_table_sort(int *column, bool *is_descending);
void rv_imgui_table_end(void);

#ifdef __cplusplus
}
#endif

#endif
