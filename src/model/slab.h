/*
 * Blocks of 64 KiB for data that grows with every span, cut from 2 MiB regions, in huge pages where available: a
 * timeline writes each page once, and faulting in 4 KiB pages cost a third of adding a span.
 *
 * One pool per process, locked. Unused regions are returned to the system except one, and so are the pages of free
 * blocks beyond a few.
 */
#ifndef RV_MODEL_SLAB_H
#define RV_MODEL_SLAB_H

#include <stddef.h>

#define RV_SLAB_BYTES 65536u

/* Not zeroed; 64 KiB aligned; never NULL. Any thread. */
void *rv_slab_take(void);
void rv_slab_give(void *block);

/* Bytes of free blocks that may be resident. Any thread. */
size_t rv_slab_ready_bytes(void);

#endif
