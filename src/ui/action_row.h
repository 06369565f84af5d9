/* An action as a row of a list: its words and keys, to be clicked. */
#ifndef RV_UI_ACTION_ROW_H
#define RV_UI_ACTION_ROW_H

#include "ui/ui.h"

#define RV_ACTION_ROW_HEIGHT 22.0f

struct rv_action_row {
    enum rv_action action;
    uint32_t idx; /* of the action */
    char keys[64];
    const char *words;
};

/* keys_width: room for keys in front of the words; is_lit: as the one under the mouse. Returns whether it was
 * clicked. */
bool rv_action_row_show(const struct rv_ui_style *style, const struct rv_action_row *row, float keys_width,
                        bool is_lit);

#endif
