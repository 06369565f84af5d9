/*
 * The distribution of the durations of one subroutine's calls: bars of equal factors between the shortest and the
 * longest. Dragging over them counts, and asks for, the durations in between. Part of a panel.
 */
#ifndef RV_UI_DURATIONS_H
#define RV_UI_DURATIONS_H

#include "model/histogram.h"
#include "model/stats.h"
#include "ui/ui.h"

struct rv_durations {
    const char *name;                     /* of the subroutine */
    const struct rv_stats_row *row;       /* statistics of the subroutine */
    const struct rv_histogram *histogram; /* durations of its calls */
    const char *brush;                    /* rule that the last drag has made; "" = none */
    uint32_t rgba;                        /* of the bars */
    bool is_of_parts;                     /* these are durations inside the range, for which there are no rules */
};

struct rv_durations_state { /* zeroed = nothing is dragged */
    bool is_dragged;
    float from_x;
};

/* Asks for RV_ACTION_BRUSH. */
void rv_durations_show(struct rv_ui *ui, const struct rv_durations *shown, struct rv_durations_state *state,
                       struct rv_ui_acts *acts);

/* Its height. */
#define RV_DURATIONS_HEIGHT 92.0f

#endif
