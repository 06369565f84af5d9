/*
 * Statistics of a range of time: the selected one, the whole capture, or what is in view; and the calls of the
 * subroutine that is chosen in them. Other threads measure. Main thread.
 */
#ifndef RV_VIEWER_STATISTICS_H
#define RV_VIEWER_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/call_order_job.h"
#include "query/first_calls_job.h"
#include "query/range_ahead.h"
#include "query/range_renewal.h"
#include "query/totals_job.h"
#include "render/selected_range.h"
#include "ui/action.h"
#include "ui/statistics.h"
#include "viewer/call_tree.h"
#include "viewer/line_times.h"

#define RV_FOCUS_MOST 64u                    /* the oldest is dropped */
#define RV_SAMPLED_CALLS (UINT64_C(1) << 19) /* so many are measured within a tenth of a second */

struct rv_viewer;
struct rv_view_params;

enum rv_calls_request { /* where to go as soon as the calls are listed */
                        RV_CALLS_STAY,
                        RV_CALLS_LONGEST, /* the longest; from a call of the list the next longest */
                        RV_CALLS_LONGER,
                        RV_CALLS_FIRST,
                        RV_CALLS_NEXT, /* by start */
                        RV_CALLS_PREVIOUS
};

struct rv_viewer_subroutine_calls { /* of the chosen subroutine */
    bool is_on;
    bool stands_out;        /* in the picture: nothing was searched for since it was chosen */
    uint32_t id;            /* an id in the results of the statistics */
    struct rv_name_set ids; /* the ids of the subroutine in all processes */
    struct rv_range_renewal listed;
    enum rv_call_list_order kept;    /* the order of the list; where not all calls are kept it is that of the column */
    struct rv_first_calls_job first; /* in the order of the column: shown until all are listed in it, */
    struct rv_range_result sample;   /* as is a list of calls of a sample in another order */
    uint64_t measured;               /* the version of the statistics that the calls were listed for */
    struct rv_call_order_job sorting;
    enum rv_call_column column; /* that the calls are sorted by */
    bool is_descending;
    uint32_t *order;                   /* places in a list; NULL = none is sorted by another column */
    const struct rv_call_list *sorted; /* that list */
    enum rv_call_grouping grouping;
    struct rv_call_sums *groups; /* of the list, by falling total */
    size_t n_groups;
    const struct rv_call_list *current_of; /* the list of the call gone to last; NULL: none */
    size_t current;                        /* its place there */
    enum rv_calls_request request;
};

struct rv_viewer_statistics {
    enum rv_statistics_scope scope;
    bool is_drawing;                      /* the user is still selecting a range */
    const struct rv_filter *asked_filter; /* the filter of the present or last measurement; held */
    struct rv_range_ns asked, shown;      /* the range of the present or last measurement; the range that is shown */
    bool was_over;                        /* when that began, the capture had ended */
    struct rv_range_renewal measured;
    struct rv_totals_job totals; /* of the whole capture, made anew when names have come; shown until it has been
                                    measured */
    bool wants_totals, shows_totals;
    struct rv_range_result sample; /* of what is measured; shown until all of it is */
    bool wants_sample, shows_sample;
    const struct rv_range_statistics *paths; /* the range that they are from: all of it, or a sample; NULL: none yet */
    uint64_t paths_version;                  /* rises with each such range */
    struct rv_range_memory *memory;          /* parts that were measured, for later ranges */
    struct rv_range_ahead ahead;             /* measures parts for them while there is nothing else to measure */
    struct rv_stats_row *rows;               /* of the measured range, in the order of a column */
    size_t n_rows, capacity;
    struct rv_alike_names alike;     /* names of the first rows */
    struct rv_name_set namesakes;    /* rows of a name that others have, too */
    uint64_t asked_version, version; /* rises with each measurement; of the one that the rows are from */
    enum rv_statistics_column column;
    bool is_descending;
    enum rv_statistics_tab tab;
    enum rv_time_kind time, asked_time;  /* the chosen one; that of the present or last measurement */
    char brush[64];                      /* text of the filter's rule that was made in the durations; "" = none */
    uint32_t focus[RV_FOCUS_MOST];       /* of the flame graph: nodes, the present one last */
    size_t n_focus;                      /* 0 = all paths */
    struct rv_viewer_call_tree trees[2]; /* of the page that is open: callers and callees, or only the first */
    struct rv_viewer_subroutine_calls calls;
    struct rv_viewer_line_times lines;
    enum rv_statistics_file wants_file; /* which the window must write */
};

/* Set up, closed; it keeps parts of ranges of so many bytes. */
void rv_viewer_statistics_init(struct rv_viewer_statistics *statistics, uint64_t parts_bytes);
void rv_viewer_statistics_fini(struct rv_viewer_statistics *statistics);

/* False for other actions. */
bool rv_viewer_statistics_act(struct rv_viewer *viewer, const struct rv_act *act);

/* Select a range; when final, measure it. An empty one deselects. */
void rv_viewer_statistics_select(struct rv_viewer *viewer, const struct rv_range_ns *range, bool is_final);

/* Measure what is to be shown, if it has changed, and show what has been measured. Returns whether that has changed. */
bool rv_viewer_statistics_advance(struct rv_viewer *viewer);

/* The same, waiting until all is measured and listed. */
void rv_viewer_statistics_wait(struct rv_viewer *viewer);

/* Close them. False when they were. */
bool rv_viewer_statistics_close(struct rv_viewer *viewer);

/* The totals of the whole capture, which has ended: made by now, or begun. The viewer has a session. */
const struct rv_totals_job *rv_viewer_statistics_totals(struct rv_viewer *viewer);

/* What views are to be made with: the calls of the chosen subroutine stand out. */
void rv_viewer_statistics_apply(const struct rv_viewer *viewer, struct rv_view_params *params);

/* The rule over durations that was made in the statistics, as long as the filter has it; else "". */
const char *rv_viewer_statistics_brush(const struct rv_viewer *viewer);

/* Are the threads' states known, so that there are times on and off the CPU? */
bool rv_viewer_statistics_knows_states(const struct rv_viewer *viewer);

/* The node that the flame graph is focused on; 0 = all paths. */
static inline uint32_t rv_viewer_statistics_focus(const struct rv_viewer_statistics *statistics)
{
    return statistics->n_focus ? statistics->focus[statistics->n_focus - 1] : 0;
}

/* The chosen subroutine, else that of the first row. */
static inline uint32_t rv_viewer_statistics_subject(const struct rv_viewer_statistics *statistics)
{
    return statistics->calls.is_on ? statistics->calls.id : statistics->n_rows ? statistics->rows[0].id : 0;
}

/* The range that is shown: complete, or a sample; NULL = none yet. */
static inline const struct rv_range_statistics *
rv_viewer_statistics_range(const struct rv_viewer_statistics *statistics)
{
    return statistics->shows_totals && !statistics->shows_sample ? NULL : statistics->paths;
}

/* The share of the calls that the range is measured from, or that the rows are: 1 unless it is a sample. */
double rv_viewer_statistics_sampled(const struct rv_viewer_statistics *statistics);

/* What the rows are from; NULL = there are none yet. And the own time of all of them. */
const struct rv_stats *rv_viewer_statistics_stats(const struct rv_viewer_statistics *statistics);
uint64_t rv_viewer_statistics_self_ns(const struct rv_viewer_statistics *statistics);

#endif
