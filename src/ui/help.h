/* All keys and gestures, over the picture. */
#ifndef RV_UI_HELP_H
#define RV_UI_HELP_H

#include "ui/ui.h"

struct rv_help_row {
    char keys[64];
    const char *words;
};

struct rv_help {
    const struct rv_help_row *rows;
    size_t n_rows;
};

/* Asks for RV_ACTION_HELP. */
void rv_help_show(struct rv_ui *ui, const struct rv_help *shown, struct rv_ui_acts *acts);

#endif
