#include "window/panel_analysis.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <SDL2/SDL_clipboard.h>

#include "window/editor.h"
#include "export/report.h"
#include "ui/inspector.h"

#define MOST_FILES 1000

void rv_panel_analysis_fini(struct rv_panel_analysis *panel_analysis)
{
    rv_statistics_state_fini(&panel_analysis->statistics);
    *panel_analysis = (struct rv_panel_analysis){0};
}

/* ---- what they show ---- */

static uint32_t rgba_of(const void *context, uint32_t id)
{
    const struct rv_panel_analysis_about *about = context;
    struct rv_subroutine subroutine = rv_subroutines_get(about->subroutines, id);
    struct rv_color color = rv_box_colors_front(about->colors, rv_box_colors_index_of(about->colors, &subroutine));
    return (uint32_t)color.r << 24 | (uint32_t)color.g << 16 | (uint32_t)color.b << 8 | 0xffu;
}

void rv_panel_analysis_show_top(struct rv_panel_analysis *panel_analysis, struct rv_ui *ui,
                                const struct rv_panel_analysis_about *about, struct rv_ui_acts *acts)
{
    const struct rv_analysis *analysis = &about->viewer->analysis;
    struct rv_search_bar shown = {
        .find = analysis->find,
        .find_why = analysis->find_why,
        .n_subroutines = analysis->search.matches.n_matching,
        .percent = rv_hit_count_is_on(&analysis->count) ? analysis->count.job.percent_told : 100,
        .is_whole = analysis->is_search_whole,
        .filter = analysis->filter,
        .rule_why = analysis->rule_why,
        .n_asked = about->viewer->panels.n_asked,
    };
    if (!about->viewer->panels.has_search) {
        panel_analysis->search = (struct rv_search_bar_state){.is_there = false};
        return;
    }
    shown.n_calls = rv_analysis_n_calls(analysis, about->lanes, &shown.is_partial);
    rv_search_bar_show(ui, &shown, &panel_analysis->search, acts);
}

void rv_panel_analysis_show_bottom(struct rv_panel_analysis *panel_analysis, struct rv_ui *ui,
                                   const struct rv_panel_analysis_about *about, struct rv_ui_acts *acts)
{
    const struct rv_analysis *analysis = &about->viewer->analysis;
    const struct rv_range_job *measure = &analysis->measure;
    if (!measure->range)
        return;
    bool has_message = panel_analysis->message_version == measure->version;
    rv_statistics_show(ui,
                       &(struct rv_statistics){
                           .from_ns = analysis->selected.from_ns,
                           .to_ns = analysis->selected.to_ns,
                           .zero_ns = about->viewer->live_edge.first_ns,
                           .range = rv_range_job_is_done(measure) ? measure->range : NULL,
                           .progress = rv_range_progress(measure->range),
                           .version = measure->version,
                           .subroutines = about->subroutines,
                           .rgba = rgba_of,
                           .context = about,
                           .message = has_message ? panel_analysis->message : "",
                       },
                       &panel_analysis->statistics, acts);
}

void rv_panel_analysis_show_right(struct rv_ui *ui, const struct rv_panel_analysis_about *about,
                                  struct rv_ui_acts *acts)
{
    const struct rv_viewer *viewer = about->viewer;
    const struct rv_tooltip *tooltip = &viewer->pointer.tooltip;
    const struct rv_hover *hover = &viewer->pointer.hover;
    const struct rv_range_job *measure = &viewer->analysis.call.measure;
    if (!hover->is_pinned || !tooltip->title[0])
        return;
    struct rv_inspector shown = {
        .title = tooltip->title,
        .has_source = rv_subroutines_get(about->subroutines, hover->box.id).file[0],
        .range = rv_range_job_is_done(measure) ? measure->range : NULL,
        .subroutines = about->subroutines,
        .rgba = rgba_of,
        .context = about,
    };
    for (size_t i = 0; i < tooltip->n_lines && i < RV_INSPECTOR_LINES; i++)
        shown.lines[shown.n_lines++] = (struct rv_inspector_line){tooltip->lines[i].label, tooltip->lines[i].text};
    shown.node = shown.range ? rv_analysis_call_node(&viewer->analysis) : 0;
    rv_inspector_show(ui, &shown, acts);
}

/* ---- what they ask for ---- */

/* A new file for each export: none is overwritten. */
static FILE *create_file(char *path, size_t path_bytes)
{
    for (int i = 1; i <= MOST_FILES; i++) {
        (void)snprintf(path, path_bytes, "ringviz-range-%d.csv", i);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0)
            return fdopen(fd, "w");
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

static void export_range(struct rv_panel_analysis *panel_analysis, const struct rv_panel_analysis_about *about)
{
    const struct rv_range_job *measure = &about->viewer->analysis.measure;
    char path[64];
    if (!rv_range_job_is_done(measure))
        return;
    FILE *file = create_file(path, sizeof path);
    struct rv_report report = {
        .lanes = about->lanes, .subroutines = about->subroutines, .stats = rv_range_stats(measure->range)};
    int error = file ? rv_report_write(&report, RV_REPORT_CSV, file) : -errno;
    if (file && fclose(file) != 0 && !error)
        error = -errno;
    panel_analysis->message_version = measure->version;
    (void)snprintf(panel_analysis->message, sizeof panel_analysis->message, "%s%s%s", path, error ? ": " : " written",
                   error ? strerror(-error) : "");
}

static void copy_name(const struct rv_panel_analysis_about *about)
{
    struct rv_subroutine subroutine = rv_subroutines_get(about->subroutines, about->viewer->pointer.hover.box.id);
    char *full = rv_subroutine_take_full_name(&subroutine);
    (void)SDL_SetClipboardText(full);
    free(full);
}

static void edit_source(const struct rv_panel_analysis_about *about)
{
    struct rv_subroutine subroutine = rv_subroutines_get(about->subroutines, about->viewer->pointer.hover.box.id);
    (void)rv_editor_open(subroutine.file, subroutine.line);
}

bool rv_panel_analysis_act(struct rv_panel_analysis *panel_analysis, const struct rv_panel_analysis_about *about,
                           const struct rv_act *act)
{
    switch ((int)act->action) {
    case RV_ACTION_EXPORT_RANGE:
        export_range(panel_analysis, about);
        return true;
    case RV_ACTION_COPY_NAME:
        copy_name(about);
        return true;
    case RV_ACTION_EDIT_SOURCE:
        edit_source(about);
        return true;
    default:
        return false;
    }
}
