/* Times of lines, compared with a look at every nanosecond of random calls. */
#include "sink/line_times.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"

TestSuite(line_times, .timeout = 60);

enum { N_SUBS = 4, N_LINES = 6, FILE_ID = 9, N_EVENTS = 400, DEPTH = 12, END_NS = 2000 };

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

/* ---- events ---- */

static struct rv_event event_at(enum rv_event_kind kind, uint64_t at_ns, uint32_t id, uint16_t frame, uint16_t aux)
{
    return (struct rv_event){
        .when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | at_ns, .id = id, .frame = frame, .aux = aux};
}

static struct rv_event line_at(uint64_t at_ns, uint32_t line)
{
    return event_at(RV_EVENT_LINE, at_ns, line, 0, 0);
}

static struct rv_event line_in(uint64_t at_ns, uint32_t file, uint32_t line)
{
    return event_at(RV_EVENT_LINE, at_ns, file, (uint16_t)(line >> 16), (uint16_t)line);
}

/* Calls, returns and lines of one thread; some lines lie in another file than their subroutine. */
static size_t draw_events(struct rv_event *events)
{
    uint64_t now_ns = 10;
    uint32_t open[DEPTH], depth = 0;
    for (size_t i = 0; i < N_EVENTS; i++) {
        const uint32_t kind = draw(10), line = 1 + draw(N_LINES);
        now_ns += draw(8);
        if (kind < 3 && depth < DEPTH) {
            open[depth] = 1 + draw(N_SUBS);
            events[i] = event_at(RV_EVENT_CALL, now_ns, open[depth], (uint16_t)depth, 0);
            depth++;
        } else if (kind < 6 && depth) {
            depth--;
            events[i] = event_at(RV_EVENT_RETURN, now_ns, open[depth], (uint16_t)depth, 0);
        } else {
            events[i] = draw(4) ? line_at(now_ns, line) : line_in(now_ns, FILE_ID, line);
        }
    }
    return N_EVENTS;
}

/* ---- the oracle ---- */

struct call {
    uint64_t start_ns, end_ns;
    uint32_t id, depth;
};

struct statement {
    struct call *call; /* NULL: outside of all */
    uint64_t start_ns, end_ns;
    uint32_t file, line;
};

struct plain {
    struct call calls[N_EVENTS];
    struct statement statements[N_EVENTS];
    size_t n_calls, n_statements;
};

static void end_statement(struct statement **current, uint64_t at_ns)
{
    if (*current)
        (*current)->end_ns = at_ns;
    *current = NULL;
}

static void list_all(struct plain *plain, const struct rv_event *events, size_t n)
{
    struct statement *current[DEPTH + 1] = {NULL};
    struct call *open[DEPTH + 1] = {NULL};
    size_t depth = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t at_ns = rv_event_ticks(&events[i]);
        if (rv_event_kind(&events[i]) == RV_EVENT_CALL) {
            open[++depth] = &plain->calls[plain->n_calls++];
            *open[depth] = (struct call){at_ns, END_NS, events[i].id, (uint32_t)depth - 1};
        } else if (rv_event_kind(&events[i]) == RV_EVENT_RETURN) {
            end_statement(&current[depth], at_ns);
            open[depth--]->end_ns = at_ns;
        } else {
            end_statement(&current[depth], at_ns);
            current[depth] = &plain->statements[plain->n_statements++];
            *current[depth] = (struct statement){open[depth], at_ns, END_NS, rv_event_line_file(&events[i]),
                                                 rv_event_line(&events[i])};
        }
    }
}

struct wanted {
    uint64_t from_ns, to_ns, least_ns; /* the range; shortest duration of calls, 0: all, and what is outside */
    uint32_t least_depth;
};

static bool is_wanted(const struct wanted *wanted, const struct statement *statement)
{
    const struct call *call = statement->call;
    if (!wanted->least_ns && !wanted->least_depth)
        return true;
    return call && call->end_ns - call->start_ns >= wanted->least_ns && call->depth >= wanted->least_depth;
}

static bool lasts_at(const struct statement *statement, uint64_t at_ns)
{
    return statement->start_ns <= at_ns && at_ns < statement->end_ns;
}

/* The depth of the innermost call at a time; 0: none. */
static uint32_t depth_at(const struct plain *plain, uint64_t at_ns)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < plain->n_calls; i++)
        if (plain->calls[i].start_ns <= at_ns && at_ns < plain->calls[i].end_ns && plain->calls[i].depth >= depth)
            depth = plain->calls[i].depth + 1;
    return depth;
}

static uint32_t depth_of(const struct statement *statement)
{
    return statement->call ? statement->call->depth + 1 : 0;
}

static struct rv_line_row plain_row(const struct plain *plain, const struct wanted *wanted,
                                    const struct rv_line_row *like)
{
    struct rv_line_row row = *like;
    bool is_of_row[N_EVENTS];
    row.sums.n_hits = row.sums.self_ns = row.sums.total_ns = 0;
    for (size_t i = 0; i < plain->n_statements; i++) {
        const struct statement *statement = &plain->statements[i];
        is_of_row[i] = statement->file == like->file && statement->line == like->line &&
                       (statement->call ? statement->call->id : 0) == like->subroutine && is_wanted(wanted, statement);
        row.sums.n_hits += is_of_row[i] && statement->start_ns < wanted->to_ns &&
                           (statement->start_ns >= wanted->from_ns || statement->end_ns > wanted->from_ns);
    }
    for (uint64_t at_ns = wanted->from_ns; at_ns < wanted->to_ns && at_ns < END_NS; at_ns++) {
        bool is_any = false;
        for (size_t i = 0; i < plain->n_statements; i++) {
            if (!is_of_row[i] || !lasts_at(&plain->statements[i], at_ns))
                continue;
            is_any = true;
            row.sums.self_ns += depth_of(&plain->statements[i]) == depth_at(plain, at_ns);
        }
        row.sums.total_ns += is_any;
    }
    return row;
}

/* ---- comparisons ---- */

static struct rv_subroutines *define(void)
{
    struct rv_subroutines *subroutines = rv_subroutines_create();
    for (uint32_t id = 1; id <= N_SUBS; id++) {
        char name[8], file[8];
        snprintf(name, sizeof name, "f%u", id);
        snprintf(file, sizeof file, "%u.pl", id);
        rv_subroutines_define(subroutines, id, "P", name, file, id);
    }
    rv_subroutines_define(subroutines, FILE_ID, "", "", "other.pl", 0);
    return subroutines;
}

static struct rv_line_table_row *measure(const struct rv_line_times_params *params, const struct rv_event *events,
                                         size_t n, struct rv_subroutines *subroutines, size_t *n_rows)
{
    struct rv_line_times *lines = rv_line_times_create(params);
    const struct rv_sink sink = rv_line_times_sink(lines);
    const struct rv_stream_account account = {0};
    sink.begin(sink.context, 0);
    sink.open(sink.context, 3, &(struct rv_stream_info){.thread_name = "main", .process_name = "perl", .tid = 7});
    sink.events(sink.context, 3, events, n / 3);
    sink.events(sink.context, 3, events + n / 3, n - n / 3);
    sink.close(sink.context, 3, END_NS, &account);
    struct rv_line_table_row *rows = rv_line_times_take(lines, subroutines, n_rows);
    rv_line_times_destroy(lines);
    return rows;
}

static const char *file_of(struct rv_subroutines *subroutines, uint32_t file, uint32_t id)
{
    return file || id ? rv_subroutines_get(subroutines, file ? file : id).file : "";
}

static void compare(const struct rv_line_table_row *rows, size_t n_rows, const struct plain *plain,
                    const struct wanted *wanted, struct rv_subroutines *subroutines)
{
    size_t n_found = 0;
    for (uint32_t id = 0; id <= N_SUBS; id++)
        for (uint32_t i = 0; i < 2 * N_LINES; i++) {
            const struct rv_line_row like = {.subroutine = id, .file = i % 2 ? FILE_ID : 0, .line = 1 + i / 2};
            const struct rv_line_row row = plain_row(plain, wanted, &like);
            const char *file = file_of(subroutines, like.file, id);
            size_t k = 0;
            while (k < n_rows && (rows[k].subroutine != id || rows[k].line != like.line || strcmp(rows[k].file, file)))
                k++;
            if (!row.sums.n_hits) {
                cr_assert_eq(k, n_rows);
                continue;
            }
            n_found++;
            cr_assert_lt(k, n_rows, "seed %lu: %s:%u in %u", seed, file, like.line, id);
            cr_assert_eq(rows[k].sums.n_hits, row.sums.n_hits, "seed %lu: %lu hits, not %lu", seed, rows[k].sums.n_hits,
                         row.sums.n_hits);
            cr_assert_eq(rows[k].sums.self_ns, row.sums.self_ns, "seed %lu: own %lu, not %lu", seed,
                         rows[k].sums.self_ns, row.sums.self_ns);
            cr_assert_eq(rows[k].sums.total_ns, row.sums.total_ns, "seed %lu: total %lu, not %lu in %s:%u of %u", seed,
                         rows[k].sums.total_ns, row.sums.total_ns, file, like.line, id);
        }
    cr_assert_eq(n_found, n_rows);
}

static void compare_with_plain(const struct wanted *wanted, const char *const *rules, size_t n_rules)
{
    struct rv_event events[N_EVENTS];
    struct rv_subroutines *subroutines = define();
    const struct rv_filter *filter = NULL;
    char why[160];
    for (size_t i = 0; i < n_rules; i++)
        cr_assert_eq(rv_filter_add(&filter, rules[i], why, sizeof why), 0, "%s", why);
    for (seed = 1; seed < 9; seed++) {
        const uint64_t began = seed;
        struct plain *plain = rv_alloc(1, sizeof *plain);
        const size_t n = draw_events(events);
        size_t n_rows;
        seed = began;
        list_all(plain, events, n);
        struct rv_line_table_row *rows = measure(
            &(struct rv_line_times_params){.from_ns = wanted->from_ns, .to_ns = wanted->to_ns, .filter = filter},
            events, n, subroutines, &n_rows);
        compare(rows, n_rows, plain, wanted, subroutines);
        free(rows);
        free(plain);
    }
    rv_filter_release(filter);
    rv_subroutines_destroy(subroutines);
}

Test(line_times, every_nanosecond_belongs_to_a_line)
{
    compare_with_plain(&(struct wanted){0, END_NS, 0, 0}, NULL, 0);
}

Test(line_times, a_range_has_the_parts_of_lines_that_lie_in_it)
{
    compare_with_plain(&(struct wanted){300, 700, 0, 0}, NULL, 0);
    compare_with_plain(&(struct wanted){555, 556, 0, 0}, NULL, 0);
}

Test(line_times, a_filter_leaves_the_lines_of_calls_that_pass)
{
    compare_with_plain(&(struct wanted){0, END_NS, 25, 0}, (const char *const[]){"duration:>=25ns"}, 1);
    compare_with_plain(&(struct wanted){100, 900, 10, 2}, (const char *const[]){"duration:>=10ns", "depth:>=2"}, 2);
}

Test(line_times, names_and_threads_are_filtered_though_they_are_defined_late)
{
    const struct rv_event events[] = {event_at(RV_EVENT_CALL, 10, 1, 0, 0),   line_at(11, 5),
                                      event_at(RV_EVENT_CALL, 12, 2, 1, 0),   line_at(13, 6),
                                      event_at(RV_EVENT_RETURN, 20, 2, 1, 0), event_at(RV_EVENT_RETURN, 30, 1, 0, 0)};
    static const struct {
        const char *rule;
        size_t n_rows;
    } CASES[] = {{"name:f2", 1}, {"!name:f2", 1}, {"package:P", 2}, {"thread:main", 2}, {"!thread:main", 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct rv_subroutines *subroutines = define();
        const struct rv_filter *filter = NULL;
        char why[160];
        size_t n_rows;
        cr_assert_eq(rv_filter_add(&filter, CASES[i].rule, why, sizeof why), 0);
        struct rv_line_table_row *rows = measure(&(struct rv_line_times_params){.filter = filter}, events,
                                                 sizeof events / sizeof *events, subroutines, &n_rows);
        cr_assert_eq(n_rows, CASES[i].n_rows, "%s: %zu", CASES[i].rule, n_rows);
        free(rows);
        rv_filter_release(filter);
        rv_subroutines_destroy(subroutines);
    }
}

Test(line_times, a_stack_that_is_left_goes_on_but_has_no_time_of_its_own)
{
    const struct rv_event events[] = {
        event_at(RV_EVENT_CALL, 10, 1, 0, 0),  line_at(10, 1), event_at(RV_EVENT_SWITCH, 20, 7, 0, 0),
        event_at(RV_EVENT_CALL, 20, 2, 0, 0),  line_at(20, 2), event_at(RV_EVENT_SWITCH, 50, 0, 0, 0),
        event_at(RV_EVENT_RETURN, 60, 1, 0, 0)};
    struct rv_subroutines *subroutines = define();
    size_t n_rows;
    struct rv_line_table_row *rows =
        measure(&(struct rv_line_times_params){0}, events, sizeof events / sizeof *events, subroutines, &n_rows);
    cr_assert_eq(n_rows, 2);
    cr_assert_eq(rows[0].line, 2);
    cr_assert_eq(rows[0].sums.self_ns, 30);
    cr_assert_eq(rows[0].sums.total_ns, END_NS - 20);
    cr_assert_eq(rows[1].sums.self_ns, 20);
    cr_assert_eq(rows[1].sums.total_ns, 50);
    free(rows);
    rv_subroutines_destroy(subroutines);
}

static struct rv_event call_at_line(uint64_t at_ns, uint32_t place)
{
    return line_in(at_ns, place, RV_LINE_OF_CALL);
}

/* f1 calls f2 from 2.pl:2 twice, and from a place of no known line. */
Test(line_times, the_line_of_a_call_lasts_as_long_as_the_call)
{
    const struct rv_event events[] = {event_at(RV_EVENT_CALL, 10, 1, 0, 0),
                                      call_at_line(20, 2),
                                      event_at(RV_EVENT_CALL, 21, 2, 1, 0),
                                      event_at(RV_EVENT_RETURN, 40, 2, 1, 0),
                                      call_at_line(50, 2),
                                      event_at(RV_EVENT_CALL, 51, 2, 1, 0),
                                      event_at(RV_EVENT_RETURN, 60, 2, 1, 0),
                                      call_at_line(70, FILE_ID),
                                      event_at(RV_EVENT_CALL, 70, 2, 1, 0),
                                      event_at(RV_EVENT_RETURN, 80, 2, 1, 0),
                                      event_at(RV_EVENT_RETURN, 90, 1, 0, 0)};
    struct rv_subroutines *subroutines = define();
    size_t n_rows;
    struct rv_line_table_row *rows =
        measure(&(struct rv_line_times_params){0}, events, sizeof events / sizeof *events, subroutines, &n_rows);
    cr_assert_eq(n_rows, 1);
    cr_assert_str_eq(rows[0].file, "2.pl");
    cr_assert_eq(rows[0].line, 2);
    cr_assert_eq(rows[0].subroutine, 1);
    cr_assert_eq(rows[0].sums.n_hits, 2);
    cr_assert_eq(rows[0].sums.self_ns, 0);
    cr_assert_eq(rows[0].sums.total_ns, 30);
    free(rows);
    rv_subroutines_destroy(subroutines);
}

/* A hostile file has as many stacks as it has events. */
Test(line_times, stacks_beyond_the_most_share_the_first)
{
    enum { MOST = 65536, MANY = 2 * MOST };
    struct rv_subroutines *subroutines = define();
    size_t n_rows, n = 0;
    struct rv_event *events = rv_alloc(MANY + 2, sizeof *events);
    events[n++] = event_at(RV_EVENT_CALL, 10, 1, 0, 0);
    for (uint32_t i = 1; i <= MANY; i++)
        events[n++] = event_at(RV_EVENT_SWITCH, 20, i, 0, 0);
    events[n++] = line_at(30, 5);
    struct rv_line_table_row *rows = measure(&(struct rv_line_times_params){0}, events, n, subroutines, &n_rows);
    cr_assert_eq(n_rows, 1);
    cr_assert_eq(rows->subroutine, 1);
    cr_assert_eq(rows->line, 5);
    cr_assert_eq(rows->sums.self_ns, END_NS - 30);
    free(rows);
    free(events);
    rv_subroutines_destroy(subroutines);
}

Test(line_times, a_call_that_was_open_before_its_thread_was_seen_ends_its_line)
{
    const struct rv_event events[] = {line_in(10, FILE_ID, 1 << 20), event_at(RV_EVENT_RETURN, 15, 1, 4, 0),
                                      event_at(RV_EVENT_CALL, 20, 2, 4, 0), event_at(RV_EVENT_RETURN, 90, 2, 4, 0)};
    struct rv_subroutines *subroutines = define();
    size_t n_rows;
    struct rv_line_table_row *rows =
        measure(&(struct rv_line_times_params){0}, events, sizeof events / sizeof *events, subroutines, &n_rows);
    cr_assert_eq(n_rows, 1);
    cr_assert_str_eq(rows->file, "other.pl");
    cr_assert_eq(rows->line, 1 << 20);
    cr_assert_eq(rows->sums.total_ns, 5);
    free(rows);
    rv_subroutines_destroy(subroutines);
}

Test(line_times, a_long_call_is_judged_at_its_end_in_little_memory)
{
    struct rv_subroutines *subroutines = define();
    const struct rv_filter *filter = NULL;
    char why[160];
    size_t n_rows;
    enum { MANY = 100000 };
    struct rv_event *events = rv_alloc(MANY, sizeof *events);
    cr_assert_eq(rv_filter_add(&filter, "depth:0..3", why, sizeof why), 0);
    events[0] = event_at(RV_EVENT_CALL, 0, 1, 0, 0);
    for (uint32_t i = 1; i < MANY; i++)
        events[i] = line_at(i / 100, 1 + i % 3);
    struct rv_line_table_row *rows =
        measure(&(struct rv_line_times_params){.filter = filter}, events, MANY, subroutines, &n_rows);
    cr_assert_eq(n_rows, 3);
    cr_assert_eq(rows[0].sums.n_hits + rows[1].sums.n_hits + rows[2].sums.n_hits, MANY - 1);
    free(rows);
    free(events);
    rv_filter_release(filter);
    rv_subroutines_destroy(subroutines);
}
