#include "render/off_cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum band { BLOCKED, PREEMPTED };

static bool has_any(const struct rv_view *view, const struct rv_view_lane *lane)
{
    for (size_t i = lane->first_note; i < (size_t)lane->first_note + lane->n_notes; i++)
        if (rv_note_is(&view->notes[i], RV_NOTE_FORM_OFF_CPU) && view->notes[i].end_ns > view->from_ns &&
            view->notes[i].start_ns < view->to_ns)
            return true;
    return false;
}

/* In columns, within the window. */
static double column_of(const struct rv_view *view, uint64_t time_ns)
{
    const uint64_t at_ns = time_ns < view->from_ns ? view->from_ns : time_ns > view->to_ns ? view->to_ns : time_ns;
    return (double)(at_ns - view->from_ns) / (double)(view->to_ns - view->from_ns) * RV_OFF_CPU_COLUMNS;
}

static void add_note(float (*shares)[RV_OFF_CPU_BANDS], const struct rv_view *view, const struct rv_lane_note *note)
{
    const double from = column_of(view, note->start_ns), to = column_of(view, note->end_ns),
                 strength = fmin(rv_note_share(note), 1.0);
    const enum band band = note->kind == RV_NOTE_PREEMPTED ? PREEMPTED : BLOCKED;
    for (size_t i = (size_t)from; i < RV_OFF_CPU_COLUMNS && (double)i < to; i++)
        shares[i][band] += (float)(strength * (fmin(to, (double)i + 1.0) - fmax(from, (double)i)));
}

/* What lasts for less than half of a 255th of a column is not there. */
static void fill_row(struct rv_off_cpu *off_cpu, size_t row, float (*shares)[RV_OFF_CPU_BANDS])
{
    uint8_t *texels = off_cpu->texels + row * RV_OFF_CPU_COLUMNS * RV_OFF_CPU_BANDS;
    uint16_t *n_before = off_cpu->n_before + row * (RV_OFF_CPU_COLUMNS + 1), n = 0;
    for (size_t i = 0; i < RV_OFF_CPU_COLUMNS; i++) {
        n_before[i] = n;
        for (size_t band = 0; band < RV_OFF_CPU_BANDS; band++)
            texels[i * RV_OFF_CPU_BANDS + band] = (uint8_t)(255.0f * fminf(shares[i][band], 1.0f) + 0.5f);
        n += texels[i * RV_OFF_CPU_BANDS] || texels[i * RV_OFF_CPU_BANDS + 1];
    }
    n_before[RV_OFF_CPU_COLUMNS] = n;
}

static void make_row(struct rv_off_cpu *off_cpu, const struct rv_view *view, const struct rv_view_lane *lane)
{
    static _Thread_local float shares[RV_OFF_CPU_COLUMNS][RV_OFF_CPU_BANDS];
    const size_t row = off_cpu->n_rows++;
    off_cpu->texels = rv_vec_reserve(off_cpu->texels, &off_cpu->texels_capacity,
                                     off_cpu->n_rows * RV_OFF_CPU_COLUMNS * RV_OFF_CPU_BANDS, 1);
    off_cpu->n_before = rv_vec_reserve(off_cpu->n_before, &off_cpu->n_before_capacity,
                                       off_cpu->n_rows * (RV_OFF_CPU_COLUMNS + 1), sizeof *off_cpu->n_before);
    memset(shares, 0, sizeof shares);
    for (size_t i = lane ? lane->first_note : 0; lane && i < (size_t)lane->first_note + lane->n_notes; i++)
        if (rv_note_is(&view->notes[i], RV_NOTE_FORM_OFF_CPU))
            add_note(shares, view, &view->notes[i]);
    fill_row(off_cpu, row, shares);
}

void rv_off_cpu_make(struct rv_off_cpu *off_cpu, const struct rv_view *view)
{
    off_cpu->n_rows = 0;
    off_cpu->n_lanes = view->n_lanes;
    off_cpu->rows = rv_vec_reserve(off_cpu->rows, &off_cpu->rows_capacity, view->n_lanes, sizeof *off_cpu->rows);
    make_row(off_cpu, view, NULL);
    for (size_t i = 0; i < view->n_lanes; i++) {
        off_cpu->rows[i] = 0;
        if (off_cpu->n_rows == RV_OFF_CPU_ROWS_MAX || !has_any(view, &view->lanes[i]))
            continue;
        off_cpu->rows[i] = (uint32_t)off_cpu->n_rows;
        make_row(off_cpu, view, &view->lanes[i]);
    }
}

void rv_off_cpu_clear(struct rv_off_cpu *off_cpu)
{
    off_cpu->n_rows = off_cpu->n_lanes = 0;
}

void rv_off_cpu_fini(struct rv_off_cpu *off_cpu)
{
    free(off_cpu->texels);
    free(off_cpu->n_before);
    free(off_cpu->rows);
    *off_cpu = (struct rv_off_cpu){0};
}

static size_t clamp_column(double share)
{
    const double column = share * RV_OFF_CPU_COLUMNS;
    return column <= 0.0 ? 0 : column >= RV_OFF_CPU_COLUMNS - 1 ? RV_OFF_CPU_COLUMNS - 1 : (size_t)column;
}

static uint32_t row_of(const struct rv_off_cpu *off_cpu, size_t lane)
{
    return lane < off_cpu->n_lanes && off_cpu->n_rows ? off_cpu->rows[lane] : 0;
}

bool rv_off_cpu_touches(const struct rv_off_cpu *off_cpu, size_t lane, double from, double to)
{
    const uint32_t row = row_of(off_cpu, lane);
    if (row == 0)
        return false;
    const uint16_t *n_before = off_cpu->n_before + row * (RV_OFF_CPU_COLUMNS + 1);
    return n_before[clamp_column(to) + 1] > n_before[clamp_column(from)];
}
