#include "producers/perl/breakpoints.h"

#include <ctype.h>
#include <string.h>

#include "producers/commands/breakpoint_list.h"
#include "producers/perl/backtrace.h"
#include "producers/perl/statements.h"
#include "producers/perl/sub_names.h"

static _Thread_local unsigned n_entered; /* whose sub was entered: the next statement is its first */
static _Thread_local unsigned n_steady;  /* those to check at every statement */

static bool is_steady(const struct rv_breakpoint *point)
{
    return point->kind != RV_BREAKPOINT_SUB || point->condition;
}

static void count(struct rv_breakpoint *point, bool is_removed)
{
    n_steady += is_removed ? 0u - is_steady(point) : is_steady(point);
    n_entered -= is_removed && point->is_entered;
}

static bool is_sub_name(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("_:'", text[i]) && (unsigned char)text[i] < 0x80)
            return false;
    return n > 0 && !isdigit((unsigned char)text[0]);
}

/* A sub without a package is one of main. */
static bool parse_sub(struct rv_breakpoint *point, const char *text, size_t n)
{
    static const char main_package[] = "main::";
    const char *sub = text;
    for (const char *at = text; (at = memmem(at, n - (size_t)(at - text), "::", 2)); at += 2)
        sub = at + 2;
    point->kind = RV_BREAKPOINT_SUB;
    point->prefix = sub == text ? main_package : NULL;
    point->sub_at = sub == text ? strlen(main_package) : (size_t)(sub - text);
    point->package_bytes = point->sub_at - 2;
    point->sub_bytes = n - (size_t)(sub - text);
    return is_sub_name(text, n);
}

/* ---- subs and lines ---- */

static bool is_file(const void *context, const char *file)
{
    return rv_breakpoint_list_is_file(context, file);
}

/* A file that is not compiled completely may still get statements. */
static bool can_be_met(pTHX_ const struct rv_breakpoint *point, bool *is_there, struct rv_text *out)
{
    if (point->kind == RV_BREAKPOINT_SUB) {
        SV *name = newSVpvn_utf8(point->text, point->sub_at + point->sub_bytes, true);
        *is_there = get_cvn_flags(SvPVX(name), SvCUR(name), SvUTF8(name)) != NULL;
        SvREFCNT_dec_NN(name);
        return true;
    }
    struct rv_statements_line found = rv_statements_find(aTHX_ is_file, point, point->line);
    *is_there = found.is_statement;
    if (found.is_statement || !found.has_file || rv_statements_are_compiled_now(aTHX))
        return true;
    rv_text_addf(out, "line %lu has no statement", point->line);
    if (found.next)
        rv_text_addf(out, "; the next statement is on line %lu", found.next);
    return false;
}

bool rv_breakpoints_add(pTHX_ const char *text, struct rv_text *out)
{
    struct rv_breakpoint point = {.text = NULL};
    bool is_there;
    if (!rv_breakpoint_list_has_room(out))
        return false;
    if (!rv_breakpoint_list_parse(&point, text, parse_sub)) {
        rv_text_addf(out, "give SUB or FILE:LINE, optionally with if EXPR");
        return false;
    }
    if (!can_be_met(aTHX_ & point, &is_there, out)) {
        rv_breakpoint_list_free(&point);
        return false;
    }
    rv_breakpoint_list_keep(&point, out);
    if (!is_there)
        rv_text_addf(out, " (not loaded yet)");
    return true;
}

/* ---- watches ---- */

/* When a sub has returned, its watches move to its caller. */
static unsigned frame_of(pTHX_ struct rv_breakpoint *point)
{
    unsigned now = rv_backtrace_depth(aTHX);
    struct rv_backtrace_frame frame;
    point->depth = point->depth < now ? point->depth : now;
    while (point->depth > 0 && rv_backtrace_find(aTHX_ now - point->depth, &frame) && frame.cv != point->owner)
        point->depth--;
    return now - point->depth;
}

bool rv_breakpoints_watch(pTHX_ const char *text, unsigned frame, struct rv_text *out)
{
    struct rv_backtrace_frame found;
    if (!rv_breakpoint_list_has_room(out))
        return false;
    if (!rv_backtrace_find(aTHX_ frame, &found)) {
        rv_text_addf(out, "no frame %u", frame);
        return false;
    }
    struct rv_breakpoint point = {.depth = rv_backtrace_depth(aTHX) - frame, .owner = found.cv};
    return rv_breakpoint_list_watch(&point, text, frame, out);
}

static bool has_changed(pTHX_ struct rv_breakpoint *point, struct rv_text *why)
{
    unsigned frame = frame_of(aTHX_ point);
    struct rv_backtrace_frame found;
    bool has_changed = rv_breakpoint_list_has_changed(point, frame, why);
    point->owner = rv_backtrace_find(aTHX_ frame, &found) ? found.cv : NULL;
    return has_changed;
}

/* ---- at a statement ---- */

static bool is_key(const HEK *key, const char *text, size_t n_bytes)
{
    return key && (size_t)HEK_LEN(key) == n_bytes && memcmp(HEK_KEY(key), text, n_bytes) == 0;
}

static bool is_sub(const struct rv_breakpoint *point, const struct rv_sub_keys *keys)
{
    return point->kind == RV_BREAKPOINT_SUB && is_key(keys->name, point->text + point->sub_at, point->sub_bytes) &&
           is_key(keys->package, point->text, point->package_bytes);
}

bool rv_breakpoints_enter(const CV *cv)
{
    struct rv_sub_keys keys = rv_subs_keys(cv);
    for (unsigned i = 0; i < rv_breakpoint_list.n; i++) {
        struct rv_breakpoint *point = &rv_breakpoint_list.points[i];
        if (!point->is_entered && is_sub(point, &keys)) {
            point->is_entered = true;
            n_entered++;
        }
    }
    return n_entered > 0;
}

bool rv_breakpoints_has_any(void)
{
    return rv_breakpoint_list.n > 0;
}

bool rv_breakpoints_wants_statements(void)
{
    return n_steady > 0 || n_entered > 0;
}

static bool is_met(const struct rv_breakpoint *point, const COP *cop)
{
    switch (point->kind) {
    case RV_BREAKPOINT_SUB:
        return point->is_entered;
    case RV_BREAKPOINT_LINE:
        return cop && point->line == CopLINE(cop) && rv_breakpoint_list_is_file(point, CopFILE(cop));
    case RV_BREAKPOINT_WATCH:
        return cop;
    case RV_BREAKPOINT_RAISE: /* no name of Perl's */
        break;
    }
    return false;
}

bool rv_breakpoints_is_any_met(const COP *cop)
{
    for (unsigned i = 0; i < rv_breakpoint_list.n; i++)
        if (is_met(&rv_breakpoint_list.points[i], cop))
            return true;
    return false;
}

bool rv_breakpoints_are_due(pTHX_ const COP *cop, struct rv_text *why)
{
    bool are_due = false;
    for (unsigned i = 0; i < rv_breakpoint_list.n; i++) {
        struct rv_breakpoint *point = &rv_breakpoint_list.points[i];
        if (!is_met(point, cop))
            continue;
        n_entered -= point->is_entered;
        point->is_entered = false;
        are_due |=
            point->kind == RV_BREAKPOINT_WATCH ? has_changed(aTHX_ point, why) : rv_breakpoint_list_holds(point, why);
    }
    return are_due;
}

void rv_breakpoints_start(void)
{
    rv_breakpoint_list_start(count);
}
