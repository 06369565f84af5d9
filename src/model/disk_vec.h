/*
 * A growing array without a limit: once it is large, it lies in a private file, and only what was used lately is in
 * memory. Its items may be read and changed like any other array's.
 */
#ifndef RV_MODEL_DISK_VEC_H
#define RV_MODEL_DISK_VEC_H

#include <stdbool.h>
#include <stddef.h>

#define RV_DISK_VEC_LEAST_BYTES ((size_t)1 << 20) /* of an array in a file */

struct rv_disk_vec { /* where the array is; zeroed = in memory */
    int fd;
    size_t n_bytes;       /* of the file, all of them mapped; 0: it is in memory */
    bool stays_in_memory; /* the disk was full, there are many others, or its owner wants it so */
};

/* As rv_vec_reserve(). */
void *rv_disk_vec_reserve(struct rv_disk_vec *disk, void *items, size_t *capacity, size_t need, size_t item_bytes);

/* The items are not needed for a while. */
void rv_disk_vec_rest(const struct rv_disk_vec *disk, void *items);

void rv_disk_vec_free(struct rv_disk_vec *disk, void *items); /* NULL-safe */

#endif
