/* Reports calls and returns: wraps the ops that enter subroutines, and those that turn loops, where a monitor is
 * served. */
#ifndef RV_PRODUCERS_PERL_CALL_AND_RETURN_H
#define RV_PRODUCERS_PERL_CALL_AND_RETURN_H

#include <stdbool.h>

#include "producers/perl/perl_api.h"

struct rv_call_and_return_params {
    bool has_no_xs;  /* do not report XS subs */
    bool has_lines;  /* report every statement */
    bool is_flagged; /* trace only while a monitor has tracing on */
};

/* Call once per process. Traces code compiled later. */
void rv_call_and_return_install(pTHX_ const struct rv_call_and_return_params *params);

/* Are calls and lines of the calling thread traced now? */
bool rv_call_and_return_is_wanted(void);

#endif
