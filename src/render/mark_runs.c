#include "render/mark_runs.h"

#define NEAR 0.2f     /* world width between two marks of a run: ten points or less */
#define MOST_APART 2u /* a run of no more marks is drawn one by one */

static const struct rv_lane_note *find_mark(const struct rv_view *view, size_t *at, size_t end)
{
    while (*at < end && !rv_note_is(&view->notes[*at], RV_NOTE_FORM_MARK))
        ++*at;
    return *at < end ? &view->notes[*at] : NULL;
}

bool rv_mark_runs_next(const struct rv_view *view, const struct rv_lane_layout *layout, size_t lane, size_t *at,
                       struct rv_mark_run *run)
{
    const size_t end = (size_t)view->lanes[lane].first_note + view->lanes[lane].n_notes;
    const struct rv_lane_note *mark = find_mark(view, at, end);
    if (!mark)
        return false;
    *run = (struct rv_mark_run){.first = *at};
    double last_x = rv_lane_layout_x(layout, mark->start_ns);
    while (mark && rv_lane_layout_x(layout, mark->start_ns) - last_x <= (double)NEAR) {
        last_x = rv_lane_layout_x(layout, mark->end_ns);
        run->n += (uint64_t)mark->n_more + 1;
        run->end = ++*at;
        mark = find_mark(view, at, end);
    }
    run->is_dense = run->n > MOST_APART;
    *at = run->end;
    return true;
}
