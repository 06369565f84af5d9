/*
 * Words of the trace file that a traced program has overwritten: repaired, so that neither side waits for the other,
 * with one line of warning each for the file and each ring. Drain thread.
 */
#ifndef RV_SOURCE_OVERWRITTEN_WORDS_H
#define RV_SOURCE_OVERWRITTEN_WORDS_H

#include "source/live_ring.h"

/* The events of a ring may be wrong: say so. */
void rv_overwritten_words_warn(struct rv_live_ring *slot);

/* Repair a ring's state, if need be; the file's. is_said: has the warning been printed? Set. */
void rv_overwritten_words_repair_ring(struct rv_live_ring *slot);
void rv_overwritten_words_repair_file(const struct rv_map *map, bool *is_said);

#endif
