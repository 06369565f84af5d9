/* What a view of lanes and a view of calls share: boxes of one lane on their way from the scratch into the view,
 * notes. */
#ifndef RV_MODEL_VIEW_PARTS_H
#define RV_MODEL_VIEW_PARTS_H

#include "model/view.h"

/* Mark hits and dimmed boxes of the lane, and drop hidden ones. Returns the number left. */
size_t rv_view_parts_mark(struct rv_box *boxes, size_t n, const struct rv_view_params *params,
                          const struct rv_lane *lane);

/* Move n boxes of a lane from the scratch to the end of the view, sorted by start. Calls that are short in cells of
 * this width are joined, see rv_pixel_cells_wanted(); 0: none are. */
void rv_view_parts_append(struct rv_view *view, size_t n, uint64_t cell_ns);

/* The first of the lane's notes that may reach into a window that begins then. */
size_t rv_view_parts_first_note(const struct rv_lane *lane, uint64_t from_ns);

/* Append a note to the view. In the past, one that ended later ends at until_ns. */
void rv_view_parts_push_note(struct rv_view *view, const struct rv_lane_note *note);

/* Append a part to the view. */
void rv_view_parts_push_part(struct rv_view *view, const struct rv_view_part *part);

/* Merge a note with the last one of its kind and name (NULL: none) if they would be one mark in the picture. */
bool rv_view_parts_join_note(struct rv_lane_note *last, const struct rv_lane_note *note, uint64_t near_ns);

#endif
