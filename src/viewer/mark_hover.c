#include "viewer/mark_hover.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "viewer/tooltip_rows.h"

#define MOST_NAMES 14u

bool rv_mark_hover_move(struct rv_mark_hover *hover, const struct rv_view *view, const struct rv_scene_marks *marks,
                        const float at_px[2])
{
    const bool was_on = hover->is_on;
    hover->is_on = false;
    if (!marks || marks->lane >= view->n_lanes)
        return was_on;
    const struct rv_view_lane *lane = &view->lanes[marks->lane];
    const uint64_t n_before = hover->names.n_marks;
    rv_mark_names_count(&hover->names, view->notes + lane->first_note, lane->n_notes, marks->from_ns, marks->to_ns);
    hover->is_on = hover->names.n > 0;
    const bool is_same = was_on && hover->is_on && hover->marks.lane == marks->lane &&
                         hover->marks.from_ns == marks->from_ns && hover->marks.to_ns == marks->to_ns &&
                         n_before == hover->names.n_marks;
    hover->marks = *marks;
    if (!is_same)
        memcpy(hover->at_px, at_px, sizeof hover->at_px);
    return !is_same && (was_on || hover->is_on);
}

static void add_name(struct rv_tooltip *tooltip, const struct rv_mark_name *name, struct rv_subroutines *subroutines,
                     const char *label)
{
    struct rv_tooltip_line *line = rv_tooltip_add_line(tooltip, label);
    const bool is_known = name->id != RV_NOTE_SEVERAL;
    char number[32];
    (void)snprintf(number, sizeof number, " x%" PRIu64, name->n);
    rv_text_append(line->text, sizeof line->text - strlen(number),
                   is_known ? rv_subroutines_get(subroutines, name->id).name : "(names are not kept)", SIZE_MAX);
    (void)rv_text_end_whole(line->text);
    rv_text_append(line->text, sizeof line->text, number, SIZE_MAX);
}

static void add_names(struct rv_tooltip *tooltip, const struct rv_mark_names *names, struct rv_subroutines *subroutines)
{
    uint64_t n_more = names->n_marks;
    const size_t n_shown = names->n > MOST_NAMES ? MOST_NAMES - 1 : names->n;
    for (size_t i = 0; i < n_shown; i++) {
        add_name(tooltip, &names->items[i], subroutines, i ? "" : "names");
        n_more -= names->items[i].n;
    }
    if (names->n > n_shown)
        (void)snprintf(rv_tooltip_add_line(tooltip, "")->text, sizeof tooltip->lines->text, "and %zu more, x%" PRIu64,
                       names->n - n_shown, n_more);
}

static void add_time(struct rv_tooltip *tooltip, const struct rv_scene_marks *marks, const struct rv_scene_frame *frame)
{
    char from[RV_TOOLTIP_ROWS_TIME_BYTES], length[32];
    rv_tooltip_rows_tell_time(from, sizeof from, marks->from_ns, frame->is_live ? frame->now_ns : frame->origin_ns,
                              frame->is_live);
    rv_units_format_ns(length, sizeof length, marks->to_ns - marks->from_ns);
    const bool is_range = marks->to_ns > marks->from_ns;
    (void)snprintf(rv_tooltip_add_line(tooltip, "at")->text, sizeof tooltip->lines->text, "%s%s%s", from,
                   is_range ? ", within " : "", is_range ? length : "");
}

void rv_mark_tooltip_fill(struct rv_tooltip *tooltip, const struct rv_mark_hover *hover,
                          const struct rv_scene_frame *frame)
{
    const double scale = frame->scale > 0.0 ? frame->scale : 1.0;
    *tooltip = (struct rv_tooltip){.at = {hover->at_px[0] / (float)scale, hover->at_px[1] / (float)scale},
                                   .foot = "click: go there"};
    (void)snprintf(tooltip->title, sizeof tooltip->title, "%" PRIu64 " %s", hover->names.n_marks,
                   rv_units_word(hover->names.n_marks, "mark", "marks"));
    add_names(tooltip, &hover->names, frame->subroutines);
    add_time(tooltip, &hover->marks, frame);
    (void)snprintf(rv_tooltip_add_line(tooltip, "where")->text, sizeof tooltip->lines->text, "%s",
                   frame->view->lanes[hover->marks.lane].name);
}
