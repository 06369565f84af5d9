#include "window/panels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "viewer/navigation.h"
#include "window/debugger_content.h"
#include "window/menu_content.h"
#include "window/critical_path_content.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "render/theme.h"
#include "ui/inspector.h"
#include "ui/legend.h"
#include "ui/minimap_panel.h"
#include "ui/notice.h"
#include "ui/settings_panel.h"
#include "ui/topbar.h"

#define PASSES_MAX 6       /* limit of passes until panels that change each other settle */
#define ROOM_WIDTH 900.0   /* least width of a picture with room for a column, */
#define LEGEND_WIDTH 760.0 /* of one with room for the legend alone, */
#define STRIP_WIDTH 600.0  /* and of one with room for the minimap; */
#define ROOM_HEIGHT 420.0  /* and their least height, points */
#define LANES_FOUND 50u    /* shown in the palette at once, */
#define RULES_SHOWN 20u    /* and rules of the filter */
#define WAITS_SHOWN 20u    /* and rows of the list of waits, most waiting first */
#define CHOICES_DEBUGGER (RV_DEBUG_SESSION_WATCHES + RV_DEBUG_SESSION_BREAKS + RV_DEBUG_SESSION_FRAMES)
#define CHOICES_MOST                                                                                                   \
    (RV_ARC_KIND_COUNT + 2 * RULES_SHOWN + 2 * WAITS_SHOWN + RV_CRITICAL_PATH_PANEL_ROWS + CHOICES_DEBUGGER)
#define HIT_PARTS 400 /* parts of the trace in which search hits are counted */
#define DEBUGGER_FIELDS 3u

int rv_panels_open(struct rv_panels *panels)
{
    *panels = (struct rv_panels){0};
    return rv_ui_create(&panels->ui);
}

void rv_panels_close(struct rv_panels *panels)
{
    rv_minimap_pixels_fini(&panels->minimap_image);
    rv_statistics_content_fini(&panels->statistics);
    rv_color_legend_fini(&panels->color_legend);
    rv_ui_destroy(panels->ui);
    rv_waits_content_fini(&panels->waits);
    free(panels->thread_rows);
    *panels = (struct rv_panels){0};
}

/* ---- what each panel shows ---- */

static enum rv_topbar_state state_of(const struct rv_viewer *viewer)
{
    if (viewer->playhead.is_playing)
        return RV_TOPBAR_PLAYING;
    if (viewer->live_edge.is_done)
        return viewer->playhead.is_on ? RV_TOPBAR_PAUSED : RV_TOPBAR_ENDED;
    return viewer->playhead.is_on ? RV_TOPBAR_FROZEN : RV_TOPBAR_LIVE;
}

static void show_topbar(struct rv_panels *panels, const struct rv_panels_about *about, struct rv_ui_acts *acts)
{
    const struct rv_live_edge *live_edge = &about->viewer->live_edge;
    const char *tabs[RV_VIEW_MODE_COUNT];
    for (int look = 0; look < RV_VIEW_MODE_COUNT; look++)
        tabs[look] = rv_view_mode_get((enum rv_view_mode)look)->title;
    const struct rv_viewer_panels *opened = &about->viewer->panels;
    const struct rv_topbar_button buttons[RV_TOPBAR_MOST_BUTTONS] = {
        {"Search", opened->has_search ? RV_ACTION_END_SEARCH : RV_ACTION_SEARCH, opened->has_search},
        {"Statistics", RV_ACTION_STATISTICS, about->viewer->statistics.scope != RV_SCOPE_CLOSED},
        {"Waits", RV_ACTION_WAITS, opened->has_waits},
        {"Threads", RV_ACTION_THREADS, opened->has_threads},
        {"Settings", RV_ACTION_SETTINGS, opened->has_settings},
        {"Help", RV_ACTION_HELP, opened->has_help},
        {"Screenshot", RV_ACTION_SCREENSHOT, false},
        {"Record", RV_ACTION_RECORD, about->is_recording}};
    uint32_t n_buttons = about->has_timebar ? sizeof buttons / sizeof *buttons : 0; /* none in a screenshot */
    struct rv_topbar shown = {
        .program = about->program ? about->program : "",
        .pid = about->pid,
        .state = state_of(about->viewer),
        .behind_ns = live_edge->is_done ? 0 : rv_live_edge_behind_ns(live_edge),
        .events_per_s = about->rates ? about->rates->events_per_s : -1.0,
        .lag_ns = about->rates ? about->rates->lag_ns : -1.0,
        .cpu_share = about->rates ? about->rates->cpu_share : -1.0,
        .n_dropped = about->n_dropped,
        .has_lost_history = about->has_lost_history,
        .is_recording = about->is_recording,
        .n_stopped = about->viewer->debugger.report.n_stopped,
        .n_drawn = about->view->n_boxes,
        .n_folded = about->view->n_folded,
        .buttons = buttons,
        .n_buttons = n_buttons && live_edge->is_done ? n_buttons - 1 : n_buttons,
        .tabs = tabs,
        .n_tabs = RV_VIEW_MODE_COUNT,
        .chosen = (uint32_t)about->viewer->look.shown,
    };
    rv_topbar_show(panels->ui, &shown, acts);
}

/* While it filters, its rows stay: what they hide has no share any more. */
static void show_legend(struct rv_panels *panels, const struct rv_panels_about *about, struct rv_ui_acts *acts)
{
    struct rv_legend *legend = &panels->legend;
    const struct rv_viewer *viewer = about->viewer;
    const struct rv_color_legend_params params = {.colors = about->colors,
                                                  .view = about->view,
                                                  .times = rv_viewer_self_times_get(viewer),
                                                  .subroutines = about->subroutines,
                                                  .is_moving = rv_viewer_is_moving(viewer)};
    rv_color_legend_find_rules(legend, viewer->search.filter);
    if (rv_legend_has_rules(legend) && legend->title == rv_color_legend_title(about->colors)) {
        rv_color_legend_describe_shares(&panels->color_legend, &params, legend);
    } else {
        rv_color_legend_describe(&panels->color_legend, &params, legend);
        rv_color_legend_add_lines(about->arcs, rv_viewer_arcs(viewer) ? viewer->arcs.n_lacking : 0, about->view,
                                  rv_theme_get(about->surface.theme), legend);
        rv_color_legend_find_rules(legend, viewer->search.filter);
    }
    rv_legend_show(panels->ui, legend, acts);
}

/* Without a playhead, show the end of the minimap's time, which changes at most once a second. */
static struct rv_timebar timebar_of(const struct rv_viewer *viewer, const struct rv_minimap_pixels *minimap_image)
{
    uint64_t from_ns, to_ns;
    const struct rv_playhead *playhead = &viewer->playhead;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    return (struct rv_timebar){
        .first_ns = minimap_image->first_ns,
        .last_ns = minimap_image->last_ns,
        .at_ns = playhead->is_on ? playhead->at_ns : minimap_image->last_ns,
        .step_ns = (to_ns - from_ns) / 1000,
        .speed = rv_playhead_speed(playhead),
        .is_on = playhead->is_on,
        .is_playing = playhead->is_playing,
        .is_live = !viewer->live_edge.is_done,
    };
}

static void show_minimap(struct rv_panels *panels, const struct rv_panels_about *about, struct rv_ui_acts *acts)
{
    const struct rv_ui_surface *surface = &about->surface;
    struct rv_minimap_pixels *minimap_image = &panels->minimap_image;
    uint32_t idle = rv_ui_style_get(surface->theme)->idle;
    struct rv_minimap_pixels_params params = {
        .lanes = about->lanes,
        .colors = about->colors,
        .subroutines = about->subroutines,
        .live_edge = &about->viewer->live_edge,
        .lost = rv_theme_color(rv_theme_get(surface->theme)->lost),
        .idle = {(uint8_t)(idle >> 24), (uint8_t)(idle >> 16 & 0xffu), (uint8_t)(idle >> 8 & 0xffu)},
        .width = surface->width_px - (int)((double)rv_minimap_panel_sides(about->has_timebar) * surface->scale),
        .height = (int)((double)rv_minimap_panel_height(about->has_timebar) * surface->scale),
        .clock_ns = rv_clock_mono_ns(),
    };
    rv_minimap_pixels_update(minimap_image, &params);
    struct rv_minimap_panel shown = {
        .pixels = {minimap_image->rgba, minimap_image->width, minimap_image->height, minimap_image->version},
        .first_ns = minimap_image->first_ns,
        .last_ns = minimap_image->last_ns,
        .marks_ns = about->viewer->marks.ns,
        .n_marks = about->viewer->marks.n,
    };
    uint32_t hits[HIT_PARTS];
    if (about->viewer->search.search.is_on) {
        rv_search_hits(&about->viewer->search.search, shown.first_ns, shown.last_ns + 1, hits, HIT_PARTS);
        shown.hits = hits;
        shown.n_hits = HIT_PARTS;
    }
    rv_time_window_get(&about->viewer->time_window, &shown.from_ns, &shown.to_ns);
    struct rv_timebar timebar = timebar_of(about->viewer, minimap_image);
    shown.timebar = about->has_timebar ? &timebar : NULL;
    rv_minimap_panel_show(panels->ui, &shown, acts);
}

static void describe_thread(const struct rv_panels_about *about, uint32_t lane_idx, struct rv_threads_row *out)
{
    const struct rv_lane_choices *lane_order = &about->viewer->lane_order;
    struct rv_lane *lane = rv_lanes_get(about->lanes, lane_idx);
    *out = (struct rv_threads_row){
        .lane_idx = lane_idx,
        .tid = lane->tid,
        .is_hidden = lane_order->lanes[lane_idx].is_hidden,
        .is_pinned = lane_order->lanes[lane_idx].is_pinned,
        .fold = rv_lane_choices_fold(lane_order, lane_idx),
    };
    rv_lane_copy_label(lane, out->name);
    pthread_rwlock_wrlock(&lane->lock);
    (void)snprintf(out->process, sizeof out->process, "%s %u", lane->process_name, lane->pid);
    rv_instrumentation_text(&lane->instrumentation, out->traced_by);
    out->n_events = lane->n_events;
    out->max_depth = lane->max_depth;
    pthread_rwlock_unlock(&lane->lock);
}

/* A collapsed group has the name that it has in the picture. */
static void name_group(const struct rv_view *view, struct rv_threads_row *row)
{
    for (size_t i = 0; view && i < view->n_lanes; i++)
        if (view->lanes[i].lane_idx == row->lane_idx && view->lanes[i].n_members > 1)
            (void)snprintf(row->name, sizeof row->name, "%s", view->lanes[i].name);
}

struct thread_rows {
    const struct rv_panels_about *about;
    const uint32_t *rows;
    bool is_grouped; /* collapsed groups are a row each */
};

static void fill_thread(const void *context, size_t row_idx, struct rv_threads_row *out)
{
    const struct thread_rows *thread_rows = context;
    describe_thread(thread_rows->about, thread_rows->rows[row_idx], out);
    if (thread_rows->is_grouped)
        name_group(thread_rows->about->viewer->view, out);
}

/* In the order of the lanes, whatever is hidden or pinned, so that none moves under the mouse. Returns their number. */
static size_t find_threads(struct rv_panels *panels, const struct rv_panels_about *about)
{
    const struct rv_lane_choices *lane_order = &about->viewer->lane_order;
    size_t n = 0;
    panels->thread_rows = rv_vec_reserve(panels->thread_rows, &panels->thread_rows_capacity, lane_order->n_lanes,
                                         sizeof *panels->thread_rows);
    for (size_t i = 0; i < lane_order->n_lanes; i++) {
        struct rv_threads_row row;
        uint32_t lane_idx = lane_order->order[i], representative = rv_lane_choices_representative(lane_order, lane_idx);
        bool is_row = representative == lane_idx || representative == RV_LANE_CHOICES_NONE;
        if (*panels->threads.find) {
            describe_thread(about, lane_idx, &row);
            is_row = rv_threads_is_found(&panels->threads, &row);
        }
        if (is_row)
            panels->thread_rows[n++] = lane_idx;
    }
    return n;
}

static void show_threads(struct rv_panels *panels, const struct rv_panels_about *about, struct rv_ui_acts *acts)
{
    const struct rv_lane_choices *lane_order = &about->viewer->lane_order;
    size_t n_rows = find_threads(panels, about);
    struct thread_rows thread_rows = {about, panels->thread_rows, !*panels->threads.find};
    struct rv_threads shown = {
        .n_rows = n_rows,
        .n_lanes = lane_order->n_lanes,
        .n_hidden = rv_lane_choices_n_hidden(lane_order),
        .sorted = lane_order->sorted,
        .row = fill_thread,
        .context = &thread_rows,
    };
    rv_threads_show(panels->ui, &shown, &panels->threads, acts);
}

static void show_help(struct rv_panels *panels, struct rv_ui_acts *acts)
{
    struct rv_help_row rows[RV_ACTION_COUNT];
    struct rv_help shown = {.rows = rows};
    for (int action = RV_ACTION_NONE + 1; action < RV_ACTION_COUNT; action++) {
        struct rv_help_row *row = &rows[shown.n_rows++];
        rv_key_bindings_text((enum rv_action)action, row->keys, sizeof row->keys);
        row->words = rv_key_bindings_get((enum rv_action)action)->words;
        row->section = rv_key_bindings_section((enum rv_action)action);
    }
    rv_help_show(panels->ui, &shown, &panels->help, acts);
}

/* Actions without a key need a place or a text. */
static size_t add_actions(struct rv_action_row *rows)
{
    size_t n = 0;
    for (int action = RV_ACTION_NONE + 1; action < RV_ACTION_COUNT; action++) {
        const struct rv_key_binding *info = rv_key_bindings_get((enum rv_action)action);
        if (!info->chords[0].key || action == RV_ACTION_COMMANDS)
            continue;
        struct rv_action_row *row = &rows[n++];
        *row = (struct rv_action_row){.action = (enum rv_action)action, .words = info->words};
        rv_key_bindings_keys(row->action, row->keys, sizeof row->keys);
    }
    return n;
}

struct lane_words {
    char text[2 * RV_THREADS_NAME_BYTES + 32];
};

/* Threads that the text finds, as "go to worker 3 of make 117". */
static size_t add_lanes(const struct rv_panels *panels, const struct rv_panels_about *about,
                        struct rv_action_row rows[LANES_FOUND], struct lane_words words[LANES_FOUND])
{
    const struct rv_lane_choices *lane_order = &about->viewer->lane_order;
    size_t n = 0;
    for (size_t i = 0; *panels->commands.text && i < lane_order->n_lanes && n < LANES_FOUND; i++) {
        struct rv_threads_row lane;
        describe_thread(about, lane_order->order[i], &lane);
        (void)snprintf(words[n].text, sizeof words[n].text, "go to %s of %s", lane.name, lane.process);
        rows[n] =
            (struct rv_action_row){.action = RV_ACTION_SHOW_LANE, .idx = lane.lane_idx + 1, .words = words[n].text};
        (void)snprintf(rows[n].keys, sizeof rows[n].keys, "lane %" PRIu32, lane.tid);
        n += rv_command_palette_match(&rows[n], panels->commands.text);
    }
    return n;
}

static void add_row(struct rv_command_palette *shown, struct rv_action_row *rows, enum rv_action action, uint32_t idx,
                    const char *words)
{
    rows[shown->n_rows++] = (struct rv_action_row){.action = action, .idx = idx, .words = words};
}

struct choice_words {
    char text[3 * sizeof(struct rv_waits_table_name) + 64];
};

/* Of "worker in cache::get", the thread. */
static int thread_bytes(const struct rv_waits_table_name *side)
{
    return (int)(side->n_before ? side->n_before - strlen(" in ") : strlen(side->text));
}

/* Where the rows of the list of waits, or of arcs, lead to, while it is open. */
static void add_waits(const struct rv_viewer *viewer, struct rv_command_palette *shown, struct rv_action_row *rows,
                      struct choice_words words[2 * WAITS_SHOWN])
{
    const bool of_arcs = viewer->panels.has_arcs;
    const size_t first = of_arcs ? viewer->waits.shown.n : 0;
    const size_t n = of_arcs ? viewer->waits.shown.n_arcs : viewer->waits.shown.n;
    for (uint32_t i = 0; viewer->panels.has_waits && i < n && i < WAITS_SHOWN; i++, words += 2) {
        const uint32_t idx = (uint32_t)first + i;
        struct rv_waits_table_row row;
        rv_waits_content_describe(viewer, idx, &row);
        if (of_arcs) {
            const int n_waiter = thread_bytes(&row.waiter), n_holder = thread_bytes(&row.holder);
            (void)snprintf(words[0].text, sizeof words[0].text, "go to %.*s, which waited for %s%s", n_waiter,
                           row.waiter.text, row.object.text, row.waiter.text + n_waiter);
            (void)snprintf(words[1].text, sizeof words[1].text, "go to %.*s, which ended waits of %.*s for %s%s",
                           n_holder, row.holder.text, n_waiter, row.waiter.text, row.object.text,
                           row.holder.text + n_holder);
        } else {
            (void)snprintf(words[0].text, sizeof words[0].text, "go to the longest wait for %s", row.object.text);
            (void)snprintf(words[1].text, sizeof words[1].text, "go to who kept others waiting for %s",
                           row.object.text);
        }
        add_row(shown, rows, RV_ACTION_SHOW_WAIT, idx, words[0].text);
        add_row(shown, rows, RV_ACTION_SHOW_HOLDER, idx, words[1].text);
    }
}

/* What the rows of the lit critical path lead to. */
static void add_path(const struct rv_viewer *viewer, struct rv_command_palette *shown, struct rv_action_row *rows,
                     struct choice_words words[RV_CRITICAL_PATH_PANEL_ROWS])
{
    struct rv_critical_path_panel_row part;
    for (uint32_t i = 0; rv_critical_path_content_describe(viewer, i, &part); i++) {
        (void)snprintf(words[i].text, sizeof words->text, "go to %s, of the critical path", part.name);
        add_row(shown, rows, RV_ACTION_SHOW_PATH_PART, i, words[i].text);
    }
}

/* What can be done with the watches, stops and calls of the debugger, while it is open. */
static void add_debugger(const struct rv_viewer *viewer, struct rv_command_palette *shown, struct rv_action_row *rows,
                         struct choice_words words[CHOICES_DEBUGGER])
{
    const struct rv_debug_session_report *report = &viewer->debugger.report;
    if (!viewer->panels.has_debugger_panel || !viewer->debugger.debug_session)
        return;
    for (uint32_t i = 0; i < RV_DEBUG_SESSION_WATCHES; i++) {
        if (!report->watches[i].is_used)
            continue;
        (void)snprintf(words->text, sizeof words->text, "remove the watch %s", report->watches[i].expression);
        add_row(shown, rows, RV_ACTION_UNWATCH, i, words++->text);
    }
    for (uint32_t i = 0; i < report->n_breaks; i++) {
        (void)snprintf(words->text, sizeof words->text, "remove the stop at %s", report->breaks[i].where);
        add_row(shown, rows, RV_ACTION_UNBREAK, report->breaks[i].number, words++->text);
    }
    for (uint32_t i = 0; rv_viewer_debugger_has_stack(&viewer->debugger) && i < report->n_frames; i++) {
        (void)snprintf(words->text, sizeof words->text, "show the lines around %s", report->frames[i].call);
        add_row(shown, rows, RV_ACTION_LOOK_AT_FRAME, i, words++->text);
    }
}

/* A switch for each kind of arc, and what can be done with each rule: elsewhere these are clicked. */
static void add_choices(const struct rv_panels_about *about, struct rv_command_palette *shown,
                        struct rv_action_row *rows, struct choice_words words[CHOICES_MOST])
{
    const struct rv_filter *filter = about->viewer->search.filter;
    for (uint32_t i = 0; i < RV_ARC_KIND_COUNT; i++, words++) {
        const bool is_hidden = about->viewer->settings.arcs_left_out >> i & 1u;
        (void)snprintf(words->text, sizeof words->text, "%s arcs of %s", is_hidden ? "show" : "hide",
                       rv_arc_kind_name((enum rv_arc_kind)i));
        add_row(shown, rows, RV_ACTION_ARC_KIND, i, words->text);
    }
    for (uint32_t i = 0; i < rv_filter_n_rules(filter) && i < RULES_SHOWN; i++, words += 2) {
        (void)snprintf(words[0].text, sizeof words[0].text, "invert the rule %s", rv_filter_text(filter, i));
        (void)snprintf(words[1].text, sizeof words[1].text, "remove the rule %s", rv_filter_text(filter, i));
        add_row(shown, rows, RV_ACTION_INVERT_RULE, i, words[0].text);
        add_row(shown, rows, RV_ACTION_REMOVE_RULE, i, words[1].text);
    }
    add_waits(about->viewer, shown, rows, words);
    add_path(about->viewer, shown, rows, words + 2 * WAITS_SHOWN);
    add_debugger(about->viewer, shown, rows, words + 2 * WAITS_SHOWN + RV_CRITICAL_PATH_PANEL_ROWS);
}

static void show_commands(struct rv_panels *panels, const struct rv_panels_about *about, struct rv_ui_acts *acts)
{
    struct rv_action_row rows[RV_ACTION_COUNT + CHOICES_MOST + LANES_FOUND];
    struct choice_words choices[CHOICES_MOST];
    struct lane_words words[LANES_FOUND];
    struct rv_command_palette shown = {.rows = rows};
    shown.n_rows = add_actions(rows);
    add_choices(about, &shown, rows, choices);
    shown.n_rows += add_lanes(panels, about, rows + shown.n_rows, words);
    rv_command_palette_show(panels->ui, &shown, &panels->commands, acts);
}

/* With the search bar open, the rules are there. */
static bool show_filter_notice(struct rv_panels *panels, const struct rv_panels_about *about, struct rv_ui_acts *acts)
{
    const struct rv_view *view = about->view;
    const size_t n = rv_filter_n_rules(about->viewer->search.filter);
    const bool is_whole = view->n_in_front + view->n_behind == 0;
    const bool is_empty = view->is_made && view->n_lanes && view->n_boxes == 0 && is_whole;
    char text[64];
    if (n == 0 || (about->viewer->panels.has_search && !is_empty))
        return false;
    (void)snprintf(text, sizeof text, "Filtered by %zu rule%s", n, rv_units_word(n, "", "s"));
    rv_notice_show(panels->ui,
                   &(struct rv_notice){.name = "filter notice",
                                       .text = is_empty ? "Nothing here passes the filter" : text,
                                       .is_centered = is_empty,
                                       .buttons = {{"Reset", RV_ACTION_RESET_FILTER}, {"Edit", RV_ACTION_SEARCH}}},
                   acts);
    return !is_empty;
}

static void show_message(struct rv_panels *panels, const struct rv_message *message, struct rv_ui_acts *acts)
{
    if (message->text[0])
        rv_notice_show(
            panels->ui,
            &(struct rv_notice){
                .name = "message", .text = message->text, .is_warning = message->is_warning, .is_below = true},
            acts);
}

/* The first that is not closed. Of a program without calls, why there are none is said in the middle. */
static void show_warning(struct rv_panels *panels, const struct rv_panels_about *about, unsigned row,
                         struct rv_ui_acts *acts)
{
    const char *text = rv_warning_kept(about->viewer->panels.n_warnings_closed);
    if (about->has_warnings && text && about->view->n_lanes)
        rv_notice_show(panels->ui,
                       &(struct rv_notice){.name = "warning",
                                           .text = text,
                                           .is_wrapped = true,
                                           .is_warning = true,
                                           .row = row,
                                           .buttons = {{"Close", RV_ACTION_CLOSE_WARNING}}},
                       acts);
}

/* Threads that wait for each other; with the list of waits open, they are there. Returns whether it is shown. */
static bool show_deadlock(struct rv_panels *panels, const struct rv_viewer *viewer, unsigned row,
                          struct rv_ui_acts *acts)
{
    char text[160];
    if (!viewer->waits.shown.n_deadlocked || viewer->panels.has_waits)
        return false;
    rv_viewer_waits_describe_deadlock(viewer, text, sizeof text);
    rv_notice_show(
        panels->ui,
        &(struct rv_notice){
            .name = "deadlock", .text = text, .is_warning = true, .row = row, .buttons = {{"Show", RV_ACTION_WAITS}}},
        acts);
    return true;
}

static struct rv_statistics_content_about statistics_of(const struct rv_panels_about *about)
{
    return (struct rv_statistics_content_about){
        .viewer = about->viewer, .colors = about->colors, .lanes = about->lanes, .subroutines = about->subroutines};
}

static void show_settings(struct rv_panels *panels, const struct rv_panels_about *about, struct rv_ui_acts *acts)
{
    const struct rv_settings *settings = &about->viewer->settings;
    const char *schemes[RV_COLOR_SCHEME_COUNT], *arcs[RV_ARC_KIND_COUNT];
    for (int i = 0; i < RV_ARC_KIND_COUNT; i++)
        arcs[i] = rv_arc_kind_name((enum rv_arc_kind)i);
    for (int i = 0; i < RV_COLOR_SCHEME_COUNT; i++)
        schemes[i] = rv_color_scheme_name((enum rv_color_scheme)i);
    struct rv_settings_panel shown = {
        .theme = settings->theme,
        .scale_percent = settings->scale_percent,
        .schemes = schemes,
        .n_schemes = rv_viewer_n_schemes(about->viewer),
        .scheme = (uint32_t)about->viewer->look.scheme,
        .has_legend = settings->has_legend,
        .has_minimap = settings->has_minimap,
        .has_lock_lanes = settings->has_lock_lanes,
        .arcs = arcs,
        .n_arcs = RV_ARC_KIND_COUNT,
        .arcs_left_out = settings->arcs_left_out,
        .path = about->settings_path,
    };
    rv_settings_panel_show(panels->ui, &shown, acts);
}

static void show_go_to(struct rv_panels *panels, const struct rv_viewer *viewer, struct rv_ui_acts *acts)
{
    bool is_wrong = viewer->panels.is_entry_wrong;
    struct rv_prompt shown = {.action = RV_ACTION_GO_TO,
                              .title = "Go to",
                              .button = "Go",
                              .example = "12ms",
                              .hint = is_wrong ? "not a time; examples: 12ms  1.5s  +3ms  -3ms  @start  @end"
                                               : "12ms  1.5s  +3ms  -3ms  @start  @end",
                              .is_wrong = is_wrong};
    rv_prompt_show(panels->ui, &shown, &panels->go_to, acts);
}

static void show_select(struct rv_panels *panels, const struct rv_viewer *viewer, struct rv_ui_acts *acts)
{
    bool is_wrong = viewer->panels.is_entry_wrong;
    char initial[128];
    struct rv_prompt shown = {.action = RV_ACTION_SELECT_BETWEEN,
                              .title = "Select a range of time",
                              .button = "Go",
                              .example = "12ms..15ms",
                              .hint = is_wrong ? "not a range; examples: 12ms..15ms  1.5s..+3ms  @start..@end"
                                               : "12ms..15ms  1.5s..+3ms  @start..@end",
                              .is_wrong = is_wrong,
                              .initial = rv_navigation_offer_range(viewer, initial, sizeof initial)};
    rv_prompt_show(panels->ui, &shown, &panels->select, acts);
}

static void show_note(struct rv_panels *panels, const struct rv_viewer *viewer, struct rv_ui_acts *acts)
{
    size_t i = rv_bookmarks_near(&viewer->marks, viewer->panels.note_ns, 0);
    struct rv_prompt shown = {.action = RV_ACTION_NOTE,
                              .title = "Note",
                              .button = "Set",
                              .example = "what is seen here",
                              .hint = viewer->marks.path ? "saved beside the file" : "not saved: for this window only",
                              .initial = i == SIZE_MAX ? NULL : viewer->marks.notes[i]};
    rv_prompt_show(panels->ui, &shown, &panels->note, acts);
}

static void show_prompts(struct rv_panels *panels, const struct rv_viewer *viewer, struct rv_ui_acts *acts)
{
    if (viewer->panels.has_go_to)
        show_go_to(panels, viewer, acts);
    else
        panels->go_to = (struct rv_prompt_state){.is_there = false};
    if (viewer->panels.has_select)
        show_select(panels, viewer, acts);
    else
        panels->select = (struct rv_prompt_state){.is_there = false};
    if (viewer->panels.has_note)
        show_note(panels, viewer, acts);
    else
        panels->note = (struct rv_prompt_state){.is_there = false};
}

/* To a field of the panel that is shown next, each time to the next one. */
static void give_keyboard(const struct rv_panels *panels, const struct rv_viewer *viewer, unsigned n_fields)
{
    const unsigned n_asked = viewer->panels.n_fields_asked;
    rv_imgui_give_keyboard(n_asked != panels->n_fields_asked ? (int)((n_asked - 1) % n_fields) : -1);
}

/* Only one of them: there is no room for all below a picture. */
static void show_below(struct rv_panels *panels, const struct rv_panels_about *about,
                       const struct rv_statistics_content_about *asked, struct rv_ui_acts *acts)
{
    const struct rv_viewer *viewer = about->viewer;
    if (viewer->panels.has_threads || viewer->panels.has_waits)
        give_keyboard(panels, viewer, 1);
    else if (viewer->panels.has_debugger_panel)
        give_keyboard(panels, viewer, DEBUGGER_FIELDS);
    if (viewer->panels.has_threads)
        show_threads(panels, about, acts);
    else if (viewer->panels.has_waits)
        rv_waits_content_show(&panels->waits, panels->ui, viewer, acts);
    else if (viewer->panels.has_debugger_panel)
        rv_debugger_content_show(panels->ui, viewer, &panels->debugger_panel, acts);
    else
        rv_statistics_content_show_bottom(&panels->statistics, panels->ui, asked, acts);
}

/* Beside what is open below. The legend is the one that was shown last. */
static bool has_room_for_legend(const struct rv_panels *panels)
{
    const struct rv_ui_insets docks = rv_ui_insets(panels->ui);
    return rv_inspector_leaves_legend(rv_ui_height(panels->ui) - docks.top - docks.bottom,
                                      rv_legend_height(&panels->legend));
}

static void show_all(struct rv_panels *panels, const struct rv_panels_about *about, struct rv_ui_acts *acts)
{
    const struct rv_ui_surface *surface = &about->surface;
    const struct rv_viewer *viewer = about->viewer;
    const double width = surface->width_px / surface->scale;
    const bool is_high = surface->height_px / surface->scale >= ROOM_HEIGHT;
    const bool has_room = is_high && width >= ROOM_WIDTH;
    struct rv_statistics_content_about asked = statistics_of(about);
    asked.is_narrow = !has_room;
    show_topbar(panels, about, acts);
    rv_statistics_content_show_top(&panels->statistics, panels->ui, &asked, acts);
    const bool has_strip = is_high && width >= STRIP_WIDTH && viewer->settings.has_minimap;
    if (has_room && has_strip)
        show_minimap(panels, about, acts);
    show_below(panels, about, &asked, acts); /* what was asked for comes even where there is no room for more */
    if (!has_room && has_strip && rv_ui_insets(panels->ui).bottom <= 0.0f)
        show_minimap(panels, about, acts);
    panels->has_inspector = has_room && viewer->pointer.hover.is_pinned;
    const bool has_column =
        panels->has_inspector &&
        (viewer->path.is_on || viewer->statistics.scope != RV_SCOPE_CLOSED || !has_room_for_legend(panels));
    if (viewer->settings.has_legend && is_high && width >= LEGEND_WIDTH && !has_column)
        show_legend(panels, about, acts);
    if (has_room) {
        rv_critical_path_content_show(panels->ui, viewer, acts);
        rv_statistics_content_show_right(panels->ui, &asked, acts);
    }
    const bool is_filtered = show_filter_notice(panels, about, acts);
    const bool is_deadlocked = show_deadlock(panels, viewer, is_filtered, acts);
    show_warning(panels, about, (unsigned)is_filtered + is_deadlocked, acts);
    show_message(panels, &viewer->message, acts);
    if (viewer->panels.has_help) {
        give_keyboard(panels, viewer, 1);
        show_help(panels, acts);
    } else
        panels->help = (struct rv_help_state){.find = ""};
    if (viewer->panels.has_settings)
        show_settings(panels, about, acts);
    show_prompts(panels, viewer, acts);
    rv_menu_content_show(panels->ui, viewer, &panels->menu, acts);
    if (viewer->panels.has_commands)
        show_commands(panels, about, acts);
    else
        panels->commands = (struct rv_command_palette_state){.is_there = false};
    panels->n_fields_asked = viewer->panels.n_fields_asked;
}

/* ---- what they ask for ---- */

/* Returns whether there was any action. */
static bool pass(struct rv_panels *panels, const struct rv_panels_about *about)
{
    struct rv_ui_acts acts = {.n = 0};
    struct rv_statistics_content_about asked = statistics_of(about);
    rv_ui_begin(panels->ui, &about->surface);
    show_all(panels, about, &acts);
    panels->hash = rv_ui_end(panels->ui);
    for (size_t i = 0; i < acts.n; i++)
        if (!rv_statistics_content_act(&asked, &acts.items[i]))
            rv_viewer_act(about->viewer, &acts.items[i]);
    return acts.n > 0;
}

void rv_panels_update(struct rv_panels *panels, const struct rv_panels_about *about)
{
    for (int i = 0; i < PASSES_MAX; i++) {
        uint64_t before = panels->hash;
        if (!pass(panels, about) && panels->hash == before && !rv_ui_is_focusing(panels->ui))
            return;
    }
}

bool rv_panels_event(struct rv_panels *panels, const SDL_Event *event, const struct rv_panels_about *about)
{
    if (event->type == SDL_KEYDOWN) /* for the field that the key before it has opened */
        rv_panels_update(panels, about);
    bool is_one_by_one = rv_ui_needs_pass(event);
    bool was_taken = rv_ui_takes(panels->ui, event);
    rv_ui_event(panels->ui, event);
    if (is_one_by_one)
        (void)pass(panels, about);
    return event->type == SDL_KEYDOWN ? was_taken : rv_ui_takes(panels->ui, event);
}

struct rv_scene_insets rv_panels_insets(const struct rv_panels *panels)
{
    struct rv_ui_insets insets = rv_ui_insets(panels->ui);
    return (struct rv_scene_insets){insets.top, insets.bottom, insets.left, insets.right, insets.right_bottom};
}

bool rv_panels_lack_text(const struct rv_panels *panels)
{
    return rv_ui_lacks_text(panels->ui);
}

void rv_panels_draw(struct rv_panels *panels)
{
    rv_ui_draw(panels->ui);
}
