/*
 * Blocks of 64 KiB for what grows with every span, cut from 2 MiB regions in huge pages where the system grants them: a
 * timeline writes each page once, and taking 4 KiB pages one fault at a time cost a third of adding a span.
 *
 * One pool for the process, locked. Regions without a block in use go back to the system, but for one.
 */
#ifndef RV_MODEL_SLAB_H
#define RV_MODEL_SLAB_H

#define RV_SLAB_BYTES 65536u

/* Not zeroed; 64 KiB aligned; never NULL. Any thread. */
void *rv_slab_take(void);
void rv_slab_give(void *block);

#endif
