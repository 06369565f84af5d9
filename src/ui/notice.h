/* Says something over the picture, and offers what to do about it. Takes no room from the picture. */
#ifndef RV_UI_NOTICE_H
#define RV_UI_NOTICE_H

#include <stdbool.h>

#include "ui/ui.h"

enum { RV_NOTICE_MOST_BUTTONS = 2 };

struct rv_notice {
    const char *name; /* tells it from others */
    const char *text; /* its end is cut in a window that is too narrow, */
    bool is_wrapped;  /* or it has lines, with the buttons below */
    bool is_warning;
    bool is_centered, is_below; /* or in the middle of the picture's foot; else at the upper left, */
    unsigned row;               /* below so many others */
    struct rv_notice_button {
        const char *label; /* NULL: none */
        enum rv_action action;
    } buttons[RV_NOTICE_MOST_BUTTONS];
};

/* Show it in this pass. A button that is pressed asks for its action. */
void rv_notice_show(struct rv_ui *ui, const struct rv_notice *shown, struct rv_ui_acts *acts);

#endif
