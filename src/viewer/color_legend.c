#include "viewer/color_legend.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "base/units.h"
#include "model/notes.h"

#define RANKED 64u /* limit of groups; the rest is summarized as others */

/* While the picture moves, a row passes another if its share is larger by this factor, and by so much. */
#define LEAD 1.25
#define LEAD_SHARE 0.002
#define LEAST_OTHERS 0.0005

static uint32_t rgba_of(struct rv_color color)
{
    return (uint32_t)color.r << 24 | (uint32_t)color.g << 16 | (uint32_t)color.b << 8 | 0xffu;
}

static uint32_t slot_rgba(const struct rv_box_colors *colors, uint32_t slot)
{
    return rgba_of(rv_box_colors_front(colors, slot * RV_COLOR_SHADES + RV_COLOR_SHADES / 2));
}

static struct rv_legend_row *add_row(struct rv_legend *legend, uint32_t rgba, double share)
{
    struct rv_legend_row *row = &legend->rows[legend->n_rows++];
    *row = (struct rv_legend_row){.rgba = rgba, .share = share, .only_idx = -1, .without_idx = -1};
    return row;
}

static struct rv_legend_row *add_state(struct rv_legend *legend, const char *name, uint32_t rgba, double share)
{
    rv_assert(legend->n_states < RV_LEGEND_STATES);
    struct rv_legend_row *row = &legend->states[legend->n_states++];
    *row = (struct rv_legend_row){.rgba = rgba, .share = share};
    rv_text_append(row->name, sizeof row->name, name, SIZE_MAX);
    return row;
}

/*
 * Filter rules for a group: by its exact package or subroutine, else by the begin of names. None if too long. Without
 * printf(), as this runs for each row in each frame.
 */
static void make_rules(struct rv_legend_row *row, const struct rv_box_colors_group *group)
{
    char pattern[RV_LEGEND_RULE_BYTES - 16];
    size_t n = 0;
    for (size_t i = 0; i < group->name_bytes; i++) {
        if (n + 3 > sizeof pattern)
            return;
        if (strchr(".[](){}*+?^$|\\", group->name[i]))
            pattern[n++] = '\\';
        pattern[n++] = group->name[i];
    }
    pattern[n] = '\0';
    static const struct {
        const char *key, *begin, *end;
    } parts[] = {[RV_BOX_COLORS_STEM] = {"name", "^", ""},
                 [RV_BOX_COLORS_PACKAGE] = {"package", "^", "$"},
                 [RV_BOX_COLORS_SUBROUTINE] = {"name", "(^|::)", "$"}};
    const char *key = parts[group->kind].key, *begin = parts[group->kind].begin, *end = parts[group->kind].end;
    row->without[0] = '!';
    stpcpy(stpcpy(stpcpy(stpcpy(stpcpy(row->without + 1, key), ":"), begin), pattern), end);
    strcpy(row->only, row->without + 1);
}

/* "db" of "db::scan", "posix" of "posix.read". */
static bool ends_scope(const char *rest)
{
    return strncmp(rest, "::", 2) == 0 || *rest == '.';
}

/* A lambda of C++ or a closure of Rust: all of them have names that read alike. */
static bool is_lambda(const struct rv_box_colors_group *group)
{
    return group->kind == RV_BOX_COLORS_PACKAGE && group->name[group->name_bytes - 1] == '}' &&
           (strstr(group->name, "{lambda(") || strstr(group->name, "{closure"));
}

static void name_by_place(struct rv_legend_row *row, const struct rv_box_colors_group *group)
{
    const char *slash = strrchr(group->file, '/');
    (void)snprintf(row->name, sizeof row->name, "%s:%" PRIu32, slash ? slash + 1 : group->file, group->line);
    (void)rv_text_end_whole(row->name);
}

/* The name of a package; where there are none, the name of a scope, the whole name of a single member, or its begin. */
static void name_group(struct rv_legend_row *row, const struct rv_box_colors_group *group)
{
    const char *rest = group->name + group->name_bytes;
    const bool is_begin = group->kind == RV_BOX_COLORS_STEM && group->n_members > 1 && !ends_scope(rest);
    const bool is_only = group->kind == RV_BOX_COLORS_STEM && group->n_members == 1;
    if (is_lambda(group) && group->file[0]) {
        name_by_place(row, group);
        return;
    }
    if (group->package) {
        rv_text_append(row->name, sizeof row->name, group->package, SIZE_MAX);
        rv_text_append(row->name, sizeof row->name, "::", 2);
    }
    rv_text_append(row->name, sizeof row->name, group->name, is_only ? SIZE_MAX : group->name_bytes);
    rv_text_append(row->name, sizeof row->name, is_begin ? "…" : "", SIZE_MAX);
    (void)rv_text_end_whole(row->name);
}

static bool has_row(const struct rv_box_colors_group *group)
{
    return !group->is_state && group->slot < RV_COLOR_SLOTS;
}

/* The rows that are shown already, and whether they stay where they are as far as possible. */
struct rows_before {
    uint64_t groups[RV_LEGEND_ROWS];
    size_t n;
    bool is_moving;
};

static size_t place_before(const struct rows_before *before, const struct rv_box_colors_group *group)
{
    size_t place = 0;
    while (place < before->n && before->groups[place] != group->key)
        place++;
    return place;
}

/* Own time, or inclusive time, which is the area in the picture. */
static double weight_of(const struct rows_before *before, const struct rv_box_colors_group *group)
{
    const bool stays = before->is_moving && place_before(before, group) < before->n;
    return fmax(group->share, group->inclusive) * (stays ? LEAD : 1.0);
}

/* Is it one of the most important ones? Negative: it has no row. */
static bool is_chosen(const double *weights, size_t n, size_t i)
{
    size_t n_above = 0;
    for (size_t j = 0; j < n; j++)
        n_above += weights[j] > weights[i];
    return weights[i] >= 0.0 && n_above < RV_LEGEND_ROWS - 1;
}

static size_t choose(const struct rows_before *before, const struct rv_box_colors_group *groups, size_t n,
                     const struct rv_box_colors_group *out[RV_LEGEND_ROWS - 1])
{
    double weights[RANKED];
    size_t n_chosen = 0;
    for (size_t i = 0; i < n; i++)
        weights[i] = has_row(&groups[i]) ? weight_of(before, &groups[i]) : -1.0;
    for (size_t i = 0; i < n && n_chosen < RV_LEGEND_ROWS - 1; i++)
        if (is_chosen(weights, n, i))
            out[n_chosen++] = &groups[i];
    return n_chosen;
}

static bool passes(const struct rv_box_colors_group *group, const struct rv_box_colors_group *above)
{
    return group->share > LEAD * above->share + LEAD_SHARE;
}

static void move_up(const struct rv_box_colors_group **chosen, size_t i)
{
    const struct rv_box_colors_group *group = chosen[i];
    chosen[i] = chosen[i - 1];
    chosen[i - 1] = group;
}

/* Groups by falling share: rows that were shown are in their order again, as far as none passes another. */
static void keep_order(const struct rows_before *before, const struct rv_box_colors_group **chosen, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && place_before(before, chosen[j]) < place_before(before, chosen[j - 1]); j--)
            move_up(chosen, j);
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && passes(chosen[j], chosen[j - 1]); j--)
            move_up(chosen, j);
}

/* Else by subroutines of one, or by what names begin with. */
static bool is_by_package(const struct rv_box_colors *colors)
{
    return !rv_box_colors_is_split(colors) && rv_box_colors_has_packages(colors);
}

static void add_group(struct rv_legend *legend, const struct rv_box_colors *colors,
                      const struct rv_box_colors_group *group)
{
    const uint32_t colour_idx = group->slot * RV_COLOR_SHADES + group->shade;
    struct rv_legend_row *row = add_row(legend, rgba_of(rv_box_colors_front(colors, colour_idx)), group->share);
    row->group = group->key;
    row->form = group->slot >= RV_COLOR_HUES ? RV_LEGEND_STRIPED : RV_LEGEND_PLAIN;
    make_rules(row, group);
    name_group(row, group);
}

static double sum_states(const struct rv_box_colors_group *groups, size_t n)
{
    double states = 0.0;
    for (size_t i = 0; i < n; i++)
        states += groups[i].is_state ? groups[i].share : 0.0;
    return states;
}

/* The last row is for all groups without a row of their own. Returns the share of states. */
static double describe_packages(const struct rv_box_colors *colors, const struct rows_before *before,
                                const char *others, struct rv_legend *legend)
{
    struct rv_box_colors_group groups[RANKED];
    const struct rv_box_colors_group *chosen[RV_LEGEND_ROWS - 1];
    const size_t n = rv_box_colors_rank(colors, groups, RANKED), n_chosen = choose(before, groups, n, chosen);
    const double states = sum_states(groups, n);
    double other = 1.0 - states;
    if (before->is_moving)
        keep_order(before, chosen, n_chosen);
    for (size_t i = 0; i < n_chosen; i++) {
        add_group(legend, colors, chosen[i]);
        other -= chosen[i]->share;
    }
    if (n && other > LEAST_OTHERS)
        snprintf(add_row(legend, slot_rgba(colors, RV_COLOR_NEUTRAL), other)->name, RV_LEGEND_NAME_BYTES, "%s", others);
    return states;
}

/* Rows that stay, whatever is shown now: what is not has no share. */
static void describe_shares(const struct rv_box_colors *colors, struct rv_legend *legend)
{
    struct rv_box_colors_group groups[RANKED];
    const size_t n = rv_box_colors_rank(colors, groups, RANKED);
    double other = 1.0 - sum_states(groups, n);
    for (size_t i = 0; i < legend->n_rows; i++) {
        struct rv_legend_row *row = &legend->rows[i];
        size_t at = 0;
        while (at < n && groups[at].key != row->group)
            at++;
        row->share = at < n ? groups[at].share : -1.0;
        other -= at < n ? groups[at].share : 0.0;
    }
    if (legend->n_rows && !legend->rows[legend->n_rows - 1].group)
        legend->rows[legend->n_rows - 1].share = n && other > LEAST_OTHERS ? other : -1.0;
}

static void describe_threads(const struct rv_box_colors *colors, const struct rv_view *view, struct rv_legend *legend)
{
    for (size_t i = 0; i < view->n_lanes && legend->n_rows < RV_LEGEND_ROWS; i++) {
        if (view->lanes[i].object)
            continue;
        const struct rv_box any = {.count = 1, .coverage = RV_BOX_EXACT, .id = UINT32_MAX};
        const uint32_t colour_idx = rv_box_colors_index(colors, &any, view->lanes[i].thread);
        struct rv_legend_row *row = add_row(legend, rgba_of(rv_box_colors_front(colors, colour_idx)), -1.0);
        row->form = colour_idx / RV_COLOR_SHADES >= RV_COLOR_HUES ? RV_LEGEND_STRIPED : RV_LEGEND_PLAIN;
        snprintf(row->name, sizeof row->name, "%s", view->lanes[i].name);
    }
}

/* A row for each factor of ten, from 1 us on. */
static void describe_durations(const struct rv_box_colors *colors, struct rv_legend *legend)
{
    uint64_t duration_ns = 1000;
    for (; duration_ns <= 1000000000u; duration_ns *= 10) {
        struct rv_box box = {.duration_ns = duration_ns, .count = 1, .coverage = 65535, .id = UINT32_MAX};
        uint32_t rgba = rgba_of(rv_box_colors_front(colors, rv_box_colors_index(colors, &box, 0)));
        struct rv_legend_row *row = add_row(legend, rgba, -1.0);
        rv_units_format_ns(row->name, sizeof row->name, duration_ns);
    }
}

/* From slower to faster, by falling height of boxes; then subroutines that cannot be compared. */
static void describe_differences(const struct rv_box_colors *colors, struct rv_legend *legend)
{
    static const struct {
        const char *words;
        double octaves;
    } rows[] = {{"4 times as long, or more", 2.0},
                {"twice as long", 1.0},
                {"as long as before", 0.0},
                {"half as long", -1.0},
                {"a quarter, or less", -2.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t rgba = rgba_of(rv_box_colors_front(colors, rv_color_difference_shade(rows[i].octaves)));
        snprintf(add_row(legend, rgba, -1.0)->name, RV_LEGEND_NAME_BYTES, "%s", rows[i].words);
    }
    struct rv_legend_row *row = add_row(legend, slot_rgba(colors, RV_COLOR_ONE_RUN), -1.0);
    row->form = RV_LEGEND_STRIPED;
    snprintf(row->name, sizeof row->name, "in one run only");
    snprintf(add_row(legend, slot_rgba(colors, RV_COLOR_NEUTRAL), -1.0)->name, RV_LEGEND_NAME_BYTES,
             "too few calls to tell");
}

const char *rv_color_legend_title(const struct rv_box_colors *colors)
{
    static const char *const TITLES[RV_COLOR_SCHEME_COUNT] = {[RV_COLOR_PACKAGE] = "Packages",
                                                              [RV_COLOR_HIGH_CONTRAST] = "Packages",
                                                              [RV_COLOR_SUBROUTINE] = "A colour a subroutine",
                                                              [RV_COLOR_THREAD] = "Threads",
                                                              [RV_COLOR_DURATION] = "Duration of a call",
                                                              [RV_COLOR_DIFFERENCE] = "Calls take"};
    const enum rv_color_scheme scheme = rv_box_colors_scheme(colors);
    if (!rv_color_is_by_package(scheme) || is_by_package(colors))
        return TITLES[scheme];
    return rv_box_colors_is_split(colors) ? "Subroutines" : "Names";
}

void rv_color_legend_fini(struct rv_color_legend *kept)
{
    rv_box_colors_destroy(kept->measured);
}

/* The picture's colours, with measured times where there are any. Names may come later than times. */
static const struct rv_box_colors *measured_of(struct rv_color_legend *kept,
                                               const struct rv_color_legend_params *params)
{
    const struct rv_self_times *times = &params->times;
    if (!times->rows)
        return params->colors;
    const uint64_t versions[] = {times->version, rv_box_colors_version(params->colors),
                                 rv_subroutines_version(params->subroutines)};
    if (!kept->measured)
        kept->measured = rv_box_colors_create();
    if (memcmp(kept->versions, versions, sizeof versions) != 0) {
        rv_box_colors_copy(kept->measured, params->colors);
        rv_box_colors_take_self_times(kept->measured, times->rows, times->n_rows, params->subroutines);
        memcpy(kept->versions, versions, sizeof versions);
    }
    rv_box_colors_choose(kept->measured, rv_box_colors_scheme(params->colors));
    return kept->measured;
}

static struct rows_before rows_of(const struct rv_legend *legend, bool is_moving)
{
    struct rows_before before = {.n = legend->n_rows, .is_moving = is_moving};
    for (size_t i = 0; i < legend->n_rows; i++)
        before.groups[i] = legend->rows[i].group;
    return before;
}

static const char *unit_of(const struct rv_color_legend_params *params)
{
    const bool is_exact = params->times.rows ? params->times.is_exact : params->view->n_folded == 0;
    return is_exact ? "self time" : "~ self time";
}

void rv_color_legend_describe(struct rv_color_legend *kept, const struct rv_color_legend_params *params,
                              struct rv_legend *legend)
{
    const struct rv_box_colors *colors = params->colors;
    const struct rows_before before = rows_of(legend, params->is_moving);
    double states = -1.0;
    legend->title = rv_color_legend_title(colors);
    legend->unit = "";
    legend->n_rows = legend->n_states = 0; /* rows are set as they are added: most are not, and they are large */
    switch (rv_box_colors_scheme(colors)) {
    case RV_COLOR_PACKAGE:
    case RV_COLOR_HIGH_CONTRAST:
        legend->unit = unit_of(params);
        states = describe_packages(measured_of(kept, params), &before,
                                   is_by_package(colors) ? "other packages" : "others", legend);
        break;
    case RV_COLOR_THREAD:
        describe_threads(colors, params->view, legend);
        break;
    case RV_COLOR_DURATION:
        describe_durations(colors, legend);
        break;
    case RV_COLOR_DIFFERENCE:
        describe_differences(colors, legend);
        break;
    case RV_COLOR_SUBROUTINE:
    case RV_COLOR_SCHEME_COUNT:
        break;
    }
    add_state(legend, "waiting / off-CPU", slot_rgba(colors, RV_COLOR_WAIT), states > 0.0 ? states : -1.0);
    add_state(legend, "GC / stop-the-world", rgba_of(rv_color_gc()), -1.0);
    if (params->view->is_flattened)
        add_state(legend, "each thread as a row", 0, -1.0);
}

void rv_color_legend_describe_shares(struct rv_color_legend *kept, const struct rv_color_legend_params *params,
                                     struct rv_legend *legend)
{
    if (!rv_color_is_by_package(rv_box_colors_scheme(params->colors)))
        return;
    legend->unit = unit_of(params);
    describe_shares(measured_of(kept, params), legend);
}

static size_t count_kind(const struct rv_arc_list *arcs, enum rv_arc_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; arcs && i < arcs->n; i++)
        n += arcs->items[i].arc.kind == kind;
    return n;
}

static void add_arcs(const struct rv_arc_list *arcs, enum rv_arc_kind kind, const struct rv_theme *theme,
                     struct rv_legend *legend)
{
    static const char *const WHATS[RV_ARC_KIND_COUNT] = {[RV_ARC_LOCK] = "released a lock to a waiter",
                                                         [RV_ARC_SIGNAL] = "signalled a waiter",
                                                         [RV_ARC_TRANSFER] = "ended a waiter's input or output",
                                                         [RV_ARC_START] = "started or ended a thread",
                                                         [RV_ARC_FLOW] = "a flow goes on",
                                                         [RV_ARC_TASK] = "a task goes on"};
    if (count_kind(arcs, kind))
        add_state(legend, WHATS[kind], rv_arc_rgb(theme, kind) << 8 | 0xffu, -1.0);
}

static void add_arcs_left(const struct rv_arc_list *arcs, struct rv_legend *legend)
{
    char name[RV_LEGEND_NAME_BYTES];
    if (!arcs || !arcs->n_left)
        return;
    snprintf(name, sizeof name, "%zu of %zu arc%s drawn", arcs->n, arcs->n + arcs->n_left,
             rv_units_word(arcs->n + arcs->n_left, "", "s"));
    add_state(legend, name, 0, -1.0);
}

static void add_arcs_lacking(uint64_t n_lacking, const struct rv_theme *theme, struct rv_legend *legend)
{
    char name[RV_LEGEND_NAME_BYTES];
    if (!n_lacking)
        return;
    snprintf(name, sizeof name, "no arcs: %" PRIu64 " wait%s not kept", n_lacking, rv_units_word(n_lacking, "", "s"));
    add_state(legend, name, theme->lost << 8 | 0xffu, -1.0);
}

static bool has_times_off_cpu(const struct rv_view *view)
{
    for (size_t i = 0; i < view->n_notes; i++)
        if (rv_note_is(&view->notes[i], RV_NOTE_FORM_OFF_CPU))
            return true;
    return false;
}

void rv_color_legend_add_lines(const struct rv_arc_list *arcs, uint64_t n_lacking, const struct rv_view *view,
                               const struct rv_theme *theme, struct rv_legend *legend)
{
    for (int i = 0; i < RV_ARC_KIND_COUNT; i++)
        add_arcs(arcs, (enum rv_arc_kind)i, theme, legend);
    add_arcs_left(arcs, legend);
    add_arcs_lacking(n_lacking, theme, legend);
    if (has_times_off_cpu(view)) {
        add_state(legend, "hollow: blocked", theme->suspended << 8 | 0xffu, -1.0)->form = RV_LEGEND_HOLLOW;
        add_state(legend, "low: ready, without a CPU", theme->ready << 8 | 0xffu, -1.0)->form = RV_LEGEND_LOW;
    }
    if (view->n_lanes && view->lanes[0].object)
        add_state(legend, view->lanes[0].is_in_part ? "locks: in part, too many" : "locks: waiters on holder",
                  theme->grid << 8 | 0xffu, -1.0);
    if (view->has_path)
        add_state(legend, "critical path", theme->path << 8 | 0xffu, -1.0);
}

static int find_rule(const struct rv_filter *filter, const char *text)
{
    for (size_t i = 0; i < rv_filter_n_rules(filter); i++)
        if (strcmp(rv_filter_text(filter, i), text) == 0)
            return (int)i;
    return -1;
}

void rv_color_legend_find_rules(struct rv_legend *legend, const struct rv_filter *filter)
{
    for (size_t i = 0; i < legend->n_rows; i++) {
        struct rv_legend_row *row = &legend->rows[i];
        row->only_idx = find_rule(filter, row->only);
        row->without_idx = find_rule(filter, row->without);
    }
}
