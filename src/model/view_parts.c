#include "model/view_parts.h"

#include <stddef.h>
#include <string.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "model/filter.h"
#include "model/name_set.h"
#include "model/waited_calls.h"

#define NOTES_BACK 1024u /* notes before the window that may reach into it */
#define MOST_DIGIT_BITS 11u
#define FEW_KEYS 48u

static void sort_few(struct rv_view_key *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct rv_view_key key = keys[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1].start_ns > key.start_ns; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

struct digit { /* of a start, counted from the least */
    uint64_t least;
    unsigned shift, n_bits;
};

static unsigned digit_of(const struct digit *digit, const struct rv_view_key *key)
{
    return (unsigned)((key->start_ns - digit->least) >> digit->shift) & ((1u << digit->n_bits) - 1);
}

static void sort_by_digit(const struct rv_view_key *from, struct rv_view_key *to, size_t n, const struct digit *digit)
{
    uint32_t places[1u << MOST_DIGIT_BITS], place = 0;
    memset(places, 0, sizeof *places << digit->n_bits);
    for (size_t i = 0; i < n; i++)
        places[digit_of(digit, &from[i])]++;
    for (unsigned i = 0; i < 1u << digit->n_bits; i++) {
        uint32_t n_here = places[i];
        places[i] = place;
        place += n_here;
    }
    for (size_t i = 0; i < n; i++)
        to[places[digit_of(digit, &from[i])]++] = from[i];
}

/* Stable, radix sort on the bits in which starts differ. keys has room for 2n; returns where the sorted ones are. */
static const struct rv_view_key *sort_boxes(const struct rv_box *boxes, size_t n, struct rv_view_key *keys)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t start_ns = boxes[i].start_ns;
        keys[i] = (struct rv_view_key){.start_ns = start_ns, .box = (uint32_t)i};
        least = start_ns < least ? start_ns : least;
        most = start_ns > most ? start_ns : most;
    }
    if (n <= FEW_KEYS) {
        sort_few(keys, n);
        return keys;
    }
    const unsigned n_bits = most > least ? 64u - (unsigned)__builtin_clzll(most - least) : 1;
    const unsigned n_digits = (n_bits + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS;
    struct digit digit = {.least = least, .n_bits = (n_bits + n_digits - 1) / n_digits};
    struct rv_view_key *from = keys, *to = keys + n;
    for (; digit.shift < n_bits; digit.shift += digit.n_bits) {
        sort_by_digit(from, to, n, &digit);
        struct rv_view_key *sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

/* Number of boxes before the longest run at the end whose starts rise: cells come sorted, and are most of a wide view. */
static size_t n_before_run(const struct rv_box *boxes, size_t n)
{
    size_t first = n ? n - 1 : 0;
    while (first > 0 && boxes[first - 1].start_ns <= boxes[first].start_ns)
        first--;
    return first;
}

/* Behind the lane's boxes before it, which begin no later; of those that begin with it, before deeper ones. */
static size_t append(struct rv_view *view, size_t first_box, const struct rv_box *box)
{
    size_t at = view->n_boxes++;
    for (; at > first_box && view->boxes[at - 1].start_ns == box->start_ns && view->boxes[at - 1].depth > box->depth;
         at--) {
        view->boxes[at] = view->boxes[at - 1];
        struct rv_pixel_cells_last *last = rv_pixel_cells_last(&view->pixel_cells, view->boxes[at].depth);
        last->box += last->box == at - 1;
    }
    view->boxes[at] = *box;
    view->n_folded += box->coverage != RV_BOX_EXACT ? box->count : 0;
    return at;
}

/* Add a call to the box that begins last in its column and depth, if it is one of this lane. */
static bool fold(struct rv_view *view, size_t first_box, size_t at, const struct rv_box *call, uint64_t cell_ns)
{
    struct rv_box *box = &view->boxes[at];
    if (at < first_box || at >= view->n_boxes || box->depth != call->depth ||
        rv_pixel_cells_offered(box, cell_ns) != rv_pixel_cells_wanted(call, cell_ns))
        return false;
    view->n_folded += rv_pixel_cells_add_call(box, call);
    return true;
}

void rv_view_parts_append(struct rv_view *view, size_t n, uint64_t cell_ns)
{
    const size_t first_box = view->n_boxes, n_unsorted = n_before_run(view->unsorted, n);
    const struct rv_box *run = view->unsorted + n_unsorted, *end = view->unsorted + n;
    view->boxes = rv_vec_reserve(view->boxes, &view->boxes_capacity, view->n_boxes + n, sizeof *view->boxes);
    view->keys = rv_vec_reserve(view->keys, &view->keys_capacity, 2 * n_unsorted, sizeof *view->keys);
    const struct rv_view_key *key = sort_boxes(view->unsorted, n_unsorted, view->keys), *last_key = key + n_unsorted;
    for (size_t i = 0; i < n; i++) {
        const bool is_run = key == last_key || (run < end && run->start_ns < key->start_ns);
        const struct rv_box *box = is_run ? run++ : &view->unsorted[key++->box];
        struct rv_pixel_cells_last *last = rv_pixel_cells_last(&view->pixel_cells, box->depth);
        if (last->column_ns == rv_pixel_cells_wanted(box, cell_ns) && fold(view, first_box, last->box, box, cell_ns))
            continue;
        last->column_ns = rv_pixel_cells_offered(box, cell_ns);
        last->box = append(view, first_box, box);
    }
}

size_t rv_view_parts_first_note(const struct rv_lane *lane, uint64_t from_ns)
{
    size_t n = rv_bisect_below(lane->notes, lane->n_notes, sizeof *lane->notes, offsetof(struct rv_lane_note, start_ns),
                               from_ns);
    return n > NOTES_BACK ? n - NOTES_BACK : 0;
}

bool rv_view_parts_join_note(struct rv_lane_note *last, const struct rv_lane_note *note, uint64_t near_ns)
{
    bool is_near = last && note->start_ns - last->start_ns < near_ns && note->end_ns - note->start_ns < near_ns;
    bool is_like = last && (!rv_note_has_name(note) || note->id == last->id);
    return is_near && is_like && !rv_note_is(note, RV_NOTE_FORM_STATE) && rv_note_merge(last, note);
}

void rv_view_parts_push_note(struct rv_view *view, const struct rv_lane_note *note)
{
    view->notes = rv_vec_reserve(view->notes, &view->notes_capacity, view->n_notes + 1, sizeof *view->notes);
    view->notes[view->n_notes] = *note;
    if (note->end_ns > view->until_ns)
        view->notes[view->n_notes].end_ns = view->until_ns;
    view->n_notes++;
}

void rv_view_parts_push_part(struct rv_view *view, const struct rv_view_part *part)
{
    view->parts = rv_vec_reserve(view->parts, &view->parts_capacity, view->n_parts + 1, sizeof *view->parts);
    view->parts[view->n_parts++] = *part;
}

static bool is_found(const struct rv_view_params *params, const struct rv_lane *lane, const struct rv_box *box)
{
    const bool is_hit = params->waited ? rv_waited_calls_has(params->waited, lane->idx, box, params->hits)
                                       : params->hits && rv_name_set_has(params->hits, box->id);
    return is_hit || (params->found && rv_filter_passes_box(params->found, lane, box));
}

size_t rv_view_parts_mark(struct rv_box *boxes, size_t n, const struct rv_view_params *params,
                          const struct rv_lane *lane)
{
    const struct rv_filter *filter = params->filter;
    const bool has_search = params->hits || params->found;
    if (rv_filter_n_rules(filter) == 0 && !has_search)
        return n;
    const bool hides = rv_filter_mode(filter) == RV_FILTER_HIDE;
    bool passes_thread = rv_filter_passes_thread(filter, lane->name);
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct rv_box box = boxes[i];
        bool passes = passes_thread && rv_filter_passes_box(filter, lane, &box);
        if (!passes && hides)
            continue;
        bool is_hit = passes && is_found(params, lane, &box);
        if (is_hit)
            box.flags |= RV_BOX_HIT;
        else if (!passes || has_search)
            box.flags |= RV_BOX_DIMMED;
        boxes[n_kept++] = box;
    }
    return n_kept;
}
