/*
 * A made-up program for pictures: a web application server with a reactor, four workers, a job queue and a log writer.
 * The same seed gives the same events.
 */
#ifndef RV_TESTS_RENDER_SYNTHETIC_H
#define RV_TESTS_RENDER_SYNTHETIC_H

#include "model/lanes.h"
#include "model/subroutines.h"
#include "model/view.h"

#define SYNTHETIC_LANES 7

struct synthetic_lane {
    const char *name;
    struct rv_span *spans; /* closing order, ns */
    size_t n_spans, capacity;
};

struct synthetic {
    struct synthetic_lane lanes[SYNTHETIC_LANES];
    struct rv_lane_note collections[64];
    size_t n_collections;
    struct rv_subroutines *subroutines;
};

/* Run the program from origin_ns for duration_ns. */
void synthetic_init(struct synthetic *synthetic, uint64_t origin_ns, uint64_t duration_ns);
void synthetic_fini(struct synthetic *synthetic);

/* Fill a view of [from, to) by hand, as if drawn 1600 pixels wide; reuses its arrays. */
void synthetic_view(const struct synthetic *synthetic, struct rv_view *view, uint64_t from_ns, uint64_t to_ns);
void synthetic_view_fini(struct rv_view *view);

#endif
