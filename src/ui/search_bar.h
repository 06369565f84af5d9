/* The bar below the top bar: the search with its number of hits, and the filter rules. */
#ifndef RV_UI_SEARCH_BAR_H
#define RV_UI_SEARCH_BAR_H

#include "model/filter.h"
#include "ui/ui.h"

struct rv_search_bar {
    const char *find;     /* the search text; "" = none */
    const char *find_why; /* why it is invalid; "" = valid */
    uint64_t n_calls;
    uint32_t n_subroutines;
    unsigned percent; /* searched so far */
    bool is_whole;    /* everything was searched */
    bool is_partial;  /* except evicted calls */
    bool is_damaged;  /* except calls in damaged blocks */
    const struct rv_filter *filter;
    const char *rule_why;            /* why the last rule is invalid; "" = valid */
    unsigned n_asked, n_rules_asked; /* number of requests to search, and to enter a rule: each one focuses the field */
};

struct rv_search_bar_state { /* zeroed = not shown in the last pass */
    char find[RV_UI_TEXT_BYTES], rule[RV_UI_TEXT_BYTES];
    unsigned n_asked, n_rules_asked;
    bool is_there;
};

/* Asks for RV_ACTION_FIND, RV_ACTION_NEXT_HIT, RV_ACTION_PREVIOUS_HIT, RV_ACTION_LET, RV_ACTION_INVERT_RULE,
 * RV_ACTION_REMOVE_RULE, RV_ACTION_HIDE, RV_ACTION_END_SEARCH. */
void rv_search_bar_show(struct rv_ui *ui, const struct rv_search_bar *shown, struct rv_search_bar_state *state,
                        struct rv_ui_acts *acts);

#endif
