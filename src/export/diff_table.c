/* Every number is written twice, before and after; a ratio without a value before is empty in text and CSV, null in
 * JSON. */
#include "export/diff_table.h"

#include <stdbool.h>

#include "base/units.h"
#include "export/losses.h"
#include "export/table_names.h"
#include "export/text_buffer.h"
#include "model/diff_significance.h"

enum { BEFORE = RV_DIFF_BEFORE, AFTER = RV_DIFF_AFTER };
static const char *const SIDE_NAMES[RV_DIFF_SIDES] = {[BEFORE] = "before", [AFTER] = "after"};

struct number { /* a column with a value for each side */
    const char *name;
    uint64_t value[RV_DIFF_SIDES];
};

enum { N_NUMBERS = 14, N_PLAIN = 8 };

static void set_times(struct number out[N_NUMBERS - N_PLAIN], const struct rv_stats_row *row, int side)
{
    static const char *const names[] = {"total_cpu_ns", "total_blocked_ns", "total_runnable_ns",
                                        "self_cpu_ns",  "self_blocked_ns",  "self_runnable_ns"};
    const uint64_t times[] = {rv_state_times_cpu_ns(&row->total_times, row->total_ns),
                              row->total_times.blocked_ns,
                              row->total_times.runnable_ns,
                              rv_state_times_cpu_ns(&row->self_times, row->self_ns),
                              row->self_times.blocked_ns,
                              row->self_times.runnable_ns};
    for (int i = 0; i < N_NUMBERS - N_PLAIN; i++) {
        out[i].name = names[i];
        out[i].value[side] = times[i];
    }
}

static void numbers_of(const struct rv_diff_row *row, struct number out[N_NUMBERS])
{
    const struct rv_stats_row *before = &row->stats[BEFORE], *after = &row->stats[AFTER];
    out[0] = (struct number){"line", {row->line[BEFORE], row->line[AFTER]}};
    out[1] = (struct number){"calls", {before->n_calls, after->n_calls}};
    out[2] = (struct number){"total_ns", {before->total_ns, after->total_ns}};
    out[3] = (struct number){"self_ns", {before->self_ns, after->self_ns}};
    out[4] = (struct number){"self_p50_ns", {row->own_p50_ns[BEFORE], row->own_p50_ns[AFTER]}};
    out[5] = (struct number){"p50_ns", {before->p50_ns, after->p50_ns}};
    out[6] = (struct number){"p99_ns", {before->p99_ns, after->p99_ns}};
    out[7] = (struct number){"max_ns", {before->max_ns, after->max_ns}};
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        set_times(out + N_PLAIN, &row->stats[side], side);
}

/* Of times on and off the CPU those of a side are not known. */
static bool is_known(const struct rv_diff_table *table, int number, int side)
{
    return number < N_PLAIN || table->has_states[side];
}

/* Ratio of the total times after / before; false without time before. */
static bool ratio_of(const struct rv_diff_row *row, double *ratio)
{
    uint64_t before_ns = row->stats[BEFORE].total_ns;
    *ratio = before_ns ? (double)row->stats[AFTER].total_ns / (double)before_ns : 0.0;
    return before_ns > 0;
}

/* For own and whole time: the ratio beyond the common one, and its p. */
static const char *const CHANGE_NAMES[RV_DIFF_VARIANCE_TIMES][2] = {{"self_change", "self_p"}, {"change", "p"}};

/* ---- JSON ---- */

static void add_json_numbers(struct rv_text_buffer *text, const struct rv_diff_table *table,
                             const struct number numbers[N_NUMBERS])
{
    for (int i = 0; i < N_NUMBERS; i++) {
        rv_text_buffer_format(text, ",\"%s\":[", numbers[i].name);
        for (int side = 0; side < RV_DIFF_SIDES; side++) {
            rv_text_buffer_add(text, side ? "," : "");
            if (is_known(table, i, side))
                rv_text_buffer_add_u64(text, numbers[i].value[side]);
            else
                rv_text_buffer_add(text, "null");
        }
        rv_text_buffer_add(text, "]");
    }
}

static void add_json_row(struct rv_text_buffer *text, const struct rv_diff_table *table, const struct rv_diff_row *row)
{
    struct number numbers[N_NUMBERS];
    double ratio;
    numbers_of(row, numbers);
    rv_text_buffer_add(text, "{\"name\":");
    rv_text_buffer_add_json(text, row->name);
    rv_text_buffer_add(text, ",\"file\":");
    rv_text_buffer_add_json(text, row->file);
    add_json_numbers(text, table, numbers);
    if (ratio_of(row, &ratio))
        rv_text_buffer_format(text, ",\"total_ratio\":%.6g", ratio);
    else
        rv_text_buffer_add(text, ",\"total_ratio\":null");
    for (int time = 0; time < RV_DIFF_VARIANCE_TIMES; time++)
        if (rv_diff_significance_is_tested(row))
            rv_text_buffer_format(text, ",\"%s\":%.6g,\"%s\":%.6g", CHANGE_NAMES[time][0], row->changes[time].ratio,
                                  CHANGE_NAMES[time][1], row->changes[time].p);
        else
            rv_text_buffer_format(text, ",\"%s\":null,\"%s\":null", CHANGE_NAMES[time][0], CHANGE_NAMES[time][1]);
    rv_text_buffer_format(text, ",\"verdict\":\"%s\"}", rv_diff_significance_word(row->verdict));
}

static void write_json(struct rv_text_buffer *text, const void *context)
{
    const struct rv_diff_table *table = context;
    for (int side = 0; side < RV_DIFF_SIDES; side++) {
        rv_text_buffer_format(text, "%s\"%s\":{\"title\":", side ? "," : "{", SIDE_NAMES[side]);
        rv_text_buffer_add_json(text, table->title[side]);
        rv_text_buffer_format(text, ",\"spans\":%llu,\"lost\":", (unsigned long long)table->n_spans[side]);
        rv_losses_add_json(text, &table->losses[side]);
        rv_text_buffer_add(text, "}");
    }
    rv_text_buffer_format(text, ",\"tested\":%zu,\"common_change\":%.6g,\"subroutines\":[", table->diff->n_tested,
                          table->diff->common_ratio);
    for (size_t i = 0; i < table->diff->n; i++) {
        rv_text_buffer_add(text, i ? ",\n" : "\n");
        add_json_row(text, table, &table->diff->rows[i]);
    }
    rv_text_buffer_add(text, "\n]}\n");
}

/* ---- CSV ---- */

/* Rows like those of subroutines: kind as a name in parentheses, number as calls. */
static void add_csv_losses(struct rv_text_buffer *text, const struct rv_diff_table *table, int side)
{
    enum { BEFORE_CALLS = 4, N_COLUMNS = 2 + 2 * N_NUMBERS + 6 };
    for (enum rv_loss loss = 0; loss < RV_LOSS_COUNT; loss++) {
        if (!table->losses[side].n[loss])
            continue;
        rv_text_buffer_format(text, "(lost %s: %s)", SIDE_NAMES[side], rv_loss_words(loss));
        for (int i = 1; i < N_COLUMNS; i++) {
            rv_text_buffer_add(text, ",");
            if (i == BEFORE_CALLS + side)
                rv_text_buffer_add_u64(text, table->losses[side].n[loss]);
        }
        rv_text_buffer_add(text, "\n");
    }
}

static void write_csv(struct rv_text_buffer *text, const void *context)
{
    const struct rv_diff_table *table = context;
    const struct rv_diff *diff = table->diff;
    struct number numbers[N_NUMBERS];
    numbers_of(&(struct rv_diff_row){0}, numbers);
    rv_text_buffer_add(text, "name,file");
    for (int i = 0; i < N_NUMBERS; i++)
        rv_text_buffer_format(text, ",%s_before,%s_after", numbers[i].name, numbers[i].name);
    rv_text_buffer_add(text, ",total_ratio,self_change,self_p,change,p,verdict\n");
    for (size_t i = 0; i < diff->n; i++) {
        const struct rv_diff_row *row = &diff->rows[i];
        double ratio;
        numbers_of(row, numbers);
        rv_text_buffer_add_csv(text, row->name);
        rv_text_buffer_add(text, ",");
        rv_text_buffer_add_csv(text, row->file);
        for (int j = 0; j < N_NUMBERS * RV_DIFF_SIDES; j++) {
            rv_text_buffer_add(text, ",");
            if (is_known(table, j / RV_DIFF_SIDES, j % RV_DIFF_SIDES))
                rv_text_buffer_add_u64(text, numbers[j / RV_DIFF_SIDES].value[j % RV_DIFF_SIDES]);
        }
        rv_text_buffer_add(text, ",");
        if (ratio_of(row, &ratio))
            rv_text_buffer_format(text, "%.6g", ratio);
        for (int time = 0; time < RV_DIFF_VARIANCE_TIMES; time++)
            if (rv_diff_significance_is_tested(row))
                rv_text_buffer_format(text, ",%.6g,%.6g", row->changes[time].ratio, row->changes[time].p);
            else
                rv_text_buffer_add(text, ",,");
        rv_text_buffer_format(text, ",%s\n", rv_diff_significance_word(row->verdict));
    }
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        add_csv_losses(text, table, side);
}

/* ---- text ---- */

static uint64_t size_of(const uint64_t ns[RV_DIFF_SIDES])
{
    return ns[BEFORE] > ns[AFTER] ? ns[BEFORE] - ns[AFTER] : ns[AFTER] - ns[BEFORE];
}

static void add_change(struct rv_text_buffer *text, const uint64_t ns[RV_DIFF_SIDES])
{
    char duration[32], change[34];
    rv_units_format_ns(duration, sizeof duration, size_of(ns));
    snprintf(change, sizeof change, "%s%s", ns[BEFORE] > ns[AFTER] ? "-" : "+", duration);
    rv_text_buffer_format(text, "%11s", ns[BEFORE] == ns[AFTER] ? "0" : change);
}

static bool knows_states(const struct rv_diff_table *table)
{
    return table->has_states[BEFORE] && table->has_states[AFTER];
}

/* Of total time on the CPU, blocked and runnable the one that changed most. */
static void add_cause(struct rv_text_buffer *text, const struct rv_diff_row *row)
{
    static const char *const words[] = {"cpu", "blocked", "runnable"};
    struct number numbers[N_NUMBERS];
    int most = 0;
    numbers_of(row, numbers);
    for (int i = 1; i < 3; i++)
        if (size_of(numbers[N_PLAIN + i].value) > size_of(numbers[N_PLAIN + most].value))
            most = i;
    add_change(text, numbers[N_PLAIN + most].value);
    rv_text_buffer_format(text, " %-8s", words[most]);
}

/* Columns that a narrow terminal has no room for, the least telling first. */
enum column_group { P50, OWN_P50, SELF, CALLS, CAUSE, N_COLUMN_GROUPS };

enum { PAIR_WIDTH = 22, CAUSE_WIDTH = 20, OTHERS_WIDTH = 11 + PAIR_WIDTH + 8 + 16, NAME_WIDTH = 22 };

struct columns {
    struct rv_table_group groups[N_COLUMN_GROUPS];
    int n_left_out;
};

static struct columns fit(const struct rv_diff_table *table)
{
    struct columns columns = {.groups = {[P50] = {"p50", PAIR_WIDTH},
                                         [OWN_P50] = {"self p50", PAIR_WIDTH},
                                         [SELF] = {"self", PAIR_WIDTH},
                                         [CALLS] = {"calls", PAIR_WIDTH},
                                         [CAUSE] = {"most of it", knows_states(table) ? CAUSE_WIDTH : 0}}};
    columns.n_left_out = rv_table_leave_out(columns.groups, N_COLUMN_GROUPS, OTHERS_WIDTH + NAME_WIDTH, table->width);
    return columns;
}

static bool shows(const struct columns *columns, enum column_group group)
{
    return (int)group >= columns->n_left_out && columns->groups[group].width;
}

static void add_text_heading(struct rv_text_buffer *text, const struct columns *columns)
{
    static const struct {
        enum column_group group;
        const char *name;
    } pairs[] = {{CALLS, "calls"}, {SELF, "self"}, {OWN_P50, "self p50"}, {P50, "p50"}};
    const int cause_width = shows(columns, CAUSE) ? CAUSE_WIDTH : 0;
    rv_text_buffer_format(text, "%11s%*s %21s %7s", "total", cause_width, "", "total", "");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (shows(columns, pairs[i].group))
            rv_text_buffer_format(text, " %21s", pairs[i].name);
    rv_text_buffer_format(text, "\n%11s%*s %10s %10s %7s", "change", cause_width, cause_width ? "most of it    " : "",
                          "before", "after", "ratio");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (shows(columns, pairs[i].group))
            rv_text_buffer_format(text, " %10s %10s", "before", "after");
    rv_text_buffer_add(text, "  verdict       subroutine\n");
}

static void add_text_row(struct rv_text_buffer *text, const struct columns *columns, const struct rv_diff_row *row,
                         const char *name)
{
    double ratio;
    add_change(text, (const uint64_t[]){row->stats[BEFORE].total_ns, row->stats[AFTER].total_ns});
    if (shows(columns, CAUSE))
        add_cause(text, row);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        rv_text_buffer_add_duration(text, row->stats[side].total_ns);
    if (ratio_of(row, &ratio))
        rv_text_buffer_format(text, " %7.2f", ratio);
    else
        rv_text_buffer_format(text, " %7s", "");
    for (int side = 0; side < RV_DIFF_SIDES && shows(columns, CALLS); side++)
        rv_text_buffer_format(text, " %10llu", (unsigned long long)row->stats[side].n_calls);
    for (int side = 0; side < RV_DIFF_SIDES && shows(columns, SELF); side++)
        rv_text_buffer_add_duration(text, row->stats[side].self_ns);
    for (int side = 0; side < RV_DIFF_SIDES && shows(columns, OWN_P50); side++)
        rv_text_buffer_add_duration(text, row->own_p50_ns[side]);
    for (int side = 0; side < RV_DIFF_SIDES && shows(columns, P50); side++)
        rv_text_buffer_add_duration(text, row->stats[side].p50_ns);
    rv_text_buffer_format(text, "  %-13s %s", rv_diff_significance_word(row->verdict), name);
    if (row->file[0])
        rv_text_buffer_format(text, " (%s)", row->file);
    rv_text_buffer_add(text, "\n");
}

static void write_text(struct rv_text_buffer *text, const void *context)
{
    const struct rv_diff_table *table = context;
    const struct rv_diff *diff = table->diff;
    size_t n_verdicts[RV_DIFF_GONE + 1] = {0};
    rv_text_buffer_format(text, "before: %s, %llu call%s\nafter:  %s, %llu call%s\n\n", table->title[BEFORE],
                          (unsigned long long)table->n_spans[BEFORE], rv_units_word(table->n_spans[BEFORE], "", "s"),
                          table->title[AFTER], (unsigned long long)table->n_spans[AFTER],
                          rv_units_word(table->n_spans[AFTER], "", "s"));
    const struct columns columns = fit(table);
    add_text_heading(text, &columns);
    char **names = rv_table_names_create(diff->rows, sizeof *diff->rows, offsetof(struct rv_diff_row, name), diff->n);
    for (size_t i = 0; i < diff->n; i++) {
        add_text_row(text, &columns, &diff->rows[i], names[i]);
        n_verdicts[diff->rows[i].verdict]++;
    }
    rv_table_names_destroy(names, diff->n);
    rv_table_add_left_out(text, columns.groups, columns.n_left_out);
    rv_text_buffer_format(
        text,
        "\n%zu subroutine%s, %zu with at least %u calls in both runs: %zu take longer themselves, %zu less "
        "long; %zu call what takes longer, %zu what takes less long\n",
        diff->n, rv_units_word(diff->n, "", "s"), diff->n_tested, RV_DIFF_LEAST_CALLS, n_verdicts[RV_DIFF_SLOWER],
        n_verdicts[RV_DIFF_FASTER], n_verdicts[RV_DIFF_SLOWER_INSIDE], n_verdicts[RV_DIFF_FASTER_INSIDE]);
    rv_text_buffer_format(
        text, "own times of all together: x%.2f (the machine, or the whole program); verdicts are beyond that\n",
        diff->common_ratio);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        if (!table->has_states[side])
            rv_text_buffer_format(text,
                                  "threads' states are not known %s: not said is what changed on and off the CPU\n",
                                  SIDE_NAMES[side]);
    rv_losses_add_text(text, "lost before", &table->losses[BEFORE], RV_LOSS_EVENTS_DROPPED);
    rv_losses_add_text(text, "lost after", &table->losses[AFTER], RV_LOSS_EVENTS_DROPPED);
}

static const struct rv_table_forms FORMS = {write_text, write_csv, write_json};

int rv_diff_table_write(const struct rv_diff_table *table, enum rv_report_format format, FILE *out)
{
    return rv_table_write(&FORMS, table, format, out, 0);
}
