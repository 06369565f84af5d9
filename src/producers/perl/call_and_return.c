/*
 * A call is reported when its op has run, a return when perl unwinds the entry that the call has pushed on its save
 * stack: by return, running off the end, die, next or last out of the sub, goto &sub, exit. Every way out of a sub
 * unwinds the save stack, so calls and returns always pair.
 */
#include "producers/perl/call_and_return.h"

#include "producers/perl/api.h"
#include "producers/perl/debugger.h"
#include "producers/perl/open_frames.h"
#include "producers/perl/statements.h"
#include "producers/perl/sub_names.h"
#include "producers/perl/event_loop_tasks.h"

static struct rv_call_and_return_params how;
static Perl_ppaddr_t perl_entersub, perl_goto, perl_unstack;
static Perl_ppaddr_t coro_call; /* NULL: not seen yet */
static _Thread_local __attribute__((tls_model("initial-exec"))) const OP *rerun_op;

static const void *const *mainstack_of(pTHX)
{
    return (const void *const *)&PL_mainstack;
}

static void close_frame(pTHX_ void *handle)
{
    rv_open_frames_pop(mainstack_of(aTHX), (rv_frame_handle)PTR2UV(handle));
}

bool rv_call_and_return_is_wanted(void)
{
    return !how.is_flagged || ringviz_is_wanted();
}

static rv_frame_handle open_frame(pTHX_ CV *cv)
{
    if (!rv_call_and_return_is_wanted())
        return 0;
    const uint32_t id = rv_subs_id(aTHX_ cv);
    rv_frame_handle handle = rv_open_frames_push(mainstack_of(aTHX), id, CopLINE(PL_curcop));
    SAVEDESTRUCTOR_X(close_frame, NUM2PTR(void *, handle));
    return handle;
}

/* An op has pushed the context of a sub whose body begins at `start`: that is its call. */
static void open_entered(pTHX_ const OP *start)
{
    const PERL_CONTEXT *context = CX_CUR();
    if (CxTYPE(context) != CXt_SUB || CvSTART(context->blk_sub.cv) != start)
        return;
    if (rv_tasks_are_told)
        rv_tasks_enter(aTHX_ context->blk_sub.cv);
    open_frame(aTHX_ context->blk_sub.cv);
    rv_debugger_entry(aTHX_ context->blk_sub.cv);
}

/* The sub that entersub is about to call, if it can be determined without side effects. */
__attribute__((always_inline)) static inline CV *callee_of(pTHX_ SV *sv)
{
    if (SvROK(sv))
        sv = SvRV(sv);
    else if (SvPOK(sv) && !SvGMAGICAL(sv) && !(PL_op->op_private & HINT_STRICT_REFS))
        return get_cvn_flags(SvPVX(sv), SvCUR(sv), SvUTF8(sv));
    if (SvTYPE(sv) == SVt_PVCV)
        return (CV *)sv;
    return SvTYPE(sv) == SVt_PVGV && isGV_with_GP(sv) ? GvCVu((GV *)sv) : NULL;
}

static OP *run_coro_call(pTHX);

/* A sub has put a function of its own into the op that called it, where ppaddr was. */
static void restore(pTHX_ OP *op, Perl_ppaddr_t ppaddr)
{
    const bool is_run_again = PL_op != op && op->op_ppaddr != PL_ppaddr[OP_ENTERSUB];
    if (is_run_again) {
        coro_call = op->op_ppaddr;
        rerun_op = op;
    }
    op->op_ppaddr = is_run_again ? run_coro_call : ppaddr;
}

/*
 * An XS sub has no context: it runs inside the op. What is left on the save stack for the caller stays above our entry,
 * which is then left there, too: its frame is gone by then, and it does nothing.
 *
 * Class::XSAccessor puts a shorter function of its own into the op that called it: the next call would not be seen, so
 * ours comes back. One that sets PL_op, too, has the op run again by its own function: Coro's, which is called by ours.
 */
static __attribute__((noinline)) OP *run_xsub(pTHX_ CV *cv)
{
    OP *op = PL_op;
    if (rv_tasks_are_told)
        rv_tasks_note(aTHX_ cv, PL_stack_base + TOPMARK + 1, PL_stack_sp - PL_stack_base - TOPMARK - 1);
    I32 floor = PL_savestack_ix;
    rv_frame_handle handle = open_frame(aTHX_ cv);
    I32 top = PL_savestack_ix;
    rv_debugger_entry(aTHX_ cv);
    Perl_ppaddr_t ppaddr = op->op_ppaddr;
    if (ppaddr == run_coro_call)
        op->op_ppaddr = coro_call; /* Coro calls from its own function and from perl's only */
    OP *next = perl_entersub(aTHX);
    rv_open_frames_pop(mainstack_of(aTHX), handle);
    if (rv_tasks_are_told)
        rv_tasks_follow(aTHX);
    if (__builtin_expect(op->op_ppaddr != ppaddr, 0))
        restore(aTHX_ op, ppaddr);
    if (PL_savestack_ix == top)
        PL_savestack_ix = floor;
    return next;
}

/*
 * An op in which Coro has put its own function: that calls what is on the stack as a glob, or else has it called by
 * perl's. Its calls end at once: the time until this coroutine runs again is the other coroutines'.
 */
static OP *run_coro_call(pTHX)
{
    SV *sv = *PL_stack_sp;
    CV *cv = sv && SvTYPE(sv) == SVt_PVGV && isGV_with_GP(sv) ? GvCVu((GV *)sv) : NULL;
    bool is_rerun = rerun_op == PL_op;
    rerun_op = NULL;
    if (cv && CvISXSUB(cv) && !is_rerun && !rv_commands.is_serving) {
        ENTER;
        open_frame(aTHX_ cv);
        LEAVE;
    }
    OP *next = coro_call(aTHX);
    if (rv_tasks_are_told)
        rv_tasks_follow(aTHX);
    return next;
}

static __attribute__((noinline)) OP *run_sub(pTHX)
{
    const OP *next = PL_op->op_next;
    OP *start = perl_entersub(aTHX);
    if (start != next)
        open_entered(aTHX_ start);
    return start;
}

/* Only chooses, by jumps: each kind of call saves the registers that it needs itself. */
static inline OP *run_called(pTHX)
{
    SV *sv = *PL_stack_sp;
    CV *cv = how.has_no_xs || !sv ? NULL : callee_of(aTHX_ sv);
    return cv && CvISXSUB(cv) && !rv_api_has(cv) ? run_xsub(aTHX_ cv) : run_sub(aTHX);
}

static __attribute__((noinline)) OP *run_for_monitor(pTHX)
{
    rv_debugger_poll(aTHX);
    return rv_commands.is_serving ? perl_entersub(aTHX) : run_called(aTHX);
}

static OP *run_entersub(pTHX)
{
    const bool is_monitored = rv_commands_are_there() || rv_commands.is_serving;
    return __builtin_expect(is_monitored, 0) ? run_for_monitor(aTHX) : run_called(aTHX);
}

/* Runs instead of an XS sub that is the target of goto, which has no context of its own. */
static void run_goto_xsub(pTHX_ CV *stand_in)
{
    CV *cv = (CV *)CvXSUBANY(stand_in).any_ptr;
    ENTER;
    open_frame(aTHX_ cv);
    CvXSUB(cv)(aTHX_ cv);
    LEAVE;
}

/* A mortal reference to a CV that replaces and keeps `cv`. */
static SV *stand_in_for(pTHX_ CV *cv)
{
    CV *stand_in = newXS(NULL, run_goto_xsub, __FILE__);
    CvXSUBANY(stand_in).any_ptr = cv;
    sv_magicext((SV *)stand_in, (SV *)cv, PERL_MAGIC_ext, NULL, NULL, 0);
    return sv_2mortal(newRV_noinc((SV *)stand_in));
}

static OP *run_goto(pTHX)
{
    SV *sv = PL_op->op_flags & OPf_STACKED ? *PL_stack_sp : NULL;
    if (rv_commands.is_serving || !sv || !SvROK(sv) || SvTYPE(SvRV(sv)) != SVt_PVCV)
        return perl_goto(aTHX);
    CV *cv = (CV *)SvRV(sv);
    if (!CvISXSUB(cv)) {
        OP *start = perl_goto(aTHX);
        open_entered(aTHX_ start);
        return start;
    }
    if (!how.has_no_xs)
        *PL_stack_sp = stand_in_for(aTHX_ cv);
    return perl_goto(aTHX);
}

/* Runs once per loop turn. */
static OP *run_unstack(pTHX)
{
    rv_debugger_poll(aTHX);
    return perl_unstack(aTHX);
}

static Perl_ppaddr_t replace(int op, Perl_ppaddr_t ours)
{
    Perl_ppaddr_t perls = PL_ppaddr[op];
    PL_ppaddr[op] = ours;
    return perls;
}

void rv_call_and_return_install(pTHX_ const struct rv_call_and_return_params *params)
{
    how = *params;
    perl_entersub = replace(OP_ENTERSUB, run_entersub);
    perl_goto = replace(OP_GOTO, run_goto);
    perl_unstack = replace(OP_UNSTACK, run_unstack);
    rv_statements_install(aTHX_ how.has_lines);
}
