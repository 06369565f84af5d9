/*
 * Arguments and results of calls: what producers have copied beside a ring, as text. The drain has each ARGUMENTS event
 * carry its text's id before anything else looks at it.
 */
#ifndef RV_SOURCE_ARGUMENTS_H
#define RV_SOURCE_ARGUMENTS_H

#include "ring/texts.h"
#include "source/source.h"
#include "symbols/symbolizer.h"

#define RV_ARGUMENTS_TEXTS (1u << 20) /* different ones; no more are kept */

struct rv_arguments;

/* NULL: the file has no prototypes. Borrows the symbolizer. */
struct rv_arguments *rv_arguments_open(const struct rv_map *map, struct rv_symbolizer *symbolizer);
void rv_arguments_close(struct rv_arguments *arguments);

/* The last event of a ring that was translated: zeroed before the first. */
struct rv_arguments_place {
    uint64_t when;
};

/*
 * In place, of a ring's popped events: those of kind ARGUMENTS get the id of their text, and frame RV_EVENT_IS_RESULT
 * where they are a result's; id 0 where there is no text, which is counted.
 *   arguments  NULL: nothing is done, and a normalizer without texts removes them
 *   intake     new texts are defined at once, so that a search knows them when it meets their calls
 *   thread     drain
 */
void rv_arguments_translate(struct rv_arguments *arguments, struct rv_texts *texts, struct rv_arguments_place *place,
                            struct rv_event *events, size_t n, const struct rv_intake *intake);

/* Texts that were not read: overwritten, not behind their event, or beyond the most. */
uint64_t rv_arguments_n_lost(const struct rv_arguments *arguments);

#endif
