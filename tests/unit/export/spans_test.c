#include "export/spans.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_spool *spool;
    struct rv_lane *main, *worker;
};

static void add(struct rv_spool *spool, const struct rv_lane *lane, const struct rv_span *spans, size_t n)
{
    struct rv_sink sink = rv_spool_sink(spool);
    sink.spans(sink.context, lane, spans, n);
}

static void begin(struct fixture *fixture)
{
    fixture->lanes = rv_lanes_create();
    fixture->subroutines = rv_subroutines_create();
    fixture->spool = rv_spool_create();
    cr_assert_not_null(fixture->spool);
    rv_subroutines_define(fixture->subroutines, 1, "P", "plain", "p.c", 8);
    rv_subroutines_define(fixture->subroutines, 2, "", "with \"quotes\", and \t", "x\\y", 0);
}

static void setup(struct fixture *fixture)
{
    begin(fixture);
    fixture->main = rv_lanes_add(fixture->lanes, &(struct rv_lane_identity){.pid = 7, .tid = 7});
    fixture->worker = rv_lanes_add(fixture->lanes, &(struct rv_lane_identity){.pid = 7, .tid = 9});
    add(fixture->spool, fixture->main,
        (struct rv_span[]){{.start = 10, .end = 30, .id = 1, .depth = 1, .flags = RV_SPAN_CUT}}, 1);
    add(fixture->spool, fixture->worker,
        (struct rv_span[]){
            {.start = 5, .end = 5, .id = 2, .flags = RV_SPAN_CUT | RV_SPAN_ORPHAN},
            {.start = UINT64_MAX - 1, .end = UINT64_MAX, .id = 99, .depth = 4294967295u, .flags = RV_SPAN_OPEN}},
        2);
    add(fixture->spool, fixture->worker, NULL, 0);
}

/* One call in another, blocked for 3 ns in it, runnable for 2 beside it. */
static void add_blocked(struct fixture *fixture)
{
    rv_lanes_keep_stretches(fixture->lanes);
    const struct rv_lane_identity identity = {.pid = 8, .tid = 8};
    struct rv_lane *lane = rv_lanes_add(fixture->lanes, &identity);
    rv_lane_add_stretch(lane, 15, &(struct rv_state_times){.blocked_ns = 3});
    rv_lane_add_stretch(lane, 25, &(struct rv_state_times){.runnable_ns = 2});
    add(fixture->spool, lane,
        (struct rv_span[]){{.start = 10, .end = 20, .id = 1, .depth = 1}, {.start = 0, .end = 30, .id = 1}}, 2);
}

static void teardown(struct fixture *fixture)
{
    rv_spool_destroy(fixture->spool);
    rv_lanes_destroy(fixture->lanes);
    rv_subroutines_destroy(fixture->subroutines);
}

static char *written(const struct fixture *fixture, enum rv_spans_format format)
{
    char *text = NULL;
    size_t n_bytes;
    FILE *out = open_memstream(&text, &n_bytes);
    struct rv_spans_params params = {fixture->spool, fixture->lanes, fixture->subroutines, format, 0, 0, NULL};
    cr_assert_eq(rv_spool_seal(fixture->spool), 0);
    cr_assert_eq(rv_spans_write(&params, out), 0);
    fclose(out);
    return text;
}

Test(spans, csv_has_a_header_and_a_row_per_span, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    char *text = written(&fixture, RV_SPANS_CSV);
    cr_assert_str_eq(
        text, "process,thread,depth,start_ns,duration_ns,name,file,line,cpu_ns,blocked_ns,runnable_ns,self_cpu_ns,"
              "self_blocked_ns,self_runnable_ns,flags\n"
              "7,7,1,10,20,P::plain,p.c,8,,,,,,,cut\n"
              "7,9,0,5,0,\"with \"\"quotes\"\", and \t\",x\\y,0,,,,,,,cut|orphan\n"
              "7,9,4294967295,18446744073709551614,1,#99,,0,,,,,,,open\n");
    free(text);
    teardown(&fixture);
}

/* Rows are sorted by thread, then by stack, whichever lane the workers saw first. */
Test(spans, rows_are_in_the_order_of_threads_however_lanes_came, .timeout = 60)
{
    static const struct rv_lane_identity come[][3] = {
        {{.tid = 1, .thread = 0}, {.tid = 1, .thread = 0, .stack = 4}, {.tid = 2, .thread = 1}},
        {{.tid = 2, .thread = 1}, {.tid = 1, .thread = 0, .stack = 4}, {.tid = 1, .thread = 0}}};
    char *texts[2];
    for (size_t way = 0; way < 2; way++) {
        struct fixture fixture = {
            .lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .spool = rv_spool_create()};
        for (uint64_t i = 0; i < 3 * RV_SPOOL_SPANS; i++) { /* of all lanes in turn */
            const struct rv_lane_identity *identity = &come[way][i % 3];
            const struct rv_lane *lane =
                i < 3 ? rv_lanes_add(fixture.lanes, identity) : rv_lanes_get(fixture.lanes, i % 3);
            add(fixture.spool, lane,
                &(struct rv_span){.start = i / 3, .end = i / 3 + identity->thread, .depth = identity->stack}, 1);
        }
        texts[way] = written(&fixture, RV_SPANS_CSV);
        teardown(&fixture);
    }
    cr_assert_str_eq(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

Test(spans, json_is_an_object_a_line, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    char *text = written(&fixture, RV_SPANS_JSON), *again = written(&fixture, RV_SPANS_JSON), *next = NULL;
    cr_assert_str_eq(text, again);
    unsigned n = 0;
    for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next), n++) {
        if (n == 2)
            continue; /* its start needs all 64 bits, and the JSON parser has 63 */
        json_t *row = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        cr_assert_not_null(row, "%s", line);
        cr_assert_eq(json_object_size(row), 9);
        cr_assert_eq(json_integer_value(json_object_get(row, "thread")), n ? 9 : 7);
        cr_assert_eq(json_integer_value(json_object_get(row, "start_ns")), n ? 5 : 10);
        cr_assert_eq(json_integer_value(json_object_get(row, "duration_ns")), n ? 0 : 20);
        cr_assert_str_eq(json_string_value(json_object_get(row, "name")), n ? "with \"quotes\", and \t" : "P::plain");
        cr_assert_str_eq(json_string_value(json_object_get(row, "file")), n ? "x\\y" : "p.c");
        cr_assert_str_eq(json_string_value(json_object_get(row, "flags")), n ? "cut|orphan" : "cut");
        json_decref(row);
    }
    cr_assert_eq(n, 3);
    free(text);
    free(again);
    teardown(&fixture);
}

Test(spans, more_than_fits_the_buffer_comes_back_in_order, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    enum { N = 100000, BLOCK = 1000 };
    struct rv_span block[BLOCK];
    for (uint64_t i = 0; i < N; i += BLOCK) {
        for (uint64_t j = 0; j < BLOCK; j++)
            block[j] = (struct rv_span){.start = i + j, .end = 2 * (i + j), .id = (uint32_t)((i + j) % 3)};
        add(fixture.spool, fixture.main, block, BLOCK);
    }
    char *text = written(&fixture, RV_SPANS_CSV), *next = NULL;
    uint64_t n = 0;
    for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next), n++) {
        unsigned long long start, duration;
        if (n < 2 || n >= N + 2) /* what setup() added: one of this thread's, two of the other's, which come last */
            continue;
        cr_assert_eq(sscanf(line, "7,7,0,%llu,%llu,", &start, &duration), 2, "%s", line);
        cr_assert_eq(start, n - 2);
        cr_assert_eq(duration, n - 2);
    }
    cr_assert_eq(n, N + 4);
    free(text);
    teardown(&fixture);
}

Test(spans, a_slice_has_calls_that_overlap_it_and_pass, .timeout = 60)
{
    static const struct {
        uint64_t from_ns, to_ns;
        const char *rule;
        unsigned n_rows;
    } cases[] = {{0, 0, NULL, 3},           {0, UINT64_MAX, NULL, 3},   {0, 10, NULL, 1},
                 {0, 11, NULL, 2},          {29, 40, NULL, 1},          {30, 40, NULL, 0},
                 {5, 6, NULL, 1},           {6, 10, NULL, 0},           {0, 0, "name:plain", 1},
                 {0, 0, "!name:plain", 2},  {0, 0, "depth:=1", 1},      {0, 0, "duration:>1ns", 1},
                 {0, 0, "thread:^7 9$", 0}, {0, 11, "duration:=0ns", 1}};
    struct fixture fixture;
    setup(&fixture);
    cr_assert_eq(rv_spool_seal(fixture.spool), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rv_filter *filter = NULL;
        char why[160], *text = NULL;
        size_t n_bytes;
        unsigned n_lines = 0;
        cr_assert(!cases[i].rule || rv_filter_add(&filter, cases[i].rule, why, sizeof why) == 0);
        cr_assert(rv_filter_update(filter, fixture.subroutines, SIZE_MAX));
        FILE *out = open_memstream(&text, &n_bytes);
        struct rv_spans_params params = {fixture.spool,
                                         fixture.lanes,
                                         fixture.subroutines,
                                         RV_SPANS_CSV,
                                         {cases[i].from_ns, cases[i].to_ns, filter}};
        cr_assert_eq(rv_spans_write(&params, out), 0);
        fclose(out);
        for (const char *at = text; (at = strchr(at, '\n')); at++)
            n_lines++;
        cr_assert_eq(n_lines, cases[i].n_rows + 1, "case %zu: %s", i, text);
        free(text);
        rv_filter_release(filter);
    }
    teardown(&fixture);
}

Test(spans, a_full_disk_is_an_error, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    FILE *full = fopen("/dev/full", "w");
    struct rv_spans_params params = {fixture.spool, fixture.lanes, fixture.subroutines, RV_SPANS_CSV, 0, 0, NULL};
    cr_assert_eq(rv_spool_seal(fixture.spool), 0);
    cr_assert_eq(rv_spans_write(&params, full), -ENOSPC);
    fclose(full);
    teardown(&fixture);
}

Test(spans, times_on_and_off_the_cpu_are_of_the_call_and_of_it_alone, .timeout = 60)
{
    struct fixture fixture;
    begin(&fixture);
    add_blocked(&fixture);
    char *text = written(&fixture, RV_SPANS_CSV);
    cr_assert_not_null(
        strstr(text, ",line,cpu_ns,blocked_ns,runnable_ns,self_cpu_ns,self_blocked_ns,self_runnable_ns,flags\n"));
    cr_expect_not_null(strstr(text, "8,8,1,10,10,P::plain,p.c,8,7,3,0,7,3,0,\n"), "%s", text);
    cr_expect_not_null(strstr(text, "8,8,0,0,30,P::plain,p.c,8,25,3,2,18,0,2,\n"), "%s", text);
    free(text);
    text = written(&fixture, RV_SPANS_JSON);
    cr_expect_not_null(strstr(text, "\"line\":8,\"cpu_ns\":25,\"blocked_ns\":3,\"runnable_ns\":2,\"self_cpu_ns\":18,"
                                    "\"self_blocked_ns\":0,\"self_runnable_ns\":2,\"flags\":\"\"}\n"));
    free(text);
    teardown(&fixture);
}
