/*
 * Nests the calls of one thread, in time order: begins, ends, and complete calls, which have their end with their
 * begin. Well-formed input is unchanged. Malformed input follows one policy, that of Perfetto's viewer:
 *   - an end ends the innermost call without an end that has its name; calls open inside that one last until their own
 *     ends, or the next begin, and their caller with them;
 *   - an end that finds no such call belongs to a call of its name that begins at the same time, or is dropped;
 *   - a complete call that ends after one it began in does not nest: it goes to another row; any other call ends with
 *     the complete call that it began in;
 *   - a call without an end lasts as long as its caller, or to the end of the trace;
 *   - calls that are said to be open stay so where their thread has nothing behind their common end.
 * Times that miss nesting by 1 ns count as rounding.
 */
#ifndef RV_IMPORT_CALL_NESTING_H
#define RV_IMPORT_CALL_NESTING_H

#include "import/import.h"

#define RV_CALL_NESTING_NO_END INT64_MAX

struct rv_call_nesting_frame {
    int64_t end_ns;   /* NO_END: unknown so far */
    int64_t floor_ns; /* the least end among this frame and those below */
    int64_t limit_ns; /* the same for complete calls only, which no callee outlasts */
    uint32_t id;
    bool awaits_end; /* an end event may belong to it */
    bool is_open;    /* was open where its trace ended, at end_ns */
};

struct rv_call_nesting {                  /* zero = empty */
    uint32_t thread;                      /* number in the event builder */
    struct rv_call_nesting_frame *frames; /* open in the event builder */
    size_t n, capacity;
    uint32_t waiting[8]; /* names of unmatched ends at waiting_ns */
    uint32_t n_waiting;
    int64_t waiting_ns;
};

/* A call begins: its end comes later, or never. */
void rv_call_nesting_begin(struct rv_import *import, struct rv_call_nesting *nest, int64_t ns, uint32_t id);

/* Add a call: its id, whether it is open, and its end, or NO_END if it never ends. False, with nothing emitted, if it
 * outlasts a call that it begins in. */
bool rv_call_nesting_complete(struct rv_import *import, struct rv_call_nesting *nest, int64_t ns,
                              struct rv_call_nesting_frame call);

/* An end event; without a call that it could end it counts as a fault. */
void rv_call_nesting_end(struct rv_import *import, struct rv_call_nesting *nest, int64_t ns, uint32_t id);

/* Emit the ends before this time. Call before adding anything else to the thread. */
void rv_call_nesting_advance(struct rv_import *import, struct rv_call_nesting *nest, int64_t ns);

/* End of input: open calls last to the trace's end. Frees the nest's memory. */
void rv_call_nesting_finish(struct rv_import *import, struct rv_call_nesting *nest, int64_t trace_end_ns);

#endif
