/*
 * Statistics of a range of time: a row per subroutine, and about the chosen one the durations of its calls; pages at
 * the right: a flame graph, the list of calls, trees.
 */
#ifndef RV_UI_STATISTICS_H
#define RV_UI_STATISTICS_H

#include "model/range_statistics.h"
#include "model/subroutines.h"
#include "ui/calls_table.h"
#include "ui/diff_table.h"
#include "ui/duration_histogram.h"
#include "ui/flame_graph.h"
#include "ui/groups_table.h"
#include "ui/lines_table.h"
#include "ui/tree_table.h"
#include "ui/ui.h"

enum rv_statistics_scope { /* what they are about */
                           RV_SCOPE_CLOSED,
                           RV_SCOPE_ALL,
                           RV_SCOPE_VIEW,
                           RV_SCOPE_SELECTED
};

enum rv_statistics_tab {
    RV_STATISTICS_FLAME,
    RV_STATISTICS_LIST,
    RV_STATISTICS_SANDWICH, /* callers and callees */
    RV_STATISTICS_TOP_DOWN,
    RV_STATISTICS_BOTTOM_UP,
    RV_STATISTICS_GROUPS,
    RV_STATISTICS_LINES,
    RV_STATISTICS_DIFF, /* only where two captures are compared */
    RV_STATISTICS_TABS
};

enum rv_statistics_file {
    RV_STATISTICS_NO_FILE,
    RV_STATISTICS_FILE_ROWS,
    RV_STATISTICS_FILE_CALLS,
    RV_STATISTICS_FILE_LINES
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
    RV_STATISTICS_BLOCKED, /* of self; where the kernel's switches are known, as is the next */
    RV_STATISTICS_RUNNABLE,
    RV_STATISTICS_OBJECTS, /* of self; where a runtime counts what it makes */
    RV_STATISTICS_COLUMNS
};

struct rv_statistics_known { /* what more of rows is known than their times */
    bool switches, objects;
};

/* A row's number in a column; 0 for the name. */
uint64_t rv_statistics_number(const struct rv_stats_row *row, enum rv_statistics_column column);

/* Does a table of a width in points have this column? Numbers never take the room of the names. */
bool rv_statistics_has_column(enum rv_statistics_column column, float room, bool is_narrow,
                              struct rv_statistics_known known);

struct rv_statistics {
    enum rv_statistics_scope scope;
    bool is_narrow;                          /* there is little room */
    bool has_selected;                       /* a range is selected */
    uint64_t from_ns, to_ns;                 /* what is shown */
    uint64_t zero_ns;                        /* of the time axis */
    const struct rv_range_statistics *range; /* NULL = none yet: the rows are there before their paths */
    double sampled; /* the share of the calls that the range is from: 1 unless it is a sample */
    bool is_measuring;
    double progress;                 /* 0..1, while measuring */
    uint64_t version;                /* changes with the range; not 0 */
    const struct rv_stats *stats;    /* that the rows are from; NULL = none yet */
    uint64_t self_ns;                /* of all rows */
    const struct rv_stats_row *rows; /* in the order of the column */
    size_t n_rows;
    enum rv_statistics_column column;
    bool is_descending;
    bool has_chosen;
    uint32_t chosen; /* subroutine; the first row's unless has_chosen */
    enum rv_statistics_tab tab;
    enum rv_time_kind time;              /* the kind of time that all numbers are of */
    bool knows_states;                   /* the threads' states are known; else there is wall time only */
    const char *brush;                   /* rule over durations; "" = none */
    uint32_t focus;                      /* of the flame graph: a node of the range; 0 = all */
    const struct rv_alike_names *alike;  /* names of the first rows */
    const struct rv_name_set *namesakes; /* rows of a name that others have, too: shown with their places */
    const struct rv_name_set *in_part;   /* rows of functions that were not traced all the time, for their cost */
    const struct rv_name_set *found;     /* names that a search matches, highlighted in the graph; NULL = no search */
    struct rv_calls_table calls;
    struct rv_tree_table trees[2];
    struct rv_groups_table groups;
    struct rv_lines_table lines;
    struct rv_diff_table_shown diff;
    struct rv_subroutines *subroutines;
    uint32_t (*rgba)(const void *context, uint32_t id); /* colour of a subroutine */
    const void *context;
};

struct rv_statistics_state { /* zeroed = nothing shown yet */
    bool had_chosen;
    uint32_t chosen; /* as last shown */
    struct rv_duration_histogram_state durations;
    struct rv_flame_graph_state flame;
    struct rv_calls_table_state calls;
};

void rv_statistics_state_fini(struct rv_statistics_state *state);

/* Asks for RV_ACTION_STATISTICS and those behind it. */
void rv_statistics_show(struct rv_ui *ui, const struct rv_statistics *shown, struct rv_statistics_state *state,
                        struct rv_ui_acts *acts);

#endif
