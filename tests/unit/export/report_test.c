#include "export/report.h"
#include "export/text_buffer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_stats *stats;
    struct rv_report report;
};

/* Ids 1 and 4 are one subroutine, 2 has awkward strings, 3 is not defined. */
static void setup(struct fixture *fixture)
{
    struct rv_span spans[] = {
        {.start = 110, .end = 120, .id = 2, .depth = 1},
        {.start = 100, .end = 200, .id = 1, .depth = 0},
        {.start = 300, .end = 1300, .id = 4, .depth = 0},
        {.start = 2000, .end = 2005, .id = 3, .depth = 0},
        {.start = 0, .end = 2100, .id = 2, .depth = 0, .flags = RV_SPAN_ORPHAN},
    };
    fixture->lanes = rv_lanes_create();
    fixture->subroutines = rv_subroutines_create();
    fixture->stats = rv_stats_create();
    rv_subroutines_define(fixture->subroutines, 1, "My::App", "run", "app.c", 12);
    rv_subroutines_define(fixture->subroutines, 2, "", "say \"hi\", \\ \xff\n", "a,b.c", 3);
    rv_subroutines_define(fixture->subroutines, 4, "My", "App::run", "app.c", 12);
    struct rv_lane *lane = rv_lanes_add(fixture->lanes, &(struct rv_lane_identity){.pid = 7, .tid = 8, .name = "main"});
    lane->n_events = 9;
    lane->max_depth = 2;
    struct rv_stats_lane *stats_lane = rv_stats_lane_create();
    rv_stats_add(fixture->stats, stats_lane, spans, sizeof spans / sizeof *spans);
    rv_stats_lane_destroy(stats_lane);
    fixture->report = (struct rv_report){.lanes = fixture->lanes,
                                         .subroutines = fixture->subroutines,
                                         .stats = fixture->stats,
                                         .n_produced = 11,
                                         .n_consumed = 9,
                                         .n_dropped = 2,
                                         .n_spans = 5};
}

static void teardown(struct fixture *fixture)
{
    rv_lanes_destroy(fixture->lanes);
    rv_subroutines_destroy(fixture->subroutines);
    rv_stats_destroy(fixture->stats);
}

static char *written(const struct rv_report *report, enum rv_report_format format)
{
    char *text = NULL;
    size_t n_bytes;
    FILE *out = open_memstream(&text, &n_bytes);
    cr_assert_eq(rv_report_write(report, format, out), 0);
    fclose(out);
    return text;
}

static json_int_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    cr_assert(json_is_integer(value), "%s", key);
    return json_integer_value(value);
}

Test(report, json_has_every_number_under_its_key, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    char *text = written(&fixture.report, RV_REPORT_JSON);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s in %s", error.text, text);
    const json_t *events = json_object_get(root, "events");
    cr_assert_eq(number(events, "produced"), 11);
    cr_assert_eq(number(events, "consumed"), 9);
    cr_assert_eq(number(events, "dropped"), 2);
    cr_assert_eq(number(root, "spans"), 5);
    const json_t *threads = json_object_get(root, "threads"), *thread = json_array_get(threads, 0);
    cr_assert_eq(json_array_size(threads), 1);
    cr_assert_eq(number(thread, "process"), 7);
    cr_assert_eq(number(thread, "thread"), 8);
    cr_assert_str_eq(json_string_value(json_object_get(thread, "name")), "main");
    cr_assert_eq(number(thread, "events"), 9);
    cr_assert_eq(number(thread, "max_depth"), 2);
    json_decref(root);
    free(text);
    teardown(&fixture);
}

Test(report, processes_say_what_they_were_traced_by, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    rv_lanes_add(fixture.report.lanes,
                 &(struct rv_lane_identity){.pid = 70,
                                            .process_key = 1,
                                            .process_name = "patched",
                                            .instrumentation = {.instruments = RV_INSTRUMENT_PATCHES,
                                                                .n_functions = 3,
                                                                .n_patched = 2,
                                                                .n_refused = {[RV_PATCH_TOO_SHORT] = 1}}});
    char *text = written(&fixture.report, RV_REPORT_JSON), *words = written(&fixture.report, RV_REPORT_TEXT);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    const json_t *processes = json_object_get(root, "processes"), *process = json_array_get(processes, 0);
    const json_t *patches = json_object_get(process, "patches");
    cr_assert_eq(json_array_size(processes), 1);
    cr_assert_eq(number(process, "process"), 70);
    cr_assert_eq(number(patches, "functions"), 3);
    cr_assert_eq(number(patches, "patched"), 2);
    cr_assert_eq(number(json_object_get(patches, "refused"), "too short"), 1);
    cr_assert_not_null(strstr(words, "70  patched: patches of 2 of 3 functions (1 refused: 1 too short)\n"));
    json_decref(root);
    free(text);
    free(words);
    teardown(&fixture);
}

/* Of lanes whose threads are named after one owner; a stack adds no thread. */
Test(report, threads_that_are_a_group_are_summed_up, .timeout = 60)
{
    static const struct {
        uint32_t pid, tid, stack;
        const char *name;
        uint64_t n_events, blocked_ns, away_ns;
    } lanes[] = {
        {70, 71, 0, "Ractor 2 w", 10, 100, 0}, {70, 72, 0, "Ractor 3", 20, 200, 0},
        {70, 71, 1, "Ractor 2 w", 0, 5, 999},  {70, 73, 0, "Ractor 2 w: a.rb:1", 3, 30, 0},
        {80, 81, 0, "Ractor 2 w", 40, 400, 0}, {80, 82, 0, "worker", 1, 1, 0},
        {80, 83, 0, "worker", 1, 1, 0},
    };
    struct fixture fixture;
    setup(&fixture);
    fixture.report.n_switches = 1;
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        struct rv_lane *lane = rv_lanes_add(fixture.lanes, &(struct rv_lane_identity){.pid = lanes[i].pid,
                                                                                      .process_key = lanes[i].pid,
                                                                                      .tid = lanes[i].tid,
                                                                                      .thread = lanes[i].tid,
                                                                                      .stack = lanes[i].stack,
                                                                                      .name = lanes[i].name});
        lane->n_events = lanes[i].n_events;
        lane->max_depth = (uint32_t)i;
        lane->times = (struct rv_state_times){.blocked_ns = lanes[i].blocked_ns, .away_ns = lanes[i].away_ns};
    }
    char *text = written(&fixture.report, RV_REPORT_JSON), *words = written(&fixture.report, RV_REPORT_TEXT);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *groups = json_object_get(root, "thread_groups"), *group = json_array_get(groups, 0);
    cr_assert_eq(json_array_size(groups), 1);
    cr_assert_str_eq(json_string_value(json_object_get(group, "name")), "Ractor 2 w");
    cr_assert_eq(number(group, "process"), 70);
    cr_assert_eq(number(group, "threads"), 2);
    cr_assert_eq(number(group, "events"), 13);
    cr_assert_eq(number(group, "max_depth"), 3);
    cr_assert_eq(number(group, "blocked_ns"), 135);
    cr_assert_eq(number(group, "suspended_ns"), 0);
    cr_assert_not_null(strstr(words, "  group\n          70          2           13          3 "));
    json_decref(root);
    free(text);
    free(words);
    teardown(&fixture);
}

/* Lanes of one thread, which has so many further stacks, and of another one. */
Test(report, of_a_threads_many_stacks_the_text_has_the_first, .timeout = 60)
{
    enum { N_STACKS = 300 };
    struct fixture fixture;
    setup(&fixture);
    for (uint32_t i = 0; i <= N_STACKS + 1; i++) {
        char name[32];
        snprintf(name, sizeof name, i > N_STACKS ? "other" : "fiber %u", i);
        const uint32_t stack = i > N_STACKS ? 0 : i, thread = i > N_STACKS ? 72 : 71;
        rv_lanes_add(fixture.lanes,
                     &(struct rv_lane_identity){
                         .pid = 70, .process_key = 70, .tid = thread, .thread = thread, .stack = stack, .name = name})
            ->n_events = stack ? 0 : 9;
    }
    char *words = written(&fixture.report, RV_REPORT_TEXT);
    cr_assert_not_null(strstr(words, "70         71            9          0  fiber 0\n"));
    cr_assert_not_null(strstr(words, "70         71                          fiber 1/1\n"));
    cr_assert_not_null(
        strstr(words, "fiber 20/20\n         ...  280 more stacks of that thread (all: --report=json)\n"));
    cr_assert_not_null(strstr(words, "70         72            9          0  other\n"));
    cr_assert_null(strstr(words, "fiber 21/"));
    free(words);
    teardown(&fixture);
}

Test(report, ids_with_equal_name_file_and_line_are_one_row, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    char *text = written(&fixture.report, RV_REPORT_JSON);
    json_t *root = json_loads(text, 0, NULL);
    const json_t *rows = json_object_get(root, "subroutines"), *row = json_array_get(rows, 0);
    cr_assert_eq(json_array_size(rows), 3);
    cr_assert_str_eq(json_string_value(json_object_get(row, "name")), "My::App::run");
    cr_assert_str_eq(json_string_value(json_object_get(row, "file")), "app.c");
    cr_assert_eq(number(row, "line"), 12);
    cr_assert_eq(number(row, "calls"), 2);
    cr_assert_eq(number(row, "total_ns"), 1100);
    cr_assert_eq(number(row, "self_ns"), 1090);
    cr_assert_eq(number(row, "min_ns"), 100);
    cr_assert_eq(number(row, "max_ns"), 1000);
    cr_assert(llabs(number(row, "p50_ns") - 100) <= 1);
    cr_assert(llabs(number(row, "p99_ns") - 1000) <= 10);
    row = json_array_get(rows, 1);
    cr_assert_str_eq(json_string_value(json_object_get(row, "name")), "say \"hi\", \\ \xef\xbf\xbd\n");
    cr_assert_eq(number(row, "self_ns"), 10);
    cr_assert_eq(number(row, "calls"), 1);
    cr_assert_str_eq(json_string_value(json_object_get(json_array_get(rows, 2), "name")), "#3");
    json_decref(root);
    free(text);
    teardown(&fixture);
}

Test(report, times_of_statements_are_not_added_to_those_of_subroutines, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    rv_subroutines_define(fixture.subroutines, 3, "app.c", "line 9", "app.c", rv_name_line_form(9, RV_NAME_STATEMENT));
    char *text = written(&fixture.report, RV_REPORT_JSON), *words = written(&fixture.report, RV_REPORT_TEXT);
    cr_expect_not_null(
        strstr(text, "{\"name\":\"app.c::line 9\",\"file\":\"app.c\",\"line\":9,\"form\":[\"statement\"]"), "%s", text);
    cr_expect_not_null(strstr(words, "all 2 subroutines\n"), "%s", words);
    cr_expect_not_null(strstr(words, "\n           3 "), "%s", words);
    free(text);
    free(words);
    teardown(&fixture);
}

Test(report, csv_quotes_what_needs_it, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    char *text = written(&fixture.report, RV_REPORT_CSV);
    cr_assert_str_eq(text,
                     "name,file,line,calls,total_ns,self_ns,min_ns,p50_ns,p99_ns,max_ns,self_cpu_ns,self_blocked_ns,"
                     "self_runnable_ns,self_ready_ns,self_suspended_ns,total_cpu_ns,total_blocked_ns,total_runnable_ns,"
                     "total_ready_ns,total_suspended_ns,self_objects,total_objects\n"
                     "My::App::run,app.c,12,2,1100,1090,100,100,1000,1000,,,,,,,,,,,,\n"
                     "\"say \"\"hi\"\", \\ \xff\n\",\"a,b.c\",3,1,10,10,10,10,10,10,,,,,,,,,,,,\n"
                     "#3,,0,1,5,5,5,5,5,5,,,,,,,,,,,,\n");
    free(text);
    teardown(&fixture);
}

Test(report, csv_has_no_formulas, .timeout = 60)
{
    static const char *const names[] = {"=cmd|' /C x'!A1", "+1", "-1", "@sum", "a=b"};
    struct rv_text_buffer text = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rv_text_buffer_add_csv(&text, names[i]);
        rv_text_buffer_add(&text, ";");
    }
    rv_text_buffer_add_bytes(&text, "", 1);
    cr_assert_str_eq(text.bytes, "\"'=cmd|' /C x'!A1\";\"'+1\";\"'-1\";\"'@sum\";a=b;");
    rv_text_buffer_fini(&text);
}

Test(report, text_has_totals_threads_and_loss, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    char *text = written(&fixture.report, RV_REPORT_TEXT);
    cr_assert_not_null(strstr(text, "  My::App::run (app.c:12)\n"));
    cr_assert_lt(strstr(text, "My::App::run"), strstr(text, "#3"));
    cr_assert_not_null(strstr(text, "all 3 subroutines"));
    rv_subroutines_define(fixture.subroutines, 3, "libc", "read", "libc.so", 0);
    free(text);
    text = written(&fixture.report, RV_REPORT_TEXT);
    cr_assert_not_null(strstr(text, "  libc::read (libc.so)\n"));
    cr_assert_not_null(strstr(text, "           7          8            9          2  main\n"));
    cr_assert_not_null(strstr(text, "11 events produced, 9 consumed, 2 dropped; 5 spans\n"));
    free(text);
    teardown(&fixture);
}

/* A call that was open over a gap may be several: its duration is not shown as a longest call's without saying so. */
Test(report, rows_with_doubtful_calls_say_so, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    struct rv_span doubtful = {.start = 5000, .end = 9000, .id = 4, .flags = RV_SPAN_DOUBTFUL};
    struct rv_stats_lane *lane = rv_stats_lane_create();
    rv_stats_add(fixture.stats, lane, &doubtful, 1);
    rv_stats_lane_destroy(lane);
    char *text = written(&fixture.report, RV_REPORT_TEXT), *csv = written(&fixture.report, RV_REPORT_CSV);
    char *json_text = written(&fixture.report, RV_REPORT_JSON);
    json_t *json = json_loads(json_text, 0, NULL), *rows = json_object_get(json, "subroutines");
    cr_expect(strstr(text, "My::App::run (app.c:12)  doubtful\n"), "%s", text);
    cr_expect(strstr(text, "\ndoubtful: events are missing while calls of 1 were open"), "%s", text);
    cr_expect(strstr(csv, "\n(doubtful: My::App::run),"), "%s", csv);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const bool is_run = strcmp(json_string_value(json_object_get(row, "name")), "My::App::run") == 0;
        cr_expect_eq(json_is_true(json_object_get(row, "doubtful")), is_run);
    }
    json_decref(json);
    free(json_text);
    free(text);
    free(csv);
    teardown(&fixture);
}

Test(report, totals_without_names_in_time_say_so, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    for (int is_late = 0; is_late < 2; is_late++) {
        char *text = written(&fixture.report, RV_REPORT_TEXT), *csv = written(&fixture.report, RV_REPORT_CSV);
        char *json = written(&fixture.report, RV_REPORT_JSON);
        cr_expect_eq(strstr(text, "\ndoubtful totals: names came late") != NULL, is_late, "%s", text);
        cr_expect_eq(strstr(csv, "\n(doubtful totals),,0,0,") != NULL, is_late, "%s", csv);
        cr_expect_eq(strstr(json, ",\"totals_doubtful\":true") != NULL, is_late, "%s", json);
        free(json);
        free(text);
        free(csv);
        rv_stats_lack_inner(fixture.stats);
    }
    rv_subroutines_define(fixture.subroutines, 4, "My", "App::walk", "app.c", 12);
    char *text = written(&fixture.report, RV_REPORT_TEXT);
    cr_expect_null(strstr(text, "doubtful totals"), "all have names of their own: %s", text);
    free(text);
    teardown(&fixture);
}

Test(report, an_empty_run_is_reported_too, .timeout = 60)
{
    struct fixture fixture = {
        .lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .stats = rv_stats_create()};
    struct rv_report report = {.lanes = fixture.lanes, .subroutines = fixture.subroutines, .stats = fixture.stats};
    char *text = written(&report, RV_REPORT_JSON);
    cr_assert_str_eq(text,
                     "{\"events\":{\"produced\":0,\"consumed\":0,\"dropped\":0},\"spans\":0,\"state_changes\":0,"
                     "\"states_known\":false,\"lost\":{},"
                     "\"processes\":[],\"not_traced\":[],\"threads\":[],\"thread_groups\":[],\"subroutines\":[]}\n");
    free(text);
    teardown(&fixture);
}

Test(report, a_full_disk_is_an_error, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    FILE *full = fopen("/dev/full", "w");
    cr_assert_eq(rv_report_write(&fixture.report, RV_REPORT_JSON, full), -ENOSPC);
    fclose(full);
    teardown(&fixture);
}

Test(report, a_terminal_gets_the_first_rows, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    for (uint32_t id = 100; id < 200; id++)
        rv_stats_add_call(fixture.stats, id, &(struct rv_stats_call){.self_ns = 1, .duration_ns = 1});
    char *all = written(&fixture.report, RV_REPORT_TEXT);
    cr_expect(!strstr(all, " more "), "%s", all);
    fixture.report.width = 200;
    char *first = written(&fixture.report, RV_REPORT_TEXT);
    cr_expect(strstr(first, "\n         ...  53 more rows with less own time (all: | less -S)\n"), "%s", first);
    cr_expect(strstr(first, "  all 103 subroutines\n"), "%s", first);
    free(all);
    free(first);
    teardown(&fixture);
}

Test(report, a_terminal_gets_files_without_their_folders, .timeout = 60)
{
    static const char *const files[][2] = {{"/usr/src/app.c", "(app.c:12)"},
                                           {"<internal:/usr/lib/app.rb>", "(<app.rb>:12)"},
                                           {"<internal:gc>", "(<internal:gc>:12)"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (unsigned width = 0; width <= 200; width += 200) {
            struct fixture fixture;
            char whole[64];
            setup(&fixture);
            rv_subroutines_define(fixture.subroutines, 1, "My::App", "run", files[i][0], 12);
            fixture.report.width = width;
            char *text = written(&fixture.report, RV_REPORT_TEXT);
            (void)snprintf(whole, sizeof whole, "(%s:12)", files[i][0]);
            cr_assert(strstr(text, width ? files[i][1] : whole), "%u: %s", width, text);
            free(text);
            teardown(&fixture);
        }
}

Test(report, text_leaves_out_what_a_terminal_has_no_room_for, .timeout = 60)
{
    static const struct {
        unsigned width;
        const char *heading, *said;
    } cases[] = {
        {0, "total cpu blocked runnable self cpu blocked runnable min p50 p99 max", ""},
        {200, "total cpu blocked runnable self cpu blocked runnable min p50 p99 max", ""},
        {150, "total self cpu blocked runnable min p50 p99 max", "left out for want of room: states of total ("},
        {130, "total self cpu blocked runnable p99 max", "left out for want of room: states of total, min, p50 ("},
        {100, "total self p99 max", "left out for want of room: states of total, min, p50, states of self ("},
        {9, "total self max", "left out for want of room: states of total, min, p50, states of self, p99 ("}};
    struct fixture fixture;
    setup(&fixture);
    fixture.report.n_switches = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture.report.width = cases[i].width;
        char *text = written(&fixture.report, RV_REPORT_TEXT), heading[200] = "";
        cr_assert(strstr(text, cases[i].said), "%u: %s", cases[i].width, text);
        cr_assert_eq(!*cases[i].said, !strstr(text, "left out"), "%u: %s", cases[i].width, text);
        const size_t n_line = strcspn(text, "\n"), n_row = strcspn(text + n_line + 1, "\n");
        cr_assert(!cases[i].width || n_line <= cases[i].width || cases[i].width == 9, "%u: %s", cases[i].width, text);
        cr_assert_gt(n_row, n_line - strlen("subroutine"));
        for (char *word = strtok(text, " \n"); strcmp(word, "subroutine") != 0; word = strtok(NULL, " \n"))
            strcat(strcat(heading, *heading ? " " : ""), strcmp(word, "calls") == 0 ? "" : word);
        cr_assert_str_eq(heading + (*heading == ' '), cases[i].heading, "%u", cases[i].width);
        free(text);
    }
    teardown(&fixture);
}
