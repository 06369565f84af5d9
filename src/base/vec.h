/*
 * Growing arrays. The caller keeps {items, n, capacity}; growth doubles and checks multiplication.
 * Allocation failure ends the program with one line: every caller is ours, and none could go on.
 */
#ifndef RV_BASE_VEC_H
#define RV_BASE_VEC_H

#include <stddef.h>

/* Zeroed n * item_bytes; never NULL. 64-byte aligned; released with free(). */
void *rv_alloc(size_t n, size_t item_bytes);

/* The same, not zeroed: for what is written before it is read. Of a large one only what is used takes memory. */
void *rv_alloc_scratch(size_t n, size_t item_bytes);

/*
 * Make room for `need` items.
 *   items     the array or NULL; may move
 *   capacity  in items; updated. New room is not zeroed.
 *   returns   the array
 */
void *rv_vec_reserve(void *items, size_t *capacity, size_t need, size_t item_bytes);

/*
 * Lengthen a table of which every item counts: `need` items or more are there, the new ones zero.
 *   items    the table or NULL; may move
 *   n        items that are there; updated, mostly to more than was asked for
 *   returns  the table
 */
void *rv_vec_extend(void *items, size_t *n, size_t need, size_t item_bytes);

/* strdup that never returns NULL. */
char *rv_strdup(const char *string);

#endif
