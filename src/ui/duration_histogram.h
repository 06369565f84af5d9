/*
 * The distribution of the durations of one subroutine's calls: bars of equal factors between the shortest and the
 * longest. Dragging over them counts, and asks for, the durations in between. Part of a panel.
 */
#ifndef RV_UI_DURATION_HISTOGRAM_H
#define RV_UI_DURATION_HISTOGRAM_H

#include "model/histogram.h"
#include "model/stats.h"
#include "ui/ui.h"

struct rv_duration_histogram {
    const char *name;                     /* of the subroutine */
    const struct rv_stats_row *row;       /* statistics of the subroutine */
    const struct rv_histogram *histogram; /* durations of its calls */
    const char *brush;                    /* rule that the last drag has made; "" = none */
    uint32_t rgba;                        /* of the bars */
    bool is_of_parts;                     /* these are durations inside the range, for which there are no rules */
};

struct rv_duration_histogram_state { /* zeroed = nothing is dragged */
    bool is_dragged;
    float from_x;
};

/* Asks for RV_ACTION_BRUSH. */
void rv_duration_histogram_show(struct rv_ui *ui, const struct rv_duration_histogram *shown,
                                struct rv_duration_histogram_state *state, struct rv_ui_acts *acts);

/* Its height. */
#define RV_DURATION_HISTOGRAM_HEIGHT 92.0f

#endif
