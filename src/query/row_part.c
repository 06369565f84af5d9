#include "query/row_part.h"

#include "base/clock.h"
#include "base/vec.h"
#include "model/timeline_query.h"
#include "model/view_parts.h"

double rv_row_part_begin(struct rv_view *view, const struct rv_view_params *params)
{
    view->from_ns = params->from_ns;
    view->to_ns = params->to_ns > params->from_ns ? params->to_ns : params->from_ns + 1;
    view->until_ns = UINT64_MAX;
    view->n_boxes = view->n_notes = view->n_parts = view->n_links = view->n_made = view->n_lanes = 0;
    view->n_folded = view->n_joined = view->n_meant = 0;
    view->n_steps = 0;
    view->has_path = false;
    view->most_depth = view->n_hidden = 0;
    view->n_processes = 1;
    view->is_made = true;
    const double pixel_ns = (double)(view->to_ns - view->from_ns) / (params->width_px ? params->width_px : 1);
    view->level = rv_timeline_level_for(pixel_ns / 2.0);
    return pixel_ns;
}

bool rv_row_part_show(struct rv_row_part *part, const struct rv_view *view, uint64_t shift_ns)
{
    const uint64_t from_ns = rv_clock_after_ns(shift_ns, view->from_ns);
    const uint64_t to_ns = rv_clock_after_ns(shift_ns, view->to_ns);
    part->shown_ns[0] = from_ns > part->from_ns ? from_ns : part->from_ns;
    part->shown_ns[1] = to_ns < part->to_ns ? to_ns : part->to_ns;
    return part->shown_ns[0] < part->shown_ns[1];
}

static uint32_t choose_level(const struct rv_row_part *part, uint32_t level)
{
    while (level + 1 < RV_TIMELINE_LEVELS &&
           rv_timeline_query_count(part->timeline, part->shown_ns[0], part->shown_ns[1], level) > part->budget)
        level++;
    return level;
}

/* False: it is not of the part. */
static bool clip(struct rv_box *box, const struct rv_row_part *part)
{
    const uint64_t end_ns = rv_box_end_ns(box), start_ns = box->start_ns;
    if (box->depth < part->least_depth)
        return false;
    if (start_ns >= part->from_ns && end_ns <= part->to_ns)
        return true;
    box->start_ns = start_ns > part->from_ns ? start_ns : part->from_ns;
    const uint64_t until_ns = end_ns < part->to_ns ? end_ns : part->to_ns;
    box->duration_ns = until_ns > box->start_ns ? until_ns - box->start_ns : 0;
    box->flags |= box->coverage == RV_BOX_EXACT ? RV_BOX_CLIPPED : 0;
    return box->duration_ns > 0;
}

size_t rv_row_part_take(const struct rv_row_part *part, struct rv_view *view, size_t n, uint32_t *level)
{
    const struct rv_lane *lane = part->lane;
    *level = choose_level(part, view->level);
    const size_t most = rv_timeline_query_count(part->timeline, part->shown_ns[0], part->shown_ns[1], *level);
    view->unsorted =
        rv_vec_reserve(view->unsorted, &view->unsorted_capacity, n + most + lane->n_open + 1, sizeof *view->unsorted);
    struct rv_box *taken = view->unsorted + n;
    size_t n_taken = rv_timeline_query_boxes(part->timeline, part->shown_ns[0], part->shown_ns[1], *level, taken, most);
    for (size_t i = 0; i < lane->n_open; i++)
        taken[n_taken++] = rv_lane_open_box(lane, i);
    for (size_t i = 0; i < n_taken; i++) {
        view->unsorted[n] = taken[i];
        n += clip(&view->unsorted[n], part);
    }
    return n;
}

void rv_row_part_add_notes(const struct rv_row_part *part, struct rv_view *view, uint64_t shift_ns, uint64_t near_ns)
{
    size_t last[RV_NOTE_KIND_COUNT] = {0}; /* + 1 */
    const struct rv_lane *lane = part->lane;
    for (size_t i = rv_view_parts_first_note(lane, part->shown_ns[0]); i < lane->n_notes; i++) {
        struct rv_lane_note note = lane->notes[i];
        if (note.start_ns >= part->shown_ns[1])
            break;
        if (!rv_note_is(&note, RV_NOTE_FORM_OFF_CPU) || note.end_ns <= part->shown_ns[0])
            continue;
        note.start_ns = (note.start_ns > part->from_ns ? note.start_ns : part->from_ns) - shift_ns;
        note.end_ns = (note.end_ns < part->to_ns ? note.end_ns : part->to_ns) - shift_ns;
        if (rv_view_parts_join_note(last[note.kind] ? &view->notes[last[note.kind] - 1] : NULL, &note, near_ns))
            continue;
        rv_view_parts_push_note(view, &note);
        last[note.kind] = view->n_notes;
    }
}
