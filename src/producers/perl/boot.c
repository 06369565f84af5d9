/*
 * XSLoader calls this when Devel::RingViz is loaded. The op tables are global to the process: the first thread installs
 * ours, if there is a trace file to write to.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "producers/perl/api.h"
#include "producers/perl/call_and_return.h"
#include "producers/perl/debugger.h"
#include "producers/perl/open_frames.h"
#include "producers/perl/perl_api.h"
#include "producers/perl/sub_names.h"

static pthread_once_t started = PTHREAD_ONCE_INIT;

static bool is_set_to(const char *name, const char *value)
{
    const char *text = getenv(name);
    return text && strcmp(text, value) == 0;
}

/* The thread's number in threads.pm; tid() is called without an op, which would be traced. */
static void report_thread_number(void)
{
    dTHX;
    CV *tid = get_cv("threads::tid", 0);
    if (!tid || !CvISXSUB(tid) || getenv("DEVEL_RINGBUF_NOTHREADS"))
        return;
    dSP;
    ENTER;
    SAVETMPS;
    PUSHMARK(SP);
    mXPUSHp("threads", strlen("threads"));
    PUTBACK;
    CvXSUB(tid)(aTHX_ tid);
    SPAGAIN;
    ringviz_thread_number((uint32_t)POPu);
    PUTBACK;
    FREETMPS;
    LEAVE;
}

static void on_ring(void)
{
    rv_open_frames_replay();
    rv_commands_on_ring();
}

static void start(void)
{
    dTHX;
    bool keeps_stacks = is_set_to("RINGVIZ_PERL_STACKS", "1");
    struct rv_call_and_return_params params = {
        .has_no_xs = is_set_to("RINGVIZ_PERL_XS", "0"),
        .has_lines = is_set_to("RINGVIZ_PERL_LINES", "1"),
        .is_flagged = keeps_stacks,
    };
    if (!ringviz_is_active())
        return;
    if (keeps_stacks)
        ringviz_keep_stacks();
    rv_open_frames_start(keeps_stacks ? report_thread_number : NULL);
    rv_subs_start(keeps_stacks);
    rv_debugger_start();
    ringviz_on_ring(on_ring);
    rv_call_and_return_install(aTHX_ & params);
}

__attribute__((visibility("default"))) XS_EXTERNAL(boot_Devel__RingViz);

XS_EXTERNAL(boot_Devel__RingViz)
{
    dXSBOOTARGSAPIVERCHK;
    PERL_UNUSED_VAR(items);
    rv_api_define(aTHX);
    pthread_once(&started, start);
    Perl_xs_boot_epilog(aTHX_ ax);
}
