/* perl's context stack has the frames, outermost first, each with its caller's current statement. */
#include "producers/perl/backtrace.h"

#include <stdbool.h>

#include "producers/perl/sub_names.h"
#include "producers/perl/value_text.h"

#define MOST_FRAMES 10000u

/* As for caller() in package DB: shifted arguments are still there unless freed. */
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
        rv_value_text(aTHX_ out, first[i], 0);
    }
    sv_catpvs(out, ")");
}

static void show_place(pTHX_ SV *out, const COP *cop)
{
    sv_catpvs(out, " at ");
    sv_catpv(out, CopFILE(cop) ? CopFILE(cop) : "?"); /* raw bytes */
    sv_catpvf(out, " line %lu", (unsigned long)CopLINE(cop));
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

static CV *cv_of(const PERL_CONTEXT *context)
{
    switch (CxTYPE(context)) {
    case CXt_SUB:
        return context->blk_sub.cv;
    case CXt_FORMAT:
        return context->blk_format.cv;
    default:
        return context->blk_eval.cv;
    }
}

/* Iterates from the innermost frame. */
struct walk {
    const PERL_SI *info;
    I32 next;                    /* of its contexts */
    const PERL_CONTEXT *context; /* NULL: the main program */
    const COP *cop;
    AV *arguments;
};

static void find_frame(struct walk *walk)
{
    for (; walk->info; walk->info = walk->info->si_prev, walk->next = walk->info ? walk->info->si_cxix : -1) {
        while (walk->next >= 0) {
            walk->context = &walk->info->si_cxstack[walk->next--];
            if (is_frame(walk->context))
                return;
        }
    }
    walk->context = NULL;
}

static struct walk begin_walk(pTHX)
{
    struct walk walk = {PL_curstackinfo, PL_curstackinfo->si_cxix, NULL, PL_curcop, GvAV(PL_defgv)};
    find_frame(&walk);
    return walk;
}

/* Go to a frame's caller. */
static void go_out(struct walk *walk)
{
    walk->cop = walk->context->blk_oldcop;
    if (CxTYPE(walk->context) == CXt_SUB && CxHASARGS(walk->context))
        walk->arguments = walk->context->blk_sub.savearray;
    find_frame(walk);
}

static void show_frame(pTHX_ SV *out, const PERL_CONTEXT *context)
{
    if (!context) {
        sv_catpvs(out, "main program");
        return;
    }
    if (is_text_eval(context)) {
        sv_catpv(out, CxOLD_OP_TYPE(context) == OP_ENTEREVAL ? "eval" : "require");
        return;
    }
    SV *name = rv_subs_name(aTHX_ cv_of(context));
    sv_catsv(out, name);
    SvREFCNT_dec_NN(name);
    if (CxTYPE(context) == CXt_SUB && CxHASARGS(context))
        show_arguments(aTHX_ out, context);
}

void rv_backtrace_show(pTHX_ SV *out)
{
    struct walk walk = begin_walk(aTHX);
    for (unsigned n = 0; n < MOST_FRAMES; n++, go_out(&walk)) {
        sv_catpvf(out, "#%u ", n);
        show_frame(aTHX_ out, walk.context);
        show_place(aTHX_ out, walk.cop);
        sv_catpvs(out, "\n");
        if (!walk.context)
            return;
    }
}

unsigned rv_backtrace_depth(pTHX)
{
    unsigned n = 0;
    for (struct walk walk = begin_walk(aTHX); walk.context; go_out(&walk))
        n++;
    return n;
}

bool rv_backtrace_find(pTHX_ unsigned number, struct rv_backtrace_frame *out)
{
    struct walk walk = begin_walk(aTHX);
    for (; number > 0 && walk.context; number--)
        go_out(&walk);
    CV *cv = walk.context ? cv_of(walk.context) : PL_main_cv;
    if (number > 0 || !cv)
        return false;
    bool is_sub = walk.context && CxTYPE(walk.context) == CXt_SUB;
    *out = (struct rv_backtrace_frame){
        .cop = walk.cop,
        .cv = cv,
        .depth = is_sub ? walk.context->blk_sub.olddepth + 1 : CvDEPTH(cv),
        .arguments = walk.arguments,
    };
    return true;
}
