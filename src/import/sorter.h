/*
 * External sort of fixed-size records in constant memory. Full runs are sorted and spilled to an unlinked temporary
 * file; reading merges the runs.
 */
#ifndef RV_IMPORT_SORTER_H
#define RV_IMPORT_SORTER_H

#include <stdbool.h>
#include <stddef.h>

struct rv_sorter; /* opaque */

typedef int (*rv_sorter_compare_fn)(const void *a, const void *b); /* as qsort's; a total order */

/* Records of record_bytes; up to run_records of them are in memory. */
struct rv_sorter *rv_sorter_create(size_t record_bytes, size_t run_records, rv_sorter_compare_fn compare);
void rv_sorter_destroy(struct rv_sorter *sorter);

/* 0, or a negative errno with one line printed: the temporary file could not be written. */
int rv_sorter_add(struct rv_sorter *sorter, const void *record);

/* End of adding. next() then returns the records, lowest first, until NULL; a pointer is valid until the next call.
 */
int rv_sorter_finish(struct rv_sorter *sorter);
const void *rv_sorter_next(struct rv_sorter *sorter, int *error);

#endif
