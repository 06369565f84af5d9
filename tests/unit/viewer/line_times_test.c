/* The times of lines in the statistics of a recording, and those that a report has. */
#include "pipeline/history_on_disk.h"
#include "viewer/line_times.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink/recording_writer.h"
#include "source/replay.h"
#include "viewer/viewer.h"

#define US UINT64_C(1000)

TestSuite(viewer_lines, .timeout = 60);

enum { OUTER = 1, INNER = 2, FILE_ID = 3, N_TURNS = 20 };

static char recorded[64], source[64];

static struct rv_event event_at(enum rv_event_kind kind, uint64_t at_us, uint32_t id, uint16_t frame, uint16_t aux)
{
    return (struct rv_event){
        .when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | at_us * US, .id = id, .frame = frame, .aux = aux};
}

/* An outer call, lines 3 and 4: every 10 us an inner one of 6 us, lines 7 and 8. */
static size_t make_events(struct rv_event *events)
{
    size_t n = 0;
    events[n++] = event_at(RV_EVENT_CALL, 100, OUTER, 0, 0);
    for (uint32_t i = 0; i < N_TURNS; i++) {
        const uint64_t at_us = 100 + 10 * i;
        events[n++] = event_at(RV_EVENT_LINE, at_us, FILE_ID, 0, 3);
        events[n++] = event_at(RV_EVENT_LINE, at_us + 1, FILE_ID, 0, 4);
        events[n++] = event_at(RV_EVENT_CALL, at_us + 2, INNER, 1, 4);
        events[n++] = event_at(RV_EVENT_LINE, at_us + 2, FILE_ID, 0, 7);
        events[n++] = event_at(RV_EVENT_LINE, at_us + 5, FILE_ID, 0, 8);
        events[n++] = event_at(RV_EVENT_RETURN, at_us + 8, INNER, 1, 0);
    }
    events[n++] = event_at(RV_EVENT_RETURN, 100 + 10 * N_TURNS, OUTER, 0, 0);
    return n;
}

static void make_recording(void)
{
    struct rv_event events[6 * N_TURNS + 2];
    struct rv_recording_writer_totals totals;
    const size_t n = make_events(events);
    struct rv_recording_writer *record = rv_recording_writer_create(1);
    const struct rv_sink sink = rv_recording_writer_sink(record);
    cr_assert_eq(rv_recording_writer_start(
                     record, &(struct rv_recording_writer_params){.path = recorded, .program = "p", .is_forced = true}),
                 0);
    sink.begin(sink.context, 0);
    const struct rv_definition names[] = {
        {OUTER, "main", "outer", source, 2}, {INNER, "main", "inner", source, 6}, {FILE_ID, "", "", source, 0}};
    sink.define(sink.context, names, 3);
    sink.open(sink.context, 0, &(struct rv_stream_info){.pid = 7, .tid = 7, .process_name = "p", .thread_name = "t"});
    sink.events(sink.context, 0, events, n);
    sink.close(sink.context, 0, rv_event_ticks(&events[n - 1]), &(struct rv_stream_account){n, n, 0});
    struct rv_stats *stats = rv_stats_create();
    sink.end(sink.context, stats);
    rv_stats_destroy(stats);
    cr_assert_eq(rv_recording_writer_stop(record, &totals), 0);
    rv_recording_writer_destroy(record);
}

static void make_files(void)
{
    (void)snprintf(recorded, sizeof recorded, "/tmp/ringviz-lines-%d.rvz", (int)getpid());
    (void)snprintf(source, sizeof source, "/tmp/ringviz-lines-%d.pl", (int)getpid());
    FILE *text = fopen(source, "w");
    fputs("use strict;\nsub outer {\n    for (1 .. 20) {\n\tinner($_)\n    }\n}\nsub inner {\n    work() }\n", text);
    fclose(text);
    make_recording();
}

/* As an editor saves it: a file of another time. */
static void rewrite_source(void)
{
    FILE *text = fopen(source, "w");
    fputs("use strict;\nsub edited {\n", text);
    fclose(text);
    cr_assert_eq(utimensat(AT_FDCWD, source, (const struct timespec[]){{1, 0}, {1, 0}}, 0), 0);
}

static struct rv_source *reopen(void *context)
{
    (void)context;
    return rv_replay_open(recorded);
}

enum again { NOT, FROM_FILE, FROM_HISTORY }; /* how the events can be read once more */

struct fixture {
    struct rv_history *history;
    struct rv_session *session;
    struct rv_viewer viewer;
};

static void init(struct fixture *fixture, enum again again)
{
    struct rv_sink sink = {.context = NULL};
    *fixture = (struct fixture){.history = again == FROM_HISTORY ? rv_history_create(1 << 26) : NULL};
    if (fixture->history)
        sink = rv_history_sink(fixture->history);
    make_files();
    fixture->session = rv_session_start(&(struct rv_session_params){.n_workers = 1,
                                                                    .sinks = &sink,
                                                                    .n_sinks = fixture->history != NULL,
                                                                    .history = fixture->history,
                                                                    .reopen = again == FROM_FILE ? reopen : NULL},
                                        rv_replay_open(recorded));
    while (!rv_session_wait(fixture->session, UINT64_C(100000000)))
        continue;
    struct rv_viewer_params params = {.now_ns = 1,
                                      .window_ns = US,
                                      .lanes = rv_session_lanes(fixture->session),
                                      .subroutines = rv_session_subroutines(fixture->session),
                                      .session = fixture->session};
    rv_settings_init(&params.settings);
    rv_viewer_init(&fixture->viewer, &params);
    rv_viewer_advance(&fixture->viewer, params.lanes, true, 0.0);
}

static void fini(struct fixture *fixture)
{
    rv_viewer_fini(&fixture->viewer);
    rv_session_destroy(fixture->session);
    rv_history_destroy(fixture->history);
    unlink(recorded);
    unlink(source);
}

static void act(struct fixture *fixture, struct rv_act action)
{
    rv_viewer_act(&fixture->viewer, &action);
    rv_viewer_statistics_wait(&fixture->viewer);
}

static void open_lines(struct fixture *fixture)
{
    act(fixture, (struct rv_act){.action = RV_ACTION_STATISTICS});
    act(fixture, (struct rv_act){.action = RV_ACTION_STATISTICS_TAB, .idx = RV_STATISTICS_LINES + 1});
}

static const struct rv_line_table_row *find(const struct fixture *fixture, uint32_t line)
{
    size_t n;
    const struct rv_line_table_row *rows = rv_viewer_line_times_rows(&fixture->viewer.statistics.lines, &n);
    for (size_t i = 0; i < n; i++)
        if (rows[i].line == line)
            return &rows[i];
    return NULL;
}

static void expect(const struct fixture *fixture, uint32_t line, const uint64_t hits_self_total[3])
{
    const struct rv_line_table_row *row = find(fixture, line);
    cr_assert_not_null(row, "line %u", line);
    cr_assert_eq(row->sums.n_hits, hits_self_total[0], "line %u: %lu hits", line, row->sums.n_hits);
    cr_assert_eq(row->sums.self_ns, hits_self_total[1] * US, "line %u: %lu ns", line, row->sums.self_ns);
    cr_assert_eq(row->sums.total_ns, hits_self_total[2] * US, "line %u: %lu ns", line, row->sums.total_ns);
}

/* As --report=lines has them for the same range. */
static void expect_as_reported(const struct fixture *fixture, uint64_t from_ns, uint64_t to_ns)
{
    size_t n, n_reported;
    const struct rv_line_table_row *rows = rv_viewer_line_times_rows(&fixture->viewer.statistics.lines, &n);
    struct rv_line_times_reader *reader = rv_line_times_reader_start(
        rv_replay_open(recorded), &(struct rv_line_times_params){.from_ns = from_ns, .to_ns = to_ns});
    while (!rv_line_times_reader_wait(reader, US))
        continue;
    struct rv_line_table_row *reported = rv_line_times_reader_take(reader, &n_reported);
    cr_assert_eq(n, n_reported);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(rows[i].line, reported[i].line);
        cr_assert_str_eq(rows[i].file, reported[i].file);
        cr_assert_eq(rows[i].sums.n_hits, reported[i].sums.n_hits);
        cr_assert_eq(rows[i].sums.self_ns, reported[i].sums.self_ns);
        cr_assert_eq(rows[i].sums.total_ns, reported[i].sums.total_ns);
    }
    free(reported);
    rv_line_times_reader_destroy(reader);
}

Test(viewer_lines, all_lines_of_a_range_are_those_of_the_report)
{
    struct fixture fixture;
    init(&fixture, FROM_FILE);
    open_lines(&fixture);
    expect(&fixture, 3, (const uint64_t[]){N_TURNS, N_TURNS, N_TURNS});
    expect(&fixture, 4, (const uint64_t[]){N_TURNS, 3 * N_TURNS, 9 * N_TURNS});
    expect(&fixture, 8, (const uint64_t[]){N_TURNS, 3 * N_TURNS, 3 * N_TURNS});
    expect_as_reported(&fixture, 0, 0);
    act(&fixture, (struct rv_act){.action = RV_ACTION_SELECT, .from_ns = 113 * US, .to_ns = 136 * US, .amount = 1.0});
    expect(&fixture, 7, (const uint64_t[]){3, 2 + 3 + 3, 2 + 3 + 3});
    expect_as_reported(&fixture, 113 * US, 136 * US);
    act(&fixture, (struct rv_act){.action = RV_ACTION_EXPORT_ROWS});
    cr_assert_eq(fixture.viewer.statistics.wants_file, RV_STATISTICS_FILE_LINES);
    cr_assert(rv_viewer_line_times_are_read(&fixture.viewer));
    fini(&fixture);
}

Test(viewer_lines, the_chosen_subroutine_is_shown_with_its_source)
{
    struct fixture fixture;
    char text[RV_SOURCE_TEXT_LINE_BYTES];
    size_t n;
    init(&fixture, FROM_FILE);
    open_lines(&fixture);
    const uint32_t outer = find(&fixture, 4)->subroutine;
    act(&fixture, (struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = outer});
    const struct rv_line_table_row *rows = rv_viewer_line_times_rows(&fixture.viewer.statistics.lines, &n);
    cr_assert_eq(n, 6);
    cr_assert_eq(rows[0].line, 1);
    cr_assert_eq(rows[0].sums.n_hits, 0);
    expect(&fixture, 4, (const uint64_t[]){N_TURNS, 3 * N_TURNS, 9 * N_TURNS});
    cr_assert_str_eq(rv_viewer_line_times_text(&fixture.viewer.statistics.lines, &rows[3], text), "    inner($_)");
    cr_assert_str_eq(rv_viewer_line_times_text(&fixture.viewer.statistics.lines, &rows[1], text), "sub outer {");
    rewrite_source();
    cr_assert(rv_viewer_line_times_advance(&fixture.viewer), "an edited file is seen");
    cr_assert_str_eq(rv_viewer_line_times_text(&fixture.viewer.statistics.lines, &rows[1], text), "sub edited {");
    cr_assert_not(rv_viewer_line_times_advance(&fixture.viewer), "once");
    act(&fixture, (struct rv_act){.action = RV_ACTION_CHOOSE_ROW, .idx = rows[0].subroutine == 1 ? 2 : 1});
    cr_assert_eq(fixture.viewer.statistics.lines.rows[0].line, 5);
    fini(&fixture);
}

Test(viewer_lines, a_filter_leaves_the_lines_of_its_calls)
{
    struct fixture fixture;
    init(&fixture, FROM_FILE);
    open_lines(&fixture);
    act(&fixture, (struct rv_act){.action = RV_ACTION_LET, .text = "name:inner"});
    cr_assert_null(find(&fixture, 4));
    expect(&fixture, 7, (const uint64_t[]){N_TURNS, 3 * N_TURNS, 3 * N_TURNS});
    fini(&fixture);
}

Test(viewer_lines, lines_of_a_running_program_are_read_from_its_history)
{
    struct fixture fixture;
    init(&fixture, FROM_HISTORY);
    open_lines(&fixture);
    expect_as_reported(&fixture, 0, 0);
    expect(&fixture, 4, (const uint64_t[]){N_TURNS, 3 * N_TURNS, 9 * N_TURNS});
    fini(&fixture);
}

Test(viewer_lines, reading_of_lines_resumes_when_the_tab_is_shown_again)
{
    struct fixture fixture;
    init(&fixture, FROM_FILE);
    act(&fixture, (struct rv_act){.action = RV_ACTION_STATISTICS});
    rv_viewer_act(&fixture.viewer,
                  &(struct rv_act){.action = RV_ACTION_STATISTICS_TAB, .idx = RV_STATISTICS_LINES + 1});
    (void)rv_viewer_line_times_advance(&fixture.viewer);
    rv_viewer_act(&fixture.viewer,
                  &(struct rv_act){.action = RV_ACTION_STATISTICS_TAB, .idx = RV_STATISTICS_SANDWICH + 1});
    (void)rv_viewer_line_times_advance(&fixture.viewer);
    act(&fixture, (struct rv_act){.action = RV_ACTION_STATISTICS_TAB, .idx = RV_STATISTICS_LINES + 1});
    expect(&fixture, 4, (const uint64_t[]){N_TURNS, 3 * N_TURNS, 9 * N_TURNS});
    fini(&fixture);
}

Test(viewer_lines, a_capture_that_cannot_be_read_again_has_no_lines)
{
    struct fixture fixture;
    size_t n;
    init(&fixture, NOT);
    open_lines(&fixture);
    (void)rv_viewer_line_times_rows(&fixture.viewer.statistics.lines, &n);
    cr_assert_eq(n, 0);
    fini(&fixture);
}
