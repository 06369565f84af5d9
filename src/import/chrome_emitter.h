/*
 * Second half of importers of Chrome's events. Tools write them in any order (a complete call where it ended, threads
 * one after the other), so all are sorted first, on disk beyond a million: memory holds these, the names, and what is
 * open at one time. Then each thread's events are nested (call_nesting.h) and emitted.
 */
#ifndef RV_IMPORT_CHROME_EMITTER_H
#define RV_IMPORT_CHROME_EMITTER_H

#include "import/chrome_reader.h"

struct rv_chrome_emitter { /* zero = not begun */
    struct rv_external_sort *sorter;
    struct rv_chrome_reader reader; /* takes the events: rv_chrome_reader_event() */
    bool is_sorted;
    struct rv_chrome_lane *lanes; /* by the event builder's thread */
    size_t n_lanes;
    struct rv_chrome_rows *groups; /* asynchronous calls; in the reader's order, made when all is read */
};

void rv_chrome_emitter_begin(struct rv_chrome_emitter *emitter, struct rv_import *import);
void rv_chrome_emitter_fini(struct rv_chrome_emitter *emitter);

/* All is read: sort it. 1, or a negative errno with one line printed. */
int rv_chrome_emitter_sort(struct rv_chrome_emitter *emitter);

/* Emit more of what is sorted, as a format's step(). */
int rv_chrome_emitter_step(struct rv_chrome_emitter *emitter);

#endif
