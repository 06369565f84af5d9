/*
 * Begins, ends and complete calls of one thread, in time order, into calls that nest. What is well-formed comes out as
 * it is; for what is not there is one policy, which follows Perfetto's viewer:
 *   - an end ends the innermost call without an end that has its name; where others are open inside of that, they go on
 *     to their own ends, or to the next beginning, and their caller with them;
 *   - an end that finds no such call belongs to a call of its name that begins at the same time, or is left out;
 *   - a complete call that ends after one it began in does not nest: it is refused, for another row; any other call
 *     ends with the complete call that it began in;
 *   - a call without an end lasts as long as its caller, or to the end of the trace.
 * Times that differ by 1 ns from nesting are taken as rounding.
 */
#ifndef RV_IMPORT_CHROME_NEST_H
#define RV_IMPORT_CHROME_NEST_H

#include "import/import.h"

#define RV_CHROME_NO_END INT64_MAX

struct rv_chrome_frame {
    int64_t end_ns;   /* NO_END: not known yet */
    int64_t floor_ns; /* the least end of this frame and those below */
    int64_t limit_ns; /* the same of complete calls only, which nothing outlasts */
    uint32_t id;
    bool awaits_end; /* an end event may be its */
};

struct rv_chrome_nest {             /* zero = empty */
    uint32_t thread;                /* the event builder's */
    struct rv_chrome_frame *frames; /* as the event builder has them open */
    size_t n, capacity;
    uint32_t waiting[8]; /* names of ends at waiting_ns that have found no call */
    uint32_t n_waiting;
    int64_t waiting_ns;
};

void rv_chrome_nest_begin(struct rv_import *import, struct rv_chrome_nest *nest, int64_t ns, uint32_t id);

/* A call whose end is known, or, NO_END, never comes. False: it outlasts one that it begins in, and nothing was
 * emitted. */
bool rv_chrome_nest_complete(struct rv_import *import, struct rv_chrome_nest *nest, int64_t ns, int64_t end_ns,
                             uint32_t id);

void rv_chrome_nest_end(struct rv_import *import, struct rv_chrome_nest *nest, int64_t ns, uint32_t id);

/* Ends that lie before now; to be called before anything else is added to the thread. */
void rv_chrome_nest_advance(struct rv_import *import, struct rv_chrome_nest *nest, int64_t ns);

/* No more events; what is still open lasts to the trace's end. Frees the nest's memory. */
void rv_chrome_nest_finish(struct rv_import *import, struct rv_chrome_nest *nest, int64_t trace_end_ns);

#endif
