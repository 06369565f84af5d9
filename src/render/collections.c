#include "render/collections.h"

#include <math.h>

#define TINT_LINES 2.0  /* closer ones are not distinct */
#define LONE_LINES 20.0 /* from its neighbours: brightened in full */
#define LONE_SHARE 0.4
#define REACH 0.06f /* world: two points */

/* The nearest collection of the lane before (step -1) or after (1) this note; NULL when none is. */
static const struct rv_lane_note *next_to(const struct rv_view *view, size_t lane, size_t note, int step)
{
    const size_t first = view->lanes[lane].first_note, end = first + view->lanes[lane].n_notes;
    for (size_t i = note + (size_t)step; i >= first && i < end; i += (size_t)step)
        if (rv_note_is(&view->notes[i], RV_NOTE_FORM_PAUSE))
            return &view->notes[i];
    return NULL;
}

static double distance_ns(const struct rv_lane_note *before, const struct rv_lane_note *after)
{
    return before && after ? (double)after->start_ns - (double)before->end_ns : INFINITY;
}

bool rv_collections_stripe(const struct rv_view *view, const struct rv_lane_layout *layout, size_t lane, size_t note,
                           struct rv_collections_stripe *out)
{
    const struct rv_lane_note *shown = &view->notes[note];
    if (!rv_note_is(shown, RV_NOTE_FORM_PAUSE) || shown->end_ns < layout->from_ns || shown->start_ns > layout->to_ns)
        return false;
    const struct rv_lane_note *before = next_to(view, lane, note, -1), *after = next_to(view, lane, note, 1);
    const double line_ns = (double)(layout->to_ns - layout->from_ns) * (double)(RV_COLLECTIONS_LINE / layout->width);
    const double long_ns = (double)(shown->end_ns - shown->start_ns), after_ns = long_ns + distance_ns(shown, after);
    const double wide_ns = fmax(long_ns, after_ns < TINT_LINES * line_ns ? after_ns : line_ns);
    const double far_ns = fmin(distance_ns(before, shown), distance_ns(shown, after));
    const double lone = fmin(fmax(far_ns / (LONE_LINES * line_ns), 0.0), 1.0);
    const double least = LONE_SHARE * lone * lone * fmin(line_ns / wide_ns, 1.0);
    const double x0 = rv_lane_layout_x(layout, shown->start_ns);
    out->x0 = (float)fmax(x0, 0.0);
    out->x1 = (float)fmin(x0 + wide_ns / line_ns * (double)RV_COLLECTIONS_LINE, (double)layout->width);
    out->share = (float)fmin(fmax(rv_note_share(shown) * long_ns / wide_ns, least), 1.0);
    return true;
}

static float distance_to(const struct rv_collections_stripe *stripe, float x)
{
    return fmaxf(fmaxf(stripe->x0 - x, x - stripe->x1), 0.0f);
}

const struct rv_lane_note *rv_collections_at(const struct rv_view *view, const struct rv_lane_layout *layout,
                                             size_t lane, float x, uint32_t *of_lane)
{
    const struct rv_lane_note *found = NULL;
    float reach = REACH;
    for (size_t i = 0; i < view->n_lanes; i++) {
        const struct rv_view_lane *shown = &view->lanes[i];
        if (shown->process != view->lanes[lane].process)
            continue;
        for (size_t at = shown->first_note; at < (size_t)shown->first_note + shown->n_notes; at++) {
            struct rv_collections_stripe stripe;
            if (!rv_collections_stripe(view, layout, i, at, &stripe) || distance_to(&stripe, x) >= reach)
                continue;
            reach = distance_to(&stripe, x);
            found = &view->notes[at];
            *of_lane = (uint32_t)i;
        }
    }
    return found;
}

const struct rv_lane_note *rv_collections_find(const struct rv_view *view, size_t lane, uint64_t start_ns)
{
    const size_t first = view->lanes[lane].first_note;
    for (size_t i = first; i < first + view->lanes[lane].n_notes && view->notes[i].start_ns <= start_ns; i++)
        if (view->notes[i].start_ns == start_ns && rv_note_is(&view->notes[i], RV_NOTE_FORM_PAUSE))
            return &view->notes[i];
    return NULL;
}
