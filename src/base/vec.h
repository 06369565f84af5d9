/*
 * Growing arrays. The caller keeps {items, n, capacity}; growth doubles and checks multiplication.
 * Allocations do not fail: base/memory.h says what happens when the system refuses one.
 */
#ifndef RV_BASE_VEC_H
#define RV_BASE_VEC_H

#include <stddef.h>

/* Allocate n * item_bytes, zeroed; never NULL. 64-byte aligned; released with free(). */
void *rv_alloc(size_t n, size_t item_bytes);

/* The same, not zeroed. Untouched pages of a large allocation take no memory. */
void *rv_alloc_scratch(size_t n, size_t item_bytes);

/* Zeroed, and aligned as by malloc() only; likewise without memory for untouched pages. */
void *rv_alloc_sparse(size_t n, size_t item_bytes);

/* As realloc(), for more than 0 bytes, but never NULL. */
void *rv_realloc(void *memory, size_t n_bytes);

/*
 * Make room for `need` items.
 *   items     the array or NULL; may move
 *   capacity  in items; updated. New room is not zeroed.
 *   returns   the array
 */
void *rv_vec_reserve(void *items, size_t *capacity, size_t need, size_t item_bytes);

/*
 * Grow an array to at least `need` items, the new ones zero.
 *   items    the table or NULL; may move
 *   n        length in items; updated, usually to more than need
 *   returns  the table
 */
void *rv_vec_extend(void *items, size_t *n, size_t need, size_t item_bytes);

/* As strdup() and strndup(), but never NULL. */
char *rv_strdup(const char *string);
char *rv_strndup(const char *string, size_t most);

#endif
