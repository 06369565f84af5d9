/*
 * Thinning walks over the notes with growing reach: a note is merged into the last one of its kind and name that began
 * within reach. The last notes are kept in a small hash table without collision handling; at the widest reach, names
 * are ignored.
 */
#include "model/notes.h"

#include <string.h>

const struct rv_note_facts rv_note_facts[RV_NOTE_KIND_COUNT] = {
#define NOTE_KIND(name, form, category, words) [RV_NOTE_##name] = {RV_NOTE_FORM_##form, category, words},
#include "model/note_rows.h"
#undef NOTE_KIND
};

#define N_NAMES 64u
#define REACH_GROWS 4u

struct last {                               /* the last note by kind and name */
    size_t at[RV_NOTE_KIND_COUNT][N_NAMES]; /* + 1 */
};

uint64_t rv_note_covered_ns(const struct rv_lane_note *note)
{
    if (note->n_more)
        return note->covered_ns;
    return note->end_ns == UINT64_MAX || note->end_ns < note->start_ns ? 0 : note->end_ns - note->start_ns;
}

float rv_note_low(const struct rv_lane_note *note)
{
    return note->n_more ? note->low : note->value;
}

float rv_note_high(const struct rv_lane_note *note)
{
    return note->n_more ? note->high : note->value;
}

static bool has_sum(uint32_t a, uint32_t b)
{
    return a <= UINT32_MAX - b;
}

static void merge_values(struct rv_lane_note *into, const struct rv_lane_note *note)
{
    const float low = rv_note_low(note), high = rv_note_high(note);
    into->low = low < rv_note_low(into) ? low : rv_note_low(into);
    into->high = high > rv_note_high(into) ? high : rv_note_high(into);
    into->value = note->value;
}

static inline uint32_t merged_id(const struct rv_lane_note *into, const struct rv_lane_note *note)
{
    if (rv_note_is(into, RV_NOTE_FORM_LOSS))
        return into->id + note->id;
    return rv_note_is(into, RV_NOTE_FORM_STATE) || into->id == note->id ? note->id : RV_NOTE_SEVERAL;
}

/* Inline: most notes of a thread that switches often are merged once. */
static inline bool merge(struct rv_lane_note *into, const struct rv_lane_note *note)
{
    if (into->end_ns == UINT64_MAX || note->end_ns == UINT64_MAX || !has_sum(into->n_more + 1, note->n_more) ||
        (rv_note_is(into, RV_NOTE_FORM_LOSS) && !has_sum(into->id, note->id)))
        return false;
    if (rv_note_is(into, RV_NOTE_FORM_VALUE))
        merge_values(into, note);
    into->covered_ns = rv_note_covered_ns(into) + rv_note_covered_ns(note);
    into->n_more += 1 + note->n_more;
    into->end_ns = note->end_ns > into->end_ns ? note->end_ns : into->end_ns;
    into->id = merged_id(into, note);
    return true;
}

bool rv_note_merge(struct rv_lane_note *into, const struct rv_lane_note *note)
{
    return merge(into, note);
}

/* One walk; with is_last, names are ignored. */
static size_t join_near(struct rv_lane_note *notes, size_t n, uint64_t reach_ns, bool is_last)
{
    struct last last;
    memset(&last, 0, sizeof last);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const struct rv_lane_note *note = &notes[i];
        const bool has_name = !is_last && rv_note_has_name(note);
        size_t *at = &last.at[note->kind][has_name ? note->id % N_NAMES : 0];
        struct rv_lane_note *before = *at ? &notes[*at - 1] : NULL;
        const bool is_near = before && note->start_ns - before->start_ns <= reach_ns;
        if (is_near && (!has_name || before->id == note->id) && merge(before, note))
            continue;
        if (kept < i)
            notes[kept] = *note;
        *at = ++kept;
    }
    return kept;
}

size_t rv_notes_thin(struct rv_lane_note *notes, size_t n, size_t n_old, size_t n_wanted)
{
    const size_t n_new = n - n_old, n_left = n_wanted > n_new ? n_wanted - n_new : 1;
    size_t kept = n_old;
    uint64_t span_ns = n_old ? notes[n_old - 1].start_ns - notes[0].start_ns : 0;
    uint64_t reach_ns = span_ns / n_left; /* one walk, where they are of one name */
    while (kept && kept + n_new > n_wanted && reach_ns < span_ns) {
        kept = join_near(notes, kept, reach_ns, false);
        reach_ns = reach_ns * REACH_GROWS + 1;
    }
    if (kept && kept + n_new > n_wanted)
        kept = join_near(notes, kept, UINT64_MAX, true);
    memmove(notes + kept, notes + n_old, n_new * sizeof *notes);
    return kept + n_new;
}

uint64_t rv_notes_covered_ns(const struct rv_lane_note *notes, size_t n, enum rv_note_kind kind,
                             const uint64_t range_ns[2], uint64_t *n_notes)
{
    uint64_t covered_ns = 0;
    *n_notes = 0;
    for (size_t i = 0; i < n && notes[i].start_ns < range_ns[1]; i++) {
        const struct rv_lane_note *note = &notes[i];
        if (note->kind != (uint32_t)kind || note->end_ns <= range_ns[0])
            continue;
        const uint64_t from_ns = note->start_ns > range_ns[0] ? note->start_ns : range_ns[0];
        const uint64_t to_ns = note->end_ns < range_ns[1] ? note->end_ns : range_ns[1];
        covered_ns += (uint64_t)(rv_note_share(note) * (double)(to_ns - from_ns));
        *n_notes += 1 + note->n_more;
    }
    return covered_ns;
}
