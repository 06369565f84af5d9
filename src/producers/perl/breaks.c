#include "producers/perl/breaks.h"

#include <stdlib.h>
#include <string.h>

#include "producers/perl/subs.h"

enum { MOST_BREAKS = 64 };

struct breakpoint {
    unsigned number;
    char *where;     /* as it was given; "main::" before a sub without a package */
    const char *sub; /* in `where`, behind the package; NULL: a line */
    size_t package_bytes, sub_bytes;
    size_t file_bytes; /* of `where` */
    unsigned long line;
};

static _Thread_local struct breakpoint *breaks; /* room for MOST_BREAKS, once there is one */
static _Thread_local unsigned n_breaks, n_lines, last_number;

static bool parse_line(struct breakpoint *point)
{
    const char *colon = strrchr(point->where, ':');
    char *end;
    if (!colon || colon == point->where || colon[-1] == ':' || colon[1] < '0' || colon[1] > '9')
        return false;
    point->line = strtoul(colon + 1, &end, 10);
    point->file_bytes = (size_t)(colon - point->where);
    return *end == '\0' && point->line > 0;
}

static void parse_sub(struct breakpoint *point)
{
    const char *sub = point->where;
    for (const char *at = sub; (at = strstr(at, "::")); at += 2)
        sub = at + 2;
    point->sub = sub;
    point->sub_bytes = strlen(sub);
    point->package_bytes = (size_t)(sub - point->where) - 2;
}

static char *join(const char *front, const char *back)
{
    size_t n_bytes = strlen(front) + strlen(back) + 1;
    char *joined = malloc(n_bytes);
    if (joined)
        snprintf(joined, n_bytes, "%s%s", front, back);
    return joined;
}

static bool parse(struct breakpoint *point, const char *where)
{
    point->where = join("", where);
    if (point->where && parse_line(point))
        return true;
    free(point->where);
    point->where = join(strstr(where, "::") ? "" : "main::", where);
    if (point->where)
        parse_sub(point);
    return point->where;
}

static void show(pTHX_ const struct breakpoint *point, SV *out)
{
    sv_catpvf(out, "%u %s", point->number, point->where);
    if (point->sub && !get_cv(point->where, 0))
        sv_catpvs(out, " (not there yet)");
    sv_catpvs(out, "\n");
}

static bool has_room(void)
{
    if (!breaks)
        breaks = calloc(MOST_BREAKS, sizeof *breaks);
    return breaks && n_breaks < MOST_BREAKS;
}

bool rv_breaks_add(pTHX_ const char *where, SV *out)
{
    struct breakpoint point = {.number = last_number + 1};
    if (!*where || strchr(where, ' ')) {
        sv_catpvs(out, "give SUB or FILE:LINE");
        return false;
    }
    if (!has_room() || !parse(&point, where)) {
        sv_catpvf(out, "no more than %d breakpoints", MOST_BREAKS);
        return false;
    }
    last_number++;
    n_lines += !point.sub;
    breaks[n_breaks++] = point;
    show(aTHX_ & point, out);
    return true;
}

static void remove_at(unsigned i)
{
    n_lines -= !breaks[i].sub;
    free(breaks[i].where);
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
                show(aTHX_ & breaks[i], out);
}

bool rv_breaks_has_any(void)
{
    return n_breaks > 0;
}

bool rv_breaks_has_lines(void)
{
    return n_lines > 0;
}

static bool is_key(const HEK *key, const char *text, size_t n_bytes)
{
    return key && (size_t)HEK_LEN(key) == n_bytes && memcmp(HEK_KEY(key), text, n_bytes) == 0;
}

static bool is_sub(const struct breakpoint *point, const struct rv_sub_keys *keys)
{
    return point->sub && is_key(keys->name, point->sub, point->sub_bytes) &&
           is_key(keys->package, point->where, point->package_bytes);
}

bool rv_breaks_at_sub(const CV *cv)
{
    struct rv_sub_keys keys = rv_subs_keys(cv);
    for (unsigned i = 0; i < n_breaks; i++)
        if (is_sub(&breaks[i], &keys))
            return true;
    return false;
}

static bool is_file(const struct breakpoint *point, const char *file)
{
    size_t n_bytes = file ? strlen(file) : 0;
    if (n_bytes < point->file_bytes)
        return false;
    const char *end = file + n_bytes - point->file_bytes;
    return memcmp(end, point->where, point->file_bytes) == 0 && (end == file || end[-1] == '/');
}

bool rv_breaks_at_statement(const COP *cop)
{
    for (unsigned i = 0; i < n_breaks; i++)
        if (!breaks[i].sub && breaks[i].line == CopLINE(cop) && is_file(&breaks[i], CopFILE(cop)))
            return true;
    return false;
}
