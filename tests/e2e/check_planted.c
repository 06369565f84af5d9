/*
 * check_planted FOLDER: in each recording there, at most three gestures show the problem that programs/planted.c put into it.
 * A gesture is the action of a click, a double click or a key; the viewer's state tells what it shows. Prints a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "export/diff_times.h"
#include "source/replay.h"
#include "viewer/subroutine_calls.h"
#include "viewer/show_call.h"
#include "viewer/viewer.h"

#define MS UINT64_C(1000000)

enum { MOST_GESTURES = 3, TEXT_BYTES = 200 };

struct look { /* at one recording */
    struct rv_session *session;
    struct rv_diff_times *own_times;
    struct rv_sink sink;
    struct rv_viewer viewer;
    struct rv_call_waits waits; /* of the pinned call */
    struct rv_tooltip tooltip;
    unsigned n_gestures;
    char gestures[TEXT_BYTES], found[TEXT_BYTES];
};

/* ---- the recording ---- */

static void open_recording(struct look *look, const char *folder, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s.rvz", folder, name);
    *look = (struct look){.own_times = rv_diff_times_create()};
    look->sink = rv_diff_times_sink(look->own_times);
    struct rv_source *source = rv_replay_open(path);
    if (!source)
        exit(EXIT_FAILURE);
    look->session = rv_session_start(
        &(struct rv_session_params){.n_workers = 1, .keeps_waits = true, .sinks = &look->sink, .n_sinks = 1}, source);
    while (!rv_session_wait(look->session, 100 * MS))
        continue;
}

static void begin(struct look *look, const struct rv_diff *diff)
{
    struct rv_viewer_params params = {.now_ns = 1,
                                      .window_ns = MS,
                                      .lanes = rv_session_lanes(look->session),
                                      .subroutines = rv_session_subroutines(look->session),
                                      .session = look->session,
                                      .diff = diff};
    rv_settings_init(&params.settings);
    rv_viewer_init(&look->viewer, &params);
    rv_viewer_advance(&look->viewer, params.lanes, true, 0.0);
}

static void close_recording(struct look *look)
{
    rv_session_destroy(look->session);
    rv_diff_times_destroy(look->own_times);
}

/* ---- gestures ---- */

/* The rows of the pinned call, as in the next frame of a window. */
static void look_at_call(struct look *look)
{
    const struct rv_hover *hover = &look->viewer.pointer.hover;
    struct rv_call_waits *waits = &look->viewer.pointer.waits.shown;
    if (!hover->is_pinned)
        return;
    *waits = (struct rv_call_waits){.sum = {.n = 0}};
    rv_call_waits_find(waits, rv_session_waits(look->session), &hover->box, hover->lane_idx);
    (void)rv_tooltip_rows_fill(
        hover,
        &(struct rv_tooltip_rows_about){.subroutines = look->viewer.subroutines,
                                        .lane = rv_lanes_get(look->viewer.lanes, hover->lane_idx),
                                        .waits = waits},
        &look->tooltip);
}

static void act(struct look *look, enum rv_action action, uint32_t idx)
{
    rv_viewer_act(&look->viewer, &(struct rv_act){.action = action, .idx = idx});
    rv_viewer_statistics_wait(&look->viewer);
    look_at_call(look);
}

static void count(struct look *look, const char *gesture)
{
    const size_t n = strlen(look->gestures);
    (void)snprintf(look->gestures + n, sizeof look->gestures - n, "%s%s", n ? ", " : "", gesture);
    look->n_gestures++;
}

static void press(struct look *look, enum rv_action action, const char *gesture)
{
    count(look, gesture);
    act(look, action, 0);
}

static void choose_tab(struct look *look, enum rv_statistics_tab tab, const char *gesture)
{
    count(look, gesture);
    act(look, RV_ACTION_STATISTICS_TAB, (uint32_t)tab + 1);
}

static const char *name_of(const struct look *look, uint32_t id)
{
    return rv_subroutines_get(look->viewer.subroutines, id).name;
}

/* The row of a subroutine; the first one of the table for NULL. */
static const struct rv_stats_row *row_of(const struct look *look, const char *name)
{
    const struct rv_viewer_statistics *statistics = &look->viewer.statistics;
    for (size_t i = 0; i < statistics->n_rows; i++)
        if (!name || strcmp(name_of(look, statistics->rows[i].id), name) == 0)
            return &statistics->rows[i];
    fprintf(stderr, "no row %s\n", name ? name : "at all");
    exit(EXIT_FAILURE);
}

static void click_row(struct look *look, const char *name, bool is_double)
{
    char gesture[TEXT_BYTES];
    (void)snprintf(gesture, sizeof gesture, "%sclick %s", is_double ? "double " : "", name);
    count(look, gesture);
    act(look, RV_ACTION_CHOOSE_ROW, row_of(look, name)->id);
    if (is_double)
        act(look, RV_ACTION_LONGEST_CALL, 0);
}

/* ---- findings ---- */

static const struct rv_box *pinned(const struct look *look)
{
    return &look->viewer.pointer.hover.box;
}

static bool is_pinned(const struct look *look, const char *name)
{
    return look->viewer.pointer.hover.is_pinned && strcmp(name_of(look, pinned(look)->id), name) == 0;
}

static const char *line_of(const struct look *look, const char *label)
{
    for (size_t i = 0; i < look->tooltip.n_lines; i++)
        if (strcmp(look->tooltip.lines[i].label, label) == 0)
            return look->tooltip.lines[i].text;
    return "";
}

#define FOUND(look, ...) (void)snprintf((look)->found, sizeof(look)->found, __VA_ARGS__)

static bool find_convoy(struct look *look)
{
    press(look, RV_ACTION_STATISTICS, "statistics");
    const bool is_first = strcmp(name_of(look, row_of(look, NULL)->id), "serve") == 0;
    click_row(look, "serve", true);
    const bool waits = look->viewer.pointer.waits.shown.sum.total_ns > pinned(look)->duration_ns / 2;
    const uint32_t lane_idx = look->viewer.pointer.hover.lane_idx;
    FOUND(look, "waited %s", line_of(look, "waited"));
    press(look, RV_ACTION_SHOW_WAKER, "who ended the wait");
    return is_first && waits && is_pinned(look, "hold_the_lock") && look->viewer.pointer.hover.lane_idx != lane_idx;
}

static bool find_slow(struct look *look)
{
    struct rv_box cause;
    press(look, RV_ACTION_STATISTICS, "statistics");
    const bool is_odd = row_of(look, "handle")->max_ns > 100 * row_of(look, "handle")->p50_ns;
    click_row(look, "handle", true);
    const uint64_t middle_ns = pinned(look)->start_ns + pinned(look)->duration_ns / 2;
    FOUND(look, "one of %s", line_of(look, "duration"));
    return is_odd && is_pinned(look, "handle") && pinned(look)->duration_ns >= 400 * MS &&
           rv_viewer_innermost_around(rv_lanes_get(look->viewer.lanes, look->viewer.pointer.hover.lane_idx), middle_ns,
                                      middle_ns + 1, &cause) &&
           strcmp(name_of(look, cause.id), "sleep_ms") == 0;
}

static bool find_pause(struct look *look)
{
    press(look, RV_ACTION_STATISTICS, "statistics");
    click_row(look, "answer", true);
    FOUND(look, "%s", line_of(look, "collecting"));
    return is_pinned(look, "answer") && strstr(look->found, " ms of garbage collection, 1 time");
}

static bool find_starvation(struct look *look)
{
    press(look, RV_ACTION_STATISTICS, "statistics");
    click_row(look, "wait_for_turn", true);
    FOUND(look, "%s: waited %s", look->viewer.pointer.hover.lane_name, line_of(look, "waited"));
    return is_pinned(look, "wait_for_turn") && strcmp(look->viewer.pointer.hover.lane_name, "starving") == 0 &&
           look->viewer.pointer.waits.shown.sum.total_ns > pinned(look)->duration_ns / 2 &&
           pinned(look)->duration_ns > 100 * MS;
}

static bool find_queries(struct look *look)
{
    press(look, RV_ACTION_STATISTICS, "statistics");
    click_row(look, "query", false);
    const uint64_t n_pages = row_of(look, "load_items")->n_calls;
    choose_tab(look, RV_STATISTICS_GROUPS, "grouped by caller");
    const struct rv_viewer_subroutine_calls *calls = &look->viewer.statistics.calls;
    const struct rv_call_sums *most = calls->groups;
    if (!most || most->caller == RV_CALL_NO_CALLER || !n_pages)
        return false;
    FOUND(look, "%llu calls by %llu of %s", (unsigned long long)most->n_calls, (unsigned long long)n_pages,
          name_of(look, most->caller));
    return strcmp(name_of(look, most->caller), "load_items") == 0 && most->n_calls == 100 * n_pages;
}

static bool find_leak(struct look *look)
{
    press(look, RV_ACTION_STATISTICS, "statistics");
    click_row(look, "visit", true);
    press(look, RV_ACTION_LONGER_CALL, "round to the shortest");
    FOUND(look, "%s", line_of(look, "where"));
    return is_pinned(look, "visit") && pinned(look)->depth >= 2000;
}

/* The call that holds the lock was off the CPU. */
static bool find_inversion(struct look *look)
{
    press(look, RV_ACTION_STATISTICS, "statistics");
    click_row(look, "get_the_lock", true);
    const bool waits = look->viewer.pointer.waits.shown.sum.total_ns > pinned(look)->duration_ns / 2;
    press(look, RV_ACTION_SHOW_WAKER, "who ended the wait");
    FOUND(look, "%s: %s", look->viewer.pointer.hover.lane_name, line_of(look, "on CPU"));
    return waits && is_pinned(look, "hold_at_low_priority") && strcmp(look->viewer.pointer.hover.lane_name, "low") == 0;
}

static bool find_consumer(struct look *look)
{
    press(look, RV_ACTION_STATISTICS, "statistics");
    click_row(look, "produce", true);
    const bool waits = look->viewer.pointer.waits.shown.sum.total_ns > pinned(look)->duration_ns / 2;
    FOUND(look, "waited %s", line_of(look, "waited"));
    press(look, RV_ACTION_SHOW_WAKER, "who ended the wait");
    return waits && is_pinned(look, "consume") && strcmp(look->viewer.pointer.hover.lane_name, "consumer") == 0;
}

/* ---- */

static int report(const char *problem, const struct look *look, bool is_found)
{
    const bool is_right = is_found && look->n_gestures <= MOST_GESTURES;
    printf("%-14s %u  %-58s %s%s\n", problem, look->n_gestures, look->gestures, look->found,
           is_right ? "" : "   NOT FOUND");
    for (size_t i = 0; i < look->tooltip.n_lines && !is_right; i++)
        printf("    %s: %s\n", look->tooltip.lines[i].label, look->tooltip.lines[i].text);
    return !is_right;
}

static int look_for(const char *folder, const char *problem, bool (*find)(struct look *look))
{
    static struct look look;
    open_recording(&look, folder, problem);
    begin(&look, NULL);
    const int failed = report(problem, &look, find(&look));
    rv_viewer_fini(&look.viewer);
    close_recording(&look);
    return failed;
}

static struct rv_diff_side side_of(struct look *look, struct rv_stats *stats)
{
    return (struct rv_diff_side){.stats = stats,
                                 .own = rv_diff_times_stats(look->own_times),
                                 .variance = rv_diff_times_variance(look->own_times),
                                 .subroutines = rv_session_subroutines(look->session)};
}

static int look_for_regression(const char *folder)
{
    static struct look looks[RV_DIFF_SIDES];
    struct rv_stats *stats[RV_DIFF_SIDES];
    struct rv_diff_side sides[RV_DIFF_SIDES];
    struct rv_diff diff;
    for (int i = 0; i < RV_DIFF_SIDES; i++) {
        open_recording(&looks[i], folder, i == RV_DIFF_AFTER ? "after" : "before");
        stats[i] = rv_session_stats(looks[i].session);
        sides[i] = side_of(&looks[i], stats[i]);
    }
    rv_diff_init(&diff, sides);
    struct look *look = &looks[RV_DIFF_AFTER];
    begin(look, &diff);
    press(look, RV_ACTION_STATISTICS, "statistics");
    choose_tab(look, RV_STATISTICS_DIFF, "diff");
    const struct rv_diff_row *first = &look->viewer.diff->rows[0];
    FOUND(look, "%s is %s", first->name, first->verdict == RV_DIFF_SLOWER ? "slower" : "as it was");
    const bool is_found = look->viewer.statistics.tab == RV_STATISTICS_DIFF && first->verdict == RV_DIFF_SLOWER &&
                          strstr(first->name, "::draw_picture");
    const int failed = report("regression", look, is_found);
    rv_viewer_fini(&look->viewer);
    rv_diff_fini(&diff);
    for (int i = 0; i < RV_DIFF_SIDES; i++) {
        rv_stats_destroy(stats[i]);
        close_recording(&looks[i]);
    }
    return failed;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bool (*find)(struct look *look);
    } PROBLEMS[] = {{"convoy", find_convoy},       {"slow", find_slow},
                    {"pause", find_pause},         {"starvation", find_starvation},
                    {"inversion", find_inversion}, {"consumer", find_consumer},
                    {"queries", find_queries},     {"leak", find_leak}};
    int n_failed = 0;
    if (argc != 2)
        return EXIT_FAILURE;
    for (size_t i = 0; i < sizeof PROBLEMS / sizeof *PROBLEMS; i++)
        n_failed += look_for(argv[1], PROBLEMS[i].name, PROBLEMS[i].find);
    n_failed += look_for_regression(argv[1]);
    return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
