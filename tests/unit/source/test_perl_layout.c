/* The offsets of the perl that is installed, by its own headers, against the table; 77 where the table does not have
 * it. */
#define PERL_NO_GET_CONTEXT
#include <EXTERN.h>
#include <perl.h>

#include <stdio.h>
#include <string.h>

#include "source/perl_layout.h"

static int n_wrong;

static void check(const char *what, size_t table, size_t header)
{
    if (table == header)
        return;
    fprintf(stderr, "%s: the table has %zu, perl's headers %zu\n", what, table, header);
    n_wrong++;
}

#define AT(table, type, member) check(#table, layout->table, offsetof(type, member))
#define IS(table, value) check(#table, layout->table, (size_t)(value))

static void check_stack(const struct rv_perl_layout *layout)
{
    AT(interpreter.curcop, struct interpreter, Icurcop);
    AT(interpreter.curstackinfo, struct interpreter, Icurstackinfo);
    AT(interpreter.patchlevel, struct interpreter, Ipatchlevel);
    AT(stackinfo.contexts, PERL_SI, si_cxstack);
    AT(stackinfo.previous, PERL_SI, si_prev);
    AT(stackinfo.last, PERL_SI, si_cxix);
    IS(context.bytes, sizeof(PERL_CONTEXT));
    AT(context.sub, PERL_CONTEXT, cx_u.cx_blk.blk_u.blku_sub.cv);
    IS(context.type_mask, CXTYPEMASK);
    IS(context.type_sub, CXt_SUB);
    IS(context.type_format, CXt_FORMAT);
    IS(context.fake, CXp_SUB_RE_FAKE);
    AT(cop.line, COP, cop_line);
    AT(cop.file, COP, cop_file);
    IS(op.nextstate, OP_NEXTSTATE);
    IS(op.dbstate, OP_DBSTATE);
}

static void check_names(const struct rv_perl_layout *layout)
{
    AT(sv.any, SV, sv_any);
    AT(sv.flags, SV, sv_flags);
    AT(sv.value, SV, sv_u);
    IS(sv.is_reference, SVf_ROK);
    AT(cv.stash, XPVCV, xcv_stash);
    AT(cv.start, XPVCV, xcv_start_u);
    AT(cv.gv, XPVCV, xcv_gv_u);
    AT(cv.file, XPVCV, xcv_file);
    AT(cv.flags, XPVCV, xcv_flags);
    IS(cv.is_named, CVf_NAMED);
    IS(cv.is_xsub, CVf_ISXSUB);
    AT(gv.name, XPVGV, xiv_u.xivu_namehek);
    AT(gv.stash, XPVGV, xnv_u.xgv_stash);
    AT(hv.last_slot, XPVHV, xhv_max);
    AT(hv.name, struct xpvhv_with_aux, xhv_aux.xhv_name_u);
    AT(hv.n_names, struct xpvhv_with_aux, xhv_aux.xhv_name_count);
    AT(he.next, HE, hent_next);
    AT(he.key, HE, hent_hek);
    AT(he.value, HE, he_valu);
    AT(hek.length, HEK, hek_len);
    AT(hek.key, HEK, hek_key);
    IS(hek.is_utf8, HVhek_UTF8);
}

/* A bit-field has no offset: where its bits are when they are all set. */
static void check_type(const struct rv_perl_layout *layout)
{
    OP op;
    uint16_t bits;
    memset(&op, 0, sizeof op);
    op.op_type = 0x1ff;
    memcpy(&bits, (const char *)&op + layout->op.type, sizeof bits);
    check("op.type_mask", layout->op.type_mask, bits);
}

int main(void)
{
    for (size_t i = 0; i < RV_PERL_N_LAYOUTS; i++) {
        const struct rv_perl_layout *layout = &RV_PERL_LAYOUTS[i];
        if (strncmp("v" PERL_VERSION_STRING, layout->version, strlen(layout->version)) != 0 ||
            layout->interpreter_bytes != sizeof(struct interpreter))
            continue;
        check_stack(layout);
        check_names(layout);
        check_type(layout);
        return n_wrong > 0;
    }
    return 77;
}
