/* The copied command shows the same view: a shell passes on the options as meant, and they lead to the same times. */
#include <criterion/criterion.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "model/lane_choices_text.h"
#include "window/view_command.h"

#define MS UINT64_C(1000000)
#define BEGIN (1000 * MS)

struct fixture {
    struct rv_lanes *lanes;
    struct rv_viewer viewer;
};

/* A thread with one call of 100 ms. */
static void init(struct fixture *fixture, const struct rv_viewer_params *asked)
{
    const struct rv_span span = {.start = BEGIN, .end = BEGIN + 100 * MS, .id = 1};
    struct rv_viewer_params params = *asked;
    fixture->lanes = rv_lanes_create();
    struct rv_lane *lane =
        rv_lanes_add(fixture->lanes, &(struct rv_lane_identity){.pid = 1, .tid = 1, .process_key = 1});
    rv_timeline_add(lane->timeline, &span, 1);
    lane->last_ns = span.end;
    params.now_ns = BEGIN;
    params.lanes = fixture->lanes;
    params.window_ns = params.window_ns ? params.window_ns : 10 * MS;
    rv_settings_init(&params.settings);
    rv_viewer_init(&fixture->viewer, &params);
    rv_viewer_advance(&fixture->viewer, fixture->lanes, true, 0.0);
}

static void fini(struct fixture *fixture)
{
    rv_viewer_fini(&fixture->viewer);
    rv_lanes_destroy(fixture->lanes);
}

/* The words of the command as sh passes them on, each followed by a NUL; one more NUL ends the list. */
static void read_words(const char *command, char *words, size_t n_bytes)
{
    char line[1024];
    snprintf(line, sizeof line, "printf '%%s\\0' %s", command);
    FILE *shell = popen(line, "r");
    cr_assert_not_null(shell);
    words[fread(words, 1, n_bytes - 1, shell)] = '\0';
    cr_assert_eq(pclose(shell), 0);
}

/* Parse the options of the command. They refer to words, which must live as long. */
static void parse(struct rv_options *options, const char *command, char words[1024])
{
    char *argv[16];
    int argc = 0;
    read_words(command, words, 1024);
    for (char *word = words; *word && argc < 15; word += strlen(word) + 1)
        argv[argc++] = word;
    argv[argc] = NULL;
    cr_assert_str_eq(argv[0], "ringviz");
    optind = 0; /* another command line */
    cr_assert_eq(rv_options_parse(options, argc, argv), 0, "%s", command);
}

Test(view_command, a_shell_reads_the_options_that_were_meant, .timeout = 60)
{
    struct fixture fixture;
    struct rv_options options;
    char why[160], words[1024];
    init(&fixture,
         &(struct rv_viewer_params){.has_at = true, .at_ns = 20 * MS, .has_width = true, .window_ns = 5 * MS});
    struct rv_viewer_search *search = &fixture.viewer.search;
    cr_assert_eq(rv_filter_add(&search->filter, "!name:a'b $(c)", why, sizeof why), 0);
    cr_assert_eq(rv_filter_add(&search->filter, "duration:>2ms", why, sizeof why), 0);
    rv_viewer_search_find(search, "x|y");
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_TURN_RIGHT});
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_TURN_DOWN});
    char *command = rv_view_command(&fixture.viewer, "-my run.rvz");
    parse(&options, command, words);
    cr_assert_str_eq(options.file, "./-my run.rvz");
    cr_assert_eq(options.look, fixture.viewer.look.shown);
    cr_assert_eq(options.scheme, fixture.viewer.look.scheme);
    cr_assert_eq(options.at_ns, 20 * MS);
    cr_assert_eq(options.window_ns, 5 * MS);
    cr_assert_float_eq(options.turn[0], fixture.viewer.look.orbit[0], 0.001);
    cr_assert_float_eq(options.turn[1], fixture.viewer.look.orbit[1], 0.001);
    cr_assert_lt(options.turn[1], 0.0);
    cr_assert_str_eq(options.find, "x|y");
    cr_assert_eq(rv_filter_n_rules(options.filter), 2);
    cr_assert_str_eq(rv_filter_text(options.filter, 0), "!name:a'b $(c)");
    cr_assert_str_eq(rv_filter_text(options.filter, 1), "duration:>2ms");
    free(command);
    fini(&fixture);
}

Test(view_command, the_options_name_the_subroutine_whose_calls_are_shown, .timeout = 60)
{
    struct fixture fixture;
    struct rv_options options;
    struct rv_regex pattern;
    char why[160], words[1024];
    init(&fixture, &(struct rv_viewer_params){.has_at = true, .has_width = true, .window_ns = 5 * MS});
    fixture.viewer.subroutines = rv_subroutines_create();
    rv_subroutines_define(fixture.viewer.subroutines, 1, "shop", "find(char*, int[2])", "", 0);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_LOOK_CALLS});
    fixture.viewer.calls_view.is_on = true;
    fixture.viewer.calls_view.id = 1;
    char *command = rv_view_command(&fixture.viewer, "f");
    parse(&options, command, words);
    cr_assert_eq(options.look, RV_VIEW_MODE_CALLS);
    cr_assert_eq(rv_regex_init(&pattern, options.calls_of, why, sizeof why), 0, "%s", command);
    cr_assert(rv_regex_has(&pattern, "shop::find(char*, int[2])"), "%s", command);
    cr_assert_not(rv_regex_has(&pattern, "shop::find(char*, int[2]) const"), "%s", command);
    rv_regex_fini(&pattern);
    free(command);
    rv_subroutines_destroy(fixture.viewer.subroutines);
    fini(&fixture);
}

/* Arranged by its options, another viewer would copy the same command. */
Test(view_command, the_options_arrange_the_lanes_as_they_were, .timeout = 60)
{
    struct fixture fixture, again;
    struct rv_options options;
    char why[160], words[1024];
    init(&fixture, &(struct rv_viewer_params){.window_ns = 5 * MS, .most_depth = 3});
    for (uint32_t i = 2; i < 6; i++)
        rv_lanes_add(fixture.lanes,
                     &(struct rv_lane_identity){.pid = i / 4 + 1, .tid = i / 2, .process_key = i / 4 + 1});
    struct rv_lane_choices *lane_order = &fixture.viewer.lane_order;
    rv_lane_choices_update(lane_order, fixture.lanes);
    rv_lane_choices_toggle_hidden(lane_order, 2);
    rv_lane_choices_toggle_pinned(lane_order, 0);
    rv_lane_choices_toggle_collapsed(lane_order, 1);
    rv_lane_choices_toggle_process(lane_order, 3);
    cr_assert_eq(rv_filter_add(&fixture.viewer.search.filter, "depth:<9", why, sizeof why), 0);
    rv_filter_set_mode(&fixture.viewer.search.filter, RV_FILTER_DIM);
    fixture.viewer.settings.theme = RV_COLOR_LIGHT;
    char *command = rv_view_command(&fixture.viewer, "f");
    parse(&options, command, words);
    cr_assert_eq(options.theme, RV_COLOR_LIGHT);
    cr_assert_eq(options.most_depth, 3);
    cr_assert_eq(rv_filter_mode(options.filter), RV_FILTER_DIM);
    cr_assert_not_null(options.lanes, "%s", command);
    struct rv_lane_choices copy = {.n_lanes = 0};
    rv_lane_choices_update(&copy, fixture.lanes);
    cr_assert_null(rv_lane_choices_text_apply(&copy, fixture.lanes, options.lanes), "%s", command);
    for (size_t i = 0; i < copy.n_lanes; i++) {
        cr_assert_eq(copy.lanes[i].is_hidden, lane_order->lanes[i].is_hidden, "%s", command);
        cr_assert_eq(copy.lanes[i].is_pinned, lane_order->lanes[i].is_pinned, "%s", command);
        cr_assert_eq(copy.lanes[i].is_collapsed, lane_order->lanes[i].is_collapsed, "%s", command);
    }
    for (size_t i = 0; i < copy.n_groups; i++)
        cr_assert_eq(copy.groups[i].choice, lane_order->groups[i].choice, "%s", command);
    rv_lane_choices_fini(&copy);
    init(&again, &(struct rv_viewer_params){.window_ns = 5 * MS, .lanes_asked = "hide:1"});
    cr_assert(again.viewer.lane_order.lanes[0].is_hidden, "at the end of the capture");
    fini(&again);
    free(command);
    fini(&fixture);
}

Test(view_command, the_order_of_calls_is_kept, .timeout = 60)
{
    struct fixture fixture;
    struct rv_options options;
    char words[1024];
    init(&fixture, &(struct rv_viewer_params){.window_ns = 5 * MS, .has_other_order = true});
    fixture.viewer.subroutines = rv_subroutines_create();
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_LOOK_CALLS});
    char *command = rv_view_command(&fixture.viewer, "f");
    parse(&options, command, words);
    cr_assert(rv_options_has_other_order(&options), "%s", command);
    cr_assert_eq(options.order, RV_ROWS_BY_TIME);
    free(command);
    rv_subroutines_destroy(fixture.viewer.subroutines);
    fini(&fixture);
}

Test(view_command, lists_of_lanes_are_checked, .timeout = 60)
{
    static const char *const bad[] = {"",        "hide",    "hide:",  "hide:x", "hide:1,",
                                      "!hide:1", "row:1/0", "lane:1", "row:1 "};
    cr_assert_null(rv_lane_choices_text_check("hide:17,row:18/2,front:3,!family:20,process:1,owner:2,thread:4"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_not_null(rv_lane_choices_text_check(bad[i]), "\"%s\"", bad[i]);
}

/* Also if the window begins where the capture does. */
Test(view_command, the_options_lead_to_the_same_window, .timeout = 60)
{
    static const uint64_t begins[] = {0, 1, 30 * MS};
    for (size_t i = 0; i < 3; i++) {
        struct fixture fixture;
        struct rv_options options;
        char words[1024];
        init(&fixture,
             &(struct rv_viewer_params){.has_at = true, .at_ns = begins[i], .has_width = true, .window_ns = 7 * MS});
        char *command = rv_view_command(&fixture.viewer, "f");
        parse(&options, command, words);
        cr_assert(rv_options_has(&options, RV_OPTION_AT));
        cr_assert_eq(options.at_ns, begins[i], "%s", command);
        cr_assert_eq(options.window_ns, 7 * MS, "%s", command);
        free(command);
        fini(&fixture);
    }
}

Test(view_command, a_selected_range_is_selected_again, .timeout = 60)
{
    struct fixture fixture;
    struct rv_options options;
    char words[1024];
    struct rv_subroutines *subroutines = rv_subroutines_create();
    init(&fixture, &(struct rv_viewer_params){.start_ns = 30 * MS, .stop_ns = 50 * MS, .subroutines = subroutines});
    const struct rv_range_ns selected = fixture.viewer.selected;
    cr_assert_eq(selected.from_ns, BEGIN + 30 * MS);
    cr_assert_eq(selected.to_ns, BEGIN + 50 * MS);
    char *command = rv_view_command(&fixture.viewer, "run.rvz");
    parse(&options, command, words);
    cr_assert_eq(options.from_ns, 30 * MS);
    cr_assert_eq(options.to_ns, 50 * MS);
    rv_options_fini(&options);
    free(command);
    rv_viewer_statistics_select(&fixture.viewer, &(struct rv_range_ns){0, 0}, true);
    command = rv_view_command(&fixture.viewer, "run.rvz");
    cr_assert_null(strstr(command, "--from"));
    free(command);
    fini(&fixture);
    rv_subroutines_destroy(subroutines);
}
