/*
 * When the threads of lanes were off the CPU, as shares of the time of each column of the window: for walls that are
 * hollow where their thread was blocked. A row for each lane that was. No GL.
 */
#ifndef RV_RENDER_OFF_CPU_H
#define RV_RENDER_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

#define RV_OFF_CPU_COLUMNS 2048u
#define RV_OFF_CPU_ROWS_MAX 1024u /* further lanes have none */
#define RV_OFF_CPU_BANDS 2u

struct rv_off_cpu {         /* zeroed = all were running */
    uint8_t *texels;        /* by row and column: blocked, preempted; 255 = all of the time. Row 0 is empty */
    uint16_t *n_before;     /* by row and column: earlier columns that are not empty; one more at the end */
    uint32_t *rows;         /* by lane of the view; 0 = it was running */
    size_t n_rows, n_lanes; /* rows with the empty one; 0 = none made */
    size_t texels_capacity, n_before_capacity, rows_capacity;
};

/* Make the rows of a view: when each lane's thread did not run. */
void rv_off_cpu_make(struct rv_off_cpu *off_cpu, const struct rv_view *view);

/* Mark all lanes as running. */
void rv_off_cpu_clear(struct rv_off_cpu *off_cpu);
void rv_off_cpu_fini(struct rv_off_cpu *off_cpu);

/* Was the lane's thread off the CPU in a part of the window, given as shares of it? */
bool rv_off_cpu_touches(const struct rv_off_cpu *off_cpu, size_t lane, double from, double to);

/* The share of its colour that a hollow wall keeps, the rest being background; shaders/box.frag does the same. */
#define RV_OFF_CPU_LEFT 0.03f

#endif
