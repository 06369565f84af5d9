/* Columns of a table, and which of them are shown where names would lack room. */
#ifndef RV_UI_TABLE_COLUMNS_H
#define RV_UI_TABLE_COLUMNS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rv_imgui_column {
    const char *title;
    float width;                                            /* 0 = what is left */
    bool is_sortable, is_descending_first, is_sorted_first; /* is_sorted_first: rows are initially sorted by it */
    unsigned left_out; /* where names lack room: the greatest first; 0 = never, as those that rows can be sorted by */
};

/* The greatest left_out of the columns that are shown in a table of this width: each has its width, names some. */
unsigned rv_table_columns_shown(const struct rv_imgui_column *columns, int n, float width);

#ifdef __cplusplus
}
#endif

#endif
