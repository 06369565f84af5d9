#include "window/view_command.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/text_buffer.h"
#include "model/color.h"
#include "model/lane_choices_text.h"
#include "render/view_mode.h"

/* In single quotes, where there is something that a shell would not take as it is. */
static void add_word(struct rv_text_buffer *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        rv_text_buffer_add(text, word);
        return;
    }
    rv_text_buffer_add(text, "'");
    for (; *word; word++)
        if (*word == '\'')
            rv_text_buffer_add(text, "'\\''");
        else
            rv_text_buffer_add_bytes(text, word, 1);
    rv_text_buffer_add(text, "'");
}

static void add_option(struct rv_text_buffer *text, const char *option, const char *value)
{
    rv_text_buffer_format(text, " --%s=", option);
    add_word(text, value);
}

/* The whole name, as a regular expression. */
static void add_calls_of(struct rv_text_buffer *text, const struct rv_viewer *viewer)
{
    char name[512], pattern[sizeof name * 2 + 3] = "^";
    size_t n = 1;
    rv_subroutines_name_of(viewer->subroutines, viewer->calls_view.id, name, sizeof name);
    for (const char *at = name; *at; at++) {
        if (strchr(".[{()*+?|^$\\", *at))
            pattern[n++] = '\\';
        pattern[n++] = *at;
    }
    pattern[n++] = '$';
    add_option(text, "calls-of", pattern);
}

static void add_selected(struct rv_text_buffer *text, const struct rv_viewer *viewer)
{
    const struct rv_range_ns *selected = &viewer->selected;
    const uint64_t first_ns = viewer->live_edge.first_ns;
    if (selected->to_ns <= selected->from_ns || selected->to_ns <= first_ns)
        return;
    if (selected->from_ns > first_ns)
        rv_text_buffer_format(text, " --from=%" PRIu64 "ns", selected->from_ns - first_ns);
    rv_text_buffer_format(text, " --to=%" PRIu64 "ns", selected->to_ns - first_ns);
}

/* Where it is not the view's default. */
static void add_order(struct rv_text_buffer *text, const struct rv_viewer *viewer)
{
    if (rv_viewer_calls_view_is_shown(viewer) && viewer->calls_view.is_by_time)
        add_option(text, "order", "time");
    if (rv_viewer_tasks_view_is_shown(viewer) && viewer->tasks_view.is_longest_first)
        add_option(text, "order", "longest");
}

static void add_lanes(struct rv_text_buffer *text, const struct rv_viewer *viewer)
{
    char *lanes = viewer->lanes ? rv_lane_choices_text_take(&viewer->lane_order, viewer->lanes) : NULL;
    if (lanes && *lanes)
        add_option(text, "lanes", lanes);
    free(lanes);
    if (viewer->lane_order.most_depth)
        rv_text_buffer_format(text, " --crop=%" PRIu32, viewer->lane_order.most_depth);
}

char *rv_view_command(const struct rv_viewer *viewer, const char *file)
{
    struct rv_text_buffer text = {.n = 0};
    const struct rv_filter *filter = viewer->search.filter;
    uint64_t from_ns, to_ns, first_ns = viewer->live_edge.first_ns;
    rv_time_window_get(&viewer->time_window, &from_ns, &to_ns);
    from_ns = from_ns > first_ns ? from_ns : first_ns;
    rv_text_buffer_add(&text, "ringviz");
    add_option(&text, "view", rv_view_mode_get(viewer->look.shown)->name);
    if (viewer->look.scheme < RV_COLOR_DIFFERENCE)
        add_option(&text, "color", rv_color_scheme_name(viewer->look.scheme));
    add_option(&text, "theme", rv_color_theme_name(viewer->settings.theme));
    rv_text_buffer_format(&text, " --at=%" PRIu64 "ns --window=%" PRIu64 "ns", from_ns - first_ns,
                          to_ns > from_ns ? to_ns - from_ns : 1);
    add_selected(&text, viewer);
    if (rv_viewer_calls_view_is_shown(viewer) && viewer->calls_view.is_on)
        add_calls_of(&text, viewer);
    if (rv_viewer_tasks_view_is_shown(viewer) && viewer->tasks_view.is_aligned)
        rv_text_buffer_add(&text, " --align-tasks");
    if (viewer->look.orbit[0] != 0.0f || viewer->look.orbit[1] != 0.0f)
        rv_text_buffer_format(&text, " --turn=%.1f,%.1f", (double)viewer->look.orbit[0] * 180.0 / M_PI,
                              (double)viewer->look.orbit[1] * 180.0 / M_PI);
    add_order(&text, viewer);
    add_lanes(&text, viewer);
    if (viewer->settings.has_lock_lanes)
        rv_text_buffer_add(&text, " --lock-lanes");
    for (size_t i = 0; i < rv_filter_n_rules(filter); i++)
        add_option(&text, "filter", rv_filter_text(filter, i));
    if (rv_filter_n_rules(filter) && rv_filter_mode(filter) == RV_FILTER_DIM)
        rv_text_buffer_add(&text, " --dim");
    if (*viewer->search.find)
        add_option(&text, "find", viewer->search.find);
    rv_text_buffer_add(&text, *file == '-' ? " ./" : " ");
    add_word(&text, file);
    rv_text_buffer_add_bytes(&text, "", 1);
    return text.bytes;
}
