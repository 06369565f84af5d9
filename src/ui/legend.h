/*
 * The meaning of colours: the largest packages of the window with their shares, and the colours of states. A click
 * shows one package only, a right click or Shift and a click all others; again: all.
 */
#ifndef RV_UI_LEGEND_H
#define RV_UI_LEGEND_H

#include "ui/legend_names.h"
#include "ui/ui.h"

#define RV_LEGEND_STATES 16u
#define RV_LEGEND_RULE_BYTES 224u

enum rv_legend_form { /* of a colour's sample */
                      RV_LEGEND_PLAIN,
                      RV_LEGEND_STRIPED, /* distinguished from another of this colour by its pattern */
                      RV_LEGEND_HOLLOW,
                      RV_LEGEND_LOW
};

struct rv_legend_row {
    uint64_t group; /* the same in other legends; 0 = none */
    char name[RV_LEGEND_NAME_BYTES];
    uint32_t rgba;
    enum rv_legend_form form;
    double share; /* 0..1; negative = not shown */
    /* Filter rules (model/filter.h) for only this one, and for all others; "" = none. */
    char only[RV_LEGEND_RULE_BYTES], without[RV_LEGEND_RULE_BYTES];
    int only_idx, without_idx; /* indices of the active rules; negative = not active */
};

struct rv_legend {
    const char *title, *unit;
    struct rv_legend_row rows[RV_LEGEND_ROWS];
    size_t n_rows;
    struct rv_legend_row states[RV_LEGEND_STATES]; /* below a line */
    size_t n_states;
};

/* Is a rule of one of its rows active? */
bool rv_legend_has_rules(const struct rv_legend *shown);

/* Its panel's, in points. */
float rv_legend_height(const struct rv_legend *shown);

/* Asks for RV_ACTION_LET, RV_ACTION_REMOVE_RULE. */
void rv_legend_show(struct rv_ui *ui, const struct rv_legend *shown, struct rv_ui_acts *acts);

#endif
