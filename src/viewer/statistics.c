#include "viewer/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/subroutine_calls.h"
#include "viewer/filter_actions.h"
#include "viewer/viewer.h"
#include "base/clock.h"
#include "base/hash_index.h"
#include "base/units.h"
#include "base/vec.h"

/* What changes by itself is measured again after a while: at most a fifth of one CPU's time goes there. */
#define PAUSE_NS 250000000u
#define PAUSE_TIMES 4u
#define NAME_BYTES 512
#define MOST_COMPARED 1000u /* of the first rows: names that are shortened show what differs */

void rv_viewer_statistics_init(struct rv_viewer_statistics *statistics, uint64_t parts_bytes)
{
    *statistics = (struct rv_viewer_statistics){
        .memory = rv_range_memory_create(parts_bytes),
        .column = RV_STATISTICS_SELF,
        .is_descending = true,
        .calls = {.column = RV_CALL_DURATION, .is_descending = true},
    };
}

void rv_viewer_statistics_fini(struct rv_viewer_statistics *statistics)
{
    rv_viewer_subroutine_calls_fini(&statistics->calls);
    rv_viewer_line_times_fini(&statistics->lines);
    for (int i = 0; i < 2; i++)
        rv_viewer_call_tree_fini(&statistics->trees[i]);
    rv_range_renewal_stop(&statistics->measured);
    rv_range_result_fini(&statistics->sample);
    rv_totals_job_stop(&statistics->totals);
    rv_range_ahead_stop(&statistics->ahead);
    rv_range_memory_destroy(statistics->memory);
    rv_filter_release(statistics->asked_filter);
    rv_name_set_fini(&statistics->namesakes);
    rv_alike_names_clear(&statistics->alike);
    free(statistics->rows);
}

/* ---- rows ---- */

struct sorting {
    struct rv_subroutines *subroutines;
    enum rv_statistics_column column;
    bool is_descending;
};

static int compare_names(const struct sorting *sorting, uint32_t a, uint32_t b)
{
    char names[2][NAME_BYTES];
    struct rv_subroutine x = rv_subroutines_get(sorting->subroutines, a);
    struct rv_subroutine y = rv_subroutines_get(sorting->subroutines, b);
    return strcmp(rv_subroutine_full_name(&x, names[0], NAME_BYTES), rv_subroutine_full_name(&y, names[1], NAME_BYTES));
}

static int by_column(const void *a, const void *b, void *context)
{
    const struct rv_stats_row *x = a, *y = b;
    const struct sorting *sorting = context;
    uint64_t x_number = rv_statistics_number(x, sorting->column), y_number = rv_statistics_number(y, sorting->column);
    int order = x_number < y_number ? -1 : x_number > y_number;
    if (sorting->column == RV_STATISTICS_NAME)
        order = compare_names(sorting, x->id, y->id);
    if (order)
        return sorting->is_descending ? -order : order;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void sort_rows(struct rv_viewer *viewer)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    struct sorting sorting = {viewer->subroutines, statistics->column, statistics->is_descending};
    qsort_r(statistics->rows, statistics->n_rows, sizeof *statistics->rows, by_column, &sorting);
}

static void find_namesakes(struct rv_viewer *viewer)
{
    char name[NAME_BYTES];
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    struct rv_hash_index firsts = {0}; /* ids by interned package and name */
    rv_name_set_clear(&statistics->namesakes);
    rv_alike_names_clear(&statistics->alike);
    for (size_t i = 0; i < statistics->n_rows; i++) {
        const uint32_t id = statistics->rows[i].id;
        const struct rv_subroutine subroutine = rv_subroutines_get(viewer->subroutines, id);
        if (i < MOST_COMPARED)
            rv_alike_names_add(&statistics->alike, rv_subroutine_full_name(&subroutine, name, sizeof name));
        const uint64_t key = rv_hash_combine((uintptr_t)subroutine.package, (uintptr_t)subroutine.name);
        const uint32_t first = rv_hash_index_get(&firsts, key);
        if (first) {
            rv_name_set_add(&statistics->namesakes, first);
            rv_name_set_add(&statistics->namesakes, id);
        } else if (id) {
            rv_hash_index_add(&firsts, key, id);
        }
    }
    rv_hash_index_fini(&firsts);
}

static void take_rows(struct rv_viewer *viewer, const struct rv_stats_row *rows, size_t n)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    statistics->version = statistics->asked_version;
    statistics->shown = statistics->asked;
    statistics->n_rows = n;
    statistics->rows = rv_vec_reserve(statistics->rows, &statistics->capacity, n, sizeof *statistics->rows);
    if (n)
        memcpy(statistics->rows, rows, n * sizeof *rows);
    find_namesakes(viewer);
    sort_rows(viewer);
}

const struct rv_stats *rv_viewer_statistics_stats(const struct rv_viewer_statistics *statistics)
{
    const struct rv_range_statistics *range = rv_viewer_statistics_range(statistics);
    return statistics->shows_totals ? statistics->totals.stats : range ? rv_range_statistics_stats(range) : NULL;
}

double rv_viewer_statistics_sampled(const struct rv_viewer_statistics *statistics)
{
    return statistics->shows_sample ? rv_range_statistics_sampled(statistics->sample.range) : 1.0;
}

uint64_t rv_viewer_statistics_self_ns(const struct rv_viewer_statistics *statistics)
{
    const struct rv_range_statistics *range = rv_viewer_statistics_range(statistics);
    return statistics->shows_totals ? statistics->totals.self_ns : range ? rv_range_statistics_self_ns(range) : 0;
}

/* ---- measuring ---- */

/* Its length is 0 where nothing is to be measured. */
static struct rv_range_ns wanted_range(const struct rv_viewer *viewer)
{
    const struct rv_live_edge *live_edge = &viewer->live_edge;
    struct rv_range_ns range = {0, 0};
    switch (viewer->statistics.scope) {
    case RV_SCOPE_CLOSED:
        break;
    case RV_SCOPE_SELECTED:
        range = viewer->selected;
        break;
    case RV_SCOPE_ALL:
        range = (struct rv_range_ns){live_edge->first_ns, rv_clock_after_ns(live_edge->last_ns, 1)};
        break;
    case RV_SCOPE_VIEW:
        rv_time_window_get(&viewer->time_window, &range.from_ns, &range.to_ns);
        break;
    }
    return range;
}

/* Does the session keep what is wanted? Of a capture that has not ended it lacks the calls that are open. */
static bool are_totals_known(const struct rv_viewer *viewer)
{
    const struct rv_viewer_statistics *statistics = &viewer->statistics;
    return viewer->session && viewer->live_edge.is_done && statistics->scope == RV_SCOPE_ALL &&
           statistics->time == RV_TIME_WALL && rv_filter_n_rules(viewer->search.filter) == 0;
}

const struct rv_totals_job *rv_viewer_statistics_totals(struct rv_viewer *viewer)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    if (!statistics->shows_totals && !rv_totals_job_is_current(&statistics->totals))
        rv_totals_job_start(&statistics->totals, viewer->session, viewer->subroutines);
    return &statistics->totals;
}

static void want_totals(struct rv_viewer *viewer)
{
    viewer->statistics.wants_totals = true;
    (void)rv_viewer_statistics_totals(viewer);
}

/* What is only measured again stays until all of it is. */
static void want_sample(struct rv_viewer_statistics *statistics, bool at_once)
{
    statistics->wants_sample = at_once || !rv_viewer_statistics_range(statistics);
    statistics->measured.n_calls_sampled = statistics->wants_sample ? RV_SAMPLED_CALLS : 0;
}

static void measure(struct rv_viewer *viewer, const struct rv_range_ns *range, bool at_once)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    const struct rv_filter *filter = viewer->search.filter;
    statistics->wants_totals = false;
    statistics->asked_version++;
    statistics->was_over = viewer->live_edge.is_done;
    rv_filter_release(statistics->asked_filter);
    statistics->asked_filter = rv_filter_hold(filter);
    statistics->asked = *range;
    statistics->asked_time = statistics->time;
    rv_range_ahead_stop(&statistics->ahead);
    want_sample(statistics, at_once);
    rv_range_renewal_start(&statistics->measured,
                           &(struct rv_range_statistics_params){.from_ns = range->from_ns,
                                                                .to_ns = range->to_ns,
                                                                .lanes = viewer->lanes,
                                                                .subroutines = viewer->subroutines,
                                                                .filter = filter,
                                                                .time = statistics->time,
                                                                .memory = statistics->memory},
                           viewer->session);
}

static bool is_asked(const struct rv_viewer_statistics *statistics, const struct rv_viewer *viewer,
                     const struct rv_range_ns *range)
{
    bool is_any = rv_range_renewal_is_on(&statistics->measured) || rv_range_renewal_shown(&statistics->measured);
    return is_any && statistics->asked.from_ns == range->from_ns && statistics->asked.to_ns == range->to_ns &&
           statistics->asked_filter == viewer->search.filter && statistics->asked_time == statistics->time;
}

/* at_once: the user has asked for another range; else it has changed by itself, for the last time when the capture ends. */
static void measure_wanted(struct rv_viewer *viewer, bool at_once)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    struct rv_range_ns range = wanted_range(viewer);
    if (statistics->is_drawing || !viewer->lanes || range.to_ns <= range.from_ns ||
        is_asked(statistics, viewer, &range))
        return;
    const bool is_last = viewer->live_edge.is_done && !statistics->was_over;
    at_once |= statistics->asked_filter != viewer->search.filter;
    if (!at_once && !is_last && !rv_range_renewal_has_paused(&statistics->measured, PAUSE_TIMES, PAUSE_NS))
        return;
    measure(viewer, &range, at_once);
    const bool has_none = is_last && !rv_range_renewal_shown(&statistics->measured);
    if (are_totals_known(viewer) && (at_once || has_none)) /* else what is shown stays: totals have no paths */
        want_totals(viewer);
}

static void measure_ahead(struct rv_viewer *viewer)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    if (viewer->lanes && viewer->subroutines && !rv_range_renewal_is_on(&statistics->measured) &&
        !rv_range_renewal_is_on(&statistics->calls.listed) && !rv_range_renewal_is_on(&viewer->self_times.measured))
        rv_range_ahead_advance(&statistics->ahead,
                               &(struct rv_range_statistics_params){.to_ns = UINT64_MAX,
                                                                    .lanes = viewer->lanes,
                                                                    .subroutines = viewer->subroutines,
                                                                    .memory = statistics->memory},
                               viewer->session, viewer->live_edge.is_done);
}

/* ---- the brush: a rule of the filter ---- */

/* Three digits of a duration, rounded down or up, as a filter reads it. */
static void format_edge(char *out, size_t out_bytes, uint64_t ns, bool is_upper)
{
    uint64_t digit_ns = 1;
    while (ns / digit_ns >= 1000)
        digit_ns *= 10;
    rv_units_format_exact_ns(out, out_bytes, (is_upper ? (ns + digit_ns - 1) / digit_ns : ns / digit_ns) * digit_ns);
}

static size_t find_rule(const struct rv_filter *filter, const char *text)
{
    size_t rule = 0, n = rv_filter_n_rules(filter);
    while (rule < n && strcmp(rv_filter_text(filter, rule), text) != 0)
        rule++;
    return rule;
}

const char *rv_viewer_statistics_brush(const struct rv_viewer *viewer)
{
    const struct rv_filter *filter = viewer->search.filter;
    const char *text = viewer->statistics.brush;
    return text[0] && find_rule(filter, text) < rv_filter_n_rules(filter) ? text : "";
}

/* Another brush takes the place of the last one. */
static void brush(struct rv_viewer *viewer, const struct rv_act *act)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    const struct rv_filter **filter = &viewer->search.filter;
    char from[24], to[24];
    if (rv_viewer_statistics_brush(viewer)[0])
        rv_filter_remove(filter, find_rule(*filter, statistics->brush));
    statistics->brush[0] = '\0';
    if (act->to_ns == 0)
        return;
    format_edge(from, sizeof from, act->from_ns, false);
    format_edge(to, sizeof to, act->to_ns, true);
    (void)snprintf(statistics->brush, sizeof statistics->brush, "duration:%s..%s", from, to);
    (void)rv_viewer_filter_add(viewer, statistics->brush);
}

/* ---- the focus of the flame graph ---- */

static void focus(struct rv_viewer_statistics *statistics, uint32_t node)
{
    if (node == rv_viewer_statistics_focus(statistics))
        return;
    if (statistics->n_focus == RV_FOCUS_MOST)
        memmove(statistics->focus, statistics->focus + 1, --statistics->n_focus * sizeof *statistics->focus);
    statistics->focus[statistics->n_focus++] = node;
}

/* The path with most time that ends in this subroutine; 0 = none. */
static uint32_t heaviest_path(const struct rv_range_statistics *range, uint32_t id)
{
    size_t n;
    const struct rv_range_node *nodes = rv_range_statistics_nodes(range, &n);
    uint32_t found = 0;
    for (uint32_t i = 1; i < n; i++)
        if (nodes[i].id == id && (!found || nodes[i].total_ns > nodes[found].total_ns))
            found = i;
    return found;
}

static void focus_on(struct rv_viewer_statistics *statistics, uint32_t node)
{
    const struct rv_range_statistics *range = rv_viewer_statistics_range(statistics);
    size_t n = 0;
    if (range)
        (void)rv_range_statistics_nodes(range, &n);
    if (node < n)
        focus(statistics, node);
}

static void focus_on_chosen(struct rv_viewer_statistics *statistics)
{
    const struct rv_range_statistics *range = rv_viewer_statistics_range(statistics);
    if (range && statistics->n_rows)
        focus_on(statistics, heaviest_path(range, rv_viewer_statistics_subject(statistics)));
}

static uint32_t child_of(const struct rv_range_node *nodes, uint32_t node, uint32_t id)
{
    uint32_t at = nodes[node].first_child;
    while (at && nodes[at].id != id)
        at = nodes[at].next;
    return at;
}

/* The node with the same path in another range; 0 = none. */
static uint32_t find_path(const struct rv_range_node *from, uint32_t node, const struct rv_range_node *to)
{
    uint32_t *ids = NULL, found = 0;
    size_t n = 0, capacity = 0;
    for (uint32_t at = node; at; at = from[at].parent) {
        ids = rv_vec_reserve(ids, &capacity, n + 1, sizeof *ids);
        ids[n++] = from[at].id;
    }
    for (bool is_there = true; n > 0 && is_there; is_there = found != 0)
        found = child_of(to, found, ids[--n]);
    free(ids);
    return found;
}

/* Paths of another range are shown: the focus stays on its path, or is on all where there is none. */
static void keep_focus(struct rv_viewer_statistics *statistics, const struct rv_range_statistics *next)
{
    const struct rv_range_statistics *last = statistics->paths;
    size_t n;
    uint32_t node = rv_viewer_statistics_focus(statistics);
    node = node && last ? find_path(rv_range_statistics_nodes(last, &n), node, rv_range_statistics_nodes(next, &n)) : 0;
    statistics->n_focus = node != 0;
    statistics->focus[0] = node;
}

/* ---- trees ---- */

static void stop_trees(struct rv_viewer_statistics *statistics)
{
    for (int i = 0; i < 2; i++)
        rv_viewer_call_tree_stop(&statistics->trees[i]);
}

static void want_tree(struct rv_viewer_statistics *statistics, int which, enum rv_call_tree_kind kind)
{
    bool is_of_one = kind == RV_CALL_TREE_CALLERS || kind == RV_CALL_TREE_CALLEES;
    const struct rv_range_statistics *range = rv_viewer_statistics_range(statistics);
    if (range)
        rv_viewer_call_tree_want(&statistics->trees[which], range, statistics->paths_version, kind,
                                 is_of_one ? rv_viewer_statistics_subject(statistics) : 0);
}

static void want_trees(struct rv_viewer_statistics *statistics)
{
    switch (statistics->tab) {
    case RV_STATISTICS_SANDWICH:
        want_tree(statistics, 0, RV_CALL_TREE_CALLERS);
        want_tree(statistics, 1, RV_CALL_TREE_CALLEES);
        break;
    case RV_STATISTICS_TOP_DOWN:
        want_tree(statistics, 0, RV_CALL_TREE_TOP_DOWN);
        break;
    case RV_STATISTICS_BOTTOM_UP:
        want_tree(statistics, 0, RV_CALL_TREE_BOTTOM_UP);
        break;
    case RV_STATISTICS_FLAME:
    case RV_STATISTICS_LIST:
    case RV_STATISTICS_GROUPS:
    case RV_STATISTICS_LINES:
    case RV_STATISTICS_DIFF:
    case RV_STATISTICS_TABS:
        stop_trees(statistics);
    }
}

/* ---- */

/* Those before are not used any more, and may be freed. */
static void show_paths(struct rv_viewer_statistics *statistics, const struct rv_range_statistics *range)
{
    stop_trees(statistics);
    keep_focus(statistics, range);
    statistics->paths = range;
    statistics->paths_version++;
}

static bool show_measured(struct rv_viewer *viewer)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    if (!rv_range_renewal_is_ready(&statistics->measured))
        return false;
    show_paths(statistics, rv_range_renewal_next(&statistics->measured)->range);
    rv_range_renewal_turn(&statistics->measured);
    rv_range_result_fini(&statistics->sample);
    statistics->wants_totals = statistics->shows_totals = statistics->wants_sample = statistics->shows_sample = false;
    const struct rv_range_job *measured = rv_range_renewal_shown(&statistics->measured);
    take_rows(viewer, measured->rows, measured->n_rows);
    return true;
}

static bool show_sample(struct rv_viewer *viewer)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    struct rv_range_result sample = {0};
    if (statistics->wants_sample)
        sample = rv_range_renewal_take_sample(&statistics->measured);
    if (!sample.range)
        return false;
    show_paths(statistics, sample.range);
    rv_range_result_fini(&statistics->sample);
    statistics->sample = sample;
    statistics->wants_sample = false;
    statistics->shows_sample = true;
    if (!statistics->shows_totals)
        take_rows(viewer, sample.rows, sample.n_rows);
    return true;
}

static bool show_totals(struct rv_viewer *viewer)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    (void)rv_totals_job_poll(&statistics->totals);
    if (!statistics->wants_totals || !rv_totals_job_is_done(&statistics->totals))
        return false;
    statistics->wants_totals = false;
    if (statistics->totals.is_doubtful)
        return false;
    statistics->shows_totals = true;
    statistics->shows_sample &= !statistics->wants_sample; /* else it is of the range before */
    take_rows(viewer, statistics->totals.rows, statistics->totals.n_rows);
    return true;
}

bool rv_viewer_statistics_advance(struct rv_viewer *viewer)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    measure_wanted(viewer, false);
    measure_ahead(viewer);
    bool has_changed = rv_range_renewal_poll(&statistics->measured);
    has_changed |= show_measured(viewer);
    has_changed |= show_totals(viewer);
    has_changed |= show_sample(viewer);
    has_changed |= rv_viewer_subroutine_calls_advance(viewer);
    has_changed |= rv_viewer_line_times_advance(viewer);
    want_trees(statistics);
    for (int i = 0; i < 2; i++)
        has_changed |= rv_viewer_call_tree_advance(&statistics->trees[i]);
    return has_changed;
}

void rv_viewer_statistics_wait(struct rv_viewer *viewer)
{
    measure_wanted(viewer, true);
    rv_range_renewal_wait(&viewer->statistics.measured);
    (void)rv_viewer_statistics_advance(viewer);
    rv_viewer_subroutine_calls_wait(viewer);
    rv_viewer_line_times_wait(viewer);
    for (int i = 0; i < 2; i++)
        rv_call_tree_job_wait(&viewer->statistics.trees[i].job);
    (void)rv_viewer_statistics_advance(viewer);
}

/* ---- actions ---- */

bool rv_viewer_statistics_close(struct rv_viewer *viewer)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    bool was_open = statistics->scope != RV_SCOPE_CLOSED;
    viewer->selected = (struct rv_range_ns){0, 0};
    statistics->scope = RV_SCOPE_CLOSED;
    stop_trees(statistics);
    statistics->n_focus = 0;
    rv_range_renewal_stop(&statistics->measured);
    rv_range_result_fini(&statistics->sample);
    statistics->paths = NULL;
    statistics->wants_totals = statistics->shows_totals = statistics->wants_sample = statistics->shows_sample = false;
    rv_viewer_subroutine_calls_choose_none(&statistics->calls);
    rv_viewer_line_times_stop(&statistics->lines);
    return was_open;
}

static void show(struct rv_viewer *viewer, enum rv_statistics_scope scope)
{
    viewer->statistics.scope = scope;
    measure_wanted(viewer, true);
}

void rv_viewer_statistics_select(struct rv_viewer *viewer, const struct rv_range_ns *range, bool is_final)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    bool is_empty = range->to_ns <= range->from_ns;
    viewer->selected = *range;
    statistics->is_drawing = !is_final && !is_empty;
    if (is_final && !is_empty)
        show(viewer, RV_SCOPE_SELECTED);
    else if (is_empty && statistics->scope == RV_SCOPE_SELECTED)
        (void)rv_viewer_statistics_close(viewer);
}

/* A selected range is offered while there is one. */
static enum rv_statistics_scope next_scope(const struct rv_viewer *viewer)
{
    const struct rv_range_ns *selected = &viewer->selected;
    switch (viewer->statistics.scope) {
    case RV_SCOPE_ALL:
        return RV_SCOPE_VIEW;
    case RV_SCOPE_VIEW:
        return selected->to_ns > selected->from_ns ? RV_SCOPE_SELECTED : RV_SCOPE_ALL;
    case RV_SCOPE_CLOSED:
    case RV_SCOPE_SELECTED:
        break;
    }
    return RV_SCOPE_ALL;
}

static void sort(struct rv_viewer *viewer, const struct rv_act *act)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    uint32_t column = act->idx ? act->idx - 1 : (uint32_t)statistics->column + 1;
    statistics->column = (enum rv_statistics_column)(column % RV_STATISTICS_COLUMNS);
    statistics->is_descending = act->idx ? act->amount > 0.0 : statistics->column != RV_STATISTICS_NAME;
    sort_rows(viewer);
}

/* The chosen row's neighbour; the first one where none is chosen. */
static void choose_neighbour(struct rv_viewer *viewer, bool is_next)
{
    const struct rv_viewer_statistics *statistics = &viewer->statistics;
    size_t row = 0, n = statistics->n_rows;
    while (row < n && !(statistics->calls.is_on && statistics->rows[row].id == statistics->calls.id))
        row++;
    if (row == n)
        row = 0;
    else if (is_next)
        row += row + 1 < n;
    else
        row -= row > 0;
    if (row < n)
        rv_viewer_subroutine_calls_choose(viewer, statistics->rows[row].id);
}

static void choose_tab(struct rv_viewer *viewer, const struct rv_act *act)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    uint32_t n_tabs = viewer->diff ? RV_STATISTICS_TABS : RV_STATISTICS_DIFF;
    uint32_t tab = act->idx ? act->idx - 1 : (uint32_t)statistics->tab + 1;
    statistics->tab = (enum rv_statistics_tab)(tab % n_tabs);
}

static void ask_for_file(struct rv_viewer_statistics *statistics, enum rv_statistics_file file)
{
    if (statistics->scope != RV_SCOPE_CLOSED)
        statistics->wants_file = file;
}

bool rv_viewer_statistics_knows_states(const struct rv_viewer *viewer)
{
    bool knows = false;
    for (size_t i = 0; i < rv_lanes_n(viewer->lanes) && !knows; i++) {
        struct rv_lane *lane = rv_lanes_get(viewer->lanes, i);
        pthread_rwlock_wrlock(&lane->lock);
        knows = rv_state_times_has_switches(&lane->times);
        pthread_rwlock_unlock(&lane->lock);
    }
    return knows;
}

static void choose_time(struct rv_viewer *viewer, uint32_t idx)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    if (rv_viewer_statistics_knows_states(viewer))
        statistics->time = (enum rv_time_kind)(idx ? idx - 1 : (statistics->time + 1u)) % RV_TIME_KINDS;
}

bool rv_viewer_statistics_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    switch ((int)act->action) {
    case RV_ACTION_STATISTICS:
        if (!rv_viewer_statistics_close(viewer))
            show(viewer, RV_SCOPE_ALL);
        break;
    case RV_ACTION_STATISTICS_OF:
        show(viewer, act->idx ? (enum rv_statistics_scope)act->idx : next_scope(viewer));
        break;
    case RV_ACTION_STATISTICS_TAB:
        choose_tab(viewer, act);
        break;
    case RV_ACTION_STATISTICS_TIME:
        choose_time(viewer, act->idx);
        break;
    case RV_ACTION_SORT_ROWS:
        sort(viewer, act);
        break;
    case RV_ACTION_CHOOSE_ROW:
        rv_viewer_subroutine_calls_choose(viewer, act->idx);
        break;
    case RV_ACTION_NEXT_ROW:
    case RV_ACTION_PREVIOUS_ROW:
        choose_neighbour(viewer, act->action == RV_ACTION_NEXT_ROW);
        break;
    case RV_ACTION_BRUSH:
        brush(viewer, act);
        break;
    case RV_ACTION_FOCUS_NODE:
        focus_on(statistics, act->idx);
        break;
    case RV_ACTION_FOCUS_CHOSEN:
        focus_on_chosen(statistics);
        break;
    case RV_ACTION_UNFOCUS_NODE:
        statistics->n_focus -= statistics->n_focus > 0;
        break;
    case RV_ACTION_OPEN_NODE:
        rv_viewer_call_tree_toggle(&statistics->trees[act->from_ns ? 1 : 0], act->idx);
        break;
    case RV_ACTION_OPEN_LEVEL:
    case RV_ACTION_CLOSE_LEVEL:
        for (int i = 0; i < 2; i++)
            rv_viewer_call_tree_open_level(&statistics->trees[i], act->action == RV_ACTION_OPEN_LEVEL);
        break;
    case RV_ACTION_EXPORT_ROWS:
        ask_for_file(statistics,
                     statistics->tab == RV_STATISTICS_LINES ? RV_STATISTICS_FILE_LINES : RV_STATISTICS_FILE_ROWS);
        break;
    case RV_ACTION_EXPORT_CALLS:
        ask_for_file(statistics, RV_STATISTICS_FILE_CALLS);
        break;
    default:
        if (!rv_viewer_subroutine_calls_act(viewer, act))
            return false;
    }
    rv_viewer_point(viewer);
    return true;
}

void rv_viewer_statistics_apply(const struct rv_viewer *viewer, struct rv_view_params *params)
{
    const struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    if (calls->is_on && calls->stands_out)
        params->hits = &calls->ids;
}
