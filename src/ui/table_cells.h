/* Numbers in the next cell of a table. */
#ifndef RV_UI_TABLE_CELLS_H
#define RV_UI_TABLE_CELLS_H

#include <stdint.h>

#include "ui/style.h"

/* Fill the next cell with a text, a count, a time, or part in percent of whole. */
void rv_table_cell_text(const struct rv_ui_style *style, const char *text);
void rv_table_cell_count(const struct rv_ui_style *style, uint64_t n);
void rv_table_cell_ns(const struct rv_ui_style *style, uint64_t ns);
void rv_table_cell_share(const struct rv_ui_style *style, uint64_t part, uint64_t whole);

#endif
