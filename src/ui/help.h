/* All keys and gestures, in sections, over the picture; those that have the words typed into its field. */
#ifndef RV_UI_HELP_H
#define RV_UI_HELP_H

#include "ui/ui.h"

#define RV_HELP_LINES_MAX 256u

struct rv_help_row {
    char keys[64];
    const char *words, *section; /* rows of a section stand together */
};

struct rv_help {
    const struct rv_help_row *rows;
    size_t n_rows;
};

struct rv_help_state { /* zeroed = all is shown */
    char find[64];
};

/* Asks for RV_ACTION_HELP. */
void rv_help_show(struct rv_ui *ui, const struct rv_help *shown, struct rv_help_state *state, struct rv_ui_acts *acts);

/*
 * The lines of the help: rows in which the words of `find` occur, in keys, words or section, and before the first of
 * each section a line for its title.
 *   out      room for RV_HELP_LINES_MAX: indices of rows, of a title that of its section's first row with RV_HELP_TITLE
 *   returns  number of lines
 */
#define RV_HELP_TITLE 0x8000u
size_t rv_help_lines(const struct rv_help *shown, const char *find, uint16_t out[RV_HELP_LINES_MAX]);

#endif
