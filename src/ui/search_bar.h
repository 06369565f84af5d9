/* A bar below the top: what is searched for and how many hits there are, and the rules of what is let through. */
#ifndef RV_UI_SEARCH_BAR_H
#define RV_UI_SEARCH_BAR_H

#include "model/filter.h"
#include "ui/ui.h"

struct rv_search_bar {
    const char *find;     /* what is searched for; "" = nothing */
    const char *find_why; /* why it cannot be; "" = it can */
    uint64_t n_calls;
    uint32_t n_subroutines;
    unsigned percent; /* of all that there is was searched */
    bool is_whole;    /* everything was looked at */
    bool is_partial;  /* but what was evicted */
    const struct rv_filter *filter;
    const char *rule_why; /* why the last rule was not added; "" = it was */
    unsigned n_asked;     /* how often the search was asked for: each time the field takes the keyboard */
};

struct rv_search_bar_state { /* zeroed = not there in the pass before */
    char find[RV_UI_TEXT_BYTES], rule[RV_UI_TEXT_BYTES];
    unsigned n_asked;
    bool is_there;
};

/* Asks for RV_ACTION_FIND, RV_ACTION_NEXT_HIT, RV_ACTION_PREVIOUS_HIT, RV_ACTION_LET, RV_ACTION_INVERT_RULE,
 * RV_ACTION_REMOVE_RULE, RV_ACTION_HIDE, RV_ACTION_END_SEARCH. */
void rv_search_bar_show(struct rv_ui *ui, const struct rv_search_bar *shown, struct rv_search_bar_state *state,
                        struct rv_ui_acts *acts);

#endif
