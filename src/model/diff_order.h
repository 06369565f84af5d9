/* The order of the rows of a comparison: what became slower, then what became faster, then the others; most time
 * first. */
#ifndef RV_MODEL_DIFF_ORDER_H
#define RV_MODEL_DIFF_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "model/diff.h"

/* Sort the rows, which have their verdicts. place_of: where each row is now; room for diff->n. Sets the ids of the
 * rows' stats. */
void rv_diff_order_rows(struct rv_diff *diff, size_t *place_of);

/* Does the verdict claim a difference in time? Those that do come first. */
bool rv_diff_order_is_claim(enum rv_diff_verdict verdict);

/* By name, then by file; as qsort() wants it. */
int rv_diff_order_of_names(const char *name, const char *file, const char *other_name, const char *other_file);

#endif
