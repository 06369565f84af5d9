#include "window/statistics_content.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <SDL2/SDL_clipboard.h>
#include <SDL2/SDL_error.h>

#include "window/editor.h"
#include "window/new_file.h"
#include "base/vec.h"
#include "export/calls_csv.h"
#include "export/lines_table.h"
#include "export/not_traced.h"
#include "export/report.h"
#include "viewer/subroutine_calls.h"
#include "viewer/line_times.h"
#include "ui/inspector.h"

void rv_statistics_content_fini(struct rv_statistics_content *content)
{
    rv_statistics_state_fini(&content->statistics);
    rv_name_set_fini(&content->in_part);
    *content = (struct rv_statistics_content){0};
}

/* ---- files ---- */

static int write_rows(const struct rv_statistics_content_about *about, FILE *file)
{
    const struct rv_range_statistics *range = rv_viewer_statistics_range(&about->viewer->statistics);
    struct rv_report report = {.lanes = about->lanes,
                               .subroutines = about->subroutines,
                               .stats = rv_range_statistics_stats(range),
                               .lacks_objects = rv_range_statistics_lacks_objects(range)};
    return rv_report_write(&report, RV_REPORT_CSV, file);
}

static int write_calls(const struct rv_statistics_content_about *about, FILE *file)
{
    const struct rv_viewer_subroutine_calls *calls = &about->viewer->statistics.calls;
    return rv_calls_csv_write(&(struct rv_calls_csv_params){.list = rv_viewer_subroutine_calls_list(calls),
                                                            .order = rv_viewer_subroutine_calls_order(calls),
                                                            .lanes = about->lanes,
                                                            .subroutines = about->subroutines},
                              file);
}

/* What is shown, without lines that were not executed. */
static int write_lines(const struct rv_statistics_content_about *about, FILE *file)
{
    size_t n, n_executed = 0;
    const struct rv_line_table_row *rows = rv_viewer_line_times_rows(&about->viewer->statistics.lines, &n);
    struct rv_line_table_row *executed = rv_alloc(n + 1, sizeof *executed);
    for (size_t i = 0; i < n; i++)
        if (rows[i].sums.n_hits)
            executed[n_executed++] = rows[i];
    const int error =
        rv_lines_write(&(struct rv_lines_report){.rows = executed, .n = n_executed, .subroutines = about->subroutines},
                       RV_REPORT_CSV, file);
    free(executed);
    return error;
}

static const struct {
    const char *name;
    int (*write)(const struct rv_statistics_content_about *about, FILE *file);
} FILES[] = {[RV_STATISTICS_FILE_ROWS] = {"range", write_rows},
             [RV_STATISTICS_FILE_CALLS] = {"calls", write_calls},
             [RV_STATISTICS_FILE_LINES] = {"lines", write_lines}};

static bool is_complete(const struct rv_viewer *viewer, enum rv_statistics_file wanted)
{
    const struct rv_viewer_statistics *statistics = &viewer->statistics;
    switch (wanted) {
    case RV_STATISTICS_FILE_ROWS:
        return rv_viewer_statistics_range(statistics) && !statistics->shows_sample;
    case RV_STATISTICS_FILE_CALLS:
        return statistics->calls.is_on && rv_viewer_subroutine_calls_list(&statistics->calls);
    case RV_STATISTICS_FILE_LINES:
        return rv_viewer_line_times_are_read(viewer);
    case RV_STATISTICS_NO_FILE:
        break;
    }
    return false;
}

/* What is asked for is written as soon as it is complete. */
static void write_wanted_file(const struct rv_statistics_content_about *about)
{
    struct rv_viewer_statistics *statistics = &about->viewer->statistics;
    const enum rv_statistics_file wanted = statistics->wants_file;
    char path[64];
    if (!is_complete(about->viewer, wanted))
        return;
    statistics->wants_file = RV_STATISTICS_NO_FILE;
    int fd = rv_new_file_create(FILES[wanted].name, "csv", path, sizeof path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    int error = file ? FILES[wanted].write(about, file) : fd >= 0 ? -errno : fd;
    if (file && fclose(file) != 0 && !error)
        error = -errno;
    rv_message_written(&about->viewer->message, path, error);
}

/* ---- what they show ---- */

static uint32_t rgba_of(const void *context, uint32_t id)
{
    const struct rv_statistics_content_about *about = context;
    struct rv_subroutine subroutine = rv_subroutines_get(about->subroutines, id);
    struct rv_color color = rv_box_colors_front(about->colors, rv_box_colors_index_of(about->colors, &subroutine));
    return (uint32_t)color.r << 24 | (uint32_t)color.g << 16 | (uint32_t)color.b << 8 | 0xffu;
}

void rv_statistics_content_show_top(struct rv_statistics_content *content, struct rv_ui *ui,
                                    const struct rv_statistics_content_about *about, struct rv_ui_acts *acts)
{
    const struct rv_viewer_search *search = &about->viewer->search;
    struct rv_search_bar shown = {
        .find = search->find,
        .find_why = search->find_why,
        .n_subroutines = search->search.matches.n_matching,
        .n_calls = search->n_calls,
        .is_partial = search->is_partial,
        .is_damaged = search->is_damaged,
        .percent = rv_hit_count_job_is_on(&search->count) ? search->count.job.percent_told : 100,
        .is_whole = search->is_search_whole,
        .filter = search->filter,
        .rule_why = about->viewer->rule_why,
        .n_asked = about->viewer->panels.n_asked,
        .n_rules_asked = about->viewer->panels.n_rules_asked,
    };
    if (!about->viewer->panels.has_search) {
        content->search = (struct rv_search_bar_state){.is_there = false};
        return;
    }
    rv_search_bar_show(ui, &shown, &content->search, acts);
}

static struct rv_calls_table calls_of(const struct rv_statistics_content_about *about)
{
    const struct rv_viewer_subroutine_calls *calls = &about->viewer->statistics.calls;
    return (struct rv_calls_table){
        .list = rv_viewer_subroutine_calls_shown(calls),
        .order = rv_viewer_subroutine_calls_order(calls),
        .is_complete = rv_viewer_subroutine_calls_list(calls),
        .is_listing = rv_range_renewal_is_on(&calls->listed),
        .progress = rv_range_renewal_progress(&calls->listed),
        .column = calls->column,
        .is_descending = calls->is_descending,
        .sampled = rv_viewer_subroutine_calls_sampled(calls),
        .has_current = rv_viewer_subroutine_calls_has_current(calls),
        .current = calls->current,
        .zero_ns = about->viewer->live_edge.first_ns,
        .lanes = about->lanes,
        .subroutines = about->subroutines,
        .rgba = rgba_of(about, calls->id),
    };
}

static struct rv_tree_table tree_of(const struct rv_statistics_content_about *about, uint32_t which)
{
    static const char *const titles[RV_STATISTICS_TABS][2] = {
        [RV_STATISTICS_SANDWICH] = {"callers", "callees"},
        [RV_STATISTICS_TOP_DOWN] = {"from the outermost call", ""},
        [RV_STATISTICS_BOTTOM_UP] = {"own time, by its callers", ""},
    };
    const struct rv_viewer_statistics *statistics = &about->viewer->statistics;
    const struct rv_viewer_call_tree *tree = &statistics->trees[which];
    const char *title = titles[statistics->tab][which];
    return (struct rv_tree_table){
        .title = title ? title : "",
        .nodes = tree->is_open ? tree->job.tree.nodes : NULL,
        .rows = tree->rows,
        .n_rows = tree->n_rows,
        .which = which,
        .subroutines = about->subroutines,
        .rgba = rgba_of,
        .context = about,
    };
}

static struct rv_groups_table groups_of(const struct rv_statistics_content_about *about)
{
    const struct rv_viewer_subroutine_calls *calls = &about->viewer->statistics.calls;
    return (struct rv_groups_table){
        .groups = calls->groups,
        .n_groups = calls->n_groups,
        .grouping = calls->grouping,
        .sampled = calls->sample.range ? rv_range_statistics_sampled(calls->sample.range) : 1.0,
        .lanes = about->lanes,
        .subroutines = about->subroutines,
    };
}

static const char *text_of_line(const void *context, const struct rv_line_table_row *row, char *out, size_t out_bytes)
{
    const struct rv_statistics_content_about *about = context;
    char line[RV_SOURCE_TEXT_LINE_BYTES];
    (void)snprintf(out, out_bytes, "%s", rv_viewer_line_times_text(&about->viewer->statistics.lines, row, line));
    return out;
}

static const char *notice_of_lines(const struct rv_statistics_content_about *about, size_t n_rows)
{
    const struct rv_viewer_line_times *lines = &about->viewer->statistics.lines;
    struct rv_session *session = about->viewer->session;
    if (!session || !rv_session_can_reopen(session))
        return "The times of lines are read from a file, or from a program's history (--history): there is neither.";
    if (rv_filter_has_arguments(about->viewer->statistics.asked_filter))
        return "A rule over arguments is in force: the lines of its calls are not known.";
    if (!lines->reader)
        return lines->next ? "reading ..." : "They cannot be read.";
    if (!n_rows && lines->n_all)
        return "No line of this subroutine is known.";
    return n_rows ? ""
                  : "No line is known. Perl, Ruby and native programs report lines with RINGVIZ_PERL_LINES=1, "
                    "RINGVIZ_RUBY_LINES=1 and RINGVIZ_NATIVE_LINES=1 in the environment.";
}

static uint64_t most_self_ns(const struct rv_line_table_row *rows, size_t n)
{
    uint64_t most_ns = 0;
    for (size_t i = 0; i < n; i++)
        most_ns = rows[i].sums.self_ns > most_ns ? rows[i].sums.self_ns : most_ns;
    return most_ns;
}

static struct rv_lines_table lines_of(const struct rv_statistics_content_about *about)
{
    const struct rv_viewer_line_times *lines = &about->viewer->statistics.lines;
    struct rv_lines_table table = {.is_of_one = lines->is_of_one, .text = text_of_line, .context = about};
    table.rows = rv_viewer_line_times_rows(lines, &table.n_rows);
    table.notice = notice_of_lines(about, table.n_rows);
    table.most_ns = most_self_ns(table.rows, lines->is_of_one ? table.n_rows : table.n_rows > 0);
    return table;
}

/* When there are other rows. */
static void find_in_part(struct rv_statistics_content *content, const struct rv_statistics_content_about *about)
{
    char name[640];
    size_t n;
    const struct rv_viewer_statistics *statistics = &about->viewer->statistics;
    if (content->in_part_version == statistics->version && content->n_in_part_of == statistics->n_rows)
        return;
    content->in_part_version = statistics->version;
    content->n_in_part_of = statistics->n_rows;
    rv_name_set_clear(&content->in_part);
    struct rv_not_traced *all = rv_not_traced_take(about->lanes, about->subroutines, &n);
    n = rv_not_traced_fold(all, n);
    for (size_t i = 0; i < statistics->n_rows && n; i++) {
        const uint32_t id = statistics->rows[i].id;
        if (rv_not_traced_has(all, n, rv_subroutines_name_of(about->subroutines, id, name, sizeof name)))
            rv_name_set_add(&content->in_part, id);
    }
    free(all);
}

void rv_statistics_content_show_bottom(struct rv_statistics_content *content, struct rv_ui *ui,
                                       const struct rv_statistics_content_about *about, struct rv_ui_acts *acts)
{
    const struct rv_viewer_statistics *statistics = &about->viewer->statistics;
    const struct rv_range_ns *selected = &about->viewer->selected;
    const struct rv_viewer_subroutine_calls *calls = &statistics->calls;
    const struct rv_search *search = &about->viewer->search.search;
    if (statistics->scope == RV_SCOPE_CLOSED)
        return;
    write_wanted_file(about);
    find_in_part(content, about);
    rv_statistics_show(ui,
                       &(struct rv_statistics){
                           .scope = statistics->scope,
                           .is_narrow = about->is_narrow,
                           .has_selected = selected->to_ns > selected->from_ns,
                           .from_ns = statistics->shown.from_ns,
                           .to_ns = statistics->shown.to_ns,
                           .zero_ns = about->viewer->live_edge.first_ns,
                           .range = rv_viewer_statistics_range(statistics),
                           .is_measuring = rv_range_renewal_is_on(&statistics->measured),
                           .progress = rv_range_renewal_progress(&statistics->measured),
                           .sampled = rv_viewer_statistics_sampled(statistics),
                           .version = statistics->paths_version,
                           .stats = rv_viewer_statistics_stats(statistics),
                           .self_ns = rv_viewer_statistics_self_ns(statistics),
                           .rows = statistics->rows,
                           .n_rows = statistics->n_rows,
                           .column = statistics->column,
                           .is_descending = statistics->is_descending,
                           .has_chosen = calls->is_on,
                           .chosen = rv_viewer_statistics_subject(statistics),
                           .tab = statistics->tab,
                           .brush = rv_viewer_statistics_brush(about->viewer),
                           .focus = rv_viewer_statistics_focus(statistics),
                           .alike = &statistics->alike,
                           .namesakes = &statistics->namesakes,
                           .in_part = &content->in_part,
                           .found = search->is_on ? rv_search_only(search) : NULL,
                           .calls = calls_of(about),
                           .trees = {tree_of(about, 0), tree_of(about, 1)},
                           .groups = groups_of(about),
                           .lines = lines_of(about),
                           .diff = {about->viewer->diff, about->subroutines},
                           .subroutines = about->subroutines,
                           .rgba = rgba_of,
                           .context = about,
                           .time = statistics->time,
                           .knows_states = rv_viewer_statistics_knows_states(about->viewer),
                       },
                       &content->statistics, acts);
}

void rv_statistics_content_show_right(struct rv_ui *ui, const struct rv_statistics_content_about *about,
                                      struct rv_ui_acts *acts)
{
    const struct rv_viewer *viewer = about->viewer;
    const struct rv_tooltip *tooltip = &viewer->pointer.tooltip;
    const struct rv_hover *hover = &viewer->pointer.hover;
    const struct rv_range_job *measure = &viewer->pinned_call.measure;
    if (!hover->is_pinned || !tooltip->title[0])
        return;
    struct rv_inspector shown = {
        .title = tooltip->title,
        .has_source = rv_subroutines_get(about->subroutines, hover->box.id).file[0],
        .has_waker = viewer->pointer.waits.shown.sum.n && viewer->pointer.waits.shown.longest.waker,
        .has_flow = viewer->pointer.flow.is_on,
        .has_path = viewer->session && rv_session_waits(viewer->session) && hover->n_lanes <= 1,
        .is_path_lit = viewer->path.is_on,
        .traced = viewer->debugger.debug_session ? viewer->debugger.report.traced : NULL,
        .range = rv_range_job_is_done(measure) ? measure->range : NULL,
        .subroutines = about->subroutines,
        .rgba = rgba_of,
        .context = about,
    };
    for (size_t i = 0; i < tooltip->n_lines && i < RV_INSPECTOR_LINES; i++)
        shown.lines[shown.n_lines++] = (struct rv_inspector_line){tooltip->lines[i].label, tooltip->lines[i].text};
    shown.node = shown.range ? rv_pinned_call_node(&viewer->pinned_call) : 0;
    rv_inspector_show(ui, &shown, acts);
}

/* ---- what they ask for ---- */

static struct rv_subroutine subject_of(const struct rv_statistics_content_about *about, const struct rv_act *act)
{
    return rv_subroutines_get(about->subroutines, act->idx ? act->idx : about->viewer->pointer.hover.box.id);
}

static void copy_name(struct rv_message *message, const struct rv_subroutine subroutine)
{
    char *full = rv_subroutine_take_full_name(&subroutine);
    if (SDL_SetClipboardText(full) == 0)
        rv_message_show(message, "Copied: %s", full);
    else
        rv_message_warn(message, "Not copied: %s", SDL_GetError());
    free(full);
}

bool rv_statistics_content_act(const struct rv_statistics_content_about *about, const struct rv_act *act)
{
    struct rv_subroutine subroutine;
    switch ((int)act->action) {
    case RV_ACTION_COPY_NAME:
        copy_name(&about->viewer->message, subject_of(about, act));
        return true;
    case RV_ACTION_EDIT_SOURCE:
        subroutine = subject_of(about, act);
        if (rv_editor_open(subroutine.file, subroutine.line))
            rv_message_warn(&about->viewer->message, "No editor: $EDITOR is not set, or there is no %s",
                            subroutine.file && subroutine.file[0] ? subroutine.file : "file");
        return true;
    default:
        return false;
    }
}
