/* Source lines with their times: those of one subroutine with their text, or those with most time. Part of a panel. */
#ifndef RV_UI_LINES_TABLE_H
#define RV_UI_LINES_TABLE_H

#include <stdbool.h>

#include "model/line_table.h"
#include "ui/ui.h"

struct rv_lines_table {
    const struct rv_line_table_row *rows; /* the subroutine is of those shown, 0 where it is not among them */
    size_t n_rows;
    bool is_of_one;     /* of one subroutine, in order of lines; where n_hits is 0 a line was not executed */
    uint64_t most_ns;   /* own time of the row with most */
    const char *notice; /* instead of rows; "" = none */
    /* The text of a row's line, into out. */
    const char *(*text)(const void *context, const struct rv_line_table_row *row, char *out, size_t out_bytes);
    const void *context;
};

/* Asks for RV_ACTION_CHOOSE_ROW. */
void rv_lines_table_show(struct rv_ui *ui, const struct rv_lines_table *shown, struct rv_ui_acts *acts, float height);

#endif
