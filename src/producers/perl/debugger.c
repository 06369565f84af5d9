#include "producers/perl/debugger.h"

#include "producers/perl/backtrace.h"
#include "producers/perl/breakpoints.h"
#include "producers/perl/evaluate.h"
#include "producers/perl/open_frames.h"
#include "producers/perl/statements.h"

_Thread_local struct rv_debugger rv_debugger;

static _Thread_local uint32_t n_frames; /* NEXT: stop at this many open frames; FINISH: at fewer */

/* ---- what it wants to see ---- */

static void want(void)
{
    dTHX;
    bool wants_statements = rv_commands.pace != RV_COMMANDS_RUN || rv_breakpoints_wants_statements();
    if (wants_statements && !rv_debugger.wants_statements)
        rv_statements_begin();
    else if (!wants_statements && rv_debugger.wants_statements)
        rv_statements_end();
    rv_debugger.wants_statements = wants_statements;
    rv_debugger.wants_entries = wants_statements || rv_breakpoints_has_any();
    if (wants_statements)
        rv_statements_on_stack(aTHX);
}

static void go_on(void)
{
    n_frames = rv_open_frames.n;
    want();
}

static const char *why_not(enum rv_commands_pace pace)
{
    dTHX;
    if (pace == RV_COMMANDS_FINISH && rv_open_frames.n == 0)
        return "it is in no subroutine";
    return pace == RV_COMMANDS_START && PL_phase >= PERL_PHASE_RUN ? "its main program has already begun" : NULL;
}

/* ---- answers ---- */

static void append(pTHX_ struct rv_text *out, SV *text)
{
    STRLEN n_bytes;
    const char *bytes = SvPVutf8(text, n_bytes);
    rv_text_add(out, bytes, n_bytes);
}

static SV *new_text(pTHX)
{
    SV *text = sv_2mortal(newSVpvs(""));
    SvUTF8_on(text);
    return text;
}

static bool evaluate(const struct rv_expression *expression, struct rv_text *out)
{
    dTHX;
    ENTER;
    SAVETMPS;
    SV *text = new_text(aTHX);
    bool is_fine = rv_evaluate(aTHX_ expression, text);
    append(aTHX_ out, text);
    FREETMPS;
    LEAVE;
    return is_fine;
}

static void show_stack(struct rv_text *out)
{
    dTHX;
    ENTER;
    SAVETMPS;
    SV *text = new_text(aTHX);
    rv_backtrace_show(aTHX_ text);
    append(aTHX_ out, text);
    FREETMPS;
    LEAVE;
}

static bool add_breakpoint(const char *text, struct rv_text *out)
{
    dTHX;
    return rv_breakpoints_add(aTHX_ text, out);
}

static bool watch(const char *text, unsigned frame, struct rv_text *out)
{
    dTHX;
    return rv_breakpoints_watch(aTHX_ text, frame, out);
}

/* ---- stopping ---- */

static void end_serving(pTHX_ void *unused)
{
    PERL_UNUSED_CONTEXT;
    PERL_UNUSED_VAR(unused);
    rv_commands_end();
}

static void protect(void (*body)(const void *context), const void *context)
{
    dTHX;
    ENTER;
    SAVEDESTRUCTOR_X(end_serving, NULL);
    body(context);
    LEAVE;
}

static const struct rv_commands_runtime runtime = {
    .evaluate = evaluate,
    .show_stack = show_stack,
    .why_not = why_not,
    .go_on = go_on,
    .want = want,
    .add_breakpoint = add_breakpoint,
    .watch = watch,
    .protect = protect,
};

void rv_debugger_serve(pTHX)
{
    if (!rv_commands.is_serving && PL_phase == PERL_PHASE_DESTRUCT)
        rv_commands_mute();
    else if (rv_commands_serve())
        croak("given up");
}

static void stop(pTHX)
{
    if (PL_phase != PERL_PHASE_DESTRUCT)
        rv_commands_stop();
}

static bool is_due(pTHX)
{
    switch (rv_commands.pace) {
    case RV_COMMANDS_RUN:
        return false;
    case RV_COMMANDS_STEP:
        return true;
    case RV_COMMANDS_NEXT:
        return rv_open_frames.n <= n_frames;
    case RV_COMMANDS_FINISH:
        return rv_open_frames.n < n_frames;
    case RV_COMMANDS_START:
        return PL_phase >= PERL_PHASE_RUN;
    }
    return false;
}

static bool are_due(const void *cop, struct rv_text *why)
{
    dTHX;
    return rv_breakpoints_are_due(aTHX_ cop, why);
}

void rv_debugger_stop_at_statement(pTHX)
{
    bool is_break = rv_breakpoints_is_any_met(PL_curcop) && rv_commands_look_at_breakpoints(are_due, PL_curcop);
    if (is_break || is_due(aTHX))
        stop(aTHX);
}

void rv_debugger_look_at_entry(pTHX_ const CV *cv)
{
    bool is_break = rv_breakpoints_enter(cv);
    if (is_break && CvISXSUB(cv)) { /* XS subs have no statements */
        if (rv_commands_look_at_breakpoints(are_due, NULL))
            stop(aTHX);
    } else if (is_break) {
        want();
    }
    if (rv_commands.pace == RV_COMMANDS_STEP || rv_breakpoints_wants_statements())
        rv_statements_enter(cv);
}

/* ---- threads ---- */

static void end_thread(void)
{
    if (rv_debugger.wants_statements)
        rv_statements_end();
    rv_debugger = (struct rv_debugger){0};
}

void rv_debugger_start(void)
{
    rv_breakpoints_start();
    rv_commands_start(&runtime, end_thread);
}
