/*
 * Threads share ops, and thus our wrapped ones: when no thread wants statements any more, each wrapped op restores
 * perl's function the next time it runs.
 */
#include "producers/perl/statements.h"

#include <stdlib.h>
#include <string.h>

#include "producers/perl/call_and_return.h"
#include "producers/perl/debugger.h"
#include "producers/perl/sub_names.h"
#include "ringviz/producer.h"

#define N_KNOWN 256u

static bool tells_lines;
static Perl_ppaddr_t perl_nextstate, perl_dbstate;
static uint32_t n_wanting;  /* [atomic] threads that want statements */
static uint32_t generation; /* [atomic] bumped whenever a thread begins to */

/* Roots of ops wrapped since: a newer sub at a reused address was compiled since then, and is wrapped. */
static _Thread_local struct known {
    const OP *root;
    uint32_t generation;
} * known; /* N_KNOWN of them, while it wants statements */

static void tell_line(const COP *statement)
{
    if (CopFILE(statement))
        ringviz_line_in(CopFILE(statement), CopLINE(statement));
    else
        ringviz_line(CopLINE(statement));
}

static void run_ours(pTHX_ Perl_ppaddr_t perls)
{
    if (tells_lines && !rv_commands.is_serving && rv_call_and_return_is_wanted())
        tell_line((const COP *)PL_op);
    if (!tells_lines && !__atomic_load_n(&n_wanting, __ATOMIC_RELAXED))
        PL_op->op_ppaddr = perls;
}

static OP *run_nextstate(pTHX)
{
    run_ours(aTHX_ perl_nextstate);
    OP *next = perl_nextstate(aTHX);
    rv_debugger_statement(aTHX);
    return next;
}

static OP *run_dbstate(pTHX)
{
    run_ours(aTHX_ perl_dbstate);
    OP *next = perl_dbstate(aTHX);
    rv_debugger_statement(aTHX);
    return next;
}

static void compile_as(Perl_ppaddr_t nextstate, Perl_ppaddr_t dbstate)
{
    PL_ppaddr[OP_NEXTSTATE] = nextstate;
    PL_ppaddr[OP_DBSTATE] = dbstate;
}

void rv_statements_install(pTHX_ bool has_lines)
{
    PERL_UNUSED_CONTEXT;
    tells_lines = has_lines;
    perl_nextstate = PL_ppaddr[OP_NEXTSTATE];
    perl_dbstate = PL_ppaddr[OP_DBSTATE];
    if (has_lines)
        compile_as(run_nextstate, run_dbstate);
}

typedef void visit_fn(OP *op, void *context);

static OP *after(OP *op, const OP *root)
{
    while (op != root && !OpHAS_SIBLING(op))
        op = op->op_sibparent;
    return op == root ? NULL : OpSIBLING(op);
}

static void visit(OP *root, visit_fn *each, void *context)
{
    for (OP *op = root; op;) {
        if (op->op_type == OP_NEXTSTATE || op->op_type == OP_DBSTATE)
            each(op, context);
        if (op->op_type == OP_SUBST && cPMOPx(op)->op_pmreplrootu.op_pmreplroot)
            visit(cPMOPx(op)->op_pmreplrootu.op_pmreplroot, each, context); /* of s///e: no child of its op */
        op = op->op_flags & OPf_KIDS && cUNOPx(op)->op_first ? cUNOPx(op)->op_first : after(op, root);
    }
}

/* Ops replaced by others are kept. */
static void make_ours(OP *op, void *unused)
{
    PERL_UNUSED_VAR(unused);
    if (op->op_type == OP_NEXTSTATE && op->op_ppaddr == perl_nextstate)
        op->op_ppaddr = run_nextstate;
    else if (op->op_type == OP_DBSTATE && op->op_ppaddr == perl_dbstate)
        op->op_ppaddr = run_dbstate;
}

static void make_all_ours(OP *root)
{
    visit(root, make_ours, NULL);
}

static bool is_text_eval(const PERL_CONTEXT *context)
{
    return CxOLD_OP_TYPE(context) == OP_ENTEREVAL || CxOLD_OP_TYPE(context) == OP_REQUIRE ||
           CxOLD_OP_TYPE(context) == OP_DOFILE;
}

static void make_frame_ours(const PERL_CONTEXT *context)
{
    switch (CxTYPE(context)) {
    case CXt_SUB:
    case CXt_FORMAT:
        rv_statements_enter(context->blk_sub.cv);
        break;
    case CXt_EVAL:
        if (is_text_eval(context))
            make_all_ours(context->blk_eval.old_eval_root);
        break;
    default:
        break;
    }
}

void rv_statements_on_stack(pTHX)
{
    if (tells_lines)
        return;
    make_all_ours(PL_main_root);
    make_all_ours(PL_eval_root);
    for (const PERL_SI *info = PL_curstackinfo; info; info = info->si_prev)
        for (I32 i = info->si_cxix; i >= 0; i--)
            make_frame_ours(&info->si_cxstack[i]);
}

void rv_statements_enter(const CV *cv)
{
    if (tells_lines || CvISXSUB(cv) || !CvROOT(cv))
        return;
    struct known *place = known ? &known[(PTR2UV(CvROOT(cv)) >> 4) % N_KNOWN] : NULL;
    uint32_t now = __atomic_load_n(&generation, __ATOMIC_RELAXED);
    if (place && place->root == CvROOT(cv) && place->generation == now)
        return;
    make_all_ours(CvROOT(cv));
    if (place)
        *place = (struct known){CvROOT(cv), now};
}

void rv_statements_begin(void)
{
    if (tells_lines)
        return;
    __atomic_fetch_add(&n_wanting, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
    compile_as(run_nextstate, run_dbstate);
    known = calloc(N_KNOWN, sizeof *known);
}

void rv_statements_end(void)
{
    if (tells_lines)
        return;
    if (__atomic_fetch_sub(&n_wanting, 1, __ATOMIC_RELAXED) == 1)
        compile_as(perl_nextstate, perl_dbstate);
    if (__atomic_load_n(&n_wanting, __ATOMIC_RELAXED)) /* another thread has begun meanwhile */
        compile_as(run_nextstate, run_dbstate);
    free(known);
    known = NULL;
}

/* ---- which there are ---- */

struct search {
    rv_statements_is_file_fn *is_file;
    const void *context;
    unsigned long line;
    struct rv_statements_line found;
    const OP *roots[N_KNOWN]; /* of recently visited subs: closures share theirs */
};

static void look_at(OP *op, void *context)
{
    struct search *search = context;
    const COP *cop = (const COP *)op;
    unsigned long line = CopLINE(cop);
    if (!search->is_file(search->context, CopFILE(cop)))
        return;
    search->found.has_file = true;
    search->found.is_statement |= line == search->line;
    if (line > search->line && (!search->found.next || line < search->found.next))
        search->found.next = line;
}

static void look_at_sub(struct search *search, const CV *cv)
{
    if (CvISXSUB(cv) || !CvROOT(cv))
        return;
    const OP **place = &search->roots[(PTR2UV(CvROOT(cv)) >> 4) % N_KNOWN];
    if (*place == CvROOT(cv))
        return;
    visit(CvROOT(cv), look_at, search);
    *place = CvROOT(cv);
}

static void look_at_stack(pTHX_ struct search *search)
{
    for (const PERL_SI *info = PL_curstackinfo; info; info = info->si_prev)
        for (I32 i = info->si_cxix; i >= 0; i--)
            if (CxTYPE(&info->si_cxstack[i]) == CXt_EVAL && is_text_eval(&info->si_cxstack[i]))
                visit(info->si_cxstack[i].blk_eval.old_eval_root, look_at, search);
}

/* All subs, with anonymous ones, are in the interpreter's arenas. */
struct rv_statements_line rv_statements_find(pTHX_ rv_statements_is_file_fn *is_file, const void *context,
                                             unsigned long line)
{
    struct search search = {.is_file = is_file, .context = context, .line = line};
    visit(PL_main_root, look_at, &search);
    visit(PL_eval_root, look_at, &search);
    look_at_stack(aTHX_ & search);
    for (const SV *arena = PL_sv_arenaroot; arena; arena = (const SV *)SvANY(arena))
        for (const SV *value = arena + 1; value < arena + SvREFCNT(arena); value++)
            if (SvTYPE(value) == SVt_PVCV && SvREFCNT(value))
                look_at_sub(&search, (const CV *)value);
    return search.found;
}

static bool is_begin(const CV *cv)
{
    static const char name[] = "BEGIN";
    struct rv_sub_keys keys = rv_subs_keys(cv);
    return keys.name && HEK_LEN(keys.name) == sizeof name - 1 && memcmp(HEK_KEY(keys.name), name, sizeof name - 1) == 0;
}

bool rv_statements_are_compiled_now(pTHX)
{
    if (PL_phase == PERL_PHASE_START)
        return true;
    for (const PERL_SI *info = PL_curstackinfo; info; info = info->si_prev)
        for (I32 i = info->si_cxix; i >= 0; i--)
            if (CxTYPE(&info->si_cxstack[i]) == CXt_SUB && is_begin(info->si_cxstack[i].blk_sub.cv))
                return true;
    return false;
}
