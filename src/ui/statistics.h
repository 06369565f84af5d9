/* Statistics of the selected range: a row per subroutine, a histogram of one's durations, and a flame graph. */
#ifndef RV_UI_STATISTICS_H
#define RV_UI_STATISTICS_H

#include "model/range.h"
#include "model/subroutines.h"
#include "ui/ui.h"

struct rv_statistics {
    uint64_t from_ns, to_ns, zero_ns;
    const struct rv_range *range; /* NULL while it is being measured */
    double progress;              /* 0..1, while measuring */
    uint64_t version;             /* changes with the range; not 0 */
    struct rv_subroutines *subroutines;
    uint32_t (*rgba)(const void *context, uint32_t id); /* colour of a subroutine */
    const void *context;
    const char *message; /* "" = none */
};

enum rv_statistics_column {
    RV_STATISTICS_NAME,
    RV_STATISTICS_CALLS,
    RV_STATISTICS_TOTAL,
    RV_STATISTICS_SELF,
    RV_STATISTICS_SHARE,
    RV_STATISTICS_MIN,
    RV_STATISTICS_P50,
    RV_STATISTICS_P99,
    RV_STATISTICS_MAX,
    RV_STATISTICS_COLUMNS
};

struct rv_statistics_bar { /* of the flame graph */
    uint32_t node, row;
    uint64_t from_ns; /* offset in the time of all paths */
};

struct rv_statistics_state { /* zeroed = nothing shown yet */
    uint64_t version;        /* version that the rows belong to */
    struct rv_stats_row *rows;
    size_t n_rows, capacity;
    int column; /* sort column */
    bool is_descending;
    uint32_t chosen;                /* subroutine */
    struct rv_statistics_bar *bars; /* rows from the top */
    size_t n_bars, bars_capacity;
    float bars_width; /* width of the current bars */
};

void rv_statistics_state_fini(struct rv_statistics_state *state);

/* Asks for RV_ACTION_EXPORT_RANGE, RV_ACTION_SELECT. */
void rv_statistics_show(struct rv_ui *ui, const struct rv_statistics *shown, struct rv_statistics_state *state,
                        struct rv_ui_acts *acts);

#endif
