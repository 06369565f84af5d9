/* The ops that enter subroutines or turn loops, with ours in front of perl's own. */
#ifndef RV_PRODUCERS_PERL_OPS_H
#define RV_PRODUCERS_PERL_OPS_H

#include <stdbool.h>

#include "producers/perl/perl_api.h"

struct rv_ops_params {
    bool has_no_xs;  /* XS subs are not told */
    bool has_lines;  /* every statement is told */
    bool is_flagged; /* only while monitors want the thread traced */
};

/* For the whole process, once. Code that is compiled from now on is traced. */
void rv_ops_install(pTHX_ const struct rv_ops_params *params);

/* Are calls and lines of the calling thread to be told now? */
bool rv_ops_is_wanted(void);

#endif
