/*
 * What XSLoader calls when Devel::RingViz is loaded. The ops are perl's tables for the whole process: whichever thread
 * comes first installs ours, where there is a trace file to write to.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "producers/perl/frames.h"
#include "producers/perl/ops.h"
#include "producers/perl/perl_api.h"
#include "producers/perl/subs.h"

static pthread_once_t started = PTHREAD_ONCE_INIT;

static bool is_set_to(const char *name, const char *value)
{
    const char *text = getenv(name);
    return text && strcmp(text, value) == 0;
}

static void start(void)
{
    struct rv_ops_params params = {
        .has_no_xs = is_set_to("RINGVIZ_PERL_XS", "0"),
        .has_lines = is_set_to("RINGVIZ_PERL_LINES", "1"),
    };
    if (!ringviz_is_active())
        return;
    rv_frames_start();
    rv_subs_start();
    ringviz_on_ring(rv_frames_replay);
    rv_ops_install(&params);
}

__attribute__((visibility("default"))) XS_EXTERNAL(boot_Devel__RingViz);

XS_EXTERNAL(boot_Devel__RingViz)
{
    dXSBOOTARGSAPIVERCHK;
    PERL_UNUSED_VAR(items);
    pthread_once(&started, start);
    Perl_xs_boot_epilog(aTHX_ ax);
}
