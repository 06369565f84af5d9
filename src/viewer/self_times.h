/*
 * The own times of all subroutines in what the window shows, for the legend: folds of the picture only tell which one
 * has most of their time. Other threads measure; what moves is measured again now and then. Main thread.
 */
#ifndef RV_VIEWER_SELF_TIMES_H
#define RV_VIEWER_SELF_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/range_renewal.h"
#include "render/selected_range.h"

struct rv_viewer;

struct rv_shown_calls { /* which calls the window shows */
    struct rv_range_ns range;
    const struct rv_filter *filter;
    uint64_t hidden;  /* hash of the hidden lanes; 0 = none */
    uint64_t last_ns; /* of all calls so far; 0: as many as there will be in the range */
    uint64_t at_ns;   /* by the clock */
    bool is_following;
};

struct rv_viewer_self_times { /* zeroed = nothing measured */
    struct rv_range_renewal measured;
    struct rv_range_result sample;      /* of what is measured for the first time; shown until all of it is */
    struct rv_shown_calls asked, shown; /* of the present or last measurement; of the rows. Their filters are held */
    const struct rv_stats_row *rows;    /* of the sample, else of all; NULL: none yet */
    size_t n_rows;
    bool is_sample, wants_sample, has_totals; /* has_totals: those of the capture are there, and are what is shown */
    uint64_t version;                         /* rises with the rows */
};

void rv_viewer_self_times_fini(struct rv_viewer_self_times *times);

/* Measure what is shown, if it has changed. Returns whether there are other times to show. */
bool rv_viewer_self_times_advance(struct rv_viewer *viewer);

/* The same, waiting until it is measured. Of more than 67 million calls: by a sample of so many. */
void rv_viewer_self_times_wait(struct rv_viewer *viewer);

/* Is something being measured? */
bool rv_viewer_self_times_are_coming(const struct rv_viewer *viewer);

struct rv_self_times {
    const struct rv_stats_row *rows; /* borrowed until the next advance or wait; NULL: not known, nor nearly */
    size_t n_rows;
    uint64_t version; /* other rows have another one, never 0 */
    bool is_exact;    /* they are the times of what is shown; where that moves by itself, of a moment before */
};

struct rv_self_times rv_viewer_self_times_get(const struct rv_viewer *viewer);

#endif
