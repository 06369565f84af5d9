#include "producers/perl/breaks.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "producers/perl/stack.h"
#include "producers/perl/statements.h"
#include "producers/perl/subs.h"

enum { MOST_BREAKS = 64, WATCH_LEVELS = 3 };

static const char IF[] = " if ";

enum kind { SUB, LINE, WATCH };

struct breakpoint {
    unsigned number;
    enum kind kind;
    char *text;            /* "Package::sub" or "FILE:LINE", with an optional " if EXPR"; or the watched expression */
    const char *condition; /* in `text`: EXPR; NULL: none */
    const char *sub;       /* SUB: in `text`, after the package */
    size_t package_bytes, sub_bytes;
    bool is_entered;   /* SUB: entered: the next statement is its first */
    size_t file_bytes; /* LINE: length of FILE in `text` */
    unsigned long line;
    unsigned depth; /* WATCH: depth of its frame; 0 is the main program */
    const CV *cv;   /* the sub of that frame */
    char *value;    /* WATCH: the last value as text */
};

static _Thread_local struct breakpoint *breaks; /* MOST_BREAKS, allocated with the first */
static _Thread_local unsigned n_breaks, n_entered, last_number;
static _Thread_local unsigned n_steady; /* those to check at every statement */

static bool is_steady(const struct breakpoint *point)
{
    return point->kind != SUB || point->condition;
}

/* ---- what a user writes ---- */

/* "FILE:LINE" of n bytes, where FILE may be any path. */
static bool parse_line(struct breakpoint *point, const char *text, size_t n)
{
    size_t n_digits = 0;
    while (n_digits < n && isdigit((unsigned char)text[n - 1 - n_digits]))
        n_digits++;
    if (!n_digits || n < n_digits + 2 || text[n - n_digits - 1] != ':' || text[n - n_digits - 2] == ':')
        return false;
    point->kind = LINE;
    point->line = strtoul(text + n - n_digits, NULL, 10);
    point->file_bytes = n - n_digits - 1;
    return point->line > 0;
}

static bool is_sub_name(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("_:'", text[i]) && (unsigned char)text[i] < 0x80)
            return false;
    return n > 0 && !isdigit((unsigned char)text[0]);
}

static bool parse_sub(struct breakpoint *point, const char *text, size_t n)
{
    const char *sub = text;
    for (const char *at = text; (at = memmem(at, n - (size_t)(at - text), "::", 2)); at += 2)
        sub = at + 2;
    point->kind = SUB;
    point->package_bytes = sub == text ? 0 : (size_t)(sub - text) - 2;
    point->sub_bytes = n - (size_t)(sub - text);
    return is_sub_name(text, n);
}

static char *join(const char *front, const char *back)
{
    size_t n_bytes = strlen(front) + strlen(back) + 1;
    char *joined = malloc(n_bytes);
    if (joined)
        snprintf(joined, n_bytes, "%s%s", front, back);
    return joined;
}

/* Prefix a sub without a package with "main::". */
static bool keep_text(struct breakpoint *point, const char *text, size_t n_where)
{
    bool is_bare = point->kind == SUB && !point->package_bytes;
    point->text = join(is_bare ? "main::" : "", text);
    if (!point->text)
        return false;
    if (is_bare)
        point->package_bytes = strlen("main");
    point->sub = point->text + point->package_bytes + 2;
    if (text[n_where])
        point->condition = point->text + (is_bare ? strlen("main::") : 0) + n_where + strlen(IF);
    return true;
}

/* Split off the place before " if "; " if " may also be part of a file's name. */
static bool parse(struct breakpoint *point, const char *text)
{
    const char *end = strstr(text, IF), *whole = text + strlen(text);
    for (;; end = strstr(end + 1, IF)) {
        size_t n = (size_t)((end ? end : whole) - text);
        if (parse_line(point, text, n) || parse_sub(point, text, n))
            return keep_text(point, text, n);
        if (!end)
            return false;
    }
}

/* ---- the list ---- */

/* Append its bytes, as UTF-8 if valid. */
static void show(pTHX_ const struct breakpoint *point, SV *out)
{
    sv_catpvf(out, "%u %s", point->number, point->kind == WATCH ? "watch " : "");
    sv_catpv(out, point->text);
}

static void show_line(pTHX_ const struct breakpoint *point, SV *out)
{
    show(aTHX_ point, out);
    sv_catpvs(out, "\n");
}

static void free_point(struct breakpoint *point)
{
    free(point->text);
    free(point->value);
}

static bool has_room(pTHX_ SV *out)
{
    if (!breaks)
        breaks = calloc(MOST_BREAKS, sizeof *breaks);
    bool has_room = breaks && n_breaks < MOST_BREAKS;
    if (!has_room)
        sv_catpvf(out, "at most %d breakpoints", MOST_BREAKS);
    return has_room;
}

static void keep(struct breakpoint *point)
{
    point->number = ++last_number;
    n_steady += is_steady(point);
    breaks[n_breaks++] = *point;
}

static void remove_at(unsigned i)
{
    n_steady -= is_steady(&breaks[i]);
    n_entered -= breaks[i].is_entered;
    free_point(&breaks[i]);
    breaks[i] = breaks[--n_breaks];
}

void rv_breaks_forget(void)
{
    while (n_breaks)
        remove_at(n_breaks - 1);
    free(breaks);
    breaks = NULL;
}

bool rv_breaks_remove(pTHX_ const char *number, SV *out)
{
    if (!*number) {
        rv_breaks_forget();
        return true;
    }
    for (unsigned i = 0; i < n_breaks; i++) {
        if (breaks[i].number != strtoul(number, NULL, 10))
            continue;
        remove_at(i);
        return true;
    }
    sv_catpvf(out, "no breakpoint %s", number);
    return false;
}

void rv_breaks_list(pTHX_ SV *out)
{
    for (unsigned number = 1; number <= last_number; number++)
        for (unsigned i = 0; i < n_breaks; i++)
            if (breaks[i].number == number)
                show_line(aTHX_ & breaks[i], out);
}

/* ---- subs and lines ---- */

static bool is_file(const void *context, const char *file)
{
    const struct breakpoint *point = context;
    size_t n_bytes = file ? strlen(file) : 0;
    if (n_bytes < point->file_bytes)
        return false;
    const char *end = file + n_bytes - point->file_bytes;
    return memcmp(end, point->text, point->file_bytes) == 0 && (end == file || end[-1] == '/');
}

/* A file that is not compiled completely may still get statements. */
static bool can_be_met(pTHX_ const struct breakpoint *point, bool *is_there, SV *out)
{
    if (point->kind == SUB) {
        SV *name = sv_2mortal(newSVpvn_utf8(point->text, point->package_bytes + 2 + point->sub_bytes, true));
        *is_there = get_cvn_flags(SvPVX(name), SvCUR(name), SvUTF8(name)) != NULL;
        return true;
    }
    struct rv_statements_line found = rv_statements_find(aTHX_ is_file, point, point->line);
    *is_there = found.is_statement;
    if (found.is_statement || !found.has_file || rv_statements_are_compiled_now(aTHX))
        return true;
    sv_catpvf(out, "line %lu has no statement", point->line);
    if (found.next)
        sv_catpvf(out, "; the next statement is on line %lu", found.next);
    return false;
}

bool rv_breaks_add(pTHX_ const char *text, SV *out)
{
    struct breakpoint point = {.text = NULL};
    bool is_there;
    if (!has_room(aTHX_ out))
        return false;
    if (!parse(&point, text)) {
        sv_catpvs(out, "give SUB or FILE:LINE, optionally with if EXPR");
        return false;
    }
    if (!can_be_met(aTHX_ & point, &is_there, out)) {
        free_point(&point);
        return false;
    }
    keep(&point);
    show(aTHX_ & point, out);
    if (!is_there)
        sv_catpvs(out, " (not loaded yet)");
    return true;
}

/* ---- watches ---- */

static char *copy_of(const SV *text)
{
    return join("", SvPVX_const(text));
}

/* When a sub has returned, its watches move to its caller. */
static unsigned frame_of(pTHX_ struct breakpoint *point)
{
    unsigned now = rv_stack_depth(aTHX);
    struct rv_stack_frame frame;
    point->depth = point->depth < now ? point->depth : now;
    while (point->depth > 0 && rv_stack_find(aTHX_ now - point->depth, &frame) && frame.cv != point->cv)
        point->depth--;
    return now - point->depth;
}

static SV *value_of(pTHX_ const struct breakpoint *point, unsigned frame, rv_breaks_evaluate_fn *evaluate,
                    bool *is_fine)
{
    SV *value = sv_2mortal(newSVpvs(""));
    SvUTF8_on(value);
    *is_fine = evaluate(aTHX_ & (struct rv_expression){point->text, strlen(point->text), frame, WATCH_LEVELS}, value);
    return value;
}

bool rv_breaks_watch(pTHX_ const char *text, unsigned frame, rv_breaks_evaluate_fn *evaluate, SV *out)
{
    struct rv_stack_frame found;
    bool is_fine;
    if (!has_room(aTHX_ out))
        return false;
    if (!rv_stack_find(aTHX_ frame, &found)) {
        sv_catpvf(out, "no frame %u", frame);
        return false;
    }
    struct breakpoint point = {
        .kind = WATCH, .text = join("", text), .depth = rv_stack_depth(aTHX) - frame, .cv = found.cv};
    SV *value = point.text ? value_of(aTHX_ & point, frame, evaluate, &is_fine) : NULL;
    point.value = value && is_fine ? copy_of(value) : NULL;
    if (!point.value) {
        if (value)
            sv_catsv(out, value);
        free_point(&point);
        return false;
    }
    keep(&point);
    show(aTHX_ & point, out);
    sv_catpvs(out, " = ");
    sv_catpv(out, point.value);
    return true;
}

static bool has_changed(pTHX_ struct breakpoint *point, rv_breaks_evaluate_fn *evaluate, SV *why)
{
    bool is_fine;
    unsigned frame = frame_of(aTHX_ point);
    struct rv_stack_frame found;
    SV *value = value_of(aTHX_ point, frame, evaluate, &is_fine);
    point->cv = rv_stack_find(aTHX_ frame, &found) ? found.cv : NULL;
    if (point->value && strcmp(point->value, SvPVX(value)) == 0)
        return false;
    show(aTHX_ point, why);
    sv_catpvf(why, is_fine ? ": " : ": error: ");
    if (is_fine) {
        sv_catpv(why, point->value ? point->value : "?");
        sv_catpvs(why, " => ");
    }
    sv_catsv(why, value);
    sv_catpvs(why, "\n");
    free(point->value);
    point->value = copy_of(value);
    return true;
}

/* ---- at a statement ---- */

static bool is_key(const HEK *key, const char *text, size_t n_bytes)
{
    return key && (size_t)HEK_LEN(key) == n_bytes && memcmp(HEK_KEY(key), text, n_bytes) == 0;
}

static bool is_sub(const struct breakpoint *point, const struct rv_sub_keys *keys)
{
    return point->kind == SUB && is_key(keys->name, point->sub, point->sub_bytes) &&
           is_key(keys->package, point->text, point->package_bytes);
}

bool rv_breaks_enter(const CV *cv)
{
    struct rv_sub_keys keys = rv_subs_keys(cv);
    for (unsigned i = 0; i < n_breaks; i++) {
        if (!breaks[i].is_entered && is_sub(&breaks[i], &keys)) {
            breaks[i].is_entered = true;
            n_entered++;
        }
    }
    return n_entered > 0;
}

bool rv_breaks_has_any(void)
{
    return n_breaks > 0;
}

bool rv_breaks_wants_statements(void)
{
    return n_steady > 0 || n_entered > 0;
}

static bool is_met(const struct breakpoint *point, const COP *cop)
{
    switch (point->kind) {
    case SUB:
        return point->is_entered;
    case LINE:
        return cop && point->line == CopLINE(cop) && is_file(point, CopFILE(cop));
    case WATCH:
        return cop;
    }
    return false;
}

bool rv_breaks_is_any_met(const COP *cop)
{
    for (unsigned i = 0; i < n_breaks; i++)
        if (is_met(&breaks[i], cop))
            return true;
    return false;
}

/* A condition that dies counts as true. */
static bool holds(pTHX_ const struct breakpoint *point, rv_breaks_evaluate_fn *evaluate, SV *why)
{
    if (!point->condition)
        return true;
    SV *text = sv_2mortal(newSVpvf("(%s\n) ? 1 : 0", point->condition)), *value = sv_2mortal(newSVpvs(""));
    SvUTF8_on(value);
    if (!evaluate(aTHX_ & (struct rv_expression){SvPVX(text), SvCUR(text), 0, 0}, value)) {
        show(aTHX_ point, why);
        sv_catpvs(why, ": error: ");
        sv_catsv(why, value);
        sv_catpvs(why, "\n");
        return true;
    }
    return SvCUR(value) && SvEND(value)[-1] == '1'; /* preceded by its output */
}

bool rv_breaks_are_due(pTHX_ const COP *cop, rv_breaks_evaluate_fn *evaluate, SV *why)
{
    bool are_due = false;
    for (unsigned i = 0; i < n_breaks; i++) {
        struct breakpoint *point = &breaks[i];
        if (!is_met(point, cop))
            continue;
        n_entered -= point->is_entered;
        point->is_entered = false;
        are_due |= point->kind == WATCH ? has_changed(aTHX_ point, evaluate, why) : holds(aTHX_ point, evaluate, why);
    }
    return are_due;
}
