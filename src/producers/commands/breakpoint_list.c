#include "producers/commands/breakpoint_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producers/commands/commands.h"

static const char IF[] = " if ";

_Thread_local struct rv_breakpoint_list rv_breakpoint_list;
static void (*tell_change)(struct rv_breakpoint *point, bool is_removed);

/* ---- what a user writes ---- */

/* "FILE:LINE" of n bytes, where FILE may be any path. */
static bool parse_line(struct rv_breakpoint *point, const char *text, size_t n)
{
    size_t n_digits = 0;
    while (n_digits < n && isdigit((unsigned char)text[n - 1 - n_digits]))
        n_digits++;
    if (!n_digits || n < n_digits + 2 || text[n - n_digits - 1] != ':' || text[n - n_digits - 2] == ':')
        return false;
    point->kind = RV_BREAKPOINT_LINE;
    point->line = strtoul(text + n - n_digits, NULL, 10);
    point->file_bytes = n - n_digits - 1;
    return point->line > 0;
}

static char *join(const char *front, const char *back)
{
    size_t n_bytes = strlen(front) + strlen(back) + 1;
    char *joined = malloc(n_bytes);
    if (joined)
        snprintf(joined, n_bytes, "%s%s", front, back);
    return joined;
}

static bool keep_text(struct rv_breakpoint *point, const char *text, size_t n_where)
{
    const char *prefix = point->prefix ? point->prefix : "";
    point->text = join(prefix, text);
    if (point->text && text[n_where])
        point->condition = point->text + strlen(prefix) + n_where + strlen(IF);
    return point->text;
}

/* Split off the place before " if "; " if " may also be part of a file's name. */
bool rv_breakpoint_list_parse(struct rv_breakpoint *point, const char *text, rv_breakpoint_list_name_fn *parse_name)
{
    const char *end = strstr(text, IF), *whole = text + strlen(text);
    for (;; end = strstr(end + 1, IF)) {
        size_t n = (size_t)((end ? end : whole) - text);
        if (parse_line(point, text, n) || parse_name(point, text, n))
            return keep_text(point, text, n);
        if (!end)
            return false;
    }
}

bool rv_breakpoint_list_is_file(const struct rv_breakpoint *point, const char *file)
{
    size_t n_bytes = file ? strlen(file) : 0;
    if (n_bytes < point->file_bytes)
        return false;
    const char *end = file + n_bytes - point->file_bytes;
    return memcmp(end, point->text, point->file_bytes) == 0 && (end == file || end[-1] == '/');
}

/* ---- the list ---- */

void rv_breakpoint_list_show(const struct rv_breakpoint *point, struct rv_text *out)
{
    rv_text_addf(out, "%u %s%s", point->number, point->kind == RV_BREAKPOINT_WATCH ? "watch " : "", point->text);
}

void rv_breakpoint_list_free(struct rv_breakpoint *point)
{
    free(point->text);
    free(point->value);
}

bool rv_breakpoint_list_has_room(struct rv_text *out)
{
    struct rv_breakpoint_list *all = &rv_breakpoint_list;
    if (!all->points)
        all->points = calloc(RV_BREAKPOINTS, sizeof *all->points);
    bool has_room = all->points && all->n < RV_BREAKPOINTS;
    if (!has_room)
        rv_text_addf(out, "at most %u breakpoints", RV_BREAKPOINTS);
    return has_room;
}

void rv_breakpoint_list_keep(struct rv_breakpoint *point, struct rv_text *out)
{
    struct rv_breakpoint *kept = &rv_breakpoint_list.points[rv_breakpoint_list.n++];
    point->number = ++rv_breakpoint_list.last_number;
    *kept = *point;
    if (tell_change)
        tell_change(kept, false);
    rv_breakpoint_list_show(kept, out);
}

static void remove_at(unsigned i)
{
    struct rv_breakpoint_list *all = &rv_breakpoint_list;
    if (tell_change)
        tell_change(&all->points[i], true);
    rv_breakpoint_list_free(&all->points[i]);
    all->points[i] = all->points[--all->n];
}

void rv_breakpoint_list_forget(void)
{
    while (rv_breakpoint_list.n)
        remove_at(rv_breakpoint_list.n - 1);
    free(rv_breakpoint_list.points);
    rv_breakpoint_list.points = NULL;
}

bool rv_breakpoint_list_remove(const char *number, struct rv_text *out)
{
    if (!*number) {
        rv_breakpoint_list_forget();
        return true;
    }
    for (unsigned i = 0; i < rv_breakpoint_list.n; i++) {
        if (rv_breakpoint_list.points[i].number != strtoul(number, NULL, 10))
            continue;
        remove_at(i);
        return true;
    }
    rv_text_addf(out, "no breakpoint %s", number);
    return false;
}

void rv_breakpoint_list_list(struct rv_text *out)
{
    for (unsigned number = 1; number <= rv_breakpoint_list.last_number; number++)
        for (unsigned i = 0; i < rv_breakpoint_list.n; i++)
            if (rv_breakpoint_list.points[i].number == number) {
                rv_breakpoint_list_show(&rv_breakpoint_list.points[i], out);
                rv_text_add(out, "\n", 1);
            }
}

/* ---- conditions and watches ---- */

bool rv_breakpoint_list_holds(const struct rv_breakpoint *point, struct rv_text *why)
{
    struct rv_text text = {0}, value = {0};
    if (!point->condition)
        return true;
    rv_text_addf(&text, "(%s\n) ? 1 : 0", point->condition);
    bool is_fine = rv_commands_evaluate(&(struct rv_expression){text.bytes, text.n_bytes, 0, 0, NULL}, &value);
    if (!is_fine) {
        rv_breakpoint_list_show(point, why);
        rv_text_addf(why, ": error: %s\n", rv_text_bytes(&value));
    }
    bool holds = !is_fine || (value.n_bytes && value.bytes[value.n_bytes - 1] == '1'); /* preceded by its output */
    rv_text_fini(&text);
    rv_text_fini(&value);
    return holds;
}

static bool value_of(const struct rv_breakpoint *point, unsigned frame, struct rv_text *value)
{
    return rv_commands_evaluate(
        &(struct rv_expression){point->text, strlen(point->text), frame, RV_COMMANDS_LEVELS, point->owner}, value);
}

bool rv_breakpoint_list_watch(struct rv_breakpoint *point, const char *text, unsigned frame, struct rv_text *out)
{
    struct rv_text value = {0};
    point->kind = RV_BREAKPOINT_WATCH;
    point->text = join("", text);
    bool is_fine = point->text && value_of(point, frame, &value);
    point->value = is_fine ? join("", rv_text_bytes(&value)) : NULL;
    if (point->value) {
        rv_breakpoint_list_keep(point, out);
        rv_text_addf(out, " = %s", point->value);
    } else {
        rv_text_add(out, rv_text_bytes(&value), value.n_bytes);
        rv_breakpoint_list_free(point);
    }
    rv_text_fini(&value);
    return is_fine;
}

bool rv_breakpoint_list_has_changed(struct rv_breakpoint *point, unsigned frame, struct rv_text *why)
{
    struct rv_text value = {0};
    bool is_fine = value_of(point, frame, &value);
    bool has_changed = !point->value || strcmp(point->value, rv_text_bytes(&value)) != 0;
    if (has_changed) {
        rv_breakpoint_list_show(point, why);
        if (is_fine)
            rv_text_addf(why, ": %s => ", point->value ? point->value : "?");
        rv_text_addf(why, "%s%s\n", is_fine ? "" : ": error: ", rv_text_bytes(&value));
        free(point->value);
        point->value = join("", rv_text_bytes(&value));
    }
    rv_text_fini(&value);
    return has_changed;
}

void rv_breakpoint_list_start(void (*on_change)(struct rv_breakpoint *point, bool is_removed))
{
    tell_change = on_change;
}
