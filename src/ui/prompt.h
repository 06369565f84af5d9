/* A field for one line that an action needs: the time to go to, a note. */
#ifndef RV_UI_PROMPT_H
#define RV_UI_PROMPT_H

#include "ui/ui.h"

struct rv_prompt {
    enum rv_action action; /* asked for, with the entered text */
    const char *title, *button;
    const char *example; /* in the empty field */
    const char *hint;    /* below it */
    bool is_wrong;       /* the last entry was refused: the hint says what would be right */
    const char *initial; /* text of the field at first; NULL = none */
};

struct rv_prompt_state { /* zeroed = not shown in the last pass */
    char text[128];
    bool is_there;
};

/* Show it in this pass. Return or its button asks for the action, Escape closes it. */
void rv_prompt_show(struct rv_ui *ui, const struct rv_prompt *shown, struct rv_prompt_state *state,
                    struct rv_ui_acts *acts);

#endif
