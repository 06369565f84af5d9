#include "export/slice.h"

#include "model/box.h"

bool rv_slice_has_stretch(const struct rv_slice *part, uint64_t start_ns, uint64_t end_ns)
{
    return !part->to_ns || (start_ns < part->to_ns && (start_ns >= part->from_ns || end_ns > part->from_ns));
}

bool rv_slice_has_lane(const struct rv_slice *part, const struct rv_lane *lane)
{
    return !part->filter || rv_filter_passes_thread(part->filter, lane->name);
}

bool rv_slice_has_span(const struct rv_slice *part, const struct rv_lane *lane, const struct rv_span *span)
{
    if (!rv_slice_has_stretch(part, span->start, span->end))
        return false;
    if (!part->filter)
        return true;
    struct rv_box box = {.start_ns = span->start,
                         .duration_ns = span->end - span->start,
                         .id = span->id,
                         .count = 1,
                         .depth = span->depth,
                         .coverage = RV_BOX_EXACT};
    return rv_filter_passes_box(part->filter, lane, &box);
}

bool rv_slice_has_time(const struct rv_slice *part, uint64_t at_ns)
{
    return rv_slice_has_stretch(part, at_ns, at_ns);
}

bool rv_slice_has_note(const struct rv_slice *part, const struct rv_lane_note *note)
{
    return rv_slice_has_stretch(part, note->start_ns, note->end_ns);
}
