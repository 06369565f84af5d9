/* The offsets of the installed perl, by its own headers, compared with the table, and with what is learned from
 * them; 77 where the table does not have it. */
#define PERL_NO_GET_CONTEXT
#include <EXTERN.h>
#include <perl.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import/perl_layout.h"

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
    AT(interpreter.modglobal, struct interpreter, Imodglobal);
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
    AT(sv.integer, XPVIV, xiv_u);
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

/* What the headers are found to say without being included. */
static void check_learned(const struct rv_perl_layout *layout)
{
    struct rv_perl_layout learned = {.revision = layout->revision, .version = layout->version};
    check("learned from headers", 0, (size_t)-rv_perl_layout_from_headers(&learned, PERL_HEADERS, false));
    check("the same", 0, (size_t)(memcmp(&learned, layout, sizeof learned) != 0));
    check("no headers", ENOENT, (size_t)-rv_perl_layout_from_headers(&learned, "/nonexistent", false));
    check("no DWARF", ENOENT, (size_t)-rv_perl_layout_from_dwarf(&learned, "/bin/true"));
}

int main(void)
{
    const struct rv_perl_layout *layout = &RV_PERL_LAYOUT_5_36;
    if (PERL_VERSION != layout->version || layout->interpreter_bytes != sizeof(struct interpreter))
        return 77;
    check_stack(layout);
    check_names(layout);
    check_type(layout);
    check_learned(layout);
    return n_wrong > 0;
}
