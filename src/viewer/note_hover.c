#include "viewer/note_hover.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "render/collections.h"
#include "viewer/tooltip_rows.h"

#define MOST_NAMES 14u

/* In this view. Returns whether they are there, *n: their number. */
static bool find(struct rv_note_hover *hover, const struct rv_view *view, const struct rv_scene_notes *notes,
                 uint64_t *n)
{
    const struct rv_view_lane *lane = &view->lanes[notes->lane];
    if (notes->form == RV_NOTE_FORM_PAUSE) {
        const struct rv_lane_note *found = rv_collections_find(view, notes->lane, notes->from_ns);
        hover->collection = found ? *found : (struct rv_lane_note){0};
        *n = found ? (uint64_t)found->n_more + 1 : 0;
    } else {
        rv_mark_names_count(&hover->names, view->notes + lane->first_note, lane->n_notes, notes->from_ns, notes->to_ns);
        *n = hover->names.n_marks;
    }
    return *n > 0;
}

bool rv_note_hover_move(struct rv_note_hover *hover, const struct rv_view *view, const struct rv_scene_notes *notes,
                        const float at_px[2])
{
    const bool was_on = hover->is_on;
    uint64_t n;
    hover->is_on = notes && notes->lane < view->n_lanes && find(hover, view, notes, &n);
    if (!hover->is_on)
        return was_on;
    const bool is_same = was_on && hover->notes.form == notes->form && hover->notes.lane == notes->lane &&
                         hover->notes.from_ns == notes->from_ns && hover->notes.to_ns == notes->to_ns && hover->n == n;
    hover->notes = *notes;
    hover->n = n;
    if (!is_same)
        memcpy(hover->at_px, at_px, sizeof hover->at_px);
    return !is_same;
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

static void add_time(struct rv_tooltip *tooltip, const struct rv_scene_notes *notes, const struct rv_scene_frame *frame)
{
    char from[RV_TOOLTIP_ROWS_TIME_BYTES], length[32];
    rv_tooltip_rows_tell_time(from, sizeof from, notes->from_ns, frame->is_live ? frame->now_ns : frame->origin_ns,
                              frame->is_live);
    rv_units_format_ns(length, sizeof length, notes->to_ns - notes->from_ns);
    const bool has_length = notes->form == RV_NOTE_FORM_MARK && notes->to_ns > notes->from_ns;
    (void)snprintf(rv_tooltip_add_line(tooltip, "at")->text, sizeof tooltip->lines->text, "%s%s%s", from,
                   has_length ? ", within " : "", has_length ? length : "");
}

static void add_marks(struct rv_tooltip *tooltip, const struct rv_note_hover *hover, const struct rv_scene_frame *frame)
{
    (void)snprintf(tooltip->title, sizeof tooltip->title, "%" PRIu64 " %s", hover->n,
                   rv_units_word(hover->n, "mark", "marks"));
    add_names(tooltip, &hover->names, frame->subroutines);
    add_time(tooltip, &hover->notes, frame);
    (void)snprintf(rv_tooltip_add_line(tooltip, "where")->text, sizeof tooltip->lines->text, "%s",
                   frame->view->lanes[hover->notes.lane].name);
}

/* ---- a collection ---- */

/* As its runtime calls it: by the outermost call that begins during it, and ends. */
static void add_kind(struct rv_tooltip *tooltip, const struct rv_note_hover *hover, const struct rv_scene_frame *frame)
{
    const struct rv_view *view = frame->view;
    const struct rv_view_lane *lane = &view->lanes[hover->notes.lane];
    const struct rv_lane_note *note = &hover->collection;
    const struct rv_box *found = NULL;
    for (uint32_t i = lane->first_box; i < lane->first_box + lane->n_boxes && !note->n_more; i++) {
        const struct rv_box *box = &view->boxes[i];
        if (box->start_ns >= note->start_ns && rv_box_end_ns(box) <= note->end_ns && box->count == 1 && box->id &&
            (!found || box->depth < found->depth))
            found = box;
    }
    if (found)
        (void)snprintf(rv_tooltip_add_line(tooltip, "kind")->text, sizeof tooltip->lines->text, "%.120s",
                       rv_subroutines_get(frame->subroutines, found->id).name);
}

static void add_duration(struct rv_tooltip *tooltip, const struct rv_note_hover *hover)
{
    const struct rv_lane_note *note = &hover->collection;
    char covered[32], within[32];
    char *text = rv_tooltip_add_line(tooltip, "duration")->text;
    rv_units_format_ns(covered, sizeof covered, rv_note_covered_ns(note));
    rv_units_format_ns(within, sizeof within, note->end_ns - note->start_ns);
    if (note->end_ns == UINT64_MAX)
        (void)snprintf(text, sizeof tooltip->lines->text, "not ended yet");
    else if (note->n_more)
        (void)snprintf(text, sizeof tooltip->lines->text, "%s in all, within %s", covered, within);
    else
        (void)snprintf(text, sizeof tooltip->lines->text, "%s", covered);
}

/* Those of the window, of all threads of the process. */
static void add_window(struct rv_tooltip *tooltip, const struct rv_note_hover *hover, const struct rv_view *view)
{
    const uint32_t process = view->lanes[hover->notes.lane].process;
    const uint64_t range_ns[2] = {view->from_ns, view->to_ns};
    uint64_t all_ns = 0, n_all = 0, n;
    unsigned n_lanes = 0;
    char all[32];
    for (size_t i = 0; i < view->n_lanes; i++) {
        const struct rv_view_lane *lane = &view->lanes[i];
        if (lane->process != process)
            continue;
        all_ns += rv_notes_covered_ns(view->notes + lane->first_note, lane->n_notes,
                                      (enum rv_note_kind)hover->collection.kind, range_ns, &n);
        n_all += n;
        n_lanes += lane->object ? 0 : lane->n_members;
    }
    rv_units_format_ns(all, sizeof all, all_ns);
    (void)snprintf(rv_tooltip_add_line(tooltip, "pauses")->text, sizeof tooltip->lines->text, "%u thread%s of %s",
                   n_lanes, rv_units_word(n_lanes, "", "s"), view->lanes[hover->notes.lane].process_name);
    (void)snprintf(rv_tooltip_add_line(tooltip, "in view")->text, sizeof tooltip->lines->text,
                   "%" PRIu64 ", %s: %.3g %% of the time", n_all, all,
                   100.0 * (double)all_ns / (double)(range_ns[1] - range_ns[0]));
}

static void add_collection(struct rv_tooltip *tooltip, const struct rv_note_hover *hover,
                           const struct rv_scene_frame *frame)
{
    const char *word = rv_note_facts[hover->collection.kind].words;
    if (hover->n > 1)
        (void)snprintf(tooltip->title, sizeof tooltip->title, "%s x%" PRIu64, word, hover->n);
    else
        (void)snprintf(tooltip->title, sizeof tooltip->title, "%s", word);
    add_kind(tooltip, hover, frame);
    add_duration(tooltip, hover);
    (void)snprintf(rv_tooltip_add_line(tooltip, "thread")->text, sizeof tooltip->lines->text, "%s",
                   frame->view->lanes[hover->notes.lane].name);
    add_time(tooltip, &hover->notes, frame);
    add_window(tooltip, hover, frame->view);
}

void rv_note_tooltip_fill(struct rv_tooltip *tooltip, const struct rv_note_hover *hover,
                          const struct rv_scene_frame *frame)
{
    const double scale = frame->scale > 0.0 ? frame->scale : 1.0;
    *tooltip = (struct rv_tooltip){.at = {hover->at_px[0] / (float)scale, hover->at_px[1] / (float)scale},
                                   .foot = hover->notes.is_stripe ? "" : "click: go there"};
    if (hover->notes.form == RV_NOTE_FORM_PAUSE)
        add_collection(tooltip, hover, frame);
    else
        add_marks(tooltip, hover, frame);
}
