/* perl's context stack holds the frames from the outermost on, and in each the statement that its caller is in. */
#include "producers/perl/stack.h"

#include <stdbool.h>

#include "producers/perl/display.h"
#include "producers/perl/subs.h"

#define MOST_FRAMES 10000u

/* As caller() finds them for package DB: what was shifted off is still there, unless it was freed. */
static void show_arguments(pTHX_ SV *out, const PERL_CONTEXT *context)
{
    const CV *cv = context->blk_sub.cv;
    SV **pad = AvARRAY(PadlistARRAY(CvPADLIST(cv))[context->blk_sub.olddepth + 1]);
    const AV *array = (const AV *)pad[0];
    SV **first = AvALLOC(array);
    SSize_t n = first ? AvARRAY(array) - first + AvFILLp(array) + 1 : 0;
    sv_catpvs(out, "(");
    for (SSize_t i = 0; i < n; i++) {
        if (i > 0)
            sv_catpvs(out, ", ");
        rv_display(aTHX_ out, first[i], 0);
    }
    sv_catpvs(out, ")");
}

static void show_place(pTHX_ SV *out, const COP *cop)
{
    sv_catpvf(out, " at %s line %lu", CopFILE(cop) ? CopFILE(cop) : "?", (unsigned long)CopLINE(cop));
}

static bool is_text_eval(const PERL_CONTEXT *context)
{
    return CxTYPE(context) == CXt_EVAL && (CxOLD_OP_TYPE(context) == OP_ENTEREVAL ||
                                           CxOLD_OP_TYPE(context) == OP_REQUIRE || CxOLD_OP_TYPE(context) == OP_DOFILE);
}

static bool is_frame(const PERL_CONTEXT *context)
{
    bool is_sub = CxTYPE(context) == CXt_SUB || CxTYPE(context) == CXt_FORMAT;
    return (is_sub && !(context->cx_type & CXp_SUB_RE_FAKE)) || is_text_eval(context);
}

static void show_frame(pTHX_ SV *out, const PERL_CONTEXT *context)
{
    if (is_text_eval(context)) {
        sv_catpv(out, CxOLD_OP_TYPE(context) == OP_ENTEREVAL ? "eval" : "require");
        return;
    }
    SV *name = rv_subs_name(aTHX_ context->blk_sub.cv);
    sv_catsv(out, name);
    SvREFCNT_dec_NN(name);
    if (CxTYPE(context) == CXt_SUB && CxHASARGS(context))
        show_arguments(aTHX_ out, context);
}

void rv_stack_show(pTHX_ SV *out)
{
    const COP *cop = PL_curcop;
    unsigned n = 0;
    for (const PERL_SI *info = PL_curstackinfo; info; info = info->si_prev) {
        for (I32 i = info->si_cxix; i >= 0; i--) {
            const PERL_CONTEXT *context = &info->si_cxstack[i];
            if (!is_frame(context))
                continue;
            sv_catpvf(out, "#%u ", n);
            show_frame(aTHX_ out, context);
            show_place(aTHX_ out, cop);
            sv_catpvs(out, "\n");
            if (++n == MOST_FRAMES)
                return;
            cop = context->blk_oldcop;
        }
    }
    sv_catpvf(out, "#%u main program", n);
    show_place(aTHX_ out, cop);
    sv_catpvs(out, "\n");
}
