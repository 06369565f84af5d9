/* Says over the picture that rules filter it, and ends that with a button; in its middle if nothing passes. */
#ifndef RV_UI_FILTER_NOTICE_H
#define RV_UI_FILTER_NOTICE_H

#include "ui/ui.h"

struct rv_filter_notice {
    size_t n_rules;
    bool is_empty; /* nothing passes */
};

/* Asks for RV_ACTION_RESET_FILTER, and RV_ACTION_SEARCH to edit the rules. Takes no room from the picture. */
void rv_filter_notice_show(struct rv_ui *ui, const struct rv_filter_notice *shown, struct rv_ui_acts *acts);

#endif
