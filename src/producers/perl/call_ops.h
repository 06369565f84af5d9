/* Reports calls and returns: wraps the ops that enter subroutines, and those that turn loops, where a monitor is served. */
#ifndef RV_PRODUCERS_PERL_CALL_OPS_H
#define RV_PRODUCERS_PERL_CALL_OPS_H

#include <stdbool.h>

#include "producers/perl/perl_api.h"

struct rv_call_ops_params {
    bool has_no_xs;  /* do not report XS subs */
    bool has_lines;  /* report every statement */
    bool is_flagged; /* trace only while a monitor has tracing on */
};

/* Call once per process. Traces code compiled later. */
void rv_call_ops_install(pTHX_ const struct rv_call_ops_params *params);

/* Are calls and lines of the calling thread traced now? */
bool rv_call_ops_is_wanted(void);

#endif
