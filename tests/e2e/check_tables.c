/*
 * check_tables KIND RECORDING RANGE FOLDER: writes the tables of the statistics, as a window shows them, into files of
 * the folder.
 *   KIND   resident: all calls in memory; paged: opened by its index; history: live, with less memory than it needs
 *   RANGE  all, or FROM-TO in ns since the first event
 * It asks a viewer for what keys and clicks ask for, and writes the viewer's state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/full_rings.h"
#include "pipeline/history_on_disk.h"
#include "source/recording_on_demand.h"
#include "source/replay.h"
#include "query/totals_job.h"
#include "viewer/subroutine_calls.h"
#include "viewer/filter_actions.h"
#include "viewer/line_times.h"
#include "viewer/viewer.h"

#define MS UINT64_C(1000000)
#define HISTORY_MEMORY (1u << 20)

struct tables {
    const char *path, *folder;
    struct rv_history *history;
    struct rv_session *session;
    struct rv_viewer viewer;
};

static struct rv_source *reopen(void *path)
{
    return rv_replay_open(path);
}

static struct rv_source *open_source(const struct tables *tables, const char *kind)
{
    struct rv_source *source = NULL;
    if (strcmp(kind, "paged") == 0)
        return rv_recording_on_demand_open(&source, tables->path, 0) == 0 ? source : NULL;
    return rv_replay_open(tables->path);
}

static bool open_capture(struct tables *tables, const char *kind)
{
    const bool is_live = strcmp(kind, "history") == 0;
    struct rv_source *source = open_source(tables, kind);
    struct rv_session_params params = {
        .n_workers = 2, .keeps_waits = true, .reopen = reopen, .reopen_context = (void *)(uintptr_t)tables->path};
    tables->history = is_live ? rv_history_create(UINT64_C(1) << 30) : NULL;
    struct rv_sink sink = is_live ? rv_history_sink(tables->history) : (struct rv_sink){0};
    if (is_live) {
        params.reopen = NULL;
        params.memory_bytes = HISTORY_MEMORY;
        params.history = tables->history;
        params.sinks = &sink;
        params.n_sinks = 1;
    }
    if (!source || (is_live && !tables->history))
        return false;
    tables->session = rv_session_start(&params, source);
    while (!rv_session_wait(tables->session, 100 * MS))
        continue;
    return rv_session_error(tables->session) == 0;
}

static void begin(struct tables *tables)
{
    struct rv_viewer_params params = {.now_ns = 1,
                                      .window_ns = MS,
                                      .lanes = rv_session_lanes(tables->session),
                                      .subroutines = rv_session_subroutines(tables->session),
                                      .session = tables->session};
    rv_settings_init(&params.settings);
    rv_viewer_init(&tables->viewer, &params);
    rv_viewer_advance(&tables->viewer, params.lanes, true, 0.0);
}

static void act(struct tables *tables, const struct rv_act *what)
{
    rv_viewer_act(&tables->viewer, what);
    rv_viewer_statistics_wait(&tables->viewer);
}

/* ---- output ---- */

static FILE *create(const struct tables *tables, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", tables->folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return file;
}

static void print_name(const struct tables *tables, FILE *file, uint32_t id)
{
    struct rv_subroutine subroutine = rv_subroutines_get(tables->viewer.subroutines, id);
    char *full = rv_subroutine_take_full_name(&subroutine);
    fputs(full, file);
    free(full);
}

static void print_number(FILE *file, uint64_t number)
{
    fprintf(file, ",%llu", (unsigned long long)number);
}

enum { N_NUMBERS = 11, N_WITHOUT_STATES = 7 };

static void write_numbers(const struct tables *tables, const char *name, const struct rv_stats_row *rows, size_t n,
                          size_t n_numbers)
{
    FILE *file = create(tables, name);
    for (size_t i = 0; i < n; i++) {
        const struct rv_stats_row *row = &rows[i];
        const uint64_t numbers[N_NUMBERS] = {row->n_calls,
                                             row->total_ns,
                                             row->self_ns,
                                             row->min_ns,
                                             row->p50_ns,
                                             row->p99_ns,
                                             row->max_ns,
                                             row->self_times.blocked_ns,
                                             row->self_times.runnable_ns,
                                             row->total_times.blocked_ns,
                                             row->total_times.runnable_ns};
        print_name(tables, file, row->id);
        for (size_t j = 0; j < n_numbers; j++)
            print_number(file, numbers[j]);
        fputc('\n', file);
    }
    fclose(file);
}

static void write_rows(const struct tables *tables)
{
    const struct rv_viewer_statistics *statistics = &tables->viewer.statistics;
    write_numbers(tables, "rows", statistics->rows, statistics->n_rows, N_NUMBERS);
}

/* Of the whole capture: what is shown until it has been measured. */
static void write_totals(const struct tables *tables)
{
    struct rv_totals_job job = {.session = NULL};
    rv_totals_job_start(&job, tables->session, tables->viewer.subroutines);
    rv_totals_job_wait(&job);
    write_numbers(tables, "totals", job.rows, job.n_rows, N_WITHOUT_STATES);
    rv_totals_job_stop(&job);
}

/* Tables of the times on the CPU, blocked and runnable, where the states of threads are known: the statistics are asked
 * for each of these kinds of time in turn. */
static void write_times(struct tables *tables)
{
    static const char *const names[RV_TIME_KINDS] = {
        [RV_TIME_ON_CPU] = "times.cpu", [RV_TIME_BLOCKED] = "times.blocked", [RV_TIME_RUNNABLE] = "times.runnable"};
    const struct rv_viewer_statistics *statistics = &tables->viewer.statistics;
    const size_t n_known = rv_viewer_statistics_knows_states(&tables->viewer) ? SIZE_MAX : 0;
    for (uint32_t kind = 0; kind < RV_TIME_KINDS; kind++) {
        act(tables, &(struct rv_act){.action = RV_ACTION_STATISTICS_TIME, .idx = kind + 1});
        FILE *file = names[kind] ? create(tables, names[kind]) : NULL;
        for (size_t i = 0; file && i < statistics->n_rows && i < n_known; i++) {
            print_name(tables, file, statistics->rows[i].id);
            print_number(file, statistics->rows[i].total_ns);
            print_number(file, statistics->rows[i].self_ns);
            fputc('\n', file);
        }
        if (file)
            fclose(file);
    }
    act(tables, &(struct rv_act){.action = RV_ACTION_STATISTICS_TIME, .idx = RV_TIME_WALL + 1});
}

/* Are rows sorted by the numbers of the column, for each column that orders them? */
static bool are_rows_sorted(struct tables *tables)
{
    const struct rv_viewer_statistics *statistics = &tables->viewer.statistics;
    bool are_sorted = true;
    for (uint32_t column = RV_STATISTICS_CALLS; column < RV_STATISTICS_COLUMNS; column++) {
        act(tables, &(struct rv_act){.action = RV_ACTION_SORT_ROWS, .idx = column + 1, .amount = 1.0});
        for (size_t i = 1; i < statistics->n_rows; i++)
            are_sorted &= rv_statistics_number(&statistics->rows[i - 1], statistics->column) >=
                          rv_statistics_number(&statistics->rows[i], statistics->column);
    }
    return are_sorted;
}

static void write_durations(const struct tables *tables)
{
    const struct rv_range_statistics *range = rv_viewer_statistics_range(&tables->viewer.statistics);
    const struct rv_histogram *durations =
        rv_stats_durations(rv_range_statistics_stats(range), rv_viewer_statistics_subject(&tables->viewer.statistics));
    FILE *file = create(tables, "durations");
    for (size_t i = 0; durations && i < (size_t)RV_HISTOGRAM_OCTAVES * RV_HISTOGRAM_BUCKETS; i++)
        if (rv_histogram_count(durations, i))
            fprintf(file, "%zu,%llu\n", i, (unsigned long long)rv_histogram_count(durations, i));
    fclose(file);
}

static void write_calls(struct tables *tables)
{
    static const char *const names[RV_CALL_COLUMNS] = {"calls.start", "calls.duration", "calls.self", "calls.thread"};
    const struct rv_viewer_subroutine_calls *calls = &tables->viewer.statistics.calls;
    for (uint32_t column = 0; column < RV_CALL_COLUMNS; column++) {
        act(tables, &(struct rv_act){.action = RV_ACTION_SORT_CALLS, .idx = column + 1, .amount = 1.0});
        const struct rv_call_list *list = rv_viewer_subroutine_calls_list(calls);
        const uint32_t *order = rv_viewer_subroutine_calls_order(calls);
        FILE *file = create(tables, names[column]);
        for (size_t i = 0; i < list->n; i++) {
            const struct rv_call *call = &list->calls[order ? order[i] : i];
            const struct rv_lane *lane = rv_lanes_get(tables->viewer.lanes, call->lane_idx);
            fprintf(file, "%u,%u,%u", lane->pid, lane->tid, call->depth);
            print_number(file, call->start_ns);
            print_number(file, call->duration_ns);
            print_number(file, call->self_ns);
            fputc(',', file);
            if (call->caller != RV_CALL_NO_CALLER)
                print_name(tables, file, call->caller);
            fputc('\n', file);
        }
        fclose(file);
    }
}

static void print_group(const struct tables *tables, FILE *file, const struct rv_call_sums *group)
{
    const struct rv_lane *lane = rv_lanes_get(tables->viewer.lanes, group->lane_idx);
    switch (tables->viewer.statistics.calls.grouping) {
    case RV_CALLS_BY_CALLER:
        if (group->caller != RV_CALL_NO_CALLER)
            print_name(tables, file, group->caller);
        break;
    case RV_CALLS_BY_THREAD:
        fprintf(file, "%u", lane->tid);
        break;
    case RV_CALLS_BY_PROCESS:
        fprintf(file, "%u", lane->pid);
        break;
    case RV_CALLS_BY_ARGUMENTS:
        if (group->arguments)
            print_name(tables, file, group->arguments);
        break;
    case RV_CALL_GROUPINGS:
        break;
    }
}

static void write_groups(struct tables *tables)
{
    static const char *const names[] = {"by.caller", "by.thread", "by.process", "by.arguments"};
    const struct rv_viewer_subroutine_calls *calls = &tables->viewer.statistics.calls;
    for (uint32_t grouping = 0; grouping < sizeof names / sizeof *names; grouping++) {
        act(tables, &(struct rv_act){.action = RV_ACTION_GROUP_CALLS, .idx = grouping + 1});
        FILE *file = create(tables, names[grouping]);
        for (size_t i = 0; i < calls->n_groups; i++) {
            print_group(tables, file, &calls->groups[i]);
            print_number(file, calls->groups[i].n_calls);
            print_number(file, calls->groups[i].total_ns);
            print_number(file, calls->groups[i].self_ns);
            print_number(file, calls->groups[i].max_ns);
            fputc('\n', file);
        }
        fclose(file);
    }
}

static void print_path(const struct tables *tables, FILE *file, const struct rv_range_node *nodes, uint32_t node)
{
    if (nodes[node].parent) {
        print_path(tables, file, nodes, nodes[node].parent);
        fputc(';', file);
    }
    print_name(tables, file, nodes[node].id);
}

static void write_tree(struct tables *tables, const char *name, enum rv_statistics_tab tab, int which)
{
    act(tables, &(struct rv_act){.action = RV_ACTION_STATISTICS_TAB, .idx = tab + 1});
    const struct rv_call_tree *tree = &tables->viewer.statistics.trees[which].job.tree;
    FILE *file = create(tables, name);
    for (uint32_t i = 1; i < tree->n; i++) {
        print_path(tables, file, tree->nodes, i);
        print_number(file, tree->nodes[i].n_calls);
        print_number(file, tree->nodes[i].total_ns);
        print_number(file, tree->nodes[i].self_ns);
        fputc('\n', file);
    }
    fclose(file);
}

static void write_lines(struct tables *tables)
{
    size_t n;
    act(tables, &(struct rv_act){.action = RV_ACTION_STATISTICS_TAB, .idx = RV_STATISTICS_LINES + 1});
    const struct rv_line_table_row *rows = rv_viewer_line_times_rows(&tables->viewer.statistics.lines, &n);
    FILE *file = create(tables, "lines");
    for (size_t i = 0; i < n; i++) {
        fprintf(file, "%s,%u", rows[i].file, rows[i].line);
        print_number(file, rows[i].sums.n_hits);
        print_number(file, rows[i].sums.self_ns);
        print_number(file, rows[i].sums.total_ns);
        fputc(',', file);
        if (rows[i].subroutine)
            print_name(tables, file, rows[i].subroutine);
        fputc('\n', file);
    }
    fclose(file);
}

/* ---- waits, of the whole capture ---- */

static void print_side(const struct tables *tables, FILE *file, const struct rv_wait_side *side)
{
    fprintf(file, ",%u,", side->tid);
    if (side->call)
        print_name(tables, file, side->call);
}

static void begin_wait(const struct tables *tables, FILE *file, size_t rank, const struct rv_waits_row *row)
{
    fprintf(file, "%zu,%s,", rank + 1, rv_wait_kind_name(row->kind));
    if (row->object)
        print_name(tables, file, row->object);
    print_number(file, row->n_waits);
    print_number(file, row->total_ns);
    print_number(file, row->longest_ns);
}

static void write_objects(const struct tables *tables, const struct rv_viewer_waits_made *shown)
{
    FILE *file = create(tables, "waits");
    for (size_t i = shown->n_deadlocked; i < shown->n; i++) {
        const struct rv_waits_row *row = &shown->rows[i];
        begin_wait(tables, file, i - shown->n_deadlocked, row);
        print_number(file, row->p99_ns);
        for (size_t wake = 0; wake < RV_WAKE_COUNT; wake++)
            print_number(file, row->n_of_wake[wake]);
        print_side(tables, file, &row->waiter);
        print_side(tables, file, &row->holder);
        print_number(file, row->held_ns);
        print_number(file, row->idle_ns);
        print_number(file, row->passed_ns);
        fputc('\n', file);
    }
    fclose(file);
}

static void write_arcs(const struct tables *tables, const struct rv_viewer_waits_made *shown)
{
    FILE *file = create(tables, "arcs");
    for (size_t i = 0; i < shown->n_arcs; i++) {
        const struct rv_waits_row *arc = &shown->rows[shown->n + i];
        begin_wait(tables, file, i, arc);
        print_number(file, arc->waited_ns);
        print_side(tables, file, &arc->holder);
        print_side(tables, file, &arc->waiter);
        fputc('\n', file);
    }
    fclose(file);
}

static void write_waits(struct tables *tables)
{
    rv_viewer_act(&tables->viewer, &(struct rv_act){.action = RV_ACTION_WAITS});
    rv_viewer_act(&tables->viewer, &(struct rv_act){.action = RV_ACTION_LIST_ARCS});
    rv_viewer_waits_wait(&tables->viewer);
    write_objects(tables, &tables->viewer.waits.shown);
    write_arcs(tables, &tables->viewer.waits.shown);
}

/* ---- */

static void ask(struct tables *tables, const char *range)
{
    uint64_t first_ns = 0, last_ns = 0;
    char *to;
    (void)rv_lanes_bounds(tables->viewer.lanes, &first_ns, &last_ns);
    if (strcmp(range, "all") == 0) {
        act(tables, &(struct rv_act){.action = RV_ACTION_STATISTICS});
        return;
    }
    const uint64_t from_ns = strtoull(range, &to, 10), to_ns = strtoull(to + 1, NULL, 10);
    act(tables,
        &(struct rv_act){
            .action = RV_ACTION_SELECT, .from_ns = first_ns + from_ns, .to_ns = first_ns + to_ns, .amount = 1.0});
}

/* The critical path of the last thread in the range: its length, and how much of it are waits with an unknown waker. */
static void write_path(struct tables *tables, const char *range)
{
    struct rv_critical_path_request request = {.lane_idx = RV_CRITICAL_PATH_LAST};
    struct rv_critical_path_job job = {0};
    (void)rv_lanes_bounds(tables->viewer.lanes, &request.from_ns, &request.to_ns);
    if (strcmp(range, "all") != 0) {
        request.from_ns = tables->viewer.selected.from_ns;
        request.to_ns = tables->viewer.selected.to_ns;
    }
    rv_critical_path_job_start(&job, tables->viewer.lanes, rv_session_waits(tables->session), &request);
    rv_critical_path_job_wait(&job);
    const struct rv_critical_path_found *found = rv_critical_path_job_found(&job);
    FILE *file = create(tables, "path");
    fprintf(file, "%llu %llu\n", (unsigned long long)found->n_ns, (unsigned long long)found->wait_ns);
    (void)fclose(file);
    rv_critical_path_job_stop(&job);
}

/* Not in the window, but in reports. */
static void write_full_rings(const struct tables *tables, const char *range)
{
    const bool is_all = strcmp(range, "all") == 0;
    const struct rv_range_ns *selected = &tables->viewer.selected;
    const struct rv_full_rings full_rings =
        rv_full_rings_between(tables->viewer.lanes, rv_session_waits(tables->session), is_all ? 0 : selected->from_ns,
                              is_all ? UINT64_MAX : selected->to_ns);
    FILE *file = create(tables, "full_rings");
    if (full_rings.n_threads)
        fprintf(file, "%zu %llu %llu\n", full_rings.n_threads, (unsigned long long)full_rings.waited_ns,
                (unsigned long long)full_rings.lasted_ns);
    fclose(file);
}

static bool write_tables(struct tables *tables, const char *range)
{
    ask(tables, range);
    write_full_rings(tables, range);
    if (!rv_viewer_statistics_range(&tables->viewer.statistics) || !tables->viewer.statistics.n_rows)
        return false;
    write_path(tables, range);
    write_lines(tables);
    write_rows(tables);
    write_totals(tables);
    write_times(tables);
    const bool are_sorted = are_rows_sorted(tables);
    act(tables, &(struct rv_act){.action = RV_ACTION_SORT_ROWS, .idx = RV_STATISTICS_CALLS + 1, .amount = 1.0});
    act(tables, &(struct rv_act){.action = RV_ACTION_CHOOSE_ROW,
                                 .idx = rv_viewer_statistics_subject(&tables->viewer.statistics)});
    write_durations(tables);
    write_calls(tables);
    write_groups(tables);
    write_tree(tables, "top_down", RV_STATISTICS_TOP_DOWN, 0);
    write_tree(tables, "bottom_up", RV_STATISTICS_BOTTOM_UP, 0);
    write_tree(tables, "callers", RV_STATISTICS_SANDWICH, 0);
    write_tree(tables, "callees", RV_STATISTICS_SANDWICH, 1);
    FILE *file = create(tables, "subject");
    print_name(tables, file, rv_viewer_statistics_subject(&tables->viewer.statistics));
    fclose(file);
    return are_sorted;
}

static bool lacks_calls(struct rv_lanes *lanes)
{
    uint64_t n_evicted = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++)
        n_evicted += rv_timeline_n_evicted(rv_lanes_get(lanes, i)->timeline);
    return n_evicted > 0;
}

/* Calls that waited for the lock, as a search steps through them, and their number with a filter that rejects all. */
static void write_waited(struct tables *tables)
{
    struct rv_viewer_search *search = &tables->viewer.search;
    FILE *file = create(tables, "waited");
    rv_viewer_search_find(search, "wait:lock");
    (void)rv_viewer_search_update(search, tables->viewer.lanes, tables->viewer.subroutines, true);
    for (uint64_t i = 0; i < search->n_calls; i++) {
        if (!rv_viewer_search_go(search, tables->viewer.lanes, 0, true))
            break;
        fprintf(file, "%llu\n", (unsigned long long)search->hit.place.start_ns);
    }
    (void)rv_viewer_filter_add(&tables->viewer, "!name:.");
    (void)rv_viewer_search_update(search, tables->viewer.lanes, tables->viewer.subroutines, true);
    fprintf(file, "filtered %llu\n", (unsigned long long)search->n_calls);
    (void)fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return EXIT_FAILURE;
    struct tables tables = {.path = argv[2], .folder = argv[4]};
    if (!open_capture(&tables, argv[1]))
        return EXIT_FAILURE;
    begin(&tables);
    const bool is_written = write_tables(&tables, argv[3]);
    write_waited(&tables);
    write_waits(&tables);
    if (tables.history)
        printf("history: calls %s evicted\n", lacks_calls(tables.viewer.lanes) ? "were" : "were not");
    rv_viewer_fini(&tables.viewer);
    rv_session_destroy(tables.session);
    rv_history_destroy(tables.history);
    return is_written ? EXIT_SUCCESS : EXIT_FAILURE;
}
