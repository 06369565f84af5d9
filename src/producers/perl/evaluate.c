/*
 * A string eval in a sub of package DB sees the variables of the first frame outside of that package (perlfunc, eval):
 * Devel/RingViz/Frame.pm has that sub. It runs on a new perl stack, so that nothing leaves it by last or goto; that
 * stack's first frame is made to represent the requested one: its sub at its recursion depth, its statement and its @_.
 */
#include "producers/perl/evaluate.h"

#include <errno.h>

#include "producers/perl/backtrace.h"
#include "producers/perl/value_text.h"

/* Loaded on first use; RingViz.pm knows its path. */
static CV *evaluator(pTHX)
{
    CV *cv = get_cv("DB::ringviz_evaluate", 0);
    if (cv && CvROOT(cv))
        return cv;
    const SV *path = get_sv("Devel::RingViz::Frame", 0);
    if (!path)
        return NULL;
    eval_sv(sv_2mortal(newSVpvf("require $Devel::RingViz::Frame")), G_DISCARD | G_VOID);
    cv = get_cv("DB::ringviz_evaluate", 0);
    return cv && CvROOT(cv) ? cv : NULL;
}

static void set_text(pTHX_ const struct rv_expression *expression)
{
    const HV *stash = CopSTASH(PL_curcop);
    const char *package = stash ? HvNAME(stash) : NULL;
    SV *text = get_sv("DB::ringviz_text", GV_ADD);
    sv_setpvf(text, "package %s;\n#line 1 \"expression\"\n", package ? package : "main");
    sv_catpvn(text, expression->text, expression->n_bytes);
    sv_catpvs(text, "\n;");
    if (is_utf8_string((const U8 *)SvPVX(text), SvCUR(text)))
        SvUTF8_on(text);
}

static void append_output(pTHX_ SV *out)
{
    SV *said = get_sv("DB::ringviz_said", GV_ADD);
    STRLEN n_bytes;
    const char *text = SvPVutf8(said, n_bytes);
    sv_catpvn(out, text, n_bytes);
    if (n_bytes && text[n_bytes - 1] != '\n')
        sv_catpvs(out, "\n");
}

static void show_values(pTHX_ SV *out, SV **values, SSize_t n, unsigned levels)
{
    if (n == 0)
        sv_catpvs(out, "()");
    for (SSize_t i = 0; i < n; i++) {
        if (i > 0)
            sv_catpvs(out, ", ");
        rv_value_text(aTHX_ out, values[i], levels);
    }
}

static void show_error(pTHX_ SV *out, SV *error)
{
    STRLEN n_bytes;
    const char *text = SvPVutf8(error, n_bytes);
    while (n_bytes && text[n_bytes - 1] == '\n')
        n_bytes--;
    sv_catpvn(out, text, n_bytes);
}

/* The sub returns the error, followed by the values. */
static bool call(pTHX_ CV *cv, unsigned levels, SV *out)
{
    dSP;
    PUSHMARK(SP);
    SSize_t n = call_sv((SV *)cv, G_LIST | G_NOARGS | G_EVAL);
    SPAGAIN;
    SV **values = SP - n + 1;
    bool is_fine = n > 0 && !SvTRUE(ERRSV) && !SvTRUE(values[0]);
    append_output(aTHX_ out);
    if (is_fine)
        show_values(aTHX_ out, values + 1, n - 1, levels);
    else
        show_error(aTHX_ out, n > 0 && !SvTRUE(ERRSV) ? values[0] : ERRSV);
    SP -= n;
    PUTBACK;
    return is_fine;
}

static void enter(pTHX_ const struct rv_backtrace_frame *frame)
{
    dSP;
    PERL_CONTEXT *context = Perl_cx_pushblock(aTHX_ CXt_SUB, G_VOID, SP, PL_savestack_ix);
    Perl_cx_pushsub(aTHX_ context, frame->cv, NULL, false);
    CvDEPTH(frame->cv) = frame->depth;
    PL_curcop = (COP *)frame->cop;
    save_generic_svref((SV **)&GvAV(PL_defgv));
    GvAV(PL_defgv) = (AV *)SvREFCNT_inc_simple((SV *)frame->arguments);
}

static void leave(pTHX)
{
    PERL_CONTEXT *context = CX_CUR();
    CX_LEAVE_SCOPE(context);
    Perl_cx_popsub_common(aTHX_ context);
    Perl_cx_popblock(aTHX_ context);
    CX_POP(context);
}

static void leave_stack(pTHX)
{
    POPSTACK;
}

bool rv_evaluate(pTHX_ const struct rv_expression *expression, SV *out)
{
    int saved = errno;
    bool is_fine = false;
    struct rv_backtrace_frame frame;
    if (!rv_backtrace_find(aTHX_ expression->frame, &frame)) {
        sv_catpvf(out, "no frame %u", expression->frame);
        return false;
    }
    dSP;
    PUSHSTACKi(PERLSI_UNKNOWN);
    ENTER;
    SAVETMPS;
    save_scalar(PL_errgv);
    SAVEI32(*(I32 *)&PL_evalseq); /* the program's own evals keep their numbers */
    CV *cv = evaluator(aTHX);
    if (cv) {
        enter(aTHX_ & frame);
        set_text(aTHX_ expression);
        errno = saved;
        is_fine = call(aTHX_ cv, expression->levels, out);
        leave(aTHX);
    } else {
        sv_catpvs(out, "Devel/RingViz/Frame.pm cannot be loaded");
    }
    FREETMPS;
    LEAVE;
    leave_stack(aTHX);
    errno = saved;
    return is_fine;
}
