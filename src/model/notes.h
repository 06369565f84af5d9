/*
 * Notes: what stands beside the calls of a lane. They are kept within bounds by merging near ones of the same kind and
 * name, the oldest first; what a note stands for is counted, so that sums stay exact.
 */
#ifndef RV_MODEL_NOTES_H
#define RV_MODEL_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rv_note_kind { RV_NOTE_GC, RV_NOTE_LOST, RV_NOTE_MARK, RV_NOTE_VALUE, RV_NOTE_STATE, RV_NOTE_KIND_COUNT };

#define RV_NOTE_SEVERAL UINT32_MAX /* the id of a note that stands for several names */

struct rv_lane_note {
    uint64_t start_ns, end_ns; /* equal for an instant; not ended yet: end_ns = UINT64_MAX */
    uint32_t kind;             /* enum rv_note_kind */
    uint32_t id;               /* LOST: how many; MARK, VALUE: name; STATE: enum rv_thread_state */
    float value;               /* VALUE: the last */
    float low, high;           /* VALUE: the least and the greatest that were merged, when n_more > 0 */
    uint32_t n_more;           /* how many notes were merged into this one */
    uint64_t covered_ns;       /* time between start and end that they cover, when n_more > 0 */
};

/* Time that a note covers; 0 for one that has not ended. */
uint64_t rv_note_covered_ns(const struct rv_lane_note *note);
float rv_note_low(const struct rv_lane_note *note);
float rv_note_high(const struct rv_lane_note *note);

/*
 * Let a note take in one of its kind that does not begin before it. False, and nothing is done, where a sum would not
 * fit or a note has not ended.
 */
bool rv_note_merge(struct rv_lane_note *into, const struct rv_lane_note *note);

/*
 * Merge among the first n_old of n notes until there are at most n_wanted, near ones first; the order of start is kept.
 * n_wanted must be greater than what is not old by RV_NOTE_KIND_COUNT at least.
 *   returns  notes left; more than n_wanted only where rv_note_merge() refuses
 */
size_t rv_notes_thin(struct rv_lane_note *notes, size_t n, size_t n_old, size_t n_wanted);

#endif
