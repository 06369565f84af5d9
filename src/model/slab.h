/*
 * Blocks of 64 KiB for what grows with every span, cut from 2 MiB regions in huge pages where the system grants them: a
 * timeline writes each page once, and taking 4 KiB pages one fault at a time cost a third of adding a span.
 *
 * One pool for the process, locked. Regions without a block in use go back to the system, but for one, and the
 * pages of free blocks beyond a few.
 */
#ifndef RV_MODEL_SLAB_H
#define RV_MODEL_SLAB_H

#include <stddef.h>

#define RV_SLAB_BYTES 65536u

/* Not zeroed; 64 KiB aligned; never NULL. Any thread. */
void *rv_slab_take(void);
void rv_slab_give(void *block);

/* Of free blocks that may be resident. Any thread. */
size_t rv_slab_ready_bytes(void);

#endif
