#include "render/box_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static bool has_collections(const struct rv_view *view)
{
    for (size_t i = 0; i < view->n_notes; i++) {
        const struct rv_lane_note *note = &view->notes[i];
        if (rv_note_is(note, RV_NOTE_FORM_PAUSE) && note->end_ns > view->from_ns && note->start_ns < view->to_ns)
            return true;
    }
    return false;
}

static void pack_lane(struct rv_box_buffer *records, const struct rv_view *view, size_t lane,
                      const struct rv_box_colors *colors)
{
    const struct rv_view_lane *shown = &view->lanes[lane];
    for (size_t i = shown->first_box; i < (size_t)shown->first_box + shown->n_boxes; i++)
        records->items[i] = rv_box_packing_box(&records->pack, &view->boxes[i], lane,
                                               rv_box_colors_index(colors, &view->boxes[i], shown->thread));
}

/* Calls in which a thread was off the CPU: the shader's short form knows no states. */
static void mark_off_cpu(struct rv_box_buffer *records, const struct rv_view *view, size_t lane,
                         const struct rv_off_cpu *off_cpu)
{
    const struct rv_view_lane *shown = &view->lanes[lane];
    const double scale = rv_box_packing_scale(&records->pack), centre = rv_box_packing_centre(&records->pack);
    for (size_t i = shown->first_box; i < (size_t)shown->first_box + shown->n_boxes; i++) {
        struct rv_box_record *record = &records->items[i];
        const double from = centre + (double)record->start * scale;
        if (!(record->paint & RV_PAINT_CELL) &&
            rv_off_cpu_touches(off_cpu, lane, from, from + (double)record->duration * scale))
            record->paint |= RV_PAINT_OFF_CPU;
    }
}

static void order(struct rv_box_buffer *records, const struct rv_view *view)
{
    struct rv_box_record *ends[RV_BOX_PACKING_FORM_COUNT] = {records->ordered};
    rv_box_packing_count(records->items, records->n, records->has_collections, records->counts);
    ends[RV_BOX_PACKING_RICH] = records->ordered + records->counts[RV_BOX_PACKING_PLAIN];
    ends[RV_BOX_PACKING_CELL] = records->ordered + records->n;
    for (size_t lane = 0; lane < view->n_lanes; lane++)
        rv_box_packing_order(records->items + view->lanes[lane].first_box, view->lanes[lane].n_boxes,
                             records->has_collections, ends);
}

void rv_box_buffer_make(struct rv_box_buffer *records, const struct rv_view *view, const struct rv_box_colors *colors,
                        const struct rv_off_cpu *off_cpu, int width_px)
{
    size_t n = view->n_boxes;
    double window_ns = view->to_ns > view->from_ns ? (double)(view->to_ns - view->from_ns) : 1.0;
    rv_box_packing_init(&records->pack, view->from_ns, view->to_ns, window_ns / (width_px > 0 ? width_px : 1));
    records->items = rv_vec_reserve(records->items, &records->items_capacity, n, sizeof *records->items);
    records->ordered = rv_vec_reserve(records->ordered, &records->ordered_capacity, n, sizeof *records->ordered);
    for (size_t lane = 0; lane < view->n_lanes; lane++)
        pack_lane(records, view, lane, colors);
    for (size_t lane = 0; lane < view->n_lanes && off_cpu->n_rows > 1; lane++)
        mark_off_cpu(records, view, lane, off_cpu);
    records->n = n;
    records->has_collections = has_collections(view);
    order(records, view);
}

void rv_box_buffer_fini(struct rv_box_buffer *records)
{
    free(records->items);
    free(records->ordered);
    *records = (struct rv_box_buffer){0};
}
