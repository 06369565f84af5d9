/* Reads who had what threads waited for, of a whole capture. */
#ifndef RV_WAITS_HOLDERS_READER_H
#define RV_WAITS_HOLDERS_READER_H

#include "waits/holders.h"
#include "waits/waits.h"

/*
 * Of all waits and releases. Threads that have an object at the same time are in different rows.
 *   is_incomplete  set to whether some could not be read, or were discarded; may be NULL
 *   returns        held
 */
const struct rv_holders *rv_holders_read(struct rv_waits *waits, bool *is_incomplete);

#endif
