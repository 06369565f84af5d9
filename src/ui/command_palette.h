/* The command palette: every action with a key by name, kinds of arcs, rules of the filter, and every thread, found by
 * typing parts of its words. */
#ifndef RV_UI_COMMAND_PALETTE_H
#define RV_UI_COMMAND_PALETTE_H

#include "ui/action_row.h"

struct rv_command_palette {
    const struct rv_action_row *rows;
    size_t n_rows;
};

struct rv_command_palette_state { /* zeroed = not shown in the last pass */
    char text[64];
    size_t lit; /* of the rows that match */
    bool is_there;
};

/* Do words and keys of the row match the text (word_match.h)? */
bool rv_command_palette_match(const struct rv_action_row *row, const char *text);

/* Asks for RV_ACTION_COMMANDS, which closes it, and for the chosen row's action: Enter chooses the lit one, at first
 * the first that matches, and Up and Down light others. */
void rv_command_palette_show(struct rv_ui *ui, const struct rv_command_palette *shown,
                             struct rv_command_palette_state *state, struct rv_ui_acts *acts);

#endif
