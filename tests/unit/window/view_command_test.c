/* What is copied shows the same again: a shell reads it as the options that were meant, and they lead to the same times. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The words as sh hands them over, a line each. */
static void read_words(const char *command, char *words, size_t n_bytes)
{
    char line[1024];
    snprintf(line, sizeof line, "printf '%%s\\n' %s", command);
    FILE *shell = popen(line, "r");
    cr_assert_not_null(shell);
    words[fread(words, 1, n_bytes - 1, shell)] = '\0';
    cr_assert_eq(pclose(shell), 0);
}

Test(view_command, a_shell_reads_the_options_that_were_meant, .timeout = 60)
{
    struct fixture fixture;
    char why[160], words[1024];
    init(&fixture,
         &(struct rv_viewer_params){.has_at = true, .at_ns = 20 * MS, .has_width = true, .window_ns = 5 * MS});
    struct rv_analysis *analysis = &fixture.viewer.analysis;
    cr_assert_eq(rv_filter_add(&analysis->filter, "!name:a'b $(c)", why, sizeof why), 0);
    cr_assert_eq(rv_filter_add(&analysis->filter, "duration:>2ms", why, sizeof why), 0);
    rv_analysis_find(analysis, "x|y");
    char *command = rv_view_command(&fixture.viewer, "-my run.rvz");
    read_words(command, words, sizeof words);
    cr_assert_str_eq(words, "ringviz\n./-my run.rvz\n--view=3d\n--color=package\n--at=20000000ns\n--window=5000000ns\n"
                            "--filter=!name:a'b $(c)\n--filter=duration:>2ms\n--find=x|y\n");
    free(command);
    fini(&fixture);
}

/* Also of a window that begins with the capture. */
Test(view_command, the_options_lead_to_the_same_window, .timeout = 60)
{
    static const uint64_t begins[] = {0, 1, 30 * MS};
    for (size_t i = 0; i < 3; i++) {
        struct fixture fixture;
        uint64_t at_ns, width_ns;
        init(&fixture,
             &(struct rv_viewer_params){.has_at = true, .at_ns = begins[i], .has_width = true, .window_ns = 7 * MS});
        char *command = rv_view_command(&fixture.viewer, "f");
        cr_assert_eq(sscanf(strstr(command, "--at="), "--at=%" SCNu64 "ns --window=%" SCNu64 "ns", &at_ns, &width_ns),
                     2);
        cr_assert_eq(at_ns, begins[i], "%s", command);
        cr_assert_eq(width_ns, 7 * MS, "%s", command);
        free(command);
        fini(&fixture);
    }
}
