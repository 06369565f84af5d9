/*
 * Notes: events of a lane other than calls. Their number is limited by merging near ones of the same kind and name, the
 * oldest first. A note counts those that were merged into it, so that sums stay exact.
 */
#ifndef RV_MODEL_NOTES_H
#define RV_MODEL_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What kinds have in common: how a note is merged, drawn and exported. */
enum rv_note_form {
    RV_NOTE_FORM_PAUSE,   /* all threads of the process pause meanwhile */
    RV_NOTE_FORM_LOSS,    /* events are missing; id is how many */
    RV_NOTE_FORM_MARK,    /* a moment with a name */
    RV_NOTE_FORM_VALUE,   /* a number with a name, until the next one */
    RV_NOTE_FORM_STATE,   /* of the thread as its runtime says, until the next one */
    RV_NOTE_FORM_OFF_CPU, /* the lane's calls had no CPU meanwhile */
    RV_NOTE_FORM_GAP,     /* nothing is known of the thread meanwhile */
    RV_NOTE_FORM_COUNT
};

enum rv_note_kind {
#define NOTE_KIND(name, form, category, words) RV_NOTE_##name,
#include "model/note_rows.h"
#undef NOTE_KIND
    RV_NOTE_KIND_COUNT
};

struct rv_note_facts {
    enum rv_note_form form;
    const char *category, *words;
};
extern const struct rv_note_facts rv_note_facts[RV_NOTE_KIND_COUNT];

#define RV_NOTE_SEVERAL UINT32_MAX /* the id of a note that stands for several names */

struct rv_lane_note {
    uint64_t start_ns, end_ns; /* equal for an instant; not ended yet: end_ns = UINT64_MAX */
    uint32_t kind;             /* enum rv_note_kind */
    uint32_t id;               /* LOST: number of events; MARK, VALUE: name; STATE: enum rv_thread_state; PREEMPTED,
                                  BLOCKED: the CPU it left */
    float value;               /* VALUE: the last */
    float low, high;           /* VALUE: least and greatest merged value, when n_more > 0 */
    uint32_t n_more;           /* number of notes merged into this one */
    uint64_t covered_ns;       /* total time of the merged notes, when n_more > 0 */
};

/*
 * Time in a range that notes of a kind cover, and their number. Notes are sorted by start; merged ones count as evenly
 * spread.
 */
uint64_t rv_notes_covered_ns(const struct rv_lane_note *notes, size_t n, enum rv_note_kind kind,
                             const uint64_t range_ns[2], uint64_t *n_notes);

static inline bool rv_note_is(const struct rv_lane_note *note, enum rv_note_form form)
{
    return rv_note_facts[note->kind].form == form;
}

/* Is its id a name? */
static inline bool rv_note_has_name(const struct rv_lane_note *note)
{
    return rv_note_is(note, RV_NOTE_FORM_MARK) || rv_note_is(note, RV_NOTE_FORM_VALUE);
}

/* The share of its time that a note covers: 1, less where several were merged. */
static inline double rv_note_share(const struct rv_lane_note *note)
{
    const uint64_t length_ns = note->end_ns - note->start_ns;
    return note->n_more && length_ns ? (double)note->covered_ns / (double)length_ns : 1.0;
}

/* Time that a note covers; 0 for one that has not ended. */
uint64_t rv_note_covered_ns(const struct rv_lane_note *note);
float rv_note_low(const struct rv_lane_note *note);
float rv_note_high(const struct rv_lane_note *note);

/*
 * Merge a note of the same kind, which does not begin before `into`. False, with nothing changed, if a sum would
 * overflow or one of them has not ended.
 */
bool rv_note_merge(struct rv_lane_note *into, const struct rv_lane_note *note);

/*
 * Merge among the first n_old of n notes until at most n_wanted are left, near ones first; they stay sorted by start.
 * n_wanted >= n - n_old + RV_NOTE_KIND_COUNT.
 *   returns  notes left; more than n_wanted only where rv_note_merge() refuses
 */
size_t rv_notes_thin(struct rv_lane_note *notes, size_t n, size_t n_old, size_t n_wanted);

#endif
