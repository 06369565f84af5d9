/* What a process is traced by, in words. */
#ifndef RV_BASE_INSTRUMENTATION_TEXT_H
#define RV_BASE_INSTRUMENTATION_TEXT_H

#include <stddef.h>

#include "ringviz/wire.h"

#define RV_INSTRUMENTATION_BYTES 512u

/* "too short": for a list of refusals. */
const char *rv_refusal_text(enum rv_patch_refusal refusal);

/*
 * "Ruby 3.1.7: methods, hooks, patches of 812 of 830 functions (12 trivial; 6 refused: 4 too short, 2 out of reach)".
 *   returns  out; "" where nothing is known
 */
const char *rv_instrumentation_text(const struct rv_wire_instrumentation *instrumentation,
                                    char out[RV_INSTRUMENTATION_BYTES]);

/* Functions that could not be patched, but for the program's entry, which no program could have patched. */
uint64_t rv_instrumentation_n_refused(const struct rv_wire_instrumentation *instrumentation);

#endif
