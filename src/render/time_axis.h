/* Marks of the time axis and their labels. No GL. */
#ifndef RV_RENDER_TIME_AXIS_H
#define RV_RENDER_TIME_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_TIME_AXIS_MAX 24
#define RV_TICK_TEXT_BYTES 64

struct rv_tick {
    uint64_t time_ns;
    uint64_t number; /* steps from what its label counts from, before it or after */
    char text[RV_TICK_TEXT_BYTES];
};

struct rv_time_axis {
    struct rv_tick items[RV_TIME_AXIS_MAX];
    size_t n;
    char base[RV_TICK_TEXT_BYTES]; /* added to every label; empty for the origin itself */
};

struct rv_time_axis_params {
    uint64_t from_ns, to_ns;
    uint64_t zero_ns;  /* labels are relative to it */
    bool is_live;      /* zero_ns is the present: labels read "-10 ms" and "now" */
    unsigned n_wanted; /* approximate number of marks */
};

/* Round steps: of 1, 2 or 5 in the decimal unit that keeps labels short; from half a minute on, of minutes, hours and
 * days. */
void rv_time_axis_make(struct rv_time_axis *ticks, const struct rv_time_axis_params *params);

/*
 * Marks whose number is a multiple of the result have room for their labels. It is round, so that labels are at equal
 * distances, and at the same times while the window moves.
 *   widest, distance  of a label with what is left free beside it, of two marks; in the same unit
 */
unsigned rv_time_axis_label_every(float widest, float distance);

#endif
