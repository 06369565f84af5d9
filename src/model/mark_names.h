/* The names of marks in a range of time, with their numbers. */
#ifndef RV_MODEL_MARK_NAMES_H
#define RV_MODEL_MARK_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "model/notes.h"

#define RV_MARK_NAMES_MOST 128u /* different names, the first ones; others count as SEVERAL */

struct rv_mark_names {
    struct rv_mark_name {
        uint32_t id; /* RV_NOTE_SEVERAL: of marks that were merged without their names */
        uint64_t n;
    } items[RV_MARK_NAMES_MOST]; /* the most frequent first, then as they come; SEVERAL last */
    size_t n;
    uint64_t n_marks; /* in all */
};

/* Count them among notes, which are sorted by start, from from_ns to to_ns. */
void rv_mark_names_count(struct rv_mark_names *names, const struct rv_lane_note *notes, size_t n, uint64_t from_ns,
                         uint64_t to_ns);

#endif
