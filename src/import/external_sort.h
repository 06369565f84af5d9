/*
 * External sort of fixed-size records in constant memory. Full runs are sorted and spilled to an unlinked temporary
 * file; reading merges the runs.
 */
#ifndef RV_IMPORT_EXTERNAL_SORT_H
#define RV_IMPORT_EXTERNAL_SORT_H

#include <stdbool.h>
#include <stddef.h>

struct rv_external_sort; /* opaque */

typedef int (*rv_external_sort_compare_fn)(const void *a, const void *b); /* as qsort's; a total order */

/* Records of record_bytes; up to run_records of them are in memory. */
struct rv_external_sort *rv_external_sort_create(size_t record_bytes, size_t run_records,
                                                 rv_external_sort_compare_fn compare);
void rv_external_sort_destroy(struct rv_external_sort *sorter);

/* 0, or a negative errno with one line printed: the temporary file could not be written. */
int rv_external_sort_add(struct rv_external_sort *sorter, const void *record);

/* End of adding. next() then returns the records, lowest first, until NULL; a pointer is valid until the next call.
 */
int rv_external_sort_finish(struct rv_external_sort *sorter);
const void *rv_external_sort_next(struct rv_external_sort *sorter, int *error);

#endif
