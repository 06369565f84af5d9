/* What a program tells itself: Devel::RingViz::flow() and the like. */
#include "producers/perl/api.h"

#include "producers/perl/event_loop_tasks.h"
#include "ringviz/producer.h"

static uint32_t intern(pTHX_ SV *name)
{
    return ringviz_intern(NULL, SvPVutf8_nolen(name), NULL, 0);
}

static void check(pTHX_ CV *cv, I32 n, I32 n_wanted, const char *usage)
{
    if (n != n_wanted)
        croak_xs_usage(cv, usage);
}

XS_INTERNAL(tell_flow)
{
    dXSARGS;
    static const char *const phases[] = {"begin", "step", "end"};
    check(aTHX_ cv, items, 3, "id, name, 'begin' | 'step' | 'end'");
    const char *phase = SvPV_nolen(ST(2));
    for (unsigned i = 0; i < sizeof phases / sizeof *phases; i++)
        if (strEQ(phase, phases[i])) {
            ringviz_flow((uint64_t)SvUV(ST(0)), intern(aTHX_ ST(1)), (enum ringviz_flow_phase)i);
            XSRETURN_EMPTY;
        }
    croak("Devel::RingViz::flow: %s is not begin, step or end", phase);
}

XS_INTERNAL(begin_task)
{
    dXSARGS;
    check(aTHX_ cv, items, 2, "id, name");
    rv_tasks_begin(aTHX_ (uint64_t)SvUV(ST(0)), intern(aTHX_ ST(1)));
    XSRETURN_EMPTY;
}

XS_INTERNAL(switch_task)
{
    dXSARGS;
    check(aTHX_ cv, items, 1, "id");
    rv_tasks_switch(aTHX_ (uint64_t)SvUV(ST(0)));
    XSRETURN_EMPTY;
}

XS_INTERNAL(end_task)
{
    dXSARGS;
    check(aTHX_ cv, items, 1, "id");
    rv_tasks_end(aTHX_ (uint64_t)SvUV(ST(0)));
    XSRETURN_EMPTY;
}

const char rv_api_mark;

static void define(pTHX_ const char *name, XSUBADDR_t function)
{
    CvXSUBANY(newXS(name, function, __FILE__)).any_ptr = (void *)(uintptr_t)&rv_api_mark;
}

void rv_api_define(pTHX)
{
    define(aTHX_ "Devel::RingViz::flow", tell_flow);
    define(aTHX_ "Devel::RingViz::task_begin", begin_task);
    define(aTHX_ "Devel::RingViz::task_switch", switch_task);
    define(aTHX_ "Devel::RingViz::task_end", end_task);
}
